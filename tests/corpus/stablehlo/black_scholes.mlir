module @black_scholes attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func @main(%arg0: tensor<4096xf32>, %arg1: tensor<4096xf32>, %arg2: tensor<4096xf32>) -> tensor<4096xf32> {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<4096xf32>
    %1 = stablehlo.log %0 : tensor<4096xf32>
    %cst = stablehlo.constant dense<6.500000e-02> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4096xf32>
    %3 = stablehlo.multiply %arg2, %2 : tensor<4096xf32>
    %4 = stablehlo.add %1, %3 : tensor<4096xf32>
    %5 = stablehlo.sqrt %arg2 : tensor<4096xf32>
    %cst_0 = stablehlo.constant dense<3.000000e-01> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4096xf32>
    %7 = stablehlo.multiply %5, %6 : tensor<4096xf32>
    %8 = stablehlo.divide %4, %7 : tensor<4096xf32>
    %cst_1 = stablehlo.constant dense<1.41421354> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4096xf32>
    %10 = stablehlo.divide %8, %9 : tensor<4096xf32>
    %11 = mhlo.erf %10 : tensor<4096xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4096xf32>
    %13 = stablehlo.add %11, %12 : tensor<4096xf32>
    %cst_3 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4096xf32>
    %15 = stablehlo.multiply %13, %14 : tensor<4096xf32>
    %16 = stablehlo.multiply %arg0, %15 : tensor<4096xf32>
    %cst_4 = stablehlo.constant dense<-2.000000e-02> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4096xf32>
    %18 = stablehlo.multiply %arg2, %17 : tensor<4096xf32>
    %19 = stablehlo.exponential %18 : tensor<4096xf32>
    %20 = stablehlo.multiply %arg1, %19 : tensor<4096xf32>
    %21 = stablehlo.sqrt %arg2 : tensor<4096xf32>
    %22 = stablehlo.multiply %21, %6 : tensor<4096xf32>
    %23 = stablehlo.subtract %8, %22 : tensor<4096xf32>
    %24 = stablehlo.divide %23, %9 : tensor<4096xf32>
    %25 = mhlo.erf %24 : tensor<4096xf32>
    %26 = stablehlo.add %25, %12 : tensor<4096xf32>
    %27 = stablehlo.multiply %26, %14 : tensor<4096xf32>
    %28 = stablehlo.multiply %20, %27 : tensor<4096xf32>
    %29 = stablehlo.subtract %16, %28 : tensor<4096xf32>
    return %29 : tensor<4096xf32>
  }
}
