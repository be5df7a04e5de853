module @integer_reductions attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func private @region_0.1(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @region_1.2(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @region_2.3(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.maximum %arg0, %arg1 : tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @region_3.4(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.or %arg0, %arg1 : tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @reduce.5(%arg0: tensor<100x64xi32>) -> tensor<64xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.or across dimensions = [0] : (tensor<100x64xi32>, tensor<i32>) -> tensor<64xi32>
    return %0 : tensor<64xi32>
  }
  func.func private @region_4.6(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.xor %arg0, %arg1 : tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @reduce_0.7(%arg0: tensor<100x64xi32>) -> tensor<100xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.xor across dimensions = [1] : (tensor<100x64xi32>, tensor<i32>) -> tensor<100xi32>
    return %0 : tensor<100xi32>
  }
  func.func private @region_5.8(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @region_6.9(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<i32>
    return %0 : tensor<i32>
  }
  func.func @main(%arg0: tensor<100x64xi32>, %arg1: tensor<100x64xf32>) -> (tensor<i32>, tensor<64xi32>, tensor<100xi32>, tensor<64xi32>, tensor<100xi32>, tensor<100xi32>, tensor<64xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.add across dimensions = [0, 1] : (tensor<100x64xi32>, tensor<i32>) -> tensor<i32>
    %1 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<100x64xi32>, tensor<i32>) -> tensor<64xi32>
    %c_0 = stablehlo.constant dense<-2147483648> : tensor<i32>
    %2 = stablehlo.reduce(%arg0 init: %c_0) applies stablehlo.maximum across dimensions = [1] : (tensor<100x64xi32>, tensor<i32>) -> tensor<100xi32>
    %3 = call @reduce.5(%arg0) : (tensor<100x64xi32>) -> tensor<64xi32>
    %4 = call @reduce_0.7(%arg0) : (tensor<100x64xi32>) -> tensor<100xi32>
    %5 = stablehlo.convert %arg0 : (tensor<100x64xi32>) -> tensor<100x64xi8>
    %6 = stablehlo.convert %5 : (tensor<100x64xi8>) -> tensor<100x64xi32>
    %7 = stablehlo.reduce(%6 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<100x64xi32>, tensor<i32>) -> tensor<100xi32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<100x64xf32>
    %9 = stablehlo.compare GT, %arg1, %8 : (tensor<100x64xf32>, tensor<100x64xf32>) -> tensor<100x64xi1>
    %10 = stablehlo.convert %9 : (tensor<100x64xi1>) -> tensor<100x64xi32>
    %11 = stablehlo.reduce(%10 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<100x64xi32>, tensor<i32>) -> tensor<64xi32>
    return %0, %1, %2, %3, %4, %7, %11 : tensor<i32>, tensor<64xi32>, tensor<100xi32>, tensor<64xi32>, tensor<100xi32>, tensor<100xi32>, tensor<64xi32>
  }
}
