// Writes what compilation makes to numbered files.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "backends/backend.h"

namespace hilo {

// A directory for CompileOptions::dump. Files are named by the number and the
// name of the module, and by the number and the name of the step:
// "module_0001.jit_f.003.fusion.hlo". Numbers of modules go on behind those
// that the directory holds, so that nothing in it is ever overwritten.
class DumpDirectory {
 public:
  // Creates the directory unless it is there. Errors: what the system says.
  static absl::StatusOr<DumpDirectory> Open(std::string path);

  // For the next module, which `name` tells apart from others for readers.
  // The function may outlive the object; it is not thread-safe. Its errors:
  // what the system says about the file.
  backends::DumpFunction ForModule(absl::string_view name);

 private:
  DumpDirectory(std::string path, int64_t next_module)
      : path_(std::move(path)), next_module_(next_module) {}

  std::string path_;
  int64_t next_module_ = 1;
};

}  // namespace hilo
