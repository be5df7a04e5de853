module @selects attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func private @_where.1(%arg0: tensor<20x30xi1>, %arg1: tensor<20x30xf32>, %arg2: tensor<20x30xf32>) -> tensor<20x30xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<20x30xi1>, tensor<20x30xf32>
    return %0 : tensor<20x30xf32>
  }
  func.func private @clip.2(%arg0: tensor<20x30xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<20x30xf32> {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<20x30xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<20x30xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<20x30xf32>
    %3 = stablehlo.minimum %0, %2 : tensor<20x30xf32>
    return %3 : tensor<20x30xf32>
  }
  func.func private @_where_0.3(%arg0: tensor<20x30xi1>, %arg1: tensor<20x30xf32>, %arg2: tensor<i32>) -> tensor<20x30xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<20x30xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<20x30xi1>, tensor<20x30xf32>
    return %2 : tensor<20x30xf32>
  }
  func.func @main(%arg0: tensor<20x30xf32>, %arg1: tensor<20x30xf32>, %arg2: tensor<20x30xi1>) -> (tensor<20x30xf32>, tensor<20x30xf32>, tensor<20x30xf32>, tensor<20x30xf32>, tensor<20x30xf32>) {
    %0 = call @_where.1(%arg2, %arg0, %arg1) : (tensor<20x30xi1>, tensor<20x30xf32>, tensor<20x30xf32>) -> tensor<20x30xf32>
    %cst = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<20x30xf32>
    %2 = stablehlo.clamp %1, %arg0, %arg1 : tensor<20x30xf32>
    %cst_0 = stablehlo.constant dense<-3.000000e-01> : tensor<f32>
    %cst_1 = stablehlo.constant dense<6.000000e-01> : tensor<f32>
    %3 = call @clip.2(%arg0, %cst_0, %cst_1) : (tensor<20x30xf32>, tensor<f32>, tensor<f32>) -> tensor<20x30xf32>
    %4 = stablehlo.compare GT, %arg0, %arg1 : (tensor<20x30xf32>, tensor<20x30xf32>) -> tensor<20x30xi1>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = call @_where_0.3(%4, %arg0, %c) : (tensor<20x30xi1>, tensor<20x30xf32>, tensor<i32>) -> tensor<20x30xf32>
    %6 = stablehlo.convert %arg2 : (tensor<20x30xi1>) -> tensor<20x30xi32>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<20x30xi32>
    %8 = stablehlo.compare LT, %6, %7 : (tensor<20x30xi32>, tensor<20x30xi32>) -> tensor<20x30xi1>
    %9 = stablehlo.select %8, %arg0, %arg1 : tensor<20x30xi1>, tensor<20x30xf32>
    return %0, %2, %3, %5, %9 : tensor<20x30xf32>, tensor<20x30xf32>, tensor<20x30xf32>, tensor<20x30xf32>, tensor<20x30xf32>
  }
}
