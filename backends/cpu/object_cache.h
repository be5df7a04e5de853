// Object files on disk: code of one process that others can use.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "backends/cache_statistics.h"

namespace hilo::backends {

struct ObjectCacheOptions {
  std::string directory;
  // Bytes of all files; the least recently used go first.
  int64_t limit_bytes = int64_t{1} << 30;
  // What objects depend on beside the code they are made of: the compiler's
  // version and options, the processor.
  std::string context;
};

// Names an object by what it was made of.
struct ObjectKey {
  // Of the code, in hexadecimal digits.
  std::string code;
  // Of ObjectCacheOptions::context, likewise.
  std::string context;
};

// A directory with one file an object. Files appear whole or not at all, and
// are checked when they are read: any number of processes may use, fill and
// clear the directory at once. What cannot be read or written is compiled as if
// there were no cache. Thread-safe.
class ObjectCache {
 public:
  // Makes the directory if needed. Errors: InvalidArgument when that cannot
  // be, or when files cannot be made there.
  static absl::StatusOr<std::unique_ptr<ObjectCache>> Open(
      ObjectCacheOptions options);
  ObjectCache(const ObjectCache&) = delete;
  ObjectCache& operator=(const ObjectCache&) = delete;
  ~ObjectCache() = default;

  ObjectKey KeyOf(absl::string_view code) const;

  // The object, if there is a file for it that is intact. Damaged files are
  // removed.
  std::optional<std::string> Find(const ObjectKey& key);
  void Insert(const ObjectKey& key, absl::string_view object);

  CacheStatistics statistics() const;

 private:
  explicit ObjectCache(ObjectCacheOptions options);

  std::string PathOf(const ObjectKey& key) const;
  // Counts a miss by its reason.
  void CountMiss(const ObjectKey& key);
  // Looks at all files, and removes the oldest until they fit. Needs the lock.
  void Clean();

  ObjectCacheOptions options_;
  std::string context_;
  mutable std::mutex mutex_;
  // Guarded by the mutex.
  CacheStatistics statistics_;
  bool was_scanned_ = false;
  int64_t total_bytes_ = 0;
  // Hashes of code for which there is a file of another context.
  absl::flat_hash_set<std::string> other_contexts_;
  // Files that this process has begun to write: their names differ.
  std::atomic<int64_t> file_count_ = 0;
};

}  // namespace hilo::backends
