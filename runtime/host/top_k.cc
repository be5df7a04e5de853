// The first elements of rows in their order, with their indices: HLO's topk.
#include "runtime/host/top_k.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "runtime/base/check.h"
#include "runtime/host/item_loop.h"
#include "runtime/host/radix_sort.h"
#include "runtime/host/sort.h"
#include "runtime/host/sort_key.h"

namespace hilo::runtime {
namespace {

template <typename Item>
bool IsBefore(const Item& lhs, const Item& rhs) {
  return lhs < rhs;
}
// Elements with equal keys are ordered by index.
template <>
bool IsBefore(const WideSortEntry& lhs, const WideSortEntry& rhs) {
  return lhs.key != rhs.key ? lhs.key < rhs.key : lhs.index < rhs.index;
}

// Candidates that are held before the worst are dropped.
int64_t Capacity(const TopKRows& rows) {
  constexpr int64_t kLeast = 256;
  return std::min(rows.row_size, std::max(kLeast, 4 * rows.k));
}

// Selects from one row. Elements are compared with the worst of the first k so
// far; those before it are collected, and thinned out when there are many.
template <typename Keys>
class Selection {
 public:
  using Entry = SortEntry<typename Keys::Key>;
  using Item = Entry::Item;
  using T = Keys::Element;

  Selection(const TopKRows& rows, const Keys& keys, Item* candidates)
      : rows_(rows), keys_(keys), candidates_(candidates) {}

  // Sets the first k candidates.
  void Run(const T* row) {
    const int64_t capacity = Capacity(rows_);
    const Keys keys = keys_;
    count_ = 0;
    int64_t i = 0;
    for (; i < capacity; ++i) Add(Entry::Make(keys.From(row[i]), i));
    if (i < rows_.row_size) Thin();
    while (i < rows_.row_size) {
      const auto worst = Entry::KeyOf(candidates_[rows_.k - 1]);
      for (; i < rows_.row_size && count_ < capacity; ++i) {
        // An equal element comes later.
        const auto key = keys.From(row[i]);
        if (key < worst) Add(Entry::Make(key, i));
      }
      if (count_ == capacity) Thin();
    }
    Thin();
    std::sort(candidates_, candidates_ + rows_.k, &IsBefore<Item>);
  }

 private:
  void Add(const Item& item) { candidates_[count_++] = item; }

  // Keeps the first k, the last of them in its place.
  void Thin() {
    if (count_ > rows_.k) {
      std::nth_element(candidates_, candidates_ + rows_.k - 1,
                       candidates_ + count_, &IsBefore<Item>);
    }
    count_ = rows_.k;
  }

  const TopKRows& rows_;
  const Keys& keys_;
  Item* candidates_;
  int64_t count_ = 0;
};

// Calls function(keys) with the keys that fit the element type.
template <typename F>
void DispatchKeys(const TopKRows& rows, F&& function) {
  const SortKey key{.type = rows.type, .is_descending = rows.largest};
  switch (ElementBytes(key.type)) {
    case 1:
      return function(ByteKeys(key));
    case 2:
      return function(WideKeys<uint16_t>(key));
    case 4:
      return function(WideKeys<uint32_t>(key));
    case 8:
      return function(WideKeys<uint64_t>(key));
    default:
      CHECK(false) << "no key has the element type's size";
  }
}

template <typename Keys>
void SelectRows(void* pool, const TopKRows& rows, const Keys& keys,
                const void* operand, void* values, int32_t* indices,
                void* scratch) {
  using Entry = Selection<Keys>::Entry;
  using Item = Selection<Keys>::Item;
  using T = Keys::Element;
  const int64_t slot_bytes = ScratchBytes(rows) / rows.slots;
  constexpr int64_t kElements = 4096;
  ForEachBlock(pool, rows.rows, std::max<int64_t>(1, kElements / rows.row_size),
               rows.slots, [&](int64_t slot, int64_t begin, int64_t end) {
                 auto* candidates = reinterpret_cast<Item*>(
                     static_cast<std::byte*>(scratch) + slot * slot_bytes);
                 Selection<Keys> selection(rows, keys, candidates);
                 for (int64_t row = begin; row < end; ++row) {
                   const T* from =
                       static_cast<const T*>(operand) + row * rows.row_size;
                   T* value = static_cast<T*>(values) + row * rows.k;
                   int32_t* index = indices + row * rows.k;
                   selection.Run(from);
                   for (int64_t i = 0; i < rows.k; ++i) {
                     const uint32_t element = Entry::IndexOf(candidates[i]);
                     index[i] = static_cast<int32_t>(element);
                     value[i] = from[element];
                   }
                 }
               });
}

}  // namespace

int64_t ScratchBytes(const TopKRows& rows) {
  int64_t bytes = 0;
  DispatchKeys(rows, [&]<typename Keys>(const Keys&) {
    using Item = Selection<Keys>::Item;
    bytes = AlignScratch(Capacity(rows) * static_cast<int64_t>(sizeof(Item)));
  });
  return bytes * rows.slots;
}

}  // namespace hilo::runtime

void hilo_top_k(void* pool, const hilo::runtime::TopKRows* rows,
                const void* operand, void* values, int32_t* indices,
                void* scratch) {
  using namespace hilo::runtime;  // NOLINT(google-build-using-namespace)
  if (rows->k == 0 || rows->row_size == 0) return;
  DispatchKeys(*rows, [&](const auto& keys) {
    SelectRows(pool, *rows, keys, operand, values, indices, scratch);
  });
}
