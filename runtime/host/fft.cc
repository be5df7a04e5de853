// Discrete Fourier transforms of arrays: HLO's fft.
#include "runtime/host/fft.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "runtime/host/fft_lanes.h"
#include "runtime/host/fft_long.h"
#include "runtime/host/fft_vectors.h"
#include "runtime/host/item_loop.h"

namespace hilo::runtime {
namespace {

// Arrays of a call that passes read and write.
enum class FftArray : uint8_t { kOperand, kResult, kCopy };

// Transforms along one dimension: `outer` times `inner` ones, the elements of
// which are `inner` apart.
template <typename T>
struct FftPass {
  FftArray from = FftArray::kOperand;
  FftArray to = FftArray::kResult;
  int64_t outer = 1;
  int64_t inner = 1;
  T scale = 1;
  std::variant<std::monostate, LaneFft<T>, LongFft<T>> transform = {};

  int64_t WorkSize(int64_t slots) const {
    if (const auto* fft = std::get_if<LaneFft<T>>(&transform)) {
      return slots * fft->WorkSize();
    }
    return std::get<LongFft<T>>(transform).WorkSize(slots);
  }
};

template <typename T>
void RunLanePass(const FftThreads& threads, const FftPass<T>& pass,
                 const LaneFft<T>& fft, const T* from, T* to, T* work) {
  const FftRowSizes sizes(fft.length, fft.numbers);
  const int64_t count = pass.outer * pass.inner;
  const auto run_group = [&](int64_t first, T* slot_work) {
    LaneGroup<T> group{.scale = pass.scale};
    const int64_t lanes = std::min(kLanes<T>, count - first);
    group.source = {.array = from, .stride = 2 * pass.inner, .lanes = lanes};
    group.target = {.array = to, .stride = 2 * pass.inner, .lanes = lanes};
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const int64_t outer = (first + lane) / pass.inner;
      const int64_t inner = (first + lane) % pass.inner;
      group.source.offsets[lane] = outer * sizes.from * pass.inner + 2 * inner;
      group.target.offsets[lane] = outer * sizes.to * pass.inner + 2 * inner;
    }
    fft.Run(group, slot_work);
  };
  // Several groups at a time where they are short.
  constexpr int64_t kElements = 2048;
  const int64_t grain = std::max<int64_t>(1, kElements / (16 * fft.length));
  ForEachBlock(threads.pool, (count + kLanes<T> - 1) / kLanes<T>, grain,
               threads.slots, [&](int64_t slot, int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   run_group(i * kLanes<T>, work + slot * fft.WorkSize());
                 }
               });
}

template <typename T>
void RunPass(const FftThreads& threads, const FftPass<T>& pass, const T* from,
             T* to, T* work) {
  if (const auto* fft = std::get_if<LaneFft<T>>(&pass.transform)) {
    RunLanePass(threads, pass, *fft, from, to, work);
    return;
  }
  const auto& fft = std::get<LongFft<T>>(pass.transform);
  const FftRowSizes sizes = fft.row_sizes();
  for (int64_t row = 0; row < pass.outer; ++row) {
    fft.Run(threads, from + row * sizes.from, to + row * sizes.to, pass.scale,
            work);
  }
}

// Single rows are divided, unless lanes can be filled with others; so are rows
// that would not fit the caches side by side.
template <typename T>
bool PrefersLong(int64_t length, int64_t rows, FftNumbers numbers) {
  constexpr int64_t kLongestLanes = 8192;
  return LongFft<T>::Suits(length, numbers) &&
         (rows < kLanes<T> / 2 || length > kLongestLanes);
}

template <typename T>
FftPass<T> MakePass(int64_t length, FftNumbers numbers, bool is_inverse,
                    int64_t outer, int64_t inner) {
  FftPass<T> pass{.outer = outer, .inner = inner};
  if (inner == 1 && PrefersLong<T>(length, outer, numbers)) {
    pass.transform.template emplace<LongFft<T>>(length, numbers, is_inverse);
  } else {
    pass.transform.template emplace<LaneFft<T>>(length, numbers, is_inverse);
  }
  return pass;
}

int64_t Product(const std::vector<int64_t>& sizes, size_t begin, size_t end) {
  int64_t product = 1;
  for (size_t i = begin; i < end; ++i) product *= sizes[i];
  return product;
}

