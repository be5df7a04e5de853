module @transposes attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false, mhlo.xla_entry_computation_result_layout = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1, 2, 3]> : tensor<4xindex>, dense<[2, 1, 3, 0]> : tensor<4xindex>, dense<[3, 2, 0, 1]> : tensor<4xindex>, dense<[2, 0, 1]> : tensor<3xindex>], mhlo.xla_entry_computation_result_tiles = [[], [], [], [], []]} {
  func.func @main(%arg0: tensor<128x256xf32>, %arg1: tensor<64x3x5x33xf32>) -> (tensor<256x128xf32>, tensor<33x5x3x64xf32>, tensor<64x5x33x3xf32>, tensor<3x64x5x33xf32>, tensor<16x8x256xf32>) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[256,128]{0,1}"} : (tensor<128x256xf32>) -> tensor<256x128xf32>
    %1 = stablehlo.transpose %arg1, dims = [3, 2, 1, 0] {result_layout = dense<[0, 1, 2, 3]> : tensor<4xindex>, xla_shape = "f32[33,5,3,64]{0,1,2,3}"} : (tensor<64x3x5x33xf32>) -> tensor<33x5x3x64xf32>
    %2 = stablehlo.transpose %arg1, dims = [0, 2, 3, 1] {result_layout = dense<[2, 1, 3, 0]> : tensor<4xindex>, xla_shape = "f32[64,5,33,3]{2,1,3,0}"} : (tensor<64x3x5x33xf32>) -> tensor<64x5x33x3xf32>
    %3 = stablehlo.transpose %arg1, dims = [1, 0, 2, 3] {result_layout = dense<[3, 2, 0, 1]> : tensor<4xindex>, xla_shape = "f32[3,64,5,33]{3,2,0,1}"} : (tensor<64x3x5x33xf32>) -> tensor<3x64x5x33xf32>
    %4 = stablehlo.reshape %arg0 : (tensor<128x256xf32>) -> tensor<8x16x256xf32>
    %5 = stablehlo.transpose %4, dims = [1, 0, 2] {result_layout = dense<[2, 0, 1]> : tensor<3xindex>, xla_shape = "f32[16,8,256]{2,0,1}"} : (tensor<8x16x256xf32>) -> tensor<16x8x256xf32>
    return %0, %1, %2, %3, %5 : tensor<256x128xf32>, tensor<33x5x3x64xf32>, tensor<64x5x33x3xf32>, tensor<3x64x5x33xf32>, tensor<16x8x256xf32>
  }
}
