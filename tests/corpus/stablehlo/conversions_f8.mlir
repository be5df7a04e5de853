module @conversions_f8 attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func @main(%arg0: tensor<40xf32>) -> (tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>) {
    %0 = stablehlo.convert %arg0 : (tensor<40xf32>) -> tensor<40xf8E4M3FN>
    %1 = stablehlo.convert %0 : (tensor<40xf8E4M3FN>) -> tensor<40xf32>
    %2 = stablehlo.convert %arg0 : (tensor<40xf32>) -> tensor<40xf8E5M2>
    %3 = stablehlo.convert %2 : (tensor<40xf8E5M2>) -> tensor<40xf32>
    %4 = stablehlo.convert %arg0 : (tensor<40xf32>) -> tensor<40xf8E4M3B11FNUZ>
    %5 = stablehlo.convert %4 : (tensor<40xf8E4M3B11FNUZ>) -> tensor<40xf32>
    %6 = stablehlo.convert %arg0 : (tensor<40xf32>) -> tensor<40xf8E5M2FNUZ>
    %7 = stablehlo.convert %6 : (tensor<40xf8E5M2FNUZ>) -> tensor<40xf32>
    %8 = stablehlo.convert %arg0 : (tensor<40xf32>) -> tensor<40xf8E4M3FNUZ>
    %9 = stablehlo.convert %8 : (tensor<40xf8E4M3FNUZ>) -> tensor<40xf32>
    %10 = stablehlo.convert %arg0 : (tensor<40xf32>) -> tensor<40xf8E3M4>
    %11 = stablehlo.convert %10 : (tensor<40xf8E3M4>) -> tensor<40xf32>
    %12 = stablehlo.convert %arg0 : (tensor<40xf32>) -> tensor<40xf8E4M3>
    %13 = stablehlo.convert %12 : (tensor<40xf8E4M3>) -> tensor<40xf32>
    return %1, %3, %5, %7, %9, %11, %13 : tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>
  }
}
