// The structured values that attributes hold.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hlo/ir/enums.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "hlo/ir/sharding.h"

namespace hilo::hlo {

// One dimension of a sliding window.
struct WindowDimension {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t padding_low = 0;
  int64_t padding_high = 0;
  int64_t base_dilation = 1;
  int64_t window_dilation = 1;
  bool reversed = false;

  friend bool operator==(const WindowDimension&,
                         const WindowDimension&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const WindowDimension& d) {
    return H::combine(std::move(h), d.size, d.stride, d.padding_low,
                      d.padding_high, d.base_dilation, d.window_dilation,
                      d.reversed);
  }
};

struct Window {
  std::vector<WindowDimension> dimensions;

  friend bool operator==(const Window&, const Window&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Window& window) {
    return H::combine(std::move(h), window.dimensions);
  }
};

// Which dimension of lhs, rhs (kernel) and output plays which part.
struct ConvolutionDimensionNumbers {
  int64_t input_batch = 0;
  int64_t input_feature = 0;
  DimensionVector input_spatial;
  int64_t kernel_input_feature = 0;
  int64_t kernel_output_feature = 0;
  DimensionVector kernel_spatial;
  int64_t output_batch = 0;
  int64_t output_feature = 0;
  DimensionVector output_spatial;
  // Positions labelled "?" on each side, which are ignored.
  DimensionVector input_unknown;
  DimensionVector kernel_unknown;
  DimensionVector output_unknown;

  friend bool operator==(const ConvolutionDimensionNumbers&,
                         const ConvolutionDimensionNumbers&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const ConvolutionDimensionNumbers& n) {
    return H::combine(std::move(h), n.input_batch, n.input_feature,
                      n.input_spatial, n.kernel_input_feature,
                      n.kernel_output_feature, n.kernel_spatial, n.output_batch,
                      n.output_feature, n.output_spatial, n.input_unknown,
                      n.kernel_unknown, n.output_unknown);
  }
};

// Padding of one dimension: low and high may be negative (cropping).
struct PaddingDimension {
  int64_t low = 0;
  int64_t high = 0;
  int64_t interior = 0;

  friend bool operator==(const PaddingDimension&,
                         const PaddingDimension&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const PaddingDimension& d) {
    return H::combine(std::move(h), d.low, d.high, d.interior);
  }
};
using PaddingConfig = std::vector<PaddingDimension>;

// [start:limit:stride] of one dimension.
struct SliceDimension {
  int64_t start = 0;
  int64_t limit = 0;
  int64_t stride = 1;

  friend bool operator==(const SliceDimension&,
                         const SliceDimension&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const SliceDimension& d) {
    return H::combine(std::move(h), d.start, d.limit, d.stride);
  }
};
using SliceDimensions = std::vector<SliceDimension>;

// "{⟨output index⟩: (⟨operand⟩, ⟨operand index⟩)}": the output shares the
// operand's buffer.
struct OutputOperandAlias {
  ShapeIndex output_index;
  int64_t operand = 0;
  ShapeIndex operand_index;

  friend bool operator==(const OutputOperandAlias&,
                         const OutputOperandAlias&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const OutputOperandAlias& a) {
    return H::combine(std::move(h), a.output_index, a.operand, a.operand_index);
  }
};
using OutputOperandAliasing = std::vector<OutputOperandAlias>;

// Where an instruction came from. Empty strings and zeros are "not given".
struct Metadata {
  std::string op_type;
  std::string op_name;
  std::string source_file;
  int64_t source_line = 0;
  int64_t source_end_line = 0;
  int64_t source_column = 0;
  int64_t source_end_column = 0;
  DimensionVector profile_type;
  std::string deduplicated_name;
  std::string scheduling_name;
  int64_t stack_frame_id = 0;
  std::string metadata_payload;

  friend bool operator==(const Metadata&, const Metadata&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Metadata& m) {
    return H::combine(std::move(h), m.op_type, m.op_name, m.source_file,
                      m.source_line, m.source_end_line, m.source_column,
                      m.source_end_column, m.profile_type, m.deduplicated_name,
                      m.scheduling_name, m.stack_frame_id, m.metadata_payload);
  }
};

// Key-value pairs, sorted by key. A value that reads as "{...}" is printed
// without quotes.
using FrontendAttributes = std::vector<std::pair<std::string, std::string>>;

// "domain={kind="sharding", entry=..., exit=...}".
struct Domain {
  Sharding entry;
  Sharding exit;

  friend bool operator==(const Domain&, const Domain&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Domain& d) {
    return H::combine(std::move(h), d.entry, d.exit);
  }
};

// "statistics={visualizing_index=N,name=value,...}".
struct Statistics {
  int64_t visualizing_index = 0;
  std::vector<std::pair<std::string, double>> values;

  friend bool operator==(const Statistics&, const Statistics&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Statistics& s) {
    return H::combine(std::move(h), s.visualizing_index, s.values);
  }
};

// "result_accuracy": a mode, or a tolerance when `has_tolerance`.
struct ResultAccuracy {
  bool highest = false;
  bool has_tolerance = false;
  double atol = 0;
  double rtol = 0;
  int64_t ulps = 0;

  friend bool operator==(const ResultAccuracy&,
                         const ResultAccuracy&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const ResultAccuracy& a) {
    return H::combine(std::move(h), a.highest, a.has_tolerance, a.atol, a.rtol,
                      a.ulps);
  }
};

// N:M sparsity of one convolution operand: "{sparsity=1x4 dimension=1 ...}".
struct OperandSparsity {
  int64_t non_zero_count = 0;
  int64_t block_size = 0;
  int64_t dimension = 0;
  int64_t stride = 0;
  int64_t index_operand = 0;

  friend bool operator==(const OperandSparsity&,
                         const OperandSparsity&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const OperandSparsity& s) {
    return H::combine(std::move(h), s.non_zero_count, s.block_size, s.dimension,
                      s.stride, s.index_operand);
  }
};
struct SparsityConfig {
  Box<OperandSparsity> lhs;
  Box<OperandSparsity> rhs;

  friend bool operator==(const SparsityConfig&,
                         const SparsityConfig&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const SparsityConfig& c) {
    if (c.lhs) h = H::combine(std::move(h), *c.lhs);
    if (c.rhs) h = H::combine(std::move(h), *c.rhs);
    return h;
  }
};

using PrecisionList = std::vector<Precision>;

}  // namespace hilo::hlo
