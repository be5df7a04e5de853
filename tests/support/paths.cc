// Where the tests find sources, corpora and the hilo command.
#include "tests/support/paths.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "runtime/base/check.h"

namespace hilo::tests {
namespace {

namespace fs = std::filesystem;

bool IsLeftOut(const fs::path& directory) {
  const std::string name = directory.filename().string();
  return name == "build" || name.starts_with(".");
}

}  // namespace

fs::path SourceDirectory() { return HILO_SOURCE_DIRECTORY; }

fs::path BuildDirectory() { return HILO_BUILD_DIRECTORY; }

fs::path HiloBinary() {
  if (const char* path = std::getenv("HILO_BINARY")) return fs::absolute(path);
  return BuildDirectory() / "hilo";
}

std::optional<fs::path> CorpusDirectory() {
  const char* named = std::getenv("HILO_CORPUS");
  const fs::path path =
      named != nullptr ? fs::path(named)
                       : SourceDirectory().parent_path() / "shared" / "corpus";
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::nullopt;
  return fs::absolute(path);
}

std::vector<fs::path> FilesUnder(const fs::path& directory,
                                 const std::vector<std::string>& extensions) {
  std::vector<fs::path> files;
  std::error_code error;
  fs::recursive_directory_iterator entry(directory, error);
  for (; !error && entry != fs::recursive_directory_iterator();
       entry.increment(error)) {
    if (entry->is_directory() && IsLeftOut(entry->path())) {
      entry.disable_recursion_pending();
    }
    const std::string extension = entry->path().extension().string();
    if (entry->is_regular_file() &&
        std::ranges::find(extensions, extension) != extensions.end()) {
      files.push_back(entry->path());
    }
  }
  std::ranges::sort(files);
  return files;
}

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (fs::temp_directory_path() / "hilo_test_XXXXXX").string();
  // NOLINTNEXTLINE(misc-include-cleaner): of <cstdlib>, on POSIX systems.
  HILO_CHECK(mkdtemp(name.data()) != nullptr) << "cannot create " << name;
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code error;
  fs::remove_all(path_, error);
}

}  // namespace hilo::tests
