module @einsums attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func private @kron.1(%arg0: tensor<3x3xf32>, %arg1: tensor<2x2xf32>) -> tensor<6x6xf32> {
    %0 = stablehlo.reshape %arg0 : (tensor<3x3xf32>) -> tensor<3x1x3x1xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2, 3] : (tensor<3x1x3x1xf32>) -> tensor<3x1x3x1xf32>
    %2 = stablehlo.reshape %1 : (tensor<3x1x3x1xf32>) -> tensor<3x3xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 2] : (tensor<3x3xf32>) -> tensor<3x2x3x2xf32>
    %4 = stablehlo.reshape %arg1 : (tensor<2x2xf32>) -> tensor<1x2x1x2xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2, 3] : (tensor<1x2x1x2xf32>) -> tensor<1x2x1x2xf32>
    %6 = stablehlo.reshape %5 : (tensor<1x2x1x2xf32>) -> tensor<2x2xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [1, 3] : (tensor<2x2xf32>) -> tensor<3x2x3x2xf32>
    %8 = stablehlo.multiply %3, %7 : tensor<3x2x3x2xf32>
    %9 = stablehlo.reshape %8 : (tensor<3x2x3x2xf32>) -> tensor<6x6xf32>
    return %9 : tensor<6x6xf32>
  }
  func.func @main(%arg0: tensor<4x5x32x24xf32>, %arg1: tensor<4x5x40x24xf32>, %arg2: tensor<7x9x11xf32>, %arg3: tensor<11x9x5xf32>) -> (tensor<4x5x32x40xf32>, tensor<7x5xf32>, tensor<4x32xf32>, tensor<7x9x5x5xf32>, tensor<7x9x9x5xf32>, tensor<11x5xf32>, tensor<6x6xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x5x32x24xf32>, tensor<4x5x40x24xf32>) -> tensor<4x5x32x40xf32>
    %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1, 2] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<7x9x11xf32>, tensor<11x9x5xf32>) -> tensor<7x5xf32>
    %2 = stablehlo.dot_general %arg0, %arg0, batching_dims = [0, 2] x [0, 2], contracting_dims = [3, 1] x [3, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x5x32x24xf32>, tensor<4x5x32x24xf32>) -> tensor<4x32xf32>
    %3 = stablehlo.slice %arg3 [0:11, 0:5, 0:5] : (tensor<11x9x5xf32>) -> tensor<11x5x5xf32>
    %4 = stablehlo.dot_general %arg2, %3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<7x9x11xf32>, tensor<11x5x5xf32>) -> tensor<7x9x5x5xf32>
    %5 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<7x9x11xf32>, tensor<11x9x5xf32>) -> tensor<7x9x9x5xf32>
    %6 = stablehlo.slice %arg2 [0:1, 0:1, 0:11] : (tensor<7x9x11xf32>) -> tensor<1x1x11xf32>
    %7 = stablehlo.reshape %6 : (tensor<1x1x11xf32>) -> tensor<11x1xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<11x1xf32>) -> tensor<11x1xf32>
    %9 = stablehlo.reshape %8 : (tensor<11x1xf32>) -> tensor<11xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<11xf32>) -> tensor<11x5xf32>
    %11 = stablehlo.slice %arg3 [0:1, 0:1, 0:5] : (tensor<11x9x5xf32>) -> tensor<1x1x5xf32>
    %12 = stablehlo.reshape %11 : (tensor<1x1x5xf32>) -> tensor<1x5xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<1x5xf32>) -> tensor<1x5xf32>
    %14 = stablehlo.reshape %13 : (tensor<1x5xf32>) -> tensor<5xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [1] : (tensor<5xf32>) -> tensor<11x5xf32>
    %16 = stablehlo.multiply %10, %15 : tensor<11x5xf32>
    %17 = stablehlo.slice %arg2 [0:1, 0:3, 0:3] : (tensor<7x9x11xf32>) -> tensor<1x3x3xf32>
    %18 = stablehlo.reshape %17 : (tensor<1x3x3xf32>) -> tensor<3x3xf32>
    %19 = stablehlo.slice %arg3 [0:1, 0:2, 0:2] : (tensor<11x9x5xf32>) -> tensor<1x2x2xf32>
    %20 = stablehlo.reshape %19 : (tensor<1x2x2xf32>) -> tensor<2x2xf32>
    %21 = call @kron.1(%18, %20) : (tensor<3x3xf32>, tensor<2x2xf32>) -> tensor<6x6xf32>
    return %0, %1, %2, %4, %5, %16, %21 : tensor<4x5x32x40xf32>, tensor<7x5xf32>, tensor<4x32xf32>, tensor<7x9x5x5xf32>, tensor<7x9x9x5xf32>, tensor<11x5xf32>, tensor<6x6xf32>
  }
}
