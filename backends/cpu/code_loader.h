// Object files to running code in this process: the only file that knows ORC.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace hilo::backends {

// A symbol that code may call, and where it lies in this process.
struct HostSymbol {
  std::string name;
  const void* address = nullptr;
};

// Loaded machine code; unmapped when destroyed. May outlive its loader.
class LoadedCode {
 public:
  struct State;
  explicit LoadedCode(std::unique_ptr<State> state);
  LoadedCode(LoadedCode&&) noexcept;
  LoadedCode& operator=(LoadedCode&&) noexcept;
  ~LoadedCode();

  // The addresses of functions, in the order of their names. The first call
  // links the code. Errors: NotFound; Internal for symbols that are missing.
  absl::StatusOr<std::vector<void*>> FindAll(
      absl::Span<const std::string> symbols) const;
  absl::StatusOr<void*> Find(absl::string_view symbol) const;

 private:
  std::unique_ptr<State> state_;
};

// Links object files in memory. Thread-safe.
class CodeLoader {
 public:
  struct Session;
  // Errors: Internal when this process cannot take code.
  static absl::StatusOr<std::unique_ptr<CodeLoader>> Create();
  CodeLoader(const CodeLoader&) = delete;
  CodeLoader& operator=(const CodeLoader&) = delete;
  ~CodeLoader();

  // Links objects with each other, with `symbols` and with what this process
  // exports.
  absl::StatusOr<LoadedCode> Load(absl::Span<const std::string> objects,
                                  absl::Span<const HostSymbol> symbols) const;

 private:
  explicit CodeLoader(std::shared_ptr<Session> session);

  // Shared with loaded code.
  std::shared_ptr<Session> session_;
};

}  // namespace hilo::backends
