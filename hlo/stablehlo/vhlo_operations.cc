// The table of VHLO's operations. Source: StableHLO's VHLO dialect, versions
// 0.9 to 1.20.
#include "hlo/stablehlo/vhlo_operations.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"

namespace hilo::stablehlo {
namespace {

// By name and version.
constexpr auto kOperations = std::to_array<VhloOperation>({
    {"abs", 1, ""},
    {"add", 1, ""},
    {"after_all", 1, ""},
    {"all_gather", 1,
     "all_gather_dim channel_id replica_groups "
     "use_global_device_ids"},
    {"all_gather", 2,
     "all_gather_dim channel_id replica_groups "
     "use_global_device_ids"},
    {"all_reduce", 1, "channel_id replica_groups use_global_device_ids"},
    {"all_reduce", 2, "channel_id replica_groups use_global_device_ids"},
    {"all_to_all", 1,
     "channel_id concat_dimension replica_groups split_count "
     "split_dimension"},
    {"all_to_all", 2,
     "channel_id concat_dimension replica_groups split_count "
     "split_dimension"},
    {"and", 1, ""},
    {"async_done", 1, ""},
    {"async_start", 1, ""},
    {"atan2", 1, ""},
    {"batch_norm_grad", 1, "epsilon feature_index"},
    {"batch_norm_inference", 1, "epsilon feature_index"},
    {"batch_norm_training", 1, "epsilon feature_index"},
    {"bitcast_convert", 1, ""},
    {"broadcast", 1, "broadcast_sizes"},
    {"broadcast_in_dim", 1, "broadcast_dimensions"},
    {"call", 1, "callee"},
    {"case", 1, ""},
    {"cbrt", 1, ""},
    {"cbrt", 2, "result_accuracy"},
    {"ceil", 1, ""},
    {"cholesky", 1, "lower"},
    {"clamp", 1, ""},
    {"collective_broadcast", 1, "channel_id replica_groups"},
    {"collective_broadcast", 2, "channel_id has_dynamic_root replica_groups"},
    {"collective_permute", 1, "channel_id source_target_pairs"},
    {"collective_reduce", 1,
     "channel_id has_dynamic_root replica_groups "
     "use_global_device_ids"},
    {"compare", 1, "compare_type comparison_direction"},
    {"complex", 1, ""},
    {"composite", 1, "composite_attributes decomposition name version"},
    {"composite", 2, "composite_attributes decomposition name version"},
    {"concatenate", 1, "dimension"},
    {"constant", 1, "value"},
    {"convert", 1, ""},
    {"convolution", 1,
     "batch_group_count feature_group_count input_batch_dimension "
     "input_feature_dimension input_spatial_dimensions "
     "kernel_input_feature_dimension "
     "kernel_output_feature_dimension kernel_spatial_dimensions "
     "lhs_dilation output_batch_dimension output_feature_dimension "
     "output_spatial_dimensions padding precision_config "
     "rhs_dilation window_reversal window_strides"},
    {"cosine", 1, ""},
    {"cosine", 2, "result_accuracy"},
    {"count_leading_zeros", 1, ""},
    {"create_token", 1, ""},
    {"cross-replica-sum", 1, "replica_groups"},
    {"custom_call", 1,
     "api_version backend_config call_target_name "
     "called_computations has_side_effect operand_layouts "
     "output_operand_aliases result_layouts"},
    {"custom_call", 2,
     "api_version backend_config call_target_name "
     "called_computations has_side_effect operand_layouts "
     "output_operand_aliases result_layouts result_tilings"},
    {"divide", 1, ""},
    {"dot", 1, "precision_config"},
    {"dot_general", 1,
     "lhs_batching_dimensions lhs_contracting_dimensions "
     "precision_config rhs_batching_dimensions "
     "rhs_contracting_dimensions"},
    {"dot_general", 2,
     "accumulation_type allow_imprecise_accumulation "
     "lhs_batching_dimensions lhs_component_count "
     "lhs_contracting_dimensions lhs_precision_type "
     "num_primitive_operations precision_config "
     "rhs_batching_dimensions rhs_component_count "
     "rhs_contracting_dimensions rhs_precision_type"},
    {"dynamic_broadcast_in_dim", 1,
     "broadcast_dimensions known_expanding_dimensions "
     "known_nonexpanding_dimensions"},
    {"dynamic_conv", 1,
     "batch_group_count feature_group_count input_batch_dimension "
     "input_feature_dimension input_spatial_dimensions "
     "kernel_input_feature_dimension "
     "kernel_output_feature_dimension kernel_spatial_dimensions "
     "lhs_dilation output_batch_dimension output_feature_dimension "
     "output_spatial_dimensions padding precision_config "
     "rhs_dilation window_reversal window_strides"},
    {"dynamic_conv", 2,
     "batch_group_count feature_group_count input_batch_dimension "
     "input_feature_dimension input_spatial_dimensions "
     "kernel_input_feature_dimension "
     "kernel_output_feature_dimension kernel_spatial_dimensions "
     "lhs_dilation output_batch_dimension output_feature_dimension "
     "output_spatial_dimensions precision_config rhs_dilation "
     "window_reversal window_strides"},
    {"dynamic_gather", 1,
     "collapsed_slice_dims index_vector_dim indices_are_sorted "
     "offset_dims start_index_map"},
    {"dynamic_gather", 2,
     "collapsed_slice_dims index_vector_dim indices_are_sorted "
     "offset_dims operand_batching_dims start_index_map "
     "start_indices_batching_dims"},
    {"dynamic_iota", 1, "iota_dimension"},
    {"dynamic_pad", 1, ""},
    {"dynamic_reshape", 1, ""},
    {"dynamic_slice", 1, "slice_sizes"},
    {"dynamic_update_slice", 1, ""},
    {"einsum", 1, "einsum_config"},
    {"exponential", 1, ""},
    {"exponential", 2, "result_accuracy"},
    {"exponential_minus_one", 1, ""},
    {"exponential_minus_one", 2, "result_accuracy"},
    {"fft", 1, "fft_length fft_type"},
    {"floor", 1, ""},
    {"func", 1, "arg_attrs function_type res_attrs sym_name sym_visibility"},
    {"gather", 1,
     "collapsed_slice_dims index_vector_dim indices_are_sorted "
     "offset_dims slice_sizes start_index_map"},
    {"gather", 2,
     "collapsed_slice_dims index_vector_dim indices_are_sorted "
     "offset_dims operand_batching_dims slice_sizes "
     "start_index_map start_indices_batching_dims"},
    {"get_dimension_size", 1, "dimension"},
    {"get_tuple_element", 1, "index"},
    {"if", 1, ""},
    {"imag", 1, ""},
    {"infeed", 1, "infeed_config layout"},
    {"iota", 1, "iota_dimension"},
    {"is_finite", 1, ""},
    {"log", 1, ""},
    {"log", 2, "result_accuracy"},
    {"log_plus_one", 1, ""},
    {"log_plus_one", 2, "result_accuracy"},
    {"logistic", 1, ""},
    {"logistic", 2, "result_accuracy"},
    {"map", 1, "dimensions"},
    {"maximum", 1, ""},
    {"minimum", 1, ""},
    {"multiply", 1, ""},
    {"negate", 1, ""},
    {"not", 1, ""},
    {"optimization_barrier", 1, ""},
    {"or", 1, ""},
    {"outfeed", 1, "outfeed_config"},
    {"pad", 1, "edge_padding_high edge_padding_low interior_padding"},
    {"partition_id", 1, ""},
    {"popcnt", 1, ""},
    {"power", 1, ""},
    {"real", 1, ""},
    {"real_dynamic_slice", 1, ""},
    {"recv", 1, "channel_id channel_type is_host_transfer"},
    {"recv", 2, "channel_id channel_type is_host_transfer source_target_pairs"},
    {"reduce", 1, "dimensions"},
    {"reduce_precision", 1, "exponent_bits mantissa_bits"},
    {"reduce_scatter", 1,
     "channel_id replica_groups scatter_dimension "
     "use_global_device_ids"},
    {"reduce_window", 1,
     "base_dilations padding window_dilations window_dimensions "
     "window_strides"},
    {"remainder", 1, ""},
    {"replica_id", 1, ""},
    {"reshape", 1, ""},
    {"return", 1, ""},
    {"reverse", 1, "dimensions"},
    {"rng", 1, "rng_distribution"},
    {"rng_bit_generator", 1, "rng_algorithm"},
    {"round_nearest_afz", 1, ""},
    {"round_nearest_even", 1, ""},
    {"rsqrt", 1, ""},
    {"rsqrt", 2, "result_accuracy"},
    {"scatter", 1,
     "index_vector_dim indices_are_sorted inserted_window_dims "
     "scatter_dims_to_operand_dims unique_indices "
     "update_window_dims"},
    {"scatter", 2,
     "index_vector_dim indices_are_sorted input_batching_dims "
     "inserted_window_dims scatter_dims_to_operand_dims "
     "scatter_indices_batching_dims unique_indices "
     "update_window_dims"},
    {"select", 1, ""},
    {"select_and_scatter", 1, "padding window_dimensions window_strides"},
    {"send", 1, "channel_id channel_type is_host_transfer"},
    {"send", 2, "channel_id channel_type is_host_transfer source_target_pairs"},
    {"set_dimension_size", 1, "dimension"},
    {"shift_left", 1, ""},
    {"shift_right_arithmetic", 1, ""},
    {"shift_right_logical", 1, ""},
    {"sign", 1, ""},
    {"sine", 1, ""},
    {"sine", 2, "result_accuracy"},
    {"slice", 1, "limit_indices start_indices strides"},
    {"sort", 1, "dimension is_stable"},
    {"sqrt", 1, ""},
    {"sqrt", 2, "result_accuracy"},
    {"subtract", 1, ""},
    {"tan", 1, ""},
    {"tan", 2, "result_accuracy"},
    {"tanh", 1, ""},
    {"tanh", 2, "result_accuracy"},
    {"torch_index_select", 1, "batch_dims dim"},
    {"transpose", 1, "permutation"},
    {"triangular_solve", 1, "left_side lower transpose_a unit_diagonal"},
    {"tuple", 1, ""},
    {"unary_einsum", 1, "einsum_config"},
    {"uniform_dequantize", 1, ""},
    {"uniform_quantize", 1, ""},
    {"while", 1, ""},
    {"xor", 1, ""},
});

}  // namespace

const VhloOperation* FindVhloOperation(absl::string_view name) {
  const size_t separator = name.rfind("_v");
  int version = 0;
  if (separator == absl::string_view::npos ||
      !absl::SimpleAtoi(name.substr(separator + 2), &version)) {
    return nullptr;
  }
  const absl::string_view stem = name.substr(0, separator);
  const auto* const row = std::ranges::lower_bound(
      kOperations, std::tuple(stem, version), {},
      [](const VhloOperation& operation) {
        return std::tuple(operation.name, operation.version);
      });
  const bool is_found =
      row != kOperations.end() && row->name == stem && row->version == version;
  return is_found ? row : nullptr;
}

}  // namespace hilo::stablehlo
