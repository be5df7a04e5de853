module @while_loops attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func private @region_0.1(%arg0: tensor<i32>, %arg1: tensor<f32>) -> (tensor<i32>, tensor<f32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1 = stablehlo.multiply %arg1, %cst : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.add %1, %cst_0 : tensor<f32>
    return %0, %2 : tensor<i32>, tensor<f32>
  }
  func.func private @region_1.2(%arg0: tensor<i32>, %arg1: tensor<f32>) -> tensor<i1> {
    %c = stablehlo.constant dense<50> : tensor<i32>
    %0 = stablehlo.compare LT, %arg0, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    return %0 : tensor<i1>
  }
  func.func private @_where.3(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @remainder.4(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare EQ, %arg1, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = call @_where.3(%0, %c_0, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = stablehlo.remainder %arg0, %1 : tensor<i32>
    %3 = stablehlo.compare LT, %2, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %4 = stablehlo.compare LT, %1, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.compare NE, %3, %4 : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %6 = stablehlo.compare NE, %2, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.and %5, %6 : tensor<i1>
    %8 = stablehlo.add %2, %1 : tensor<i32>
    %9 = stablehlo.select %7, %8, %2 : tensor<i1>, tensor<i32>
    return %9 : tensor<i32>
  }
  func.func private @floor_divide.5(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.sign %arg0 : tensor<i32>
    %1 = stablehlo.sign %arg1 : tensor<i32>
    %2 = stablehlo.compare NE, %0, %1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.remainder %arg0, %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.compare NE, %3, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.and %2, %4 : tensor<i1>
    %6 = stablehlo.divide %arg0, %arg1 : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %7 = stablehlo.subtract %6, %c_0 : tensor<i32>
    %8 = call @_where.3(%5, %7, %6) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    return %8 : tensor<i32>
  }
  func.func private @region_2.6(%arg0: tensor<i32>, %arg1: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %1 = call @remainder.4(%arg1, %c_0) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.compare EQ, %1, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = call @floor_divide.5(%arg1, %c_0) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %c_2 = stablehlo.constant dense<3> : tensor<i32>
    %4 = stablehlo.multiply %arg1, %c_2 : tensor<i32>
    %5 = stablehlo.add %4, %c : tensor<i32>
    %6 = call @_where.3(%2, %3, %5) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    return %0, %6 : tensor<i32>, tensor<i32>
  }
  func.func private @region_3.7(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i1> {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.compare GT, %arg1, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    return %0 : tensor<i1>
  }
  func.func @main(%arg0: tensor<f32>, %arg1: tensor<i32>) -> (tensor<i32>, tensor<f32>, tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_1 = %arg0) : tensor<i32>, tensor<f32>
    cond {
      %c_2 = stablehlo.constant dense<50> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg, %c_2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
      %4 = stablehlo.multiply %iterArg_1, %cst : tensor<f32>
      %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %5 = stablehlo.add %4, %cst_3 : tensor<f32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<f32>
    }
    %c_0 = stablehlo.constant dense<7> : tensor<i32>
    %1 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %2:2 = stablehlo.while(%iterArg = %c, %iterArg_1 = %1) : tensor<i32>, tensor<i32>
    cond {
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.compare GT, %iterArg_1, %c_2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      %c_3 = stablehlo.constant dense<2> : tensor<i32>
      %4 = func.call @remainder.4(%iterArg_1, %c_3) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_4 = stablehlo.constant dense<0> : tensor<i32>
      %5 = stablehlo.compare EQ, %4, %c_4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = func.call @floor_divide.5(%iterArg_1, %c_3) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_5 = stablehlo.constant dense<3> : tensor<i32>
      %7 = stablehlo.multiply %iterArg_1, %c_5 : tensor<i32>
      %8 = stablehlo.add %7, %c_2 : tensor<i32>
      %9 = func.call @_where.3(%5, %6, %8) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
      stablehlo.return %3, %9 : tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1, %2#0, %2#1 : tensor<i32>, tensor<f32>, tensor<i32>, tensor<i32>
  }
}
