// Files of a checked header and an object, written aside and renamed.
#include "backends/cpu/object_cache.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/xxhash.h"
#include <sys/stat.h>

#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

namespace fs = std::filesystem;

constexpr std::array kMagic = {'H', 'I', 'L', 'O', 'O', 'B', 'J', '1'};
constexpr const char* kSuffix = ".hiloobject";
constexpr const char* kUnfinishedSuffix = ".unfinished";
constexpr size_t kCodeHashBytes = 20;
constexpr size_t kContextHashBytes = 8;
// A file that is still unfinished by then belongs to a process that died.
constexpr std::chrono::hours kUnfinishedAge(1);

struct Header {
  std::array<char, kMagic.size()> magic;
  uint64_t size_bytes;
  // Of the file's name and the object.
  uint64_t checksum;
};

std::string HashOf(absl::string_view bytes, size_t hash_bytes) {
  llvm::BLAKE3 hasher;
  hasher.update(llvm::StringRef(bytes.data(), bytes.size()));
  const llvm::BLAKE3Result<> hash = hasher.final();
  return absl::BytesToHexString(absl::string_view(
      reinterpret_cast<const char*>(hash.data()), hash_bytes));
}

// `path` counts by its last part: a file under another's name is not valid.
uint64_t ChecksumOf(const std::string& path, absl::string_view object) {
  const std::string name = fs::path(path).filename().string();
  const auto hash = [](absl::string_view bytes) {
    return llvm::xxh3_64bits(llvm::StringRef(bytes.data(), bytes.size()));
  };
  return hash(absl::StrCat(name, hash(object)));
}

// An open file. Invalid when it could not be opened.
class FileDescriptor {
 public:
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (number_ >= 0) close(number_);
  }

  bool IsValid() const { return number_ >= 0; }
  int number() const { return number_; }

 private:
  int number_;
};

// The whole file, or what could be read of it; none when there is no file.
std::optional<std::string> ReadObjectFile(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.IsValid()) return std::nullopt;
  struct stat facts = {};
  if (fstat(file.number(), &facts) != 0) return std::nullopt;
  std::string bytes(static_cast<size_t>(facts.st_size), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count =
        read(file.number(), bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += static_cast<size_t>(count);
  }
  bytes.resize(done);
  // The time of the last change is the time of the last use.
  futimens(file.number(), nullptr);
  return bytes;
}

