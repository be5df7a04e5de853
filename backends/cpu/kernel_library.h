// Kernels in memory, shared by all programs of a client that need them.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"

#include "backends/cpu/code_loader.h"
#include "backends/cpu/kernel.h"

namespace hilo::backends {

// A kernel that can be called.
struct LoadedKernel {
  Kernel kernel;
  void* address = nullptr;
  // Shared with the kernels that were compiled together with this one.
  std::shared_ptr<const LoadedCode> code;
};

// Finds kernels by KernelKey as long as some program holds them. Thread-safe.
class KernelLibrary {
 public:
  // Null when no program has such a kernel.
  std::shared_ptr<const LoadedKernel> Find(const std::string& key) const;

  // Does not keep the kernel; one that is there already stays.
  void Insert(const std::string& key,
              const std::shared_ptr<const LoadedKernel>& kernel);

  // Kernels that programs hold.
  size_t size() const;

 private:
  void Sweep();

  mutable std::mutex mutex_;
  absl::flat_hash_map<std::string, std::weak_ptr<const LoadedKernel>> kernels_;
  // Kernels at which those that are gone are looked for again.
  size_t sweep_size_ = 64;
};

}  // namespace hilo::backends
