// Tables of properties, and upgrades of VHLO's operations.
#include "hlo/stablehlo/operation_properties.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

#include "hlo/stablehlo/bytecode_decoder.h"
#include "hlo/stablehlo/syntax.h"
#include "hlo/stablehlo/vhlo_operations.h"
#include "runtime/base/diagnostic.h"

namespace hilo::stablehlo {
namespace {

struct PlainRow {
  absl::string_view operation;
  // By name, a space between; "?" marks those that may be missing.
  absl::string_view properties;
};

// Of operations in plain bytecode of their dialect. Source: the definitions of
// the operations in MLIR and StableHLO.
constexpr auto kPlainRows = std::to_array<PlainRow>({
    {"builtin.module", "sym_name? sym_visibility?"},
    {"func.func",
     "arg_attrs? function_type no_inline? res_attrs? sym_name "
     "sym_visibility?"},
    {"func.call", "arg_attrs? callee no_inline? res_attrs?"},
    {"stablehlo.all_gather",
     "all_gather_dim channel_handle? replica_groups use_global_device_ids?"},
    {"stablehlo.all_reduce",
     "channel_handle? replica_groups use_global_device_ids?"},
    {"stablehlo.all_to_all",
     "channel_handle? concat_dimension replica_groups split_count "
     "split_dimension"},
    {"stablehlo.batch_norm_grad", "epsilon feature_index"},
    {"stablehlo.batch_norm_inference", "epsilon feature_index"},
    {"stablehlo.batch_norm_training", "epsilon feature_index"},
    {"stablehlo.broadcast", "broadcast_sizes"},
    {"stablehlo.broadcast_in_dim", "broadcast_dimensions"},
    {"stablehlo.cbrt", "result_accuracy?"},
    {"stablehlo.cholesky", "lower?"},
    {"stablehlo.collective_broadcast", "channel_handle? replica_groups"},
    {"stablehlo.collective_permute", "channel_handle? source_target_pairs"},
    {"stablehlo.compare", "compare_type? comparison_direction"},
    {"stablehlo.composite",
     "composite_attributes? decomposition name version?"},
    {"stablehlo.concatenate", "dimension"},
    {"stablehlo.constant", "value"},
    {"stablehlo.convolution",
     "batch_group_count dimension_numbers feature_group_count lhs_dilation? "
     "padding? precision_config? rhs_dilation? window_reversal? "
     "window_strides?"},
    {"stablehlo.cosine", "result_accuracy?"},
    {"stablehlo.cross-replica-sum", "replica_groups"},
    {"stablehlo.custom_call",
     "api_version? backend_config? call_target_name called_computations? "
     "has_side_effect? operand_layouts? output_operand_aliases? "
     "result_layouts?"},
    {"stablehlo.dot", "precision_config?"},
    {"stablehlo.dot_general",
     "algorithm? dot_dimension_numbers precision_config?"},
    {"stablehlo.dynamic_broadcast_in_dim",
     "broadcast_dimensions known_expanding_dimensions? "
     "known_nonexpanding_dimensions?"},
    {"stablehlo.dynamic_conv",
     "batch_group_count dimension_numbers feature_group_count lhs_dilation? "
     "precision_config? rhs_dilation? window_reversal? window_strides?"},
    {"stablehlo.dynamic_gather", "dimension_numbers indices_are_sorted?"},
    {"stablehlo.dynamic_iota", "iota_dimension"},
    {"stablehlo.dynamic_slice", "slice_sizes"},
    {"stablehlo.einsum", "einsum_config"},
    {"stablehlo.exponential", "result_accuracy?"},
    {"stablehlo.exponential_minus_one", "result_accuracy?"},
    {"stablehlo.fft", "fft_length fft_type"},
    {"stablehlo.gather", "dimension_numbers indices_are_sorted? slice_sizes"},
    {"stablehlo.get_dimension_size", "dimension"},
    {"stablehlo.get_tuple_element", "index"},
    {"stablehlo.infeed", "infeed_config? layout?"},
    {"stablehlo.iota", "iota_dimension"},
    {"stablehlo.log", "result_accuracy?"},
    {"stablehlo.log_plus_one", "result_accuracy?"},
    {"stablehlo.logistic", "result_accuracy?"},
    {"stablehlo.map", "dimensions"},
    {"stablehlo.outfeed", "outfeed_config?"},
    {"stablehlo.pad", "edge_padding_high edge_padding_low interior_padding"},
    {"stablehlo.recv", "channel_handle is_host_transfer? source_target_pairs?"},
    {"stablehlo.reduce", "dimensions"},
    {"stablehlo.reduce_precision", "exponent_bits mantissa_bits"},
    {"stablehlo.reduce_scatter",
     "channel_handle? replica_groups scatter_dimension "
     "use_global_device_ids?"},
    {"stablehlo.reduce_window",
     "base_dilations? padding? window_dilations? window_dimensions "
     "window_strides?"},
    {"stablehlo.reverse", "dimensions"},
    {"stablehlo.rng", "rng_distribution"},
    {"stablehlo.rng_bit_generator", "rng_algorithm"},
    {"stablehlo.rsqrt", "result_accuracy?"},
    {"stablehlo.scatter",
     "indices_are_sorted? scatter_dimension_numbers unique_indices?"},
    {"stablehlo.select_and_scatter",
     "padding? window_dimensions? window_strides?"},
    {"stablehlo.send", "channel_handle is_host_transfer? source_target_pairs?"},
    {"stablehlo.set_dimension_size", "dimension"},
    {"stablehlo.sine", "result_accuracy?"},
    {"stablehlo.slice", "limit_indices start_indices strides"},
    {"stablehlo.sort", "dimension? is_stable?"},
    {"stablehlo.sqrt", "result_accuracy?"},
    {"stablehlo.tan", "result_accuracy?"},
    {"stablehlo.tanh", "result_accuracy?"},
    {"stablehlo.torch_index_select", "batch_dims dim"},
    {"stablehlo.transpose", "permutation"},
    {"stablehlo.triangular_solve", "left_side lower transpose_a unit_diagonal"},
    {"stablehlo.unary_einsum", "einsum_config"},
    {"chlo.broadcast_compare",
     "broadcast_dimensions? compare_type? comparison_direction"},
    {"chlo.constant", "value"},
    {"chlo.constant_like", "value"},
    {"chlo.ragged_dot", "precision_config? ragged_dot_dimension_numbers"},
    {"chlo.top_k", "k"},
    {"mhlo.topk", "k largest?"},
    {"sdy.all_gather", "gathering_axes out_sharding"},
    {"sdy.all_reduce", "out_sharding reduction_axes reduction_op?"},
    {"sdy.all_slice", "out_sharding slicing_axes"},
    {"sdy.all_to_all", "out_sharding params"},
    {"sdy.collective_permute", "out_sharding"},
    {"sdy.constant", "value"},
    {"sdy.data_flow_edge", "sharding?"},
    {"sdy.manual_computation", "in_shardings manual_axes out_shardings"},
    {"sdy.mesh", "mesh sym_name"},
    {"sdy.named_computation", "in_shardings? name out_shardings?"},
    {"sdy.propagation_barrier", "allowed_direction"},
    {"sdy.reduce_scatter", "out_sharding reduce_scatter_axes reduction_op?"},
    {"sdy.reshard", "sharding"},
    {"sdy.sharding_constraint", "sharding"},
    {"sdy.sharding_group", "group_id"},
});

constexpr absl::string_view kVhlo = "vhlo.";

// Attributes of VHLO that are one structure in StableHLO.
struct StructureRow {
  // Empty: all.
  absl::string_view operation;
  absl::string_view structure;
  // By name, a space between; "KEY=NAME" where they have another name in VHLO.
  absl::string_view keys;
};

constexpr auto kStructureRows = std::to_array<StructureRow>({
    {"", "channel_handle", "handle=channel_id type=channel_type"},
    {"dot_general", "algorithm",
     "accumulation_type allow_imprecise_accumulation lhs_component_count "
     "lhs_precision_type num_primitive_operations rhs_component_count "
     "rhs_precision_type"},
    {"dot_general", "dot_dimension_numbers",
     "lhs_batching_dimensions lhs_contracting_dimensions "
     "rhs_batching_dimensions rhs_contracting_dimensions"},
    {"gather", "dimension_numbers",
     "offset_dims collapsed_slice_dims operand_batching_dims "
     "start_indices_batching_dims start_index_map index_vector_dim"},
    {"scatter", "scatter_dimension_numbers",
     "update_window_dims inserted_window_dims input_batching_dims "
     "scatter_indices_batching_dims scatter_dims_to_operand_dims "
     "index_vector_dim"},
});

// Where an attribute of VHLO stands in StableHLO.
struct StructurePlace {
  absl::string_view structure;
  absl::string_view key;
};

std::optional<StructurePlace> FindStructure(absl::string_view operation,
                                            absl::string_view attribute) {
  if (operation == "dynamic_gather") operation = "gather";
  for (const StructureRow& row : kStructureRows) {
    if (!row.operation.empty() && row.operation != operation) continue;
    for (const absl::string_view entry : absl::StrSplit(row.keys, ' ')) {
      const std::pair<absl::string_view, absl::string_view> names =
          absl::StrSplit(entry, absl::MaxSplits('=', 1));
      const auto& [key, renamed] = names;
      if (attribute == (renamed.empty() ? key : renamed)) {
        return StructurePlace{.structure = row.structure, .key = key};
      }
    }
  }
  return std::nullopt;
}

void GatherStructures(absl::string_view name, Attribute* attributes) {
  std::vector<std::pair<std::string, Attribute>> entries;
  for (auto& [key, value] : attributes->entries) {
    const std::optional<StructurePlace> place = FindStructure(name, key);
    if (!place.has_value()) {
      entries.emplace_back(std::move(key), std::move(value));
      continue;
    }
    Attribute* structure = nullptr;
    for (auto& [other, candidate] : entries) {
      if (other == place->structure) structure = &candidate;
    }
    if (structure == nullptr) {
      structure =
          &entries
               .emplace_back(std::string(place->structure),
                             Attribute{.kind = AttributeKind::kDictionary})
               .second;
    }
    structure->entries.emplace_back(std::string(place->key), std::move(value));
  }
  attributes->entries = std::move(entries);
}

void Remove(absl::string_view key, Attribute* attributes) {
  std::erase_if(attributes->entries,
                [&](const auto& entry) { return entry.first == key; });
}

// "none" stands for no algorithm.
void RemoveMissingAlgorithm(Attribute* attributes) {
  const Attribute* algorithm = attributes->Find("algorithm");
  if (algorithm == nullptr) return;
  const Attribute* type = algorithm->Find("accumulation_type");
  const bool is_given = type != nullptr && type->type.text != "none";
  if (!is_given) Remove("algorithm", attributes);
}

void AddConvolutionLabels(Attribute* attributes) {
  const auto integers = [&](absl::string_view key) {
    const Attribute* attribute = attributes->Find(key);
    std::vector<int64_t> values;
    if (attribute == nullptr || attribute->kind != AttributeKind::kDense) {
      return values;
    }
    for (const Attribute& element : ElementAttributes(attribute->literal)) {
      values.push_back(element.integer);
    }
    return values;
  };
  const auto integer = [&](absl::string_view key) {
    const Attribute* attribute = attributes->Find(key);
    return attribute == nullptr ? -1 : attribute->integer;
  };
  const ConvolutionNumbers numbers = {
      .input = {.first = integer("input_batch_dimension"),
                .second = integer("input_feature_dimension"),
                .spatial = integers("input_spatial_dimensions")},
      .kernel = {.first = integer("kernel_input_feature_dimension"),
                 .second = integer("kernel_output_feature_dimension"),
                 .spatial = integers("kernel_spatial_dimensions")},
      .output = {.first = integer("output_batch_dimension"),
                 .second = integer("output_feature_dimension"),
                 .spatial = integers("output_spatial_dimensions")}};
  attributes->entries.emplace_back(
      "dimension_numbers",
      Attribute{.kind = AttributeKind::kOther, .text = LabelsOf(numbers)});
}

}  // namespace

std::vector<Property> PropertiesOf(absl::string_view name) {
  std::vector<Property> properties;
  const auto add = [&](absl::string_view list) {
    for (absl::string_view word :
         absl::StrSplit(list, ' ', absl::SkipEmpty())) {
      const bool is_optional = absl::ConsumeSuffix(&word, "?");
      properties.push_back(
          {.name = std::string(word), .is_optional = is_optional});
    }
  };
  if (absl::ConsumePrefix(&name, kVhlo)) {
    const VhloOperation* operation = FindVhloOperation(name);
    if (operation != nullptr) add(operation->attributes);
    return properties;
  }
  for (const PlainRow& row : kPlainRows) {
    if (row.operation == name) add(row.properties);
  }
  return properties;
}

void UpgradeOperation(Operation* operation, Diagnostics* diagnostics) {
  absl::string_view versioned = operation->name;
  if (!absl::ConsumePrefix(&versioned, kVhlo)) {
    operation->name = CurrentName(operation->name);
    return;
  }
  const VhloOperation* known = FindVhloOperation(versioned);
  if (known == nullptr) {
    diagnostics->Error(
        operation->offset,
        absl::StrCat("'", operation->name,
                     "' is none of VHLO 0.9 to 1.20, the versions known"));
    return;
  }
  const absl::string_view name = known->name;
  const bool is_function = name == "func" || name == "call";
  operation->name = absl::StrCat(is_function ? "func." : "stablehlo.", name);
  Attribute* attributes = &operation->attributes;
  GatherStructures(name, attributes);
  if (name == "dot_general") RemoveMissingAlgorithm(attributes);
  if (name == "convolution" || name == "dynamic_conv") {
    AddConvolutionLabels(attributes);
  }
  // What the first version has as an attribute is an operand now.
  if (name == "dynamic_conv") Remove("padding", attributes);
}

}  // namespace hilo::stablehlo
