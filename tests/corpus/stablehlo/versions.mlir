module @versions {
  func.func public @main(%arg0: tensor<2x6x6x3xf32>, %arg1: tensor<3x3x3x4xf32>, %arg2: tensor<5x1xi32>) -> (tensor<2x6x6x4xf32>, tensor<5x3xf32>, tensor<5x4xf32>, tensor<i32>, tensor<4xf32>, tensor<2xi1>) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x6x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x6x6x4xf32>
    %1 = stablehlo.reshape %arg0 : (tensor<2x6x6x3xf32>) -> tensor<72x3xf32>
    %2 = "stablehlo.gather"(%1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}> : (tensor<72x3xf32>, tensor<5x1xi32>) -> tensor<5x3xf32>
    %3 = stablehlo.slice %arg1 [0:1, 0:1, 0:3, 0:4] : (tensor<3x3x3x4xf32>) -> tensor<1x1x3x4xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x1x3x4xf32>) -> tensor<3x4xf32>
    %5 = stablehlo.dot_general %2, %4, contracting_dims = [1] x [0] : (tensor<5x3xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
    %6 = stablehlo.tanh %5 : tensor<5x4xf32>
    %7 = stablehlo.exponential %6 : tensor<5x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<10> : tensor<i32>
    %c_1 = stablehlo.constant dense<3> : tensor<i32>
    %8:2 = stablehlo.while(%iterArg = %c, %iterArg_2 = %c_1) : tensor<i32>, tensor<i32>
     cond {
      %11 = stablehlo.compare LT, %iterArg, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %11 : tensor<i1>
    } do {
      %11 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %12 = stablehlo.multiply %iterArg_2, %c_1 : tensor<i32>
      stablehlo.return %11, %12 : tensor<i32>, tensor<i32>
    }
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%7 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<5x4xf32>, tensor<f32>) -> tensor<4xf32>
    %10 = call @negate(%9) : (tensor<4xf32>) -> tensor<4xf32>
    %c_3 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
    return %0, %2, %7, %8#1, %10, %c_3 : tensor<2x6x6x4xf32>, tensor<5x3xf32>, tensor<5x4xf32>, tensor<i32>, tensor<4xf32>, tensor<2xi1>
  }
  func.func private @negate(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.negate %arg0 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
