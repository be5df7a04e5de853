module @conversions attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func @main(%arg0: tensor<50xf64>) -> (tensor<50xf32>, tensor<50xbf16>, tensor<50xf16>, tensor<50xi32>, tensor<50xi8>, tensor<50xui8>, tensor<50xui32>, tensor<50xi1>, tensor<50xf32>, tensor<50xi32>, tensor<50x4xui8>, tensor<50xf32>, tensor<50xf32>) {
    %0 = stablehlo.convert %arg0 : (tensor<50xf64>) -> tensor<50xf32>
    %1 = stablehlo.convert %arg0 : (tensor<50xf64>) -> tensor<50xbf16>
    %2 = stablehlo.convert %arg0 : (tensor<50xf64>) -> tensor<50xf16>
    %3 = stablehlo.convert %arg0 : (tensor<50xf64>) -> tensor<50xi32>
    %4 = stablehlo.convert %arg0 : (tensor<50xf64>) -> tensor<50xi8>
    %5 = stablehlo.convert %arg0 : (tensor<50xf64>) -> tensor<50xui8>
    %6 = stablehlo.convert %arg0 : (tensor<50xf64>) -> tensor<50xui32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<50xf64>
    %8 = stablehlo.compare NE, %arg0, %7 : (tensor<50xf64>, tensor<50xf64>) -> tensor<50xi1>
    %9 = stablehlo.convert %arg0 : (tensor<50xf64>) -> tensor<50xi8>
    %10 = stablehlo.convert %9 : (tensor<50xi8>) -> tensor<50xf32>
    %11 = stablehlo.bitcast_convert %0 : (tensor<50xf32>) -> tensor<50xi32>
    %12 = stablehlo.bitcast_convert %0 : (tensor<50xf32>) -> tensor<50x4xui8>
    %13 = stablehlo.reduce_precision %0, format = e5m10 : tensor<50xf32>
    %14 = stablehlo.reduce_precision %0, format = e4m3 : tensor<50xf32>
    return %0, %1, %2, %3, %4, %5, %6, %8, %10, %11, %12, %13, %14 : tensor<50xf32>, tensor<50xbf16>, tensor<50xf16>, tensor<50xi32>, tensor<50xi8>, tensor<50xui8>, tensor<50xui32>, tensor<50xi1>, tensor<50xf32>, tensor<50xi32>, tensor<50x4xui8>, tensor<50xf32>, tensor<50xf32>
  }
}
