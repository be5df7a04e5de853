module @mixture_of_experts attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func private @region_0.1(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.maximum %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @region_1.2(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @relu.3(%arg0: tensor<16x2x128xf32>) -> tensor<16x2x128xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x2x128xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<16x2x128xf32>
    return %1 : tensor<16x2x128xf32>
  }
  func.func private @region_2.4(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @main(%arg0: tensor<16x64xf32>, %arg1: tensor<64x8xf32>, %arg2: tensor<8x64x128xf32>, %arg3: tensor<8x128x64xf32>) -> tensor<16x64xf32> {
    %0 = stablehlo.dot %arg0, %arg1, precision = [DEFAULT, DEFAULT] : (tensor<16x64xf32>, tensor<64x8xf32>) -> tensor<16x8xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %3 = stablehlo.maximum %1, %2 : tensor<16xf32>
    %4 = stablehlo.reshape %3 : (tensor<16xf32>) -> tensor<16x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x1xf32>
    %6 = stablehlo.reshape %5 : (tensor<16x1xf32>) -> tensor<16xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<16xf32>) -> tensor<16x8xf32>
    %8 = stablehlo.subtract %0, %7 : tensor<16x8xf32>
    %9 = stablehlo.exponential %8 : tensor<16x8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<16xf32>
    %11 = stablehlo.reshape %10 : (tensor<16xf32>) -> tensor<16x1xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x1xf32>
    %13 = stablehlo.reshape %12 : (tensor<16x1xf32>) -> tensor<16xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<16xf32>) -> tensor<16x8xf32>
    %15 = stablehlo.divide %9, %14 : tensor<16x8xf32>
    %values, %indices = mhlo.topk(%15, k = 2) : tensor<16x8xf32> -> (tensor<16x2xf32>, tensor<16x2xi32>)
    %16 = stablehlo.reduce(%values init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<16x2xf32>, tensor<f32>) -> tensor<16xf32>
    %17 = stablehlo.reshape %16 : (tensor<16xf32>) -> tensor<16x1xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x1xf32>
    %19 = stablehlo.reshape %18 : (tensor<16x1xf32>) -> tensor<16xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<16xf32>) -> tensor<16x2xf32>
    %21 = stablehlo.divide %values, %20 : tensor<16x2xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %22 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<16x2xi32>
    %23 = stablehlo.compare LT, %indices, %22 : (tensor<16x2xi32>, tensor<16x2xi32>) -> tensor<16x2xi1>
    %c_2 = stablehlo.constant dense<8> : tensor<i32>
    %24 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<16x2xi32>
    %25 = stablehlo.add %indices, %24 : tensor<16x2xi32>
    %26 = stablehlo.select %23, %25, %indices : tensor<16x2xi1>, tensor<16x2xi32>
    %27 = stablehlo.reshape %26 : (tensor<16x2xi32>) -> tensor<16x2x1xi32>
    %28 = "stablehlo.gather"(%arg2, %27) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 64, 128>}> : (tensor<8x64x128xf32>, tensor<16x2x1xi32>) -> tensor<16x2x64x128xf32>
    %29 = stablehlo.dot_general %arg0, %28, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x64xf32>, tensor<16x2x64x128xf32>) -> tensor<16x2x128xf32>
    %30 = call @relu.3(%29) : (tensor<16x2x128xf32>) -> tensor<16x2x128xf32>
    %31 = stablehlo.compare LT, %indices, %22 : (tensor<16x2xi32>, tensor<16x2xi32>) -> tensor<16x2xi1>
    %32 = stablehlo.add %indices, %24 : tensor<16x2xi32>
    %33 = stablehlo.select %31, %32, %indices : tensor<16x2xi1>, tensor<16x2xi32>
    %34 = stablehlo.reshape %33 : (tensor<16x2xi32>) -> tensor<16x2x1xi32>
    %35 = "stablehlo.gather"(%arg3, %34) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 128, 64>}> : (tensor<8x128x64xf32>, tensor<16x2x1xi32>) -> tensor<16x2x128x64xf32>
    %36 = stablehlo.dot_general %30, %35, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x2x128xf32>, tensor<16x2x128x64xf32>) -> tensor<16x2x64xf32>
    %37 = stablehlo.dot_general %21, %36, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x2xf32>, tensor<16x2x64xf32>) -> tensor<16x64xf32>
    return %37 : tensor<16x64xf32>
  }
}
