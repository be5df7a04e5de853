// Computations over scalars, applied to arrays' elements by reduce and others.
#include "hlo/eval/scalar_body.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/convert_floats.h"
#include "hlo/eval/handlers.h"
#include "hlo/eval/scalar_program.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"

namespace hilo::hlo {

ElementTypes ElementTypesOf(const Shape& shape) {
  ElementTypes types;
  for (const Shape* leaf : shape.Leaves())
    types.push_back(leaf->element_type());
  return types;
}

void AppendElementTypes(absl::Span<const Literal> literals,
                        ElementTypes& types) {
  for (const Literal& literal : literals) {
    types.push_back(literal.shape().element_type());
  }
}

ScalarBody::ScalarBody(const Computation& computation,
                       EvaluationContext& context)
    : computation_(&computation),
      context_(&context),
      program_(ScalarProgram::Compile(computation)) {}

absl::StatusOr<ScalarBody> ScalarBody::Create(
    const Computation& computation,
    absl::Span<const ElementType> argument_types,
    absl::Span<const ElementType> result_types, EvaluationContext& context) {
  ScalarBody body(computation, context);
  ElementTypes parameter_types;
  for (const Instruction* parameter : computation.parameters()) {
    parameter_types.push_back(parameter->shape().element_type());
  }
  RETURN_IF_ERROR(body.AddConversions(argument_types, parameter_types,
                                      body.argument_conversions_));
  RETURN_IF_ERROR(body.AddConversions(
      result_types, ElementTypesOf(computation.root()->shape()),
      body.result_conversions_));
  return body;
}

absl::Status ScalarBody::AddConversions(
    absl::Span<const ElementType> outer_types,
    absl::Span<const ElementType> inner_types,
    std::vector<Conversion>& conversions) {
  if (outer_types.size() != inner_types.size()) {
    return InvalidArgument(computation_->name(), " has ", inner_types.size(),
                           " scalars where its caller has ",
                           outer_types.size());
  }
  for (size_t i = 0; i < outer_types.size(); ++i) {
    if (outer_types[i] == inner_types[i]) continue;
    if (!IsFloat(outer_types[i]) || !IsFloat(inner_types[i])) {
      return Unimplemented(computation_->name(), " works on ",
                           TextOf(inner_types[i]), ", its caller on ",
                           TextOf(outer_types[i]));
    }
    conversions.push_back({.position = static_cast<int64_t>(i),
                           .outer_type = outer_types[i],
                           .inner_type = inner_types[i],
                           .elements = std::vector<std::byte>(
                               kMaxLanes * StorageBytes(inner_types[i]))});
  }
  return absl::OkStatus();
}

bool ScalarBody::Uses(int64_t i) const {
  const Instruction* parameter = computation_->parameter(i);
  return parameter->HasUses() || parameter == computation_->root();
}

absl::Status ScalarBody::Run(int64_t lanes,
                             absl::Span<const void* const> arguments,
                             absl::Span<void* const> results) {
  if (!argument_conversions_.empty() || !result_conversions_.empty()) {
    return RunConverted(lanes, arguments, results);
  }
  if (!program_) return RunCalls(lanes, arguments, results);
  program_->Run(lanes, arguments, results);
  return absl::OkStatus();
}

absl::Status ScalarBody::RunConverted(int64_t lanes,
                                      absl::Span<const void* const> arguments,
                                      absl::Span<void* const> results) {
  absl::InlinedVector<const void*, 8> inner_arguments(arguments.begin(),
                                                      arguments.end());
  absl::InlinedVector<void*, 4> inner_results(results.begin(), results.end());
  for (Conversion& conversion : argument_conversions_) {
    ConvertFloats(conversion.outer_type, arguments[conversion.position],
                  conversion.inner_type, conversion.elements.data(), lanes);
    inner_arguments[conversion.position] = conversion.elements.data();
  }
  for (Conversion& conversion : result_conversions_) {
    inner_results[conversion.position] = conversion.elements.data();
  }
  if (program_) {
    program_->Run(lanes, inner_arguments, inner_results);
  } else {
    RETURN_IF_ERROR(RunCalls(lanes, inner_arguments, inner_results));
  }
  for (const Conversion& conversion : result_conversions_) {
    ConvertFloats(conversion.inner_type, conversion.elements.data(),
                  conversion.outer_type, results[conversion.position], lanes);
  }
  return absl::OkStatus();
}

absl::Status ScalarBody::RunCalls(int64_t lanes,
                                  absl::Span<const void* const> arguments,
                                  absl::Span<void* const> results) {
  for (int64_t lane = 0; lane < lanes; ++lane) {
    std::vector<Literal> scalars;
    for (size_t i = 0; i < arguments.size(); ++i) {
      Literal scalar(computation_->parameter(static_cast<int64_t>(i))->shape());
      const int64_t bytes = scalar.size_bytes();
      std::memcpy(scalar.mutable_untyped_data(),
                  static_cast<const std::byte*>(arguments[i]) + lane * bytes,
                  bytes);
      scalars.push_back(std::move(scalar));
    }
    ASSIGN_OR_RETURN(const Literal value,
                     context_->Call(*computation_, std::move(scalars)));
    const std::vector<const Literal*> leaves = value.Leaves();
    for (size_t j = 0; j < results.size(); ++j) {
      const int64_t bytes = leaves[j]->size_bytes();
      std::memcpy(static_cast<std::byte*>(results[j]) + lane * bytes,
                  leaves[j]->untyped_data(), bytes);
    }
  }
  return absl::OkStatus();
}

}  // namespace hilo::hlo
