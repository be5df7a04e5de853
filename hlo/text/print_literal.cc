// Prints literals in HLO syntax (language reference, section 1.5).
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/text/printer.h"
#include "runtime/base/format_element.h"

namespace hilo::hlo {
namespace {

// Prints one array, level by level.
template <typename T>
class ArrayPrinter {
 public:
  ArrayPrinter(const Literal& literal, std::string* out)
      : dimensions_(literal.shape().dimensions()),
        next_(literal.data<T>().data()),
        out_(out) {}

  void Run() {
    if (dimensions_.empty()) {
      AppendElement<T>(*next_, out_);
    } else {
      Level(0, 0);
    }
  }

 private:
  void Element(T value) {
    if constexpr (std::is_same_v<T, bool>) {
      out_->push_back(value ? '1' : '0');
    } else {
      AppendElement<T>(value, out_);
    }
  }

  void Innermost(int64_t size) {
    // Rank 1 prints {1, 2}; inside other levels { 1, 2 } but {1}.
    const bool spaced = dimensions_.size() > 1 && size > 1;
    out_->append(spaced ? "{ " : "{");
    for (int64_t i = 0; i < size; ++i) {
      if (i > 0) out_->append(", ");
      Element(*next_++);
    }
    out_->append(spaced ? " }" : "}");
  }

  // `index` is the position along the dimension outside this level.
  void Level(size_t dimension, int64_t index) {
    const int64_t size = dimensions_[dimension];
    if (dimension + 1 == dimensions_.size()) return Innermost(size);
    out_->append("{ ");
    if (dimension > 0 && dimensions_.size() >= 4) {
      absl::StrAppend(out_, "/*i", dimension - 1, "=", index, "*/ ");
    }
    for (int64_t i = 0; i < size; ++i) {
      if (i > 0) out_->append(", ");
      Level(dimension + 1, i);
    }
    out_->append(" }");
  }

  absl::Span<const int64_t> dimensions_;
  const T* next_;
  std::string* out_;
};

void AppendLiteral(const Literal& literal, int64_t elide_above,
                   std::string* out) {
  if (literal.is_elided()) {
    out->append("{...}");
    return;
  }
  if (literal.IsTuple()) {
    out->append("( ");
    for (size_t i = 0; i < literal.elements().size(); ++i) {
      if (i > 0) out->append(", ");
      AppendLiteral(literal.elements()[i], elide_above, out);
    }
    out->append(" )");
    return;
  }
  if (!literal.shape().IsArray()) {
    absl::StrAppend(out, TextOf(literal.shape().element_type()), "[]");
    return;
  }
  if (elide_above >= 0 && literal.shape().rank() > 0 &&
      literal.element_count() > elide_above) {
    out->append("{...}");
    return;
  }
  DispatchElementType(literal.shape().element_type(), [&](auto tag) {
    ArrayPrinter<typename decltype(tag)::type>(literal, out).Run();
  });
}

}  // namespace

std::string Print(const Literal& literal, int64_t elide_above) {
  std::string out;
  AppendLiteral(literal, elide_above, &out);
  return out;
}

}  // namespace hilo::hlo
