module @operations {
  func.func @main() -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<6xf32>, tensor<1x1xf32>, tensor<2x3xf32>, tensor<2x2xf32>, tensor<?x2xf32, #stablehlo.bounds<2, ?>>, tensor<2x2xf32>) {
    %x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %y = stablehlo.constant dense<[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]> : tensor<3x2xf32>
    %i = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    %ones = stablehlo.constant dense<1> : tensor<2xi64>
    %twos = stablehlo.constant dense<2> : tensor<2xi64>
    %einsum = stablehlo.einsum %x, %y, config = "ab,bc->ca" : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    %select = "stablehlo.torch_index_select"(%x, %i) {dim = 1 : i64, batch_dims = 0 : i64} : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x2xf32>
    %size = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
    %double = stablehlo.add %size, %size : tensor<i32>
    %shape = stablehlo.reshape %double : (tensor<i32>) -> tensor<1xi32>
    %flat = stablehlo.dynamic_reshape %x, %shape : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<?xf32>
    %ramp = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
    %product = stablehlo.multiply %flat, %ramp : tensor<?xf32>
    %static = stablehlo.dynamic_reshape %product, %shape : (tensor<?xf32>, tensor<1xi32>) -> tensor<6xf32>
    %slice = stablehlo.real_dynamic_slice %x, %ones, %twos, %ones : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x1xf32>
    %sizes = stablehlo.constant dense<[1, 3]> : tensor<2xi64>
    %gather = "stablehlo.dynamic_gather"(%x, %i, %sizes) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false} : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi64>) -> tensor<2x3xf32>
    %reduce = "stablehlo.all_reduce"(%einsum) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) {replica_groups = dense<[[0]]> : tensor<1x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %all = "stablehlo.all_to_all"(%reduce) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %permute = "stablehlo.collective_permute"(%all) {source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %future = "stablehlo.async_start"(%permute) ({
    ^bb0(%a: tensor<2x2xf32>):
      %c = "stablehlo.all_gather"(%a) {all_gather_dim = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
      stablehlo.return %c : tensor<2x2xf32>
    }) : (tensor<2x2xf32>) -> !stablehlo.future<tensor<2x2xf32>>
    %done = "stablehlo.async_done"(%future) : (!stablehlo.future<tensor<2x2xf32>>) -> tensor<2x2xf32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %bounded = stablehlo.set_dimension_size %select, %two, dim = 0 : (tensor<2x2xf32>, tensor<i32>) -> tensor<?x2xf32, #stablehlo.bounds<2, ?>>
    %accurate = stablehlo.exponential %select {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2x2xf32>
    return %einsum, %select, %static, %slice, %gather, %done, %bounded, %accurate : tensor<2x2xf32>, tensor<2x2xf32>, tensor<6xf32>, tensor<1x1xf32>, tensor<2x3xf32>, tensor<2x2xf32>, tensor<?x2xf32, #stablehlo.bounds<2, ?>>, tensor<2x2xf32>
  }
}
