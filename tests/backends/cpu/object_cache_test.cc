// Tests the cache of compiled code on disk: damage, limits, many processes.
#include "backends/cpu/object_cache.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <memory>
#include <optional>
#include <sched.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "catch2/catch.hpp"
#include <sys/wait.h>

namespace hilo::backends {
namespace {

namespace fs = std::filesystem;

// A directory that goes with the test.
class CacheDirectory {
 public:
  CacheDirectory() {
    std::string pattern =
        (fs::temp_directory_path() / "hilo_cache_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  CacheDirectory(const CacheDirectory&) = delete;
  CacheDirectory& operator=(const CacheDirectory&) = delete;
  ~CacheDirectory() { fs::remove_all(path_); }

  std::unique_ptr<ObjectCache> Open(const std::string& context = "processor",
                                    int64_t limit_bytes = 1 << 20) const {
    return ObjectCache::Open({.directory = path_.string(),
                              .limit_bytes = limit_bytes,
                              .context = context})
        .value();
  }

  std::vector<fs::path> Files() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(path_)) {
      files.push_back(entry.path());
    }
    return files;
  }

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string BytesOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteBytes(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST_CASE("an object is found by another cache of its context only") {
  const CacheDirectory directory;
  {
    const auto cache = directory.Open();
    const ObjectKey key = cache->KeyOf("code");
    CHECK_FALSE(cache->Find(key).has_value());
    cache->Insert(key, "object");
    CHECK(cache->Find(key) == "object");
    CHECK(cache->statistics().misses_new == 1);
    CHECK(cache->statistics().stored == 1);
    CHECK(cache->statistics().hits == 1);
  }
  const auto same = directory.Open();
  CHECK(same->Find(same->KeyOf("code")) == "object");
  CHECK_FALSE(same->Find(same->KeyOf("other code")).has_value());
  const auto other = directory.Open("another processor");
  CHECK_FALSE(other->Find(other->KeyOf("code")).has_value());
  CHECK(other->statistics().misses_other_context == 1);
  CHECK(other->statistics().misses_new == 0);
}

TEST_CASE("damaged files are not used, and written again") {
  const CacheDirectory directory;
  const auto cache = directory.Open();
  const ObjectKey key = cache->KeyOf("code");
  cache->Insert(key, "a rather long object");
  REQUIRE(directory.Files().size() == 1);
  const fs::path path = directory.Files()[0];
  const std::string bytes = BytesOf(path);
  std::vector<std::string> damaged;
  damaged.reserve(2 * bytes.size() + 1);
  for (size_t length = 0; length < bytes.size(); ++length) {
    damaged.push_back(bytes.substr(0, length));
  }
  for (size_t i = 0; i < bytes.size(); ++i) {
    damaged.push_back(bytes);
    damaged.back()[i] ^= 0x20;
  }
  damaged.push_back(bytes + "x");
  for (size_t i = 0; i < damaged.size(); ++i) {
    CAPTURE(i);
    WriteBytes(path, damaged[i]);
    CHECK_FALSE(cache->Find(key).has_value());
    CHECK_FALSE(fs::exists(path));
  }
  const auto count = static_cast<int64_t>(damaged.size());
  CHECK(cache->statistics().misses_damaged == count);
  cache->Insert(key, "a rather long object");
  CHECK(cache->Find(key) == "a rather long object");
}

TEST_CASE("a file under the name of another is not used") {
  const CacheDirectory directory;
  const auto cache = directory.Open();
  const ObjectKey key = cache->KeyOf("code");
  cache->Insert(key, "object");
  const fs::path path = directory.Files()[0];
  const ObjectKey other = cache->KeyOf("other code");
  std::string name = path.filename().string();
  name.replace(0, other.code.size(), other.code);
  fs::rename(path, directory.path() / name);
  CHECK_FALSE(cache->Find(other).has_value());
}

TEST_CASE("what was used least recently goes first") {
  const CacheDirectory directory;
  const std::string object(1000, 'x');
  const auto cache = directory.Open("processor", 10500);
  for (int i = 0; i < 9; ++i) {
    cache->Insert(cache->KeyOf(absl::StrCat("code ", i)), object);
  }
  CHECK(directory.Files().size() == 9);
  // All are an hour old, but number 0 has just been used.
  for (const fs::path& path : directory.Files()) {
    fs::last_write_time(
        path, fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  CHECK(cache->Find(cache->KeyOf("code 0")).has_value());
  cache->Insert(cache->KeyOf("code 9"), object);
  cache->Insert(cache->KeyOf("code 10"), object);
  CHECK(directory.Files().size() == 9);
  CHECK(cache->statistics().evicted == 2);
  CHECK(cache->Find(cache->KeyOf("code 0")).has_value());
  CHECK(cache->Find(cache->KeyOf("code 10")).has_value());
}

TEST_CASE("objects beyond the limit are not kept") {
  const CacheDirectory directory;
  const auto cache = directory.Open("processor", 100);
  cache->Insert(cache->KeyOf("code"), std::string(200, 'x'));
  CHECK(directory.Files().empty());
}

TEST_CASE("what processes that died have left is removed") {
  const CacheDirectory directory;
  const fs::path old = directory.path() / "x.hiloobject.1.0.unfinished";
  const fs::path recent = directory.path() / "y.hiloobject.1.0.unfinished";
  WriteBytes(old, "half an ob");
  WriteBytes(recent, "half an ob");
  fs::last_write_time(old,
                      fs::file_time_type::clock::now() - std::chrono::hours(3));
  const auto cache = directory.Open();
  cache->Insert(cache->KeyOf("code"), "object");
  CHECK_FALSE(fs::exists(old));
  CHECK(fs::exists(recent));
}

TEST_CASE("directories that cannot be used are errors") {
  const CacheDirectory directory;
  const fs::path file = directory.path() / "file";
  WriteBytes(file, "");
  const auto cache = ObjectCache::Open(
      {.directory = (file / "cache").string(), .context = ""});
  REQUIRE_FALSE(cache.ok());
  CHECK(absl::StrContains(std::string(cache.status().message()),
                          "cache directory"));
}

// Fills and reads the directory; returns whether all that is found is right.
bool UseCache(const CacheDirectory& directory) {
  const auto cache = directory.Open("processor", 40000);
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 30; ++i) {
      const std::string code = absl::StrCat("code ", i);
      const std::string object(static_cast<size_t>(1000 + 37 * i),
                               static_cast<char>('a' + i % 26));
      const std::optional<std::string> found = cache->Find(cache->KeyOf(code));
      if (found && *found != object) return false;
      if (!found) cache->Insert(cache->KeyOf(code), object);
    }
  }
  return cache->statistics().misses_damaged == 0;
}

TEST_CASE("many processes share a directory") {
  const CacheDirectory directory;
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) _exit(UseCache(directory) ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  int64_t total_bytes = 0;
  for (const fs::path& path : directory.Files()) {
    CHECK(path.extension() == ".hiloobject");
    total_bytes += static_cast<int64_t>(fs::file_size(path));
  }
  // Each process may be one object ahead of what it knows of the others.
  CHECK(total_bytes < 80000);
}

}  // namespace
}  // namespace hilo::backends
