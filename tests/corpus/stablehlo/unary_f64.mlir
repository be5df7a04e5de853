module @unary_f64 attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func @main(%arg0: tensor<129xf64>) -> (tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xi1>, tensor<129xf64>, tensor<129xf64>) {
    %0 = stablehlo.sine %arg0 : tensor<129xf64>
    %1 = stablehlo.cosine %arg0 : tensor<129xf64>
    %2 = stablehlo.tan %arg0 : tensor<129xf64>
    %3 = stablehlo.exponential %arg0 : tensor<129xf64>
    %4 = stablehlo.abs %arg0 : tensor<129xf64>
    %5 = stablehlo.log %4 : tensor<129xf64>
    %6 = stablehlo.tanh %arg0 : tensor<129xf64>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<129xf64>
    %8 = stablehlo.negate %arg0 : tensor<129xf64>
    %9 = stablehlo.exponential %8 : tensor<129xf64>
    %10 = stablehlo.add %9, %7 : tensor<129xf64>
    %11 = stablehlo.divide %7, %10 : tensor<129xf64>
    %12 = stablehlo.abs %arg0 : tensor<129xf64>
    %13 = stablehlo.sqrt %12 : tensor<129xf64>
    %14 = stablehlo.abs %arg0 : tensor<129xf64>
    %15 = stablehlo.rsqrt %14 : tensor<129xf64>
    %16 = stablehlo.cbrt %arg0 : tensor<129xf64>
    %17 = stablehlo.floor %arg0 : tensor<129xf64>
    %18 = stablehlo.ceil %arg0 : tensor<129xf64>
    %19 = stablehlo.round_nearest_even %arg0 : tensor<129xf64>
    %20 = stablehlo.round_nearest_afz %arg0 : tensor<129xf64>
    %21 = stablehlo.sign %arg0 : tensor<129xf64>
    %22 = mhlo.erf %arg0 : tensor<129xf64>
    %23 = stablehlo.exponential_minus_one %arg0 : tensor<129xf64>
    %24 = stablehlo.abs %arg0 : tensor<129xf64>
    %25 = stablehlo.log_plus_one %24 : tensor<129xf64>
    %26 = stablehlo.is_finite %arg0 : (tensor<129xf64>) -> tensor<129xi1>
    %27 = stablehlo.negate %arg0 : tensor<129xf64>
    %28 = stablehlo.abs %arg0 : tensor<129xf64>
    return %0, %1, %2, %3, %5, %6, %11, %13, %15, %16, %17, %18, %19, %20, %21, %22, %23, %25, %26, %27, %28 : tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xf64>, tensor<129xi1>, tensor<129xf64>, tensor<129xf64>
  }
}
