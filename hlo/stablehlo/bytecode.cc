// Operations, regions and functions of bytecode.
#include "hlo/stablehlo/bytecode.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/stablehlo/byte_reader.h"
#include "hlo/stablehlo/bytecode_decoder.h"
#include "hlo/stablehlo/bytecode_file.h"
#include "hlo/stablehlo/operation_properties.h"
#include "hlo/stablehlo/syntax.h"
#include "runtime/base/diagnostic.h"

namespace hilo::stablehlo {
namespace {

enum OperationPart : uint8_t {
  kHasAttributes = 0x01,
  kHasResults = 0x02,
  kHasOperands = 0x04,
  kHasSuccessors = 0x08,
  kHasRegions = 0x10,
  kHasUseListOrders = 0x20,
  kHasProperties = 0x40,
};

class OperationReader {
 public:
  OperationReader(const BytecodeFile& file, SyntaxModule* module,
                  Diagnostics* diagnostics)
      : file_(file),
        decoder_(file, module, diagnostics),
        module_(module),
        diagnostics_(diagnostics) {}

  // The operations outside of all: one module.
  void ReadModule() {
    ByteReader reader = file_.Operations();
    bool has_arguments = false;
    const uint64_t count = reader.VarintWithFlag(&has_arguments);
    if (has_arguments) reader.Fail("a module takes no arguments");
    for (uint64_t i = 0; i < count && reader.ok(); ++i) {
      Operation operation;
      ReadOperation(&reader, &operation);
      AddToModule(std::move(operation), &reader);
    }
  }

 private:
  bool ok() const { return !diagnostics_->has_errors(); }
  // Modules within one another are one.
  void AddToModule(Operation operation, ByteReader* reader);
  void AddFunction(Operation operation, ByteReader* reader);
  void ReadOperation(ByteReader* reader, Operation* operation);
  void ReadProperties(size_t index, Operation* operation);
  void ReadOperands(ByteReader* reader, Operation* operation);
  void ReadRegions(ByteReader* reader, Operation* operation);
  void ReadRegion(ByteReader* reader, Region* region);
  void ReadArguments(ByteReader* reader, Region* region);
  void SkipUseListOrders(ByteReader* reader, size_t value_count);
  ValueId Define(Type type, int64_t offset, ByteReader* reader);

