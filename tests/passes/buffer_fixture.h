// Takes modules through layout assignment to checked buffers.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/module.h"
#include "passes/buffer_assignment/buffer_assignment.h"

namespace hilo::passes {

// A module and where its arrays lie.
struct AssignedModule {
  std::unique_ptr<hlo::Module> module;
  BufferAssignment buffers;
};

// Element-wise instructions write over operands of their size; sorts need
// 1000 bytes of scratch.
BufferOptions ElementwiseSharing();

// Assigns layouts, inserts copies, assigns buffers; verifies and checks each
// result.
absl::StatusOr<AssignedModule> AssignChecked(
    std::unique_ptr<hlo::Module> module, const BufferOptions& options);

// The same for a text, which must be right, with ElementwiseSharing().
AssignedModule AssignText(absl::string_view text);

// How many instructions of the whole module have the opcode.
int64_t CountOpcode(const hlo::Module& module, hlo::Opcode opcode);

// The only instruction of that name.
const hlo::Instruction& Named(const hlo::Module& module,
                              absl::string_view name);

// The entry's arguments, made up from their shapes.
std::vector<hlo::Literal> CountingArguments(const hlo::Module& module);

}  // namespace hilo::passes