bool WriteObjectFile(const std::string& path, absl::string_view bytes) {
  const FileDescriptor file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.IsValid()) return false;
  while (!bytes.empty()) {
    const ssize_t count = write(file.number(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

// Whether the file holds an object; it is cut down to that then.
bool Unwrap(const std::string& path, std::string* bytes) {
  Header header;
  if (bytes->size() < sizeof(header)) return false;
  std::memcpy(&header, bytes->data(), sizeof(header));
  const absl::string_view object =
      absl::string_view(*bytes).substr(sizeof(header));
  if (header.magic != kMagic || header.size_bytes != object.size() ||
      header.checksum != ChecksumOf(path, object)) {
    return false;
  }
  bytes->erase(0, sizeof(header));
  return true;
}

// A file of the cache.
struct CacheFile {
  fs::path path;
  int64_t size_bytes = 0;
  fs::file_time_type last_use;
};

// All objects in a directory. Removes what processes that died have left.
std::vector<CacheFile> ListFiles(const std::string& directory) {
  std::vector<CacheFile> files;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end;
       !error && entry != end; entry.increment(error)) {
    // Others remove files meanwhile: those are passed over.
    std::error_code gone;
    CacheFile file{.path = entry->path(),
                   .size_bytes = static_cast<int64_t>(entry->file_size(gone)),
                   .last_use = entry->last_write_time(gone)};
    if (gone) continue;
    const std::string name = file.path.filename().string();
    if (absl::EndsWith(name, kSuffix)) {
      files.push_back(std::move(file));
    } else if (absl::EndsWith(name, kUnfinishedSuffix) &&
               fs::file_time_type::clock::now() - file.last_use >
                   kUnfinishedAge) {
      fs::remove(entry->path(), gone);
    }
  }
  return files;
}

}  // namespace

ObjectCache::ObjectCache(ObjectCacheOptions options)
    : options_(std::move(options)),
      context_(HashOf(options_.context, kContextHashBytes)) {}

absl::StatusOr<std::unique_ptr<ObjectCache>> ObjectCache::Open(
    ObjectCacheOptions options) {
  if (options.limit_bytes < 0) {
    return InvalidArgument("the cache limit is negative: ",
                           options.limit_bytes);
  }
  std::error_code error;
  fs::create_directories(options.directory, error);
  if (error) {
    return InvalidArgument("cache directory ", options.directory, ": ",
                           error.message());
  }
  if (access(options.directory.c_str(), R_OK | W_OK | X_OK) != 0) {
    return InvalidArgument("cache directory ", options.directory, ": ",
                           std::generic_category().message(errno));
  }
  return std::unique_ptr<ObjectCache>(new ObjectCache(std::move(options)));
}

ObjectKey ObjectCache::KeyOf(absl::string_view code) const {
  return {.code = HashOf(code, kCodeHashBytes), .context = context_};
}

std::string ObjectCache::PathOf(const ObjectKey& key) const {
  return absl::StrCat(options_.directory, "/", key.code, "-", key.context,
                      kSuffix);
}

std::optional<std::string> ObjectCache::Find(const ObjectKey& key) {
  const std::string path = PathOf(key);
  std::optional<std::string> bytes = ReadObjectFile(path);
  if (!bytes) {
    const std::scoped_lock lock(mutex_);
    CountMiss(key);
    return std::nullopt;
  }
  const bool is_intact = Unwrap(path, &*bytes);
  if (!is_intact) unlink(path.c_str());
  const std::scoped_lock lock(mutex_);
  ++(is_intact ? statistics_.hits : statistics_.misses_damaged);
  if (!is_intact) return std::nullopt;
  return bytes;
}

void ObjectCache::CountMiss(const ObjectKey& key) {
  if (!was_scanned_) Clean();
  ++(other_contexts_.contains(key.code) ? statistics_.misses_other_context
                                        : statistics_.misses_new);
}

void ObjectCache::Insert(const ObjectKey& key, absl::string_view object) {
  const std::string path = PathOf(key);
  Header header = {.magic = kMagic,
                   .size_bytes = object.size(),
                   .checksum = ChecksumOf(path, object)};
  const std::string bytes = absl::StrCat(
      absl::string_view(reinterpret_cast<const char*>(&header), sizeof(header)),
      object);
  const auto size_bytes = static_cast<int64_t>(bytes.size());
  if (size_bytes > options_.limit_bytes) return;
  const std::string unfinished =
      absl::StrCat(path, ".", getpid(), ".", file_count_++, kUnfinishedSuffix);
  if (!WriteObjectFile(unfinished, bytes) ||
      rename(unfinished.c_str(), path.c_str()) != 0) {
    unlink(unfinished.c_str());
    return;
  }
  const std::scoped_lock lock(mutex_);
  ++statistics_.stored;
  total_bytes_ += size_bytes;
  if (!was_scanned_ || total_bytes_ > options_.limit_bytes) Clean();
}

void ObjectCache::Clean() {
  std::vector<CacheFile> files = ListFiles(options_.directory);
  was_scanned_ = true;
  total_bytes_ = 0;
  other_contexts_.clear();
  const std::string own_end = absl::StrCat("-", context_, kSuffix);
  for (const CacheFile& file : files) {
    total_bytes_ += file.size_bytes;
    const std::string name = file.path.filename().string();
    if (!absl::EndsWith(name, own_end)) {
      other_contexts_.insert(name.substr(0, 2 * kCodeHashBytes));
    }
  }
  if (total_bytes_ <= options_.limit_bytes) return;
  std::ranges::sort(files, {}, [](const CacheFile& file) {
    return std::pair(file.last_use, file.path.string());
  });
  // Some room, lest every new object looks at all files again.
  const int64_t target = options_.limit_bytes / 10 * 9;
  for (const CacheFile& file : files) {
    if (total_bytes_ <= target) return;
    std::error_code error;
    if (fs::remove(file.path, error)) ++statistics_.evicted;
    total_bytes_ -= file.size_bytes;
  }
}

CacheStatistics ObjectCache::statistics() const {
  const std::scoped_lock lock(mutex_);
  return statistics_;
}

}  // namespace hilo::backends
