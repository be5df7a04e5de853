// Reads and writes files through POSIX calls.
#include "jit/files.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include <sys/stat.h>
#include <sys/types.h>

#include "runtime/base/diagnostic.h"

namespace hilo {
namespace {

namespace fs = std::filesystem;

constexpr int kNewFileMode = 0666;

absl::Status SystemError(absl::string_view what, absl::string_view path,
                         int error) {
  const std::string message =
      absl::StrCat("cannot ", what, " ", path, ": ", std::strerror(error));
  if (error == ENOENT) return absl::NotFoundError(message);
  if (error == EACCES) return absl::PermissionDeniedError(message);
  if (error == EEXIST) return absl::AlreadyExistsError(message);
  return absl::UnavailableError(message);
}

// "did you mean 'model.hlo'?" for a file that is not there, or nothing.
std::string SuggestFile(const std::string& path) {
  std::error_code error;
  const fs::path wanted(path);
  const fs::path directory =
      wanted.has_parent_path() ? wanted.parent_path() : fs::path(".");
  std::vector<std::string> names;
  constexpr size_t kMaxFileCount = 10000;
  for (fs::directory_iterator entry(directory, error), end;
       !error && entry != end && names.size() < kMaxFileCount;
       entry.increment(error)) {
    names.push_back((wanted.parent_path() / entry->path().filename()).string());
  }
  const std::vector<absl::string_view> candidates(names.begin(), names.end());
  return SuggestNearest(path, candidates);
}

absl::StatusOr<std::string> ReadDescriptor(int descriptor,
                                           absl::string_view path) {
  std::string contents;
  struct stat status{};
  constexpr size_t kChunkBytes = size_t{1} << 20;
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
    contents.reserve(status.st_size + 1);
  }
  while (true) {
    const size_t old_size = contents.size();
    const size_t room = contents.capacity() - old_size;
    contents.resize(old_size + (room > 0 ? room : kChunkBytes));
    const ssize_t count = read(descriptor, contents.data() + old_size,
                               contents.size() - old_size);
    const int error = errno;
    contents.resize(old_size + (count > 0 ? count : 0));
    if (count == 0) return contents;
    if (count < 0 && error != EINTR) return SystemError("read", path, error);
  }
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  if (path == "-") return ReadDescriptor(STDIN_FILENO, "standard input");
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    const int error = errno;
    absl::Status status = SystemError("read", path, error);
    const std::string suggestion = error == ENOENT ? SuggestFile(path) : "";
    if (suggestion.empty()) return status;
    return absl::NotFoundError(
        absl::StrCat(status.message(), "; ", suggestion));
  }
  absl::StatusOr<std::string> contents = ReadDescriptor(descriptor, path);
  close(descriptor);
  return contents;
}

absl::Status WriteDescriptor(int descriptor, absl::string_view name,
                             absl::string_view contents) {
  while (!contents.empty()) {
    const ssize_t count = write(descriptor, contents.data(), contents.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError("write", name, errno);
    contents.remove_prefix(count);
  }
  return absl::OkStatus();
}

namespace {

// Opens `path` with `flags` beside those for writing, and writes all of it.
absl::Status WriteWhole(const std::string& path, int flags,
                        absl::string_view contents) {
  const int descriptor =
      open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, kNewFileMode);
  if (descriptor < 0) return SystemError("write", path, errno);
  absl::Status status = WriteDescriptor(descriptor, path, contents);
  if (close(descriptor) != 0 && status.ok()) {
    status = SystemError("write", path, errno);
  }
  std::error_code ignored;
  if (!status.ok() && fs::is_regular_file(path, ignored)) {
    fs::remove(path, ignored);
  }
  return status;
}

}  // namespace

absl::Status WriteFile(const std::string& path, absl::string_view contents) {
  return WriteWhole(path, O_TRUNC, contents);
}

absl::Status WriteNewFile(const std::string& path, absl::string_view contents) {
  return WriteWhole(path, O_EXCL, contents);
}

absl::Status CreateDirectory(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return SystemError("create directory", path, error.value());
  return absl::OkStatus();
}

}  // namespace hilo
