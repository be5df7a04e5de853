// Stable sorts of rows of arrays, by numeric keys or by a compiled comparator.
#include "runtime/host/sort.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/types/span.h"

#include "runtime/base/check.h"
#include "runtime/host/item_loop.h"
#include "runtime/host/merge_sort.h"
#include "runtime/host/permute.h"
#include "runtime/host/radix_sort.h"
#include "runtime/host/sort_key.h"

namespace hilo::runtime {
namespace {

// One call's arrays.
struct Arrays {
  const int64_t* element_bytes;
  const void* const* operands;
  void* const* results;
};

// Where row number `row` begins, in elements.
int64_t RowOffset(const SortRows& rows, int64_t row) {
  return row / rows.inner_count * rows.outer_stride +
         row % rows.inner_count * rows.inner_stride;
}

int64_t LargestElement(absl::Span<const int64_t> element_bytes) {
  return *std::ranges::max_element(element_bytes);
}

// Puts the rows of all operands but `except` into order. `row_copy` has room
// for a row, for results that are their operands.
void PermuteOperands(const SortRows& rows, const Arrays& arrays, int64_t offset,
                     const uint32_t* order, int64_t except,
                     std::byte* row_copy) {
  for (int64_t i = 0; i < rows.operand_count; ++i) {
    if (i == except) continue;
    const int64_t bytes = arrays.element_bytes[i];
    const auto* from =
        static_cast<const std::byte*>(arrays.operands[i]) + offset * bytes;
    auto* to = static_cast<std::byte*>(arrays.results[i]) + offset * bytes;
    Permute({.bytes = bytes,
             .stride = rows.row_stride,
             .from = from,
             .to = to,
             .copy = row_copy},
            order, rows.row_size);
  }
}

// Calls function(keys) with the keys that fit the element type.
template <typename F>
void DispatchKeys(const SortKey& key, F&& function) {
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

// The parts of a slot's scratch memory.
template <typename Keys>
struct KeyScratch {
  using Entry = SortEntry<typename Keys::Key>;

  KeyScratch(ScratchParts& parts, const SortRows& rows, int64_t element_bytes)
      : items(parts.Take<typename Entry::Item>(rows.row_size)),
        spare(parts.Take<typename Entry::Item>(rows.row_size)),
        order(parts.Take<uint32_t>(rows.row_size)),
        row_copy(parts.Take<std::byte>(rows.row_size * element_bytes)) {}

  Entry::Item* items;
  Entry::Item* spare;
  uint32_t* order;
  std::byte* row_copy;
};

// Sorts rows by their keys.
template <typename Keys>
class KeySorter {
 public:
  using T = Keys::Element;
  using Key = Keys::Key;

  KeySorter(const SortRows& rows, int64_t key_operand, const Keys& keys,
            const Arrays& arrays, const KeyScratch<Keys>& scratch)
      : rows_(rows),
        key_operand_(key_operand),
        keys_(keys),
        arrays_(arrays),
        scratch_(scratch) {}

  void SortRow(int64_t offset) {
    const T* from =
        static_cast<const T*>(arrays_.operands[key_operand_]) + offset;
    T* to = static_cast<T*>(arrays_.results[key_operand_]) + offset;
    if constexpr (Keys::kIsRestorable) {
      if (rows_.row_stride == 1 && SortRestorable(from, to, offset)) return;
    }
    const auto* sorted = SortEntries(from);
    StoreOrder(sorted);
    PermuteOperands(rows_, arrays_, offset, scratch_.order, /*except=*/-1,
                    scratch_.row_copy);
  }

 private:
  using Entry = KeyScratch<Keys>::Entry;
  using Item = Entry::Item;

  // Elements of the key operand follow from the keys, unless some are special:
  // then returns false.
  bool SortRestorable(const T* from, T* to, int64_t offset) {
    const int64_t size = rows_.row_size;
    auto* keys = reinterpret_cast<Key*>(scratch_.items);
    auto* spare = reinterpret_cast<Key*>(scratch_.spare);
    if (rows_.operand_count == 1) {
      if (FillKeys(keys_, from, size, keys)) return false;
      RestoreElements(keys_, SortItems<SortItem<Key>>(keys, spare, size), size,
                      to);
      return true;
    }
    if (FillKeys(keys_, from, size, spare)) return false;
    for (int64_t i = 0; i < size; ++i) {
      scratch_.items[i] = Entry::Make(spare[i], i);
    }
    const Item* sorted = SortItems<Entry>(scratch_.items, scratch_.spare, size);
    StoreOrder(sorted);
    // Where the sorted entries are not.
    keys = sorted == scratch_.items ? spare : keys;
    for (int64_t i = 0; i < size; ++i) keys[i] = Entry::KeyOf(sorted[i]);
    RestoreElements(keys_, keys, size, to);
    PermuteOperands(rows_, arrays_, offset, scratch_.order, key_operand_,
                    scratch_.row_copy);
    return true;
  }

  const Item* SortEntries(const T* from) {
    for (int64_t i = 0; i < rows_.row_size; ++i) {
      scratch_.items[i] =
          Entry::Make(keys_.From(from[i * rows_.row_stride]), i);
    }
    return SortItems<Entry>(scratch_.items, scratch_.spare, rows_.row_size);
  }

  void StoreOrder(const Item* sorted) {
    for (int64_t i = 0; i < rows_.row_size; ++i) {
      scratch_.order[i] = Entry::IndexOf(sorted[i]);
    }
  }

  const SortRows& rows_;
  const int64_t key_operand_;
  const Keys keys_;
  const Arrays& arrays_;
  const KeyScratch<Keys> scratch_;
};

// Rows that one thread takes at a time.
int64_t RowGrain(const SortRows& rows) {
  constexpr int64_t kElements = 4096;
  return std::max<int64_t>(1, kElements / std::max<int64_t>(1, rows.row_size));
}

int64_t RowCount(const SortRows& rows) {
  return rows.row_size == 0 ? 0 : rows.outer_count * rows.inner_count;
}

template <typename Keys>
void SortRowsByKey(void* pool, const SortRows& rows, int64_t key_operand,
                   const Keys& keys, const Arrays& arrays, void* scratch) {
  const int64_t largest = LargestElement(
      absl::MakeConstSpan(arrays.element_bytes, rows.operand_count));
  ScratchParts sizes(nullptr);
  (void)KeyScratch<Keys>(sizes, rows, largest);
  ForEachBlock(pool, RowCount(rows), RowGrain(rows), rows.slots,
               [&](int64_t slot, int64_t begin, int64_t end) {
                 ScratchParts parts(static_cast<std::byte*>(scratch) +
                                    slot * sizes.bytes());
                 KeySorter<Keys> sorter(rows, key_operand, keys, arrays,
                                        KeyScratch<Keys>(parts, rows, largest));
                 for (int64_t row = begin; row < end; ++row) {
                   sorter.SortRow(RowOffset(rows, row));
                 }
               });
}

// The parts of a slot's scratch memory.
struct ComparatorScratch {
  ComparatorScratch(ScratchParts& parts, const SortRows& rows,
                    int64_t element_bytes)
      : order(parts.Take<uint32_t>(rows.row_size)),
        spare(parts.Take<uint32_t>(rows.row_size)),
        elements(parts.Take<const void*>(2 * rows.operand_count)),
        row_copy(parts.Take<std::byte>(rows.row_size * element_bytes)) {}

  uint32_t* order;
  uint32_t* spare;
  const void** elements;
  std::byte* row_copy;
};

// Elements of a row by their numbers, for a comparator.
class RowComparator {
 public:
  RowComparator(const SortRows& rows, SortComparator comparator,
                const Arrays& arrays, const void** elements, int64_t offset)
      : rows_(rows),
        comparator_(comparator),
        arrays_(arrays),
        elements_(elements),
        offset_(offset) {}

  bool operator()(uint32_t lhs, uint32_t rhs) const {
    for (int64_t i = 0; i < rows_.operand_count; ++i) {
      const int64_t bytes = arrays_.element_bytes[i];
      const auto* row =
          static_cast<const std::byte*>(arrays_.operands[i]) + offset_ * bytes;
      elements_[2 * i] = row + lhs * rows_.row_stride * bytes;
      elements_[2 * i + 1] = row + rhs * rows_.row_stride * bytes;
    }
    return comparator_(elements_);
  }

 private:
  const SortRows& rows_;
  SortComparator comparator_;
  const Arrays& arrays_;
  const void** elements_;
  int64_t offset_;
};

}  // namespace

int64_t SortScratchBytes(const SortRows& rows, const SortKey& key,
                         absl::Span<const int64_t> element_bytes) {
  int64_t bytes = 0;
  DispatchKeys(key, [&]<typename Keys>(const Keys&) {
    ScratchParts parts(nullptr);
    (void)KeyScratch<Keys>(parts, rows, LargestElement(element_bytes));
    bytes = parts.bytes();
  });
  return rows.slots * bytes;
}

int64_t SortScratchBytes(const SortRows& rows,
                         absl::Span<const int64_t> element_bytes) {
  ScratchParts parts(nullptr);
  (void)ComparatorScratch(parts, rows, LargestElement(element_bytes));
  return rows.slots * parts.bytes();
}

}  // namespace hilo::runtime

void hilo_sort_by_key(void* pool, const hilo::runtime::SortRows* rows,
                      const hilo::runtime::SortKey* key,
                      const int64_t* element_bytes, const void* const* operands,
                      void* const* results, void* scratch) {
  using namespace hilo::runtime;  // NOLINT(google-build-using-namespace)
  const Arrays arrays{element_bytes, operands, results};
  DispatchKeys(*key, [&](const auto& keys) {
    SortRowsByKey(pool, *rows, key->operand, keys, arrays, scratch);
  });
}

void hilo_sort_by_comparator(void* pool, const hilo::runtime::SortRows* rows,
                             hilo::runtime::SortComparator comparator,
                             const int64_t* element_bytes,
                             const void* const* operands, void* const* results,
                             void* scratch) {
  using namespace hilo::runtime;  // NOLINT(google-build-using-namespace)
  const Arrays arrays{element_bytes, operands, results};
  const int64_t largest =
      LargestElement(absl::MakeConstSpan(element_bytes, rows->operand_count));
  const int64_t slot_bytes =
      SortScratchBytes(
          *rows, absl::MakeConstSpan(element_bytes, rows->operand_count)) /
      rows->slots;
  ForEachBlock(
      pool, RowCount(*rows), RowGrain(*rows), rows->slots,
      [&](int64_t slot, int64_t begin, int64_t end) {
        ScratchParts parts(static_cast<std::byte*>(scratch) +
                           slot * slot_bytes);
        const ComparatorScratch memory(parts, *rows, largest);
        for (int64_t row = begin; row < end; ++row) {
          const int64_t offset = RowOffset(*rows, row);
          const uint32_t* order = MergeSortOrder(
              RowComparator(*rows, comparator, arrays, memory.elements, offset),
              memory.order, memory.spare, rows->row_size);
          PermuteOperands(*rows, arrays, offset, order, /*except=*/-1,
                          memory.row_copy);
        }
      });
}
