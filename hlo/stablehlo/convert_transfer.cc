// Transfers from and to the host and other devices, and operations that are
// started and awaited.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/attribute_reader.h"
#include "hlo/stablehlo/converter.h"
#include "hlo/stablehlo/syntax.h"

namespace hilo::stablehlo {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// What send and recv give.
Shape TransferState(const Shape& value) {
  return Shape::Tuple(
      {value, Shape::Scalar(hlo::ElementType::kU32), Shape::Token()});
}

}  // namespace

// Senders and receivers are an attribute of the front end in HLO.
void Converter::SetTransfer(AttributeReader* reader, const Operation& operation,
                            Instruction& instruction) {
  SetChannel(reader, operation, instruction);
  if (reader->Bool("is_host_transfer")) instruction.set_is_host_transfer(true);
  std::vector<std::string> pairs;
  for (const hlo::DimensionVector& pair : reader->Rows("source_target_pairs")) {
    pairs.push_back(absl::StrCat("{", absl::StrJoin(pair, ","), "}"));
  }
  if (pairs.empty()) return;
  instruction.set_frontend_attributes(
      {{"_xla_send_recv_source_target_pairs",
        absl::StrCat("{", absl::StrJoin(pairs, ","), "}")}});
}

bool Converter::ConvertSend(const Operation& operation) {
  AttributeReader reader = Read(operation);
  std::vector<Instruction*> values;
  if (!HasOneResult(operation) || !UseOperands(operation, &values)) {
    return false;
  }
  if (values.empty()) return HasOperands(operation, 1);
  Instruction* token = values.back();
  values.pop_back();
  Instruction* value = MakeRoot(values, operation.offset, false);
  Instruction* send = Add(Opcode::kSend, TransferState(value->shape()),
                          {value, token}, operation.offset);
  Instruction* done =
      Add(Opcode::kSendDone, Shape::Token(), {send}, operation.offset);
  SetTransfer(&reader, operation, *send);
  SetTransfer(&reader, operation, *done);
  return reader.ok() && SetResults(operation, done);
}

// Of a tuple of arrays, with a token.
void Converter::SetReceived(const Operation& operation, Instruction* received) {
  Instruction* data = AddElement(received, 0, operation.offset);
  for (size_t i = 0; i + 1 < operation.results.size(); ++i) {
    scope_->values[operation.results[i]] =
        AddElement(data, static_cast<int64_t>(i), operation.offset);
  }
  scope_->values[operation.results.back()] =
      AddElement(received, 1, operation.offset);
}

bool Converter::ConvertRecv(const Operation& operation) {
  AttributeReader reader = Read(operation);
  std::vector<Instruction*> operands;
  if (!HasOperands(operation, 1) || !UseOperands(operation, &operands)) {
    return false;
  }
  if (operation.results.empty()) return HasOneResult(operation);
  std::vector<Shape> shapes(operation.results.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!ShapeOf(operation.results[i], operation.offset, &shapes[i])) {
      return false;
    }
  }
  shapes.pop_back();
  const bool is_one = shapes.size() == 1;
  const Shape value = is_one ? shapes[0] : Shape::Tuple(std::move(shapes));
  Instruction* recv =
      Add(Opcode::kRecv, TransferState(value), {operands[0]}, operation.offset);
  Instruction* done =
      Add(Opcode::kRecvDone, Shape::Tuple({value, Shape::Token()}), {recv},
          operation.offset);
  SetTransfer(&reader, operation, *recv);
  SetTransfer(&reader, operation, *done);
  if (is_one) return reader.ok() && SetResults(operation, done);
  SetReceived(operation, done);
  return reader.ok();
}

// Layouts of the host are not those of the program.
bool Converter::ConvertInfeed(const Operation& operation) {
  AttributeReader reader = Read(operation);
  std::vector<Instruction*> operands;
  if (!HasOperands(operation, 1) || !UseOperands(operation, &operands)) {
    return false;
  }
  if (operation.results.empty()) return HasOneResult(operation);
  std::vector<Shape> shapes(operation.results.size() - 1);
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!ShapeOf(operation.results[i], operation.offset, &shapes[i])) {
      return false;
    }
  }
  const Shape value = Shape::Tuple(std::move(shapes));
  Instruction* infeed =
      Add(Opcode::kInfeed, Shape::Tuple({value, Shape::Token()}), {operands[0]},
          operation.offset);
  infeed->set_infeed_config(reader.String("infeed_config"));
  SetReceived(operation, infeed);
  return reader.ok();
}

bool Converter::ConvertOutfeed(const Operation& operation) {
  AttributeReader reader = Read(operation);
  std::vector<Instruction*> values;
  if (!HasOneResult(operation) || !UseOperands(operation, &values)) {
    return false;
  }
  if (values.empty()) return HasOperands(operation, 1);
  Instruction* token = values.back();
  values.pop_back();
  Instruction* value = MakeRoot(values, operation.offset, false);
  Instruction* outfeed =
      Add(Opcode::kOutfeed, Shape::Token(), {value, token}, operation.offset);
  outfeed->set_outfeed_shape(value->shape());
  outfeed->set_outfeed_config(reader.String("outfeed_config"));
  return reader.ok() && SetResults(operation, outfeed);
}

// What is started is computed at once: its future is the value itself.
bool Converter::ConvertAsyncStart(const Operation& operation) {
  return HasOneResult(operation) && CallRegion(operation);
}

bool Converter::ConvertAsyncDone(const Operation& operation) {
  std::vector<Instruction*> operands;
  if (!HasOperands(operation, 1) || !UseOperands(operation, &operands)) {
    return false;
  }
  if (operation.results.size() != 1) {
    return SetResults(operation, operands[0]);
  }
  scope_->values[operation.results[0]] = operands[0];
  return true;
}

}  // namespace hilo::stablehlo
