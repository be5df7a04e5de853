// Options of the kinds that several commands have.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hilo::cli {

// An option that takes one of `choices`; a misspelt one names its neighbours.
// The choices are the option's type name, "text|npy", for help and completion.
CLI::Option* AddChoice(CLI::App& command, const std::string& name,
                       std::string& value,
                       const std::vector<std::string>& choices,
                       const std::string& doc);

// Bytes of "123", "4G", "512MiB", or "80%" of the machine's memory.
// Errors: InvalidArgument that lists the forms.
absl::StatusOr<int64_t> ParseMemorySize(absl::string_view text);

// The command's one module, "-" for standard input.
CLI::Option* AddFile(CLI::App& command, std::string& file);
// One module or more.
CLI::Option* AddFiles(CLI::App& command, std::vector<std::string>& files);

}  // namespace hilo::cli
