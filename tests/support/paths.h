// Where the tests find sources, corpora and the hilo command.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace hilo::tests {

// The top directory of the checkout.
std::filesystem::path SourceDirectory();

// The build directory that holds hilo_tests.
std::filesystem::path BuildDirectory();

// The hilo command: $HILO_BINARY, else the one built beside hilo_tests.
std::filesystem::path HiloBinary();

// The outside corpora: $HILO_CORPUS, else ../shared/corpus beside the
// checkout; nothing when neither exists.
std::optional<std::filesystem::path> CorpusDirectory();

// All regular files under `directory` whose extension is one of `extensions`
// (".hlo"), sorted; build trees and hidden directories are left out.
std::vector<std::filesystem::path> FilesUnder(
    const std::filesystem::path& directory,
    const std::vector<std::string>& extensions);

// The content of a file; empty when it cannot be read.
std::string ReadFile(const std::filesystem::path& path);

// A fresh directory that disappears, with all in it, at the end of the scope.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace hilo::tests
