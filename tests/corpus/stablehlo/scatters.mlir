module @scatters attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func private @region_0.1(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @region_1.2(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    return %arg1 : tensor<f32>
  }
  func.func private @region_2.3(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @region_3.4(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.maximum %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @region_4.5(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.minimum %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @_where.6(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @remainder.7(%arg0: tensor<7xi32>, %arg1: tensor<i32>) -> tensor<7xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare EQ, %arg1, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = call @_where.6(%0, %c_0, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %3 = stablehlo.remainder %arg0, %2 : tensor<7xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %5 = stablehlo.compare LT, %3, %4 : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %6 = stablehlo.compare LT, %1, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i1>) -> tensor<7xi1>
    %8 = stablehlo.compare NE, %5, %7 : (tensor<7xi1>, tensor<7xi1>) -> tensor<7xi1>
    %9 = stablehlo.compare NE, %3, %4 : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %10 = stablehlo.and %8, %9 : tensor<7xi1>
    %11 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %12 = stablehlo.add %3, %11 : tensor<7xi32>
    %13 = stablehlo.select %10, %12, %3 : tensor<7xi1>, tensor<7xi32>
    return %13 : tensor<7xi32>
  }
  func.func private @region_5.8(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @region_6.9(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @region_7.10(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @main(%arg0: tensor<50x16xf32>, %arg1: tensor<7xi32>, %arg2: tensor<7x16xf32>, %arg3: tensor<7x2xi32>) -> (tensor<50x16xf32>, tensor<50x16xf32>, tensor<50x16xf32>, tensor<50x16xf32>, tensor<50x16xf32>, tensor<50x16xf32>, tensor<50x16xf32>, tensor<50x16xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %1 = stablehlo.compare LT, %arg1, %0 : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_0 = stablehlo.constant dense<50> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<7xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<7xi1>, tensor<7xi32>
    %5 = stablehlo.reshape %4 : (tensor<7xi32>) -> tensor<7x1xi32>
    %6 = "stablehlo.scatter"(%arg0, %5, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %62 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %62 : tensor<f32>
    }) : (tensor<50x16xf32>, tensor<7x1xi32>, tensor<7x16xf32>) -> tensor<50x16xf32>
    %7 = stablehlo.compare LT, %arg1, %0 : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %8 = stablehlo.add %arg1, %2 : tensor<7xi32>
    %9 = stablehlo.select %7, %8, %arg1 : tensor<7xi1>, tensor<7xi32>
    %10 = stablehlo.reshape %9 : (tensor<7xi32>) -> tensor<7x1xi32>
    %11 = stablehlo.slice %arg2 [0:1, 0:16] : (tensor<7x16xf32>) -> tensor<1x16xf32>
    %12 = stablehlo.reshape %11 : (tensor<1x16xf32>) -> tensor<16xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [1] : (tensor<16xf32>) -> tensor<7x16xf32>
    %14 = "stablehlo.scatter"(%arg0, %10, %13) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      stablehlo.return %arg5 : tensor<f32>
    }) : (tensor<50x16xf32>, tensor<7x1xi32>, tensor<7x16xf32>) -> tensor<50x16xf32>
    %15 = stablehlo.compare LT, %arg1, %0 : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %16 = stablehlo.add %arg1, %2 : tensor<7xi32>
    %17 = stablehlo.select %15, %16, %arg1 : tensor<7xi1>, tensor<7xi32>
    %18 = stablehlo.reshape %17 : (tensor<7xi32>) -> tensor<7x1xi32>
    %19 = "stablehlo.scatter"(%arg0, %18, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %62 = stablehlo.multiply %arg4, %arg5 : tensor<f32>
      stablehlo.return %62 : tensor<f32>
    }) : (tensor<50x16xf32>, tensor<7x1xi32>, tensor<7x16xf32>) -> tensor<50x16xf32>
    %20 = stablehlo.compare LT, %arg1, %0 : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %21 = stablehlo.add %arg1, %2 : tensor<7xi32>
    %22 = stablehlo.select %20, %21, %arg1 : tensor<7xi1>, tensor<7xi32>
    %23 = stablehlo.reshape %22 : (tensor<7xi32>) -> tensor<7x1xi32>
    %24 = "stablehlo.scatter"(%arg0, %23, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %62 = stablehlo.maximum %arg4, %arg5 : tensor<f32>
      stablehlo.return %62 : tensor<f32>
    }) : (tensor<50x16xf32>, tensor<7x1xi32>, tensor<7x16xf32>) -> tensor<50x16xf32>
    %25 = stablehlo.compare LT, %arg1, %0 : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %26 = stablehlo.add %arg1, %2 : tensor<7xi32>
    %27 = stablehlo.select %25, %26, %arg1 : tensor<7xi1>, tensor<7xi32>
    %28 = stablehlo.reshape %27 : (tensor<7xi32>) -> tensor<7x1xi32>
    %29 = "stablehlo.scatter"(%arg0, %28, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %62 = stablehlo.minimum %arg4, %arg5 : tensor<f32>
      stablehlo.return %62 : tensor<f32>
    }) : (tensor<50x16xf32>, tensor<7x1xi32>, tensor<7x16xf32>) -> tensor<50x16xf32>
    %30 = stablehlo.slice %arg3 [0:7, 0:1] : (tensor<7x2xi32>) -> tensor<7x1xi32>
    %31 = stablehlo.reshape %30 : (tensor<7x1xi32>) -> tensor<7xi32>
    %32 = stablehlo.compare LT, %31, %0 : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %33 = stablehlo.add %31, %2 : tensor<7xi32>
    %34 = stablehlo.select %32, %33, %31 : tensor<7xi1>, tensor<7xi32>
    %35 = stablehlo.reshape %34 : (tensor<7xi32>) -> tensor<7x1xi32>
    %36 = stablehlo.slice %arg3 [0:7, 1:2] : (tensor<7x2xi32>) -> tensor<7x1xi32>
    %37 = stablehlo.reshape %36 : (tensor<7x1xi32>) -> tensor<7xi32>
    %c_1 = stablehlo.constant dense<16> : tensor<i32>
    %38 = call @remainder.7(%37, %c_1) : (tensor<7xi32>, tensor<i32>) -> tensor<7xi32>
    %39 = stablehlo.compare LT, %38, %0 : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_2 = stablehlo.constant dense<16> : tensor<i32>
    %40 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %41 = stablehlo.add %38, %40 : tensor<7xi32>
    %42 = stablehlo.select %39, %41, %38 : tensor<7xi1>, tensor<7xi32>
    %43 = stablehlo.reshape %42 : (tensor<7xi32>) -> tensor<7x1xi32>
    %44 = stablehlo.concatenate %35, %43, dim = 1 : (tensor<7x1xi32>, tensor<7x1xi32>) -> tensor<7x2xi32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %46 = "stablehlo.scatter"(%arg0, %44, %45) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %62 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %62 : tensor<f32>
    }) : (tensor<50x16xf32>, tensor<7x2xi32>, tensor<7xf32>) -> tensor<50x16xf32>
    %47 = stablehlo.compare LT, %arg1, %0 : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %48 = stablehlo.add %arg1, %2 : tensor<7xi32>
    %49 = stablehlo.select %47, %48, %arg1 : tensor<7xi1>, tensor<7xi32>
    %50 = stablehlo.reshape %49 : (tensor<7xi32>) -> tensor<7x1xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %51 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<7x1xi32>
    %52 = stablehlo.concatenate %50, %51, dim = 1 : (tensor<7x1xi32>, tensor<7x1xi32>) -> tensor<7x2xi32>
    %53 = stablehlo.slice %arg2 [0:7, 0:3] : (tensor<7x16xf32>) -> tensor<7x3xf32>
    %54 = "stablehlo.scatter"(%arg0, %52, %53) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %62 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %62 : tensor<f32>
    }) : (tensor<50x16xf32>, tensor<7x2xi32>, tensor<7x3xf32>) -> tensor<50x16xf32>
    %55 = call @remainder.7(%arg1, %c_1) : (tensor<7xi32>, tensor<i32>) -> tensor<7xi32>
    %56 = stablehlo.compare LT, %55, %0 : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %57 = stablehlo.add %55, %40 : tensor<7xi32>
    %58 = stablehlo.select %56, %57, %55 : tensor<7xi1>, tensor<7xi32>
    %59 = stablehlo.reshape %58 : (tensor<7xi32>) -> tensor<7x1xi32>
    %cst_4 = stablehlo.constant dense<2.500000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<50x7xf32>
    %61 = "stablehlo.scatter"(%arg0, %59, %60) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %62 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %62 : tensor<f32>
    }) : (tensor<50x16xf32>, tensor<7x1xi32>, tensor<50x7xf32>) -> tensor<50x16xf32>
    return %6, %14, %19, %24, %29, %46, %54, %61 : tensor<50x16xf32>, tensor<50x16xf32>, tensor<50x16xf32>, tensor<50x16xf32>, tensor<50x16xf32>, tensor<50x16xf32>, tensor<50x16xf32>, tensor<50x16xf32>
  }
}
