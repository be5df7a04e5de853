module @complex_matmul attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func @main(%arg0: tensor<8x5x16xcomplex<f32>>, %arg1: tensor<8x16x7xcomplex<f32>>) -> tensor<8x5x7xcomplex<f32>> {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x5x16xcomplex<f32>>, tensor<8x16x7xcomplex<f32>>) -> tensor<8x5x7xcomplex<f32>>
    return %0 : tensor<8x5x7xcomplex<f32>>
  }
}
