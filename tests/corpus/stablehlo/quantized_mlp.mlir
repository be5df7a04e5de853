module @quantized_mlp attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func private @relu.1(%arg0: tensor<16x64xf32>) -> tensor<16x64xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<16x64xf32>
    return %1 : tensor<16x64xf32>
  }
  func.func private @round.2(%arg0: tensor<16x64xf32>) -> tensor<16x64xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<16x64xf32>
    return %0 : tensor<16x64xf32>
  }
  func.func private @clip.3(%arg0: tensor<16x64xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<16x64xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %2 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %4 = stablehlo.maximum %3, %arg0 : tensor<16x64xf32>
    %5 = stablehlo.minimum %1, %4 : tensor<16x64xf32>
    return %5 : tensor<16x64xf32>
  }
  func.func @main(%arg0: tensor<16x128xi8>, %arg1: tensor<128x64xi8>, %arg2: tensor<64x32xi8>) -> tensor<16x32xf32> {
    %0 = stablehlo.dot %arg0, %arg1, precision = [DEFAULT, DEFAULT] : (tensor<16x128xi8>, tensor<128x64xi8>) -> tensor<16x64xi32>
    %1 = stablehlo.convert %0 : (tensor<16x64xi32>) -> tensor<16x64xf32>
    %cst = stablehlo.constant dense<2.000000e-04> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %3 = stablehlo.multiply %1, %2 : tensor<16x64xf32>
    %4 = call @relu.1(%3) : (tensor<16x64xf32>) -> tensor<16x64xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+01> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %6 = stablehlo.multiply %4, %5 : tensor<16x64xf32>
    %7 = call @round.2(%6) : (tensor<16x64xf32>) -> tensor<16x64xf32>
    %c = stablehlo.constant dense<-127> : tensor<i32>
    %c_1 = stablehlo.constant dense<127> : tensor<i32>
    %8 = call @clip.3(%7, %c, %c_1) : (tensor<16x64xf32>, tensor<i32>, tensor<i32>) -> tensor<16x64xf32>
    %9 = stablehlo.convert %8 : (tensor<16x64xf32>) -> tensor<16x64xi8>
    %10 = stablehlo.dot %9, %arg2, precision = [DEFAULT, DEFAULT] : (tensor<16x64xi8>, tensor<64x32xi8>) -> tensor<16x32xi32>
    %11 = stablehlo.convert %10 : (tensor<16x32xi32>) -> tensor<16x32xf32>
    %cst_2 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %13 = stablehlo.multiply %11, %12 : tensor<16x32xf32>
    return %13 : tensor<16x32xf32>
  }
}
