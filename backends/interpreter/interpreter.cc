// Runs modules with the reference evaluator.
#include "backends/interpreter/interpreter.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "backends/backend.h"
#include "backends/buffer.h"
#include "backends/buffer_conversion.h"
#include "backends/program_signature.h"
#include "hlo/eval/evaluator.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/shape.h"
#include "runtime/base/check.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

using hlo::Literal;
using hlo::Shape;

// The value of an argument; a view of its memory where the form allows it.
Literal ToLiteral(const ProgramArgument& argument, const Shape& shape) {
  if (HasLiteralForm(shape)) {
    return Literal::Share(shape, argument.memory, argument.memory.get());
  }
  Literal literal(shape);
  DecodeElements(argument.memory.get(), shape, literal);
  return literal;
}

// Puts the leaves that begin at `*next` together to a value of `shape`.
Literal Unflatten(const Shape& shape, std::vector<Literal>& leaves,
                  size_t* next) {
  if (shape.IsArray()) {
    Literal leaf = std::move(leaves[(*next)++]);
    return std::move(leaf).WithShape(shape);
  }
  if (!shape.IsTuple()) return Literal(shape);
  std::vector<Literal> elements;
  elements.reserve(shape.element_count());
  for (const Shape& element : shape.elements()) {
    elements.push_back(Unflatten(element, leaves, next));
  }
  return Literal::Tuple(std::move(elements));
}

// Moves the arrays of `value` to the end of `leaves`.
void Flatten(Literal value, std::vector<Literal>* leaves) {
  if (value.shape().IsArray()) {
    leaves->push_back(std::move(value));
    return;
  }
  if (!value.IsTuple()) return;
  for (Literal& element : std::move(value).TakeElements()) {
    Flatten(std::move(element), leaves);
  }
}

// The shape in which callers get `literal`: its own size (smaller than the
// declared one where a dimension is dynamic) in the layout of `declared`.
Shape ResultShape(const Literal& literal, const Shape& declared) {
  if (Compatible(literal.shape(), declared)) return declared;
  Shape shape = literal.shape();
  if (shape.rank() == declared.rank()) shape.set_layout(declared.layout());
  return shape;
}

class InterpreterProgram : public Program {
 public:
  explicit InterpreterProgram(std::unique_ptr<hlo::Module> module)
      : module_(std::move(module)), signature_(SignatureOf(*module_)) {}

  const ProgramSignature& signature() const override { return signature_; }

  absl::StatusOr<std::vector<Buffer>> Run(
      std::vector<ProgramArgument> arguments,
      const RunOptions& options) const override {
    ASSIGN_OR_RETURN(
        Literal value,
        hlo::Evaluate(*module_, ParameterValues(arguments),
                      {.seed = options.seed,
                       .memory_limit_bytes = options.memory_limit_bytes}));
    std::vector<Literal> leaves;
    Flatten(std::move(value), &leaves);
    CHECK(leaves.size() == signature_.results.size())
        << "the evaluator returned " << leaves.size() << " arrays for "
        << signature_.results.size();
    return ToBuffers(std::move(leaves), arguments);
  }

  absl::Status RunOnto(absl::Span<const std::byte* const> arguments,
                       absl::Span<std::byte* const> results,
                       const RunOptions& options) const override {
    std::vector<ProgramArgument> views;
    views.reserve(arguments.size());
    for (const std::byte* argument : arguments) {
      // Without an owner: the caller keeps the memory.
      views.push_back(
          {.memory = std::shared_ptr<std::byte>(
               std::shared_ptr<void>(), const_cast<std::byte*>(argument))});
    }
    ASSIGN_OR_RETURN(const std::vector<Buffer> buffers,
                     Run(std::move(views), options));
    for (size_t i = 0; i < buffers.size(); ++i) {
      const auto size = static_cast<size_t>(buffers[i].size_bytes());
      if (size > 0) std::memcpy(results[i], buffers[i].data(), size);
    }
    return absl::OkStatus();
  }

 private:
  std::vector<Literal> ParameterValues(
      const std::vector<ProgramArgument>& arguments) const {
    std::vector<Literal> leaves;
    leaves.reserve(arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i) {
      leaves.push_back(ToLiteral(arguments[i], signature_.arguments[i].shape));
    }
    std::vector<Literal> values;
    size_t next = 0;
    for (const hlo::Instruction* parameter : module_->entry()->parameters()) {
      values.push_back(Unflatten(parameter->shape(), leaves, &next));
    }
    return values;
  }

  absl::StatusOr<std::vector<Buffer>> ToBuffers(
      std::vector<Literal> leaves,
      std::vector<ProgramArgument>& arguments) const {
    std::vector<Buffer> results;
    results.reserve(leaves.size());
    // First out of the arguments' memory, then into it.
    for (size_t i = 0; i < leaves.size(); ++i) {
      const Shape shape = ResultShape(leaves[i], signature_.results[i].shape);
      Literal leaf = std::move(leaves[i]).WithShape(shape);
      ASSIGN_OR_RETURN(Buffer buffer, Buffer::FromLiteral(std::move(leaf)));
      results.push_back(std::move(buffer));
    }
    for (size_t i = 0; i < results.size(); ++i) {
      const std::optional<int64_t>& alias = signature_.aliased_arguments[i];
      if (!alias || !arguments[*alias].is_donated) continue;
      const int64_t capacity = BufferBytes(signature_.arguments[*alias].shape);
      if (results[i].size_bytes() > capacity) continue;
      std::shared_ptr<std::byte> memory = std::move(arguments[*alias].memory);
      arguments[*alias].is_donated = false;
      if (results[i].size_bytes() > 0) {
        std::memcpy(memory.get(), results[i].data(), results[i].size_bytes());
      }
      results[i] = Buffer::Adopt(results[i].shape(), std::move(memory));
    }
    return results;
  }

  std::unique_ptr<hlo::Module> module_;
  ProgramSignature signature_;
};

class Interpreter : public Backend {
 public:
  absl::string_view name() const override { return "interpreter"; }

  absl::StatusOr<std::unique_ptr<Program>> Compile(
      std::unique_ptr<hlo::Module> module,
      const ModuleOptions& options) const override {
    if (options.plans != nullptr) {
      return InvalidArgument("the interpreter has no kernels to plan");
    }
    return std::make_unique<InterpreterProgram>(std::move(module));
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<Backend>> CreateInterpreter(
    const BackendOptions& /*options*/) {
  return std::make_unique<Interpreter>();
}

}  // namespace hilo::backends
