// Decodes the attributes, types and locations of MLIR bytecode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

#include "hlo/stablehlo/byte_reader.h"
#include "hlo/stablehlo/bytecode_file.h"
#include "hlo/stablehlo/syntax.h"
#include "runtime/base/diagnostic.h"

namespace hilo::stablehlo {

// Decodes an entry when it is first asked for. Attributes of dialects that no
// conversion needs become AttributeKind::kOther.
class BytecodeDecoder {
 public:
  // All outlive the decoder. Locations become those of `module`.
  BytecodeDecoder(const BytecodeFile& file, SyntaxModule* module,
                  Diagnostics* diagnostics);

  // By their numbers in the file, which readers give. An attribute that is the
  // same thousandfold makes a small file large in memory: copies are counted,
  // and too many are a fault of the file.
  Attribute ReadAttribute(ByteReader* reader);
  Type ReadType(ByteReader* reader);
  std::vector<Type> ReadTypes(ByteReader* reader);
  // Of a number that was read together with a flag.
  Attribute AttributeOf(uint64_t number, ByteReader* reader);
  Type TypeOf(uint64_t number, ByteReader* reader);
  // Empty for none.
  std::string ReadText(ByteReader* reader);
  // A place in SyntaxModule::locations.
  LocationId ReadLocation(ByteReader* reader);

 private:
  enum class State : uint8_t { kUnknown, kBeingDecoded, kKnown };

  template <typename T>
  struct Known {
    State state = State::kUnknown;
    // How many attributes and types it consists of.
    uint64_t weight = 1;
    T value = {};
  };

  template <typename T, typename Decode>
  T Get(Known<T>* known, ByteReader* reader, Decode decode);

  // bytecode_decoder.cc.
  Attribute DecodeAttribute(const BytecodeFile::Entry& entry);
  Type DecodeType(const BytecodeFile::Entry& entry);
  std::vector<Attribute> ReadAttributes(ByteReader* reader);
  static std::vector<int64_t> ReadSignedIntegers(ByteReader* reader);
  Attribute ReadDictionary(ByteReader* reader);
  Attribute ReadInteger(ByteReader* reader);
  Attribute ReadFloat(ByteReader* reader);
  Attribute ReadElements(ByteReader* reader);
  static Attribute ReadAlias(ByteReader* reader);
  Attribute ReadAccuracy(ByteReader* reader);
  Type ReadTensorType(ByteReader* reader);
  Type ReadFunctionType(ByteReader* reader);
  Type ReadTupleType(ByteReader* reader);
  Type ReadBoundedType(ByteReader* reader);
  Type ReadComplexType(ByteReader* reader);

  // bytecode_builtin.cc.
  Attribute DecodeBuiltinAttribute(ByteReader* reader);
  Attribute ReadSymbol(ByteReader* reader);
  Attribute ReadTypedArray(ByteReader* reader);
  Attribute ReadResource(ByteReader* reader);
  Type DecodeBuiltinType(ByteReader* reader);
  LocationId LocationAt(size_t index, ByteReader* reader);
  void DecodeLocation(size_t index, Location* location);
  void ReadFilePlace(ByteReader* reader, Location* location);

  // bytecode_vhlo.cc.
  Attribute DecodeVhloAttribute(ByteReader* reader);
  Type DecodeVhloType(ByteReader* reader);
  Type ReadQuantizedType(ByteReader* reader, bool is_per_axis);

  // bytecode_stablehlo.cc.
  Attribute DecodeStableHloAttribute(ByteReader* reader);
  static Attribute DecodeChloAttribute(ByteReader* reader);
  static Type DecodeStableHloType(ByteReader* reader);
  static Attribute ReadConvolutionNumbers(ByteReader* reader);
  Attribute ReadDotAlgorithm(ByteReader* reader);

  const BytecodeFile& file_;
  SyntaxModule* module_;
  Diagnostics* diagnostics_;
  std::vector<Known<Attribute>> attributes_;
  std::vector<Known<Type>> types_;
  // Places in the module's list; -1 for what is not decoded.
  std::vector<LocationId> locations_;
  // What the entry under decoding consists of so far.
  uint64_t weight_ = 0;
  uint64_t copied_ = 0;
  int depth_ = 0;
};

// Short ways to build attributes; offsets are those of the operation, later.
Attribute WordAttribute(std::string word);
Attribute TextAttribute(std::string text);
Attribute IntegerValue(int64_t value);
Attribute BoolAttribute(bool value);
Attribute IntegersAttribute(const std::vector<int64_t>& values);

// The word of an enumeration's value; fails where there is none.
enum class WordList : uint8_t {
  kComparisonDirection,
  kComparisonType,
  kFftType,
  kPrecision,
  kRandomAlgorithm,
  kRandomDistribution,
  kResultAccuracyMode,
  kTranspose,
};
Attribute ReadWord(WordList list, ByteReader* reader);

// Which dimensions of a convolution's operands are what.
struct ConvolutionNumbers {
  // Batch and feature, or input and output feature of the kernel.
  struct Operand {
    int64_t first = 0;
    int64_t second = 0;
    std::vector<int64_t> spatial = {};
  };
  Operand input;
  Operand kernel;
  Operand output;
};
// [b, 0, f]x[0, i, o]->[b, 0, f]; "" when the numbers are no dimensions.
std::string LabelsOf(const ConvolutionNumbers& numbers);

}  // namespace hilo::stablehlo
