// The functions of parser.h.
#include "hlo/text/parser.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/shape.h"
#include "hlo/text/lexer.h"
#include "hlo/text/literal_parser.h"
#include "hlo/text/log_prefix.h"
#include "hlo/text/module_parser.h"
#include "hlo/text/shape_parser.h"
#include "hlo/text/token_reader.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/source.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// The first error as a status that names the column.
absl::Status FirstError(const Diagnostics& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics.list()) {
    if (diagnostic.severity != Severity::kError) continue;
    return InvalidArgument("column ", diagnostic.offset + 1, ": ",
                           diagnostic.message);
  }
  return absl::OkStatus();
}

// Reports what stands after the value; false if there is something.
bool ExpectEnd(TokenReader& reader) {
  return reader.Is(TokenKind::kEnd) ||
         reader.FailExpected("the end of the text");
}

}  // namespace

std::unique_ptr<Module> Parse(std::shared_ptr<const Source> source,
                              const ParseOptions& options,
                              Diagnostics* diagnostics) {
  absl::string_view text = source->text();
  const size_t nul = text.find('\0');
  if (nul != absl::string_view::npos) {
    diagnostics->Error(static_cast<int64_t>(nul), "NUL byte in the text");
    return nullptr;
  }
  // Lives as long as the parser, which keeps views of it.
  std::string without_prefixes;
  if (HasLogPrefix(text)) {
    without_prefixes = BlankLogPrefixes(text);
    text = without_prefixes;
  }
  return ModuleParser(std::move(source), text, options, diagnostics).Run();
}

absl::StatusOr<std::unique_ptr<Module>> Parse(absl::string_view text,
                                              absl::string_view name,
                                              const ParseOptions& options) {
  const auto source =
      std::make_shared<const Source>(std::string(name), std::string(text));
  Diagnostics diagnostics;
  std::unique_ptr<Module> module = Parse(source, options, &diagnostics);
  if (module == nullptr) return diagnostics.ToStatus(*source);
  return module;
}

absl::StatusOr<Shape> ParseShape(absl::string_view text) {
  Diagnostics diagnostics;
  TokenReader reader(text, &diagnostics);
  Shape shape;
  if (!ParseShape(reader, &shape) || !ExpectEnd(reader)) {
    return FirstError(diagnostics);
  }
  return shape;
}

absl::StatusOr<Literal> ParseLiteral(absl::string_view text,
                                     const Shape& shape) {
  Diagnostics diagnostics;
  TokenReader reader(text, &diagnostics);
  Literal literal;
  ElidedLiterals elided;
  if (!ParseLiteral(reader, shape, &literal, &elided) || !ExpectEnd(reader)) {
    return FirstError(diagnostics);
  }
  return literal;
}

std::vector<std::string> SplitModules(absl::string_view text) {
  constexpr absl::string_view kSeparator = "// -----";
  std::vector<std::string> modules;
  size_t module_begin = 0;
  size_t line_count = 0;
  size_t module_line = 0;
  const auto finish = [&](size_t end) {
    std::string module(module_line, '\n');
    absl::StrAppend(&module, text.substr(module_begin, end - module_begin));
    modules.push_back(std::move(module));
  };
  for (size_t at = 0; at < text.size();) {
    size_t line_end = text.find('\n', at);
    line_end = line_end == absl::string_view::npos ? text.size() : line_end + 1;
    ++line_count;
    if (absl::StartsWith(text.substr(at), kSeparator)) {
      finish(at);
      module_begin = line_end;
      module_line = line_count;
    }
    at = line_end;
  }
  finish(text.size());
  // A separator at the end, or two in a row, enclose no module.
  if (modules.size() > 1) {
    std::erase_if(modules, [](const std::string& module) {
      return absl::StripAsciiWhitespace(module).empty();
    });
  }
  return modules;
}

}  // namespace hilo::hlo
