// A table of weak references, swept whenever it has doubled.
#include "backends/cpu/kernel_library.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"

namespace hilo::backends {

std::shared_ptr<const LoadedKernel> KernelLibrary::Find(
    const std::string& key) const {
  const std::scoped_lock lock(mutex_);
  const auto found = kernels_.find(key);
  return found == kernels_.end() ? nullptr : found->second.lock();
}

void KernelLibrary::Insert(const std::string& key,
                           const std::shared_ptr<const LoadedKernel>& kernel) {
  const std::scoped_lock lock(mutex_);
  std::weak_ptr<const LoadedKernel>& place = kernels_[key];
  if (place.expired()) place = kernel;
  if (kernels_.size() >= sweep_size_) Sweep();
}

size_t KernelLibrary::size() const {
  const std::scoped_lock lock(mutex_);
  return static_cast<size_t>(std::ranges::count_if(
      kernels_, [](const auto& entry) { return !entry.second.expired(); }));
}

void KernelLibrary::Sweep() {
  constexpr size_t kLeastSize = 64;
  absl::erase_if(kernels_,
                 [](const auto& entry) { return entry.second.expired(); });
  sweep_size_ = std::max(kLeastSize, 2 * kernels_.size());
}

}  // namespace hilo::backends