  const BytecodeFile& file_;
  BytecodeDecoder decoder_;
  SyntaxModule* module_;
  Diagnostics* diagnostics_;
  // The values that can be named, by number; -1 for those to come. All of a
  // region have numbers from its beginning on: those of regions within follow
  // them.
  std::vector<ValueId> values_;
  // The number of the region's next value.
  size_t next_value_ = 0;
  absl::flat_hash_set<std::string> function_names_;
  int depth_ = 0;
};

ValueId OperationReader::Define(Type type, int64_t offset, ByteReader* reader) {
  if (next_value_ >= values_.size()) {
    reader->Fail("a region has more values than it says");
    return -1;
  }
  const auto id = static_cast<ValueId>(module_->values.size());
  module_->values.push_back(
      {.name = absl::StrCat(id), .offset = offset, .type = std::move(type)});
  values_[next_value_++] = id;
  return id;
}

void OperationReader::ReadOperands(ByteReader* reader, Operation* operation) {
  const size_t count = reader->Count();
  for (size_t i = 0; i < count && ok(); ++i) {
    const size_t number = reader->Index(values_.size(), "value");
    if (ok() && values_[number] < 0) {
      reader->Fail("a value is used before it is computed");
    }
    if (!ok()) return;
    operation->operands.push_back(values_[number]);
    operation->operand_offsets.push_back(operation->offset);
  }
}

void OperationReader::ReadProperties(size_t index, Operation* operation) {
  const BytecodeFile::Range range = file_.properties()[index];
  ByteReader reader = file_.ReaderOf(range.begin, range.end);
  const std::vector<Property> properties = PropertiesOf(operation->name);
  for (const Property& property : properties) {
    if (property.is_optional) {
      bool is_given = false;
      const uint64_t number = reader.VarintWithFlag(&is_given);
      if (!is_given) continue;
      operation->attributes.entries.emplace_back(
          property.name, decoder_.AttributeOf(number, &reader));
    } else {
      operation->attributes.entries.emplace_back(
          property.name, decoder_.ReadAttribute(&reader));
    }
  }
  if (!reader.AtEnd() && ok()) {
    diagnostics_->Error(operation->offset,
                        absl::StrCat("'", operation->name,
                                     "' has other attributes than are known"));
  }
}

void OperationReader::ReadOperation(ByteReader* reader, Operation* operation) {
  operation->offset = static_cast<int64_t>(reader->offset());
  operation->attributes.kind = AttributeKind::kDictionary;
  operation->attributes.offset = operation->offset;
  const size_t name =
      reader->Index(file_.operation_names().size(), "operation");
  if (!ok()) return;
  operation->name = file_.operation_names()[name].name;
  const unsigned parts = reader->Byte();
  operation->location = decoder_.ReadLocation(reader);
  if ((parts & kHasAttributes) != 0) {
    operation->attributes.entries = decoder_.ReadAttribute(reader).entries;
  }
  if ((parts & kHasProperties) != 0) {
    const size_t index = reader->Index(file_.properties().size(), "property");
    if (ok()) ReadProperties(index, operation);
  }
  std::vector<Type> types;
  if ((parts & kHasResults) != 0) types = decoder_.ReadTypes(reader);
  if ((parts & kHasOperands) != 0) ReadOperands(reader, operation);
  if ((parts & kHasSuccessors) != 0) {
    reader->Fail("a region has one block: jumps are not supported");
  }
  const size_t result_count = types.size();
  for (Type& type : types) {
    operation->results.push_back(
        Define(std::move(type), operation->offset, reader));
  }
  if ((parts & kHasUseListOrders) != 0) {
    SkipUseListOrders(reader, result_count);
  }
  if ((parts & kHasRegions) != 0) ReadRegions(reader, operation);
  if (ok()) UpgradeOperation(operation, diagnostics_);
}

void OperationReader::ReadRegions(ByteReader* reader, Operation* operation) {
  constexpr int kMaxDepth = 200;
  constexpr uint64_t kHasLazyRegions = 2;
  bool is_isolated = false;
  const uint64_t count = reader->VarintWithFlag(&is_isolated);
  if (count > reader->remaining() || depth_ >= kMaxDepth) {
    reader->Fail(absl::StrCat("regions are nested more than ", kMaxDepth,
                              " levels deep"));
    return;
  }
  ++depth_;
  std::vector<ValueId> outer;
  const size_t outer_next = next_value_;
  ByteReader section = *reader;
  if (is_isolated) {
    outer.swap(values_);
    if (file_.version() >= kHasLazyRegions) {
      reader->Byte();
      section = reader->Part(reader->Varint());
    }
  }
  for (uint64_t i = 0; i < count && ok(); ++i) {
    ReadRegion(&section, &operation->regions.emplace_back());
  }
  if (is_isolated) outer.swap(values_);
  next_value_ = outer_next;
  if (!is_isolated || file_.version() < kHasLazyRegions) *reader = section;
  --depth_;
}

void OperationReader::ReadArguments(ByteReader* reader, Region* region) {
  constexpr uint64_t kHasOptionalLocations = 4;
  const size_t count = reader->Count();
  for (size_t i = 0; i < count && ok(); ++i) {
    bool has_location = true;
    Type type;
    if (file_.version() >= kHasOptionalLocations) {
      const uint64_t number = reader->VarintWithFlag(&has_location);
      type = decoder_.TypeOf(number, reader);
    } else {
      type = decoder_.ReadType(reader);
    }
    if (has_location) decoder_.ReadLocation(reader);
    region->arguments.push_back(
        Define(std::move(type), region->offset, reader));
  }
}

void OperationReader::ReadRegion(ByteReader* reader, Region* region) {
  constexpr uint64_t kHasUseLists = 3;
  region->offset = static_cast<int64_t>(reader->offset());
  const uint64_t block_count = reader->Varint();
  if (block_count == 0) return;
  if (block_count > 1) {
    reader->Fail("a region has one block: jumps are not supported");
    return;
  }
  const size_t value_count = reader->Count();
  const size_t outer_next = std::exchange(next_value_, values_.size());
  values_.resize(values_.size() + value_count, -1);
  bool has_arguments = false;
  const uint64_t count = reader->VarintWithFlag(&has_arguments);
  if (has_arguments) {
    ReadArguments(reader, region);
    if (file_.version() >= kHasUseLists && reader->Byte() != 0) {
      SkipUseListOrders(reader, region->arguments.size());
    }
  }
  for (uint64_t i = 0; i < count && ok(); ++i) {
    ReadOperation(reader, &region->operations.emplace_back());
  }
  values_.resize(values_.size() - value_count);
  next_value_ = outer_next;
}

// In which order values are used says nothing.
void OperationReader::SkipUseListOrders(ByteReader* reader,
                                        size_t value_count) {
  const size_t count = value_count > 1 ? reader->Count() : 1;
  for (size_t i = 0; i < count && ok(); ++i) {
    if (value_count > 1) reader->Varint();
    bool is_pairs = false;
    const uint64_t numbers = reader->VarintWithFlag(&is_pairs);
    for (uint64_t j = 0; j < numbers && ok(); ++j) reader->Varint();
  }
}

void OperationReader::AddToModule(Operation operation, ByteReader* reader) {
  if (!ok()) return;
  if (operation.name == "builtin.module") {
    const Attribute* name = operation.attributes.Find("sym_name");
    if (name != nullptr) module_->name = name->text;
    for (Region& region : operation.regions) {
      for (Operation& inner : region.operations) {
        AddToModule(std::move(inner), reader);
      }
    }
    module_->attributes = std::move(operation.attributes);
  } else if (operation.name == "func.func") {
    AddFunction(std::move(operation), reader);
  } else if (!absl::StartsWith(operation.name, "sdy.")) {
    // Meshes of devices say nothing to one device.
    diagnostics_->Error(
        operation.offset,
        absl::StrCat("'", operation.name, "' cannot stand in a module"));
  }
}

void OperationReader::AddFunction(Operation operation, ByteReader* reader) {
  Function function = {.offset = operation.offset};
  const auto dictionaries = [&](const char* key, size_t count) {
    const Attribute* list = operation.attributes.Find(key);
    std::vector<Attribute> attributes;
    if (list != nullptr) attributes = list->elements;
    attributes.resize(count);
    return attributes;
  };
  const Attribute* name = operation.attributes.Find("sym_name");
  const Attribute* type = operation.attributes.Find("function_type");
  const Attribute* visibility = operation.attributes.Find("sym_visibility");
  if (name == nullptr || type == nullptr || operation.regions.size() != 1) {
    reader->Fail("a function has no name, no type or no body");
    return;
  }
  function.name = name->text;
  function.is_private = visibility != nullptr && visibility->text == "private";
  function.body = std::move(operation.regions[0]);
  function.results = type->type.results;
  function.argument_attributes =
      dictionaries("arg_attrs", function.body.arguments.size());
  function.result_attributes =
      dictionaries("res_attrs", function.results.size());
  if (!function_names_.insert(function.name).second) {
    diagnostics_->Error(function.offset, absl::StrCat("a second function '",
                                                      function.name, "'"));
    return;
  }
  module_->functions.push_back(std::move(function));
}

}  // namespace

std::unique_ptr<SyntaxModule> ReadBytecode(absl::string_view bytes,
                                           Diagnostics* diagnostics) {
  BytecodeFile file(bytes, diagnostics);
  if (!file.Read()) return nullptr;
  auto module = std::make_unique<SyntaxModule>();
  OperationReader(file, module.get(), diagnostics).ReadModule();
  if (!diagnostics->has_errors() && module->functions.empty()) {
    diagnostics->Error(-1, "the module has no function");
  }
  if (diagnostics->has_errors()) return nullptr;
  return module;
}

}  // namespace hilo::stablehlo
