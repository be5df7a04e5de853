// Numbers and names files of a directory.
#include "jit/dump_directory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

#include "backends/backend.h"
#include "jit/files.h"
#include "runtime/base/status.h"

namespace hilo {
namespace {

namespace fs = std::filesystem;

constexpr absl::string_view kPrefix = "module_";

// The number of a file that a dump wrote; 0 for other files.
int64_t ModuleNumberOf(absl::string_view file) {
  if (!absl::StartsWith(file, kPrefix)) return 0;
  const absl::string_view rest = file.substr(kPrefix.size());
  int32_t number = 0;
  if (!absl::SimpleAtoi(rest.substr(0, rest.find('.')), &number)) return 0;
  return number;
}

// The name as part of a file's: without what directories and shells read
// something into, and not too long.
std::string FilePart(absl::string_view name) {
  constexpr size_t kMaxLength = 100;
  std::string part(name.substr(0, kMaxLength));
  for (char& c : part) {
    const bool is_plain = absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                          c == '-' || c == '_' || c == '.';
    if (!is_plain) c = '_';
  }
  return part;
}

}  // namespace

absl::StatusOr<DumpDirectory> DumpDirectory::Open(std::string path) {
  RETURN_IF_ERROR(CreateDirectory(path));
  int64_t last = 0;
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    last = std::max(last, ModuleNumberOf(entry->path().filename().string()));
  }
  if (error) {
    return InvalidArgument("cannot list ", path, ": ", error.message());
  }
  return DumpDirectory(std::move(path), last + 1);
}

backends::DumpFunction DumpDirectory::ForModule(absl::string_view name) {
  const std::string prefix = absl::StrFormat("%s/%s%04d.%s", path_, kPrefix,
                                             next_module_++, FilePart(name));
  // Shared by copies of the function: steps have one sequence of numbers.
  auto next_step = std::make_shared<int64_t>(0);
  return [prefix, next_step](absl::string_view step,
                             absl::string_view contents) {
    return WriteNewFile(
        absl::StrFormat("%s.%03d.%s", prefix, (*next_step)++, FilePart(step)),
        contents);
  };
}

}  // namespace hilo
