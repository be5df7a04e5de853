module @dynamic_slices attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func private @region_0.1(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    return %arg1 : tensor<f32>
  }
  func.func private @dynamic_index_in_dim.2(%arg0: tensor<10x12xf32>, %arg1: tensor<i32>) -> tensor<10x1xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg1, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<12> : tensor<i32>
    %1 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %2 = stablehlo.select %0, %1, %arg1 : tensor<i1>, tensor<i32>
    %3 = stablehlo.dynamic_slice %arg0, %c, %2, sizes = [10, 1] : (tensor<10x12xf32>, tensor<i32>, tensor<i32>) -> tensor<10x1xf32>
    return %3 : tensor<10x1xf32>
  }
  func.func @main(%arg0: tensor<10x12xf32>, %arg1: tensor<i32>, %arg2: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<10x12xf32>, tensor<12xf32>, tensor<10x12xf32>, tensor<10x1xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg1, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<10> : tensor<i32>
    %1 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %2 = stablehlo.select %0, %1, %arg1 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %3 = stablehlo.add %arg1, %c_1 : tensor<i32>
    %4 = stablehlo.compare LT, %3, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<12> : tensor<i32>
    %5 = stablehlo.add %3, %c_2 : tensor<i32>
    %6 = stablehlo.select %4, %5, %3 : tensor<i1>, tensor<i32>
    %7 = stablehlo.dynamic_slice %arg0, %2, %6, sizes = [3, 4] : (tensor<10x12xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
    %8 = stablehlo.compare LT, %arg1, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %9 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %10 = stablehlo.select %8, %9, %arg1 : tensor<i1>, tensor<i32>
    %c_3 = stablehlo.constant dense<2> : tensor<i32>
    %11 = stablehlo.dynamic_update_slice %arg0, %arg2, %10, %c_3 : (tensor<10x12xf32>, tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<10x12xf32>
    %12 = stablehlo.compare LT, %arg1, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %13 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %14 = stablehlo.select %12, %13, %arg1 : tensor<i1>, tensor<i32>
    %15 = stablehlo.dynamic_slice %arg0, %14, %c, sizes = [1, 12] : (tensor<10x12xf32>, tensor<i32>, tensor<i32>) -> tensor<1x12xf32>
    %16 = stablehlo.reshape %15 : (tensor<1x12xf32>) -> tensor<12xf32>
    %17 = stablehlo.compare LT, %arg1, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %18 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %19 = stablehlo.select %17, %18, %arg1 : tensor<i1>, tensor<i32>
    %20 = stablehlo.reshape %19 : (tensor<i32>) -> tensor<1xi32>
    %cst = stablehlo.constant dense<7.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %22 = "stablehlo.scatter"(%arg0, %20, %21) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) : (tensor<10x12xf32>, tensor<1xi32>, tensor<12xf32>) -> tensor<10x12xf32>
    %23 = call @dynamic_index_in_dim.2(%arg0, %arg1) : (tensor<10x12xf32>, tensor<i32>) -> tensor<10x1xf32>
    return %7, %11, %16, %22, %23 : tensor<3x4xf32>, tensor<10x12xf32>, tensor<12xf32>, tensor<10x12xf32>, tensor<10x1xf32>
  }
}
