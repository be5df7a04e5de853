module @cholesky_solve attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false, mhlo.xla_entry_computation_result_layout = [dense<[2, 1, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[0, 1]> : tensor<2xindex>], mhlo.xla_entry_computation_result_tiles = [[], [], [], []]} {
  func.func private @cholesky.1(%arg0: tensor<3x20x20xf32>) -> tensor<3x20x20xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<20xi32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<20xi32>) -> tensor<20x20xi32>
    %2 = stablehlo.iota dim = 0 : tensor<20xi32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<20xi32>) -> tensor<20x20xi32>
    %4 = stablehlo.compare GE, %1, %3 : (tensor<20x20xi32>, tensor<20x20xi32>) -> tensor<20x20xi1>
    %5 = stablehlo.broadcast_in_dim %4, dims = [1, 2] : (tensor<20x20xi1>) -> tensor<3x20x20xi1>
    %6 = stablehlo.transpose %arg0, dims = [0, 2, 1] {result_layout = dense<[1, 2, 0]> : tensor<3xindex>, xla_shape = "f32[3,20,20]{1,2,0}"} : (tensor<3x20x20xf32>) -> tensor<3x20x20xf32>
    %7 = stablehlo.add %arg0, %6 : tensor<3x20x20xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x20x20xf32>
    %9 = stablehlo.divide %7, %8 : tensor<3x20x20xf32>
    %10 = stablehlo.custom_call @lapack_spotrf_ffi(%9) {api_version = 4 : i32, backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1", xla.sdy.sharding_rule = "#sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i]) {i=3, j=20, k=20, l=20, m=20}, custom>"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layout = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], xla_shape = "(f32[3,20,20]{1,2,0}, s32[3]{0})"} : (tensor<3x20x20xf32>) -> tuple<tensor<3x20x20xf32>, tensor<3xi32>>
    %11 = stablehlo.get_tuple_element %10[1] {mhlo.frontend_attributes = {num_batch_dims = "1", xla.sdy.sharding_rule = "#sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i]) {i=3, j=20, k=20, l=20, m=20}, custom>"}} : (tuple<tensor<3x20x20xf32>, tensor<3xi32>>) -> tensor<3xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %13 = stablehlo.compare EQ, %11, %12 : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %14 = stablehlo.reshape %13 : (tensor<3xi1>) -> tensor<3x1x1xi1>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<3x1x1xi1>) -> tensor<3x1x1xi1>
    %16 = stablehlo.reshape %15 : (tensor<3x1x1xi1>) -> tensor<3xi1>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0] : (tensor<3xi1>) -> tensor<3x20x20xi1>
    %18 = stablehlo.get_tuple_element %10[0] {mhlo.frontend_attributes = {num_batch_dims = "1", xla.sdy.sharding_rule = "#sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i]) {i=3, j=20, k=20, l=20, m=20}, custom>"}, result_layout = dense<[1, 2, 0]> : tensor<3xindex>, xla_shape = "f32[3,20,20]{1,2,0}"} : (tuple<tensor<3x20x20xf32>, tensor<3xi32>>) -> tensor<3x20x20xf32>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x20x20xf32>
    %20 = stablehlo.select %17, %18, %19 : tensor<3x20x20xi1>, tensor<3x20x20xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3x20x20xf32>
    %22 = stablehlo.select %5, %20, %21 : tensor<3x20x20xi1>, tensor<3x20x20xf32>
    return %22 : tensor<3x20x20xf32>
  }
  func.func private @_cho_solve.2(%arg0: tensor<20x20xf32>, %arg1: tensor<20x4xf32>) -> tensor<20x4xf32> {
    %0 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %arg1) {api_version = 4 : i32, backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0", xla.sdy.sharding_rule = "#sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=20, j=20, k=20, l=4, m=20, n=4}, custom>"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layout = dense<[0, 1]> : tensor<2xindex>, result_layouts = [dense<[0, 1]> : tensor<2xindex>], xla_shape = "f32[20,4]{0,1}"} : (tensor<20x20xf32>, tensor<20x4xf32>) -> tensor<20x4xf32>
    %1 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %0) {api_version = 4 : i32, backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0", xla.sdy.sharding_rule = "#sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=20, j=20, k=20, l=4, m=20, n=4}, custom>"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layout = dense<[0, 1]> : tensor<2xindex>, result_layouts = [dense<[0, 1]> : tensor<2xindex>], xla_shape = "f32[20,4]{0,1}"} : (tensor<20x20xf32>, tensor<20x4xf32>) -> tensor<20x4xf32>
    return %1 : tensor<20x4xf32>
  }
  func.func @main(%arg0: tensor<3x20x20xf32>, %arg1: tensor<3x20x4xf32>) -> (tensor<3x20x20xf32>, tensor<3x20x4xf32>, tensor<3x20x4xf32>, tensor<20x4xf32>) {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] {result_layout = dense<[1, 2, 0]> : tensor<3xindex>, xla_shape = "f32[3,20,20]{1,2,0}"} : (tensor<3x20x20xf32>) -> tensor<3x20x20xf32>
    %1 = stablehlo.dot_general %arg0, %0, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x20x20xf32>, tensor<3x20x20xf32>) -> tensor<3x20x20xf32>
    %2 = stablehlo.iota dim = 0 : tensor<20xi32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<20xi32>) -> tensor<20x20xi32>
    %4 = stablehlo.iota dim = 0 : tensor<20xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<20xi32>) -> tensor<20x20xi32>
    %6 = stablehlo.compare EQ, %3, %5 : (tensor<20x20xi32>, tensor<20x20xi32>) -> tensor<20x20xi1>
    %7 = stablehlo.convert %6 : (tensor<20x20xi1>) -> tensor<20x20xf32>
    %cst = stablehlo.constant dense<2.000000e+01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<20x20xf32>
    %9 = stablehlo.multiply %7, %8 : tensor<20x20xf32>
    %10 = stablehlo.reshape %9 : (tensor<20x20xf32>) -> tensor<1x20x20xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2] : (tensor<1x20x20xf32>) -> tensor<1x20x20xf32>
    %12 = stablehlo.reshape %11 : (tensor<1x20x20xf32>) -> tensor<20x20xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [1, 2] : (tensor<20x20xf32>) -> tensor<3x20x20xf32>
    %14 = stablehlo.add %1, %13 : tensor<3x20x20xf32>
    %15 = call @cholesky.1(%14) : (tensor<3x20x20xf32>) -> tensor<3x20x20xf32>
    %16 = stablehlo.custom_call @lapack_strsm_ffi(%15, %arg1) {api_version = 4 : i32, backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1", xla.sdy.sharding_rule = "#sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=3, j=20, k=20, l=20, m=4, n=20, o=4}, custom>"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layout = dense<[1, 2, 0]> : tensor<3xindex>, result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], xla_shape = "f32[3,20,4]{1,2,0}"} : (tensor<3x20x20xf32>, tensor<3x20x4xf32>) -> tensor<3x20x4xf32>
    %17 = stablehlo.custom_call @lapack_strsm_ffi(%15, %arg1) {api_version = 4 : i32, backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1", xla.sdy.sharding_rule = "#sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=3, j=20, k=20, l=20, m=4, n=20, o=4}, custom>"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layout = dense<[1, 2, 0]> : tensor<3xindex>, result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], xla_shape = "f32[3,20,4]{1,2,0}"} : (tensor<3x20x20xf32>, tensor<3x20x4xf32>) -> tensor<3x20x4xf32>
    %18 = stablehlo.slice %15 [0:1, 0:20, 0:20] : (tensor<3x20x20xf32>) -> tensor<1x20x20xf32>
    %19 = stablehlo.reshape %18 : (tensor<1x20x20xf32>) -> tensor<20x20xf32>
    %20 = stablehlo.slice %arg1 [0:1, 0:20, 0:4] : (tensor<3x20x4xf32>) -> tensor<1x20x4xf32>
    %21 = stablehlo.reshape %20 : (tensor<1x20x4xf32>) -> tensor<20x4xf32>
    %22 = call @_cho_solve.2(%19, %21) {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[20,4]{0,1}"} : (tensor<20x20xf32>, tensor<20x4xf32>) -> tensor<20x4xf32>
    return %15, %16, %17, %22 : tensor<3x20x20xf32>, tensor<3x20x4xf32>, tensor<3x20x4xf32>, tensor<20x4xf32>
  }
}
