// Reads and writes .npz files through libzip.
#include "jit/npz.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include <zip.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"

#include "jit/files.h"
#include "jit/npy.h"
#include "runtime/base/status.h"

namespace hilo {
namespace {

// 1 January 1980, the earliest date that a zip file can hold.
constexpr uint16_t kFixedDate = (1U << 5) | 1U;

// A zip_error_t that is freed.
class ZipError {
 public:
  ZipError() { zip_error_init(&error_); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
  ~ZipError() { zip_error_fini(&error_); }

  zip_error_t* get() { return &error_; }
  const char* message() { return zip_error_strerror(&error_); }

 private:
  zip_error_t error_{};
};

struct DiscardArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, DiscardArchive>;

struct CloseFile {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

struct FreeSource {
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using ZipSource = std::unique_ptr<zip_source_t, FreeSource>;

// An archive over `contents`, which must outlive it.
absl::StatusOr<Archive> OpenArchive(const std::string& contents) {
  ZipError error;
  ZipSource source(zip_source_buffer_create(contents.data(), contents.size(),
                                            /*freep=*/0, error.get()));
  if (source == nullptr) return InvalidArgument(error.message());
  Archive archive(zip_open_from_source(source.get(), ZIP_RDONLY, error.get()));
  if (archive == nullptr) {
    return InvalidArgument("not an .npz file: ", error.message());
  }
  // The archive owns it now.
  [[maybe_unused]] const auto* owned = source.release();
  return archive;
}

absl::StatusOr<std::string> ReadEntry(zip_t* archive, uint64_t index) {
  const std::unique_ptr<zip_file_t, CloseFile> file(
      zip_fopen_index(archive, index, 0));
  if (file == nullptr) return InvalidArgument(zip_strerror(archive));
  constexpr size_t kChunkBytes = size_t{1} << 20;
  std::string contents;
  // The size that the archive states is not trusted: memory grows with what
  // is really there.
  while (true) {
    const size_t old_size = contents.size();
    contents.resize(old_size + kChunkBytes);
    const int64_t count =
        zip_fread(file.get(), contents.data() + old_size, kChunkBytes);
    if (count < 0) return InvalidArgument(zip_file_strerror(file.get()));
    contents.resize(old_size + count);
    if (count == 0) return contents;
  }
}

absl::StatusOr<std::vector<NamedArray>> ParseNpz(const std::string& contents) {
  ASSIGN_OR_RETURN(const Archive archive, OpenArchive(contents));
  std::vector<NamedArray> arrays;
  const int64_t count = zip_get_num_entries(archive.get(), 0);
  for (int64_t i = 0; i < count; ++i) {
    const char* entry_name = zip_get_name(archive.get(), i, ZIP_FL_ENC_GUESS);
    if (entry_name == nullptr) {
      return InvalidArgument(zip_strerror(archive.get()));
    }
    const std::string name(absl::StripSuffix(entry_name, ".npy"));
    absl::StatusOr<std::string> entry = ReadEntry(archive.get(), i);
    if (!entry.ok()) {
      return InvalidArgument("array '", name, "': ", entry.status().message());
    }
    absl::StatusOr<NpyArray> array = ParseNpy(*std::move(entry));
    if (!array.ok()) {
      return InvalidArgument("array '", name, "': ", array.status().message());
    }
    arrays.emplace_back(name, *std::move(array));
  }
  return arrays;
}

// Adds one file. `contents` must outlive the archive.
absl::Status AddEntry(zip_t* archive, const std::string& name,
                      const std::string& contents) {
  zip_source_t* source =
      zip_source_buffer(archive, contents.data(), contents.size(), /*freep=*/0);
  if (source == nullptr) {
    return absl::InternalError(zip_strerror(archive));
  }
  const std::string file_name = name + ".npy";
  const int64_t index =
      zip_file_add(archive, file_name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return InvalidArgument("array '", name, "': ", zip_strerror(archive));
  }
  if (zip_set_file_compression(archive, index, ZIP_CM_STORE, 0) != 0 ||
      zip_file_set_dostime(archive, index, 0, kFixedDate, 0) != 0) {
    return absl::InternalError(zip_strerror(archive));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadSource(zip_source_t* source) {
  const auto failure = [&] {
    return absl::InternalError(zip_error_strerror(zip_source_error(source)));
  };
  if (zip_source_open(source) != 0) return failure();
  zip_stat_t status;
  zip_stat_init(&status);
  std::string contents;
  int64_t count = -1;
  if (zip_source_stat(source, &status) == 0) {
    contents.resize(status.size);
    count = zip_source_read(source, contents.data(), contents.size());
  }
  zip_source_close(source);
  if (std::cmp_not_equal(count, contents.size())) return failure();
  return contents;
}

}  // namespace

absl::StatusOr<std::vector<NamedArray>> ReadNpz(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string contents, ReadFile(path));
  absl::StatusOr<std::vector<NamedArray>> arrays = ParseNpz(contents);
  if (arrays.ok()) return arrays;
  return InvalidArgument(path, ": ", arrays.status().message());
}

absl::StatusOr<std::string> FormatNpz(absl::Span<const NamedArray> arrays) {
  ZipError error;
  const ZipSource source(zip_source_buffer_create(nullptr, 0, 0, error.get()));
  if (source == nullptr) return absl::InternalError(error.message());
  Archive archive(zip_open_from_source(source.get(), ZIP_CREATE | ZIP_TRUNCATE,
                                       error.get()));
  if (archive == nullptr) return absl::InternalError(error.message());
  // The archive drops its reference when closed; the bytes are read then.
  zip_source_keep(source.get());
  std::vector<std::string> files;
  files.reserve(arrays.size());
  for (const auto& [name, array] : arrays) {
    files.push_back(FormatNpy(array));
    RETURN_IF_ERROR(AddEntry(archive.get(), name, files.back()));
  }
  if (arrays.empty()) {
    // What libzip would not write: the end record of an archive of nothing.
    constexpr absl::string_view kEndOfDirectory("PK\x05\x06", 4);
    return absl::StrCat(kEndOfDirectory, std::string(18, '\0'));
  }
  if (zip_close(archive.get()) != 0) {
    return absl::InternalError(zip_strerror(archive.get()));
  }
  // Closing has freed it.
  [[maybe_unused]] const auto* freed = archive.release();
  return ReadSource(source.get());
}

absl::Status WriteNpz(const std::string& path,
                      absl::Span<const NamedArray> arrays) {
  ASSIGN_OR_RETURN(const std::string contents, FormatNpz(arrays));
  return WriteFile(path, contents);
}

}  // namespace hilo
