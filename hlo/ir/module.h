// A program: computations with an entry, and what the header says about it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/computation.h"
#include "runtime/base/source.h"

namespace hilo::hlo {

// An output that may or must share a parameter's buffer (donation).
struct InputOutputAlias {
  ShapeIndex output_index;
  int64_t parameter_number = 0;
  ShapeIndex parameter_index;
  bool must_alias = false;

  friend bool operator==(const InputOutputAlias&,
                         const InputOutputAlias&) = default;
};

// A parameter leaf whose buffer is given away.
struct BufferDonor {
  int64_t parameter_number = 0;
  ShapeIndex parameter_index;

  friend bool operator==(const BufferDonor&, const BufferDonor&) = default;
};

// Layouts that callers use for arguments and results.
struct EntryComputationLayout {
  std::vector<Shape> parameters;
  Shape result;

  friend bool operator==(const EntryComputationLayout&,
                         const EntryComputationLayout&) = default;
};

// Tables that instructions' stack_frame_id refers to. Ids are 1-based; 0 is
// "none" (the text adds 1 to parent_frame_id).
struct StackFrameTables {
  struct FileLocation {
    int64_t file_name_id = 0;
    int64_t function_name_id = 0;
    int64_t line = 0;
    int64_t end_line = 0;
    int64_t column = 0;
    int64_t end_column = 0;
    friend bool operator==(const FileLocation&, const FileLocation&) = default;
  };
  struct StackFrame {
    int64_t file_location_id = 0;
    int64_t parent_frame_id = 0;
    friend bool operator==(const StackFrame&, const StackFrame&) = default;
  };
  std::vector<std::string> file_names;
  std::vector<std::string> function_names;
  std::vector<FileLocation> file_locations;
  std::vector<StackFrame> stack_frames;

  bool empty() const {
    return file_names.empty() && function_names.empty() &&
           file_locations.empty() && stack_frames.empty();
  }
  friend bool operator==(const StackFrameTables&,
                         const StackFrameTables&) = default;
};

// What the line "HloModule name, ..." says.
struct ModuleHeader {
  bool is_scheduled = false;
  std::vector<InputOutputAlias> input_output_alias;
  std::vector<BufferDonor> buffer_donor;
  bool alias_passthrough_params = false;
  // Null when the text has none: the entry's own shapes count.
  Box<EntryComputationLayout> entry_computation_layout;
  std::vector<bool> allow_spmd_sharding_propagation_to_parameters;
  std::vector<bool> allow_spmd_sharding_propagation_to_output;
  int64_t replica_count = 1;
  int64_t num_partitions = 1;
  FrontendAttributes frontend_attributes;
  // Kept verbatim, with their braces; empty when absent.
  std::string origin_recovery_table;
  std::string debug_attributes;
  StackFrameTables stack_frames;
};

// Owns its computations. Computation ids are dense; callees come before
// callers in a parsed module. Destroyed without recursion.
class Module {
 public:
  explicit Module(std::string name) : name_(std::move(name)) {}
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  ~Module() = default;

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  ModuleHeader& header() { return header_; }
  const ModuleHeader& header() const { return header_; }

  int64_t computation_count() const {
    return static_cast<int64_t>(computations_.size());
  }
  Computation* computation(ComputationId id) const {
    return computations_[id].get();
  }
  const std::vector<std::unique_ptr<Computation>>& computations() const {
    return computations_;
  }
  Computation* entry() const { return entry_; }
  void set_entry(Computation* entry) { entry_ = entry; }

  // Appends an empty computation. Names are made unique by UniquifyNames.
  Computation* AddComputation(std::string name);

  // Makes `computation` the last one: it calls some that were added after it.
  void MoveToEnd(Computation* computation);

  // Renames repeated names of computations, and of instructions (one table for
  // the module), by the rule of the language reference, section 1.14.
  void UniquifyNames();

  // Computations in post-order: callees before callers, those of one caller in
  // its PrintOrder(). The order in which they are printed. Without recursion.
  std::vector<Computation*> PostOrder() const;

  int64_t instruction_count() const;

  // A deep copy; sources are shared.
  std::unique_ptr<Module> Clone() const;

  // The layouts that callers use: the header's, or the entry's own shapes.
  EntryComputationLayout entry_layout() const;

  // The text the module was parsed from; null when built otherwise. Shared by
  // clones, whose instructions keep their places in it.
  const std::shared_ptr<const Source>& source() const { return source_; }
  void set_source(std::shared_ptr<const Source> source) {
    source_ = std::move(source);
  }

 private:
  std::string name_;
  ModuleHeader header_;
  std::vector<std::unique_ptr<Computation>> computations_;
  Computation* entry_ = nullptr;
  std::shared_ptr<const Source> source_;
};

}  // namespace hilo::hlo