// The passes of a call, in order.
template <typename T>
std::vector<FftPass<T>> MakePasses(const FftDescription& description) {
  const std::vector<int64_t>& lengths = description.lengths;
  const size_t last = lengths.size() - 1;
  const bool is_real_forward = description.type == FftType::kRealForward;
  const bool is_real_inverse = description.type == FftType::kRealInverse;
  const bool is_inverse =
      description.type == FftType::kInverse || is_real_inverse;
  FftNumbers numbers = FftNumbers::kComplex;
  if (is_real_forward) numbers = FftNumbers::kRealToHalf;
  if (is_real_inverse) numbers = FftNumbers::kHalfToReal;
  const int64_t row_size =
      numbers == FftNumbers::kComplex ? lengths[last] : lengths[last] / 2 + 1;
  std::vector<FftPass<T>> passes;
  const auto add_last = [&] {
    passes.push_back(MakePass<T>(lengths[last], numbers, is_inverse,
                                 description.batch * Product(lengths, 0, last),
                                 1));
  };
  if (!is_real_inverse) add_last();
  for (size_t i = last; i > 0; --i) {
    passes.push_back(MakePass<T>(lengths[i - 1], FftNumbers::kComplex,
                                 is_inverse,
                                 description.batch * Product(lengths, 0, i - 1),
                                 Product(lengths, i, last) * row_size));
  }
  if (is_real_inverse) add_last();
  // Where the last pass changes the size of rows, others have a copy.
  for (FftPass<T>& pass : passes) {
    pass.to = is_real_inverse ? FftArray::kCopy : FftArray::kResult;
    pass.from = pass.to;
  }
  passes.front().from = FftArray::kOperand;
  passes.back().to = FftArray::kResult;
  if (is_inverse) {
    passes.back().scale =
        T{1} / static_cast<T>(Product(lengths, 0, lengths.size()));
  }
  return passes;
}

}  // namespace

class FftPlan::Implementation {
 public:
  virtual ~Implementation() = default;
  virtual int64_t scratch_bytes() const = 0;
  virtual void Run(void* pool, const void* operand, void* result,
                   void* scratch) const = 0;
};

template <typename T>
class FftPlan::Typed : public FftPlan::Implementation {
 public:
  explicit Typed(const FftDescription& description)
      : slots_(std::max<int64_t>(1, description.slots)),
        passes_(MakePasses<T>(description)) {
    for (const FftPass<T>& pass : passes_) {
      work_size_ = std::max(work_size_, pass.WorkSize(slots_));
    }
    if (passes_.front().to == FftArray::kCopy) {
      const std::vector<int64_t>& lengths = description.lengths;
      copy_size_ = 2 * description.batch *
                   Product(lengths, 0, lengths.size() - 1) *
                   (lengths.back() / 2 + 1);
    }
  }

  int64_t scratch_bytes() const override {
    ScratchParts parts(nullptr);
    parts.Take<T>(work_size_);
    parts.Take<T>(copy_size_);
    return parts.bytes();
  }

  void Run(void* pool, const void* operand, void* result,
           void* scratch) const override {
    ScratchParts parts(scratch);
    T* const work = parts.Take<T>(work_size_);
    T* const copy = parts.Take<T>(copy_size_);
    T* const to = static_cast<T*>(result);
    for (const FftPass<T>& pass : passes_) {
      const T* from = pass.from == FftArray::kCopy ? copy : to;
      if (pass.from == FftArray::kOperand)
        from = static_cast<const T*>(operand);
      RunPass({pool, slots_}, pass, from,
              pass.to == FftArray::kCopy ? copy : to, work);
    }
  }

 private:
  int64_t slots_;
  std::vector<FftPass<T>> passes_;
  int64_t work_size_ = 0;
  int64_t copy_size_ = 0;
};

FftPlan::FftPlan(const FftDescription& description) {
  if (description.is_double) {
    implementation_ = std::make_unique<Typed<double>>(description);
  } else {
    implementation_ = std::make_unique<Typed<float>>(description);
  }
}
FftPlan::~FftPlan() = default;
FftPlan::FftPlan(FftPlan&&) noexcept = default;
FftPlan& FftPlan::operator=(FftPlan&&) noexcept = default;

int64_t FftPlan::scratch_bytes() const {
  return implementation_->scratch_bytes();
}

void FftPlan::Run(void* pool, const void* operand, void* result,
                  void* scratch) const {
  implementation_->Run(pool, operand, result, scratch);
}

}  // namespace hilo::runtime

void hilo_fft(void* pool, const void* plan, const void* operand, void* result,
              void* scratch) {
  static_cast<const hilo::runtime::FftPlan*>(plan)->Run(pool, operand, result,
                                                        scratch);
}
