// Decides, prints and reads kernel plans.
#include "backends/plan/kernel_plan.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

#include "runtime/base/diagnostic.h"
#include "runtime/base/source.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

bool IsPowerOfTwo(int64_t value) {
  return value > 0 && std::has_single_bit(static_cast<uint64_t>(value));
}

// Why the value is out of range; empty when it is not.
std::string ReasonAgainst(absl::string_view name, int64_t value,
                          const DecisionRange& range) {
  if (range.minimum == range.maximum && value != range.minimum) {
    return absl::StrCat(name, " can only be ", range.minimum, " here");
  }
  if (value < range.minimum || value > range.maximum) {
    return absl::StrCat(name, " must be from ", range.minimum, " to ",
                        range.maximum, " here, not ", value);
  }
  if (range.is_power_of_two && !IsPowerOfTwo(value)) {
    return absl::StrCat(name, " must be a power of two, not ", value);
  }
  return "";
}

// Reads the lines of a text of plans.
class PlanReader {
 public:
  explicit PlanReader(std::shared_ptr<const Source> source)
      : source_(std::move(source)), text_(source_->text()) {}

  absl::Status Read(std::map<std::string, GivenPlan, std::less<>>& plans) {
    while (at_ < text_.size()) {
      const size_t end = std::min(text_.find('\n', at_), text_.size());
      end_ = std::min(text_.find('#', at_), end);
      ReadLine(plans);
      at_ = end + 1;
    }
    return diagnostics_.ToStatus(*source_);
  }

 private:
  struct Word {
    absl::string_view text;
    int64_t offset = 0;
  };

  // The next word of the line; empty at its end.
  Word Next() {
    while (at_ < end_ && absl::ascii_isspace(text_[at_])) ++at_;
    const size_t start = at_;
    while (at_ < end_ && !absl::ascii_isspace(text_[at_])) ++at_;
    return {.text = text_.substr(start, at_ - start),
            .offset = static_cast<int64_t>(start)};
  }

  void ReadLine(std::map<std::string, GivenPlan, std::less<>>& plans) {
    const Word name = Next();
    if (name.text.empty()) return;
    const Word kind = Next();
    if (name.text.back() != ':' || name.text.size() == 1 || kind.text.empty()) {
      diagnostics_.Error(name.offset,
                         "expected 'INSTRUCTION: KIND NAME=VALUE ...'",
                         "hilo compile --emit=plan prints such lines");
      return;
    }
    GivenPlan plan{.source = source_,
                   .kind = std::string(kind.text),
                   .offset = name.offset,
                   .decisions = {}};
    for (Word word = Next(); !word.text.empty(); word = Next()) {
      ReadDecision(word, plan);
    }
    const std::string key(name.text.substr(0, name.text.size() - 1));
    if (!plans.emplace(key, std::move(plan)).second) {
      diagnostics_.Error(name.offset,
                         absl::StrCat("a second plan for '", key, "'"));
    }
  }

  void ReadDecision(const Word& word, GivenPlan& plan) {
    const size_t equals = word.text.find('=');
    int64_t value = 0;
    if (equals == 0 || equals == absl::string_view::npos ||
        !absl::SimpleAtoi(word.text.substr(equals + 1), &value)) {
      diagnostics_.Error(word.offset, "expected NAME=VALUE with an integer");
      return;
    }
    const std::string name(word.text.substr(0, equals));
    if (!plan.decisions
             .emplace(name, GivenPlan::Decision{.value = value,
                                                .offset = word.offset})
             .second) {
      diagnostics_.Error(word.offset,
                         absl::StrCat("'", name, "' is decided twice"));
    }
  }

  std::shared_ptr<const Source> source_;
  absl::string_view text_;
  size_t at_ = 0;
  size_t end_ = 0;
  Diagnostics diagnostics_;
};

}  // namespace

std::string GivenPlan::ToString() const {
  std::string text = kind;
  for (const auto& [name, decision] : decisions) {
    absl::StrAppend(&text, " ", name, "=", decision.value);
  }
  return text;
}

void KernelPlan::set_part(absl::string_view part) {
  part_ = part.empty() ? std::string() : absl::StrCat(part, ".");
}

int64_t KernelPlan::Decide(absl::string_view name_in_part, int64_t chosen,
                           const DecisionRange& range) {
  const std::string name = absl::StrCat(part_, name_in_part);
  for (const Entry& entry : decisions_) {
    if (entry.name == name) return entry.value;
  }
  int64_t value = chosen;
  if (given_ != nullptr) {
    const auto given = given_->decisions.find(name);
    if (given != given_->decisions.end()) {
      const std::string reason =
          ReasonAgainst(name, given->second.value, range);
      if (reason.empty()) {
        value = given->second.value;
      } else {
        errors_.emplace(given->second.offset, reason);
      }
    }
  }
  decisions_.push_back({.name = name, .value = value});
  return value;
}

void KernelPlan::Note(absl::string_view name, int64_t value) {
  notes_.push_back({.name = absl::StrCat(part_, name), .value = value});
}

absl::Status KernelPlan::Check() const {
  if (given_ == nullptr) return absl::OkStatus();
  Diagnostics diagnostics;
  if (given_->kind != kind_) {
    diagnostics.Error(
        given_->offset,
        absl::StrCat("the kernel is of kind ", kind_, ", not ", given_->kind));
    return diagnostics.ToStatus(*given_->source);
  }
  for (const auto& [offset, reason] : errors_) {
    diagnostics.Error(offset, reason);
  }
  std::vector<absl::string_view> names;
  names.reserve(decisions_.size());
  for (const Entry& entry : decisions_) names.emplace_back(entry.name);
  for (const auto& [name, decision] : given_->decisions) {
    if (std::ranges::find(names, name) != names.end()) continue;
    diagnostics.Error(
        decision.offset,
        absl::StrCat("a ", kind_, " kernel does not decide '", name, "'"),
        absl::StrCat("it decides ", absl::StrJoin(names, ", ")));
  }
  return diagnostics.ToStatus(*given_->source);
}

std::string KernelPlan::ToString() const {
  std::string text = kind_;
  for (const Entry& entry : decisions_) {
    absl::StrAppend(&text, " ", entry.name, "=", entry.value);
  }
  absl::string_view separator = " # ";
  for (const Entry& entry : notes_) {
    absl::StrAppend(&text, separator, entry.name, "=", entry.value);
    separator = " ";
  }
  return text;
}

absl::StatusOr<GivenPlans> GivenPlans::Parse(
    std::shared_ptr<const Source> source) {
  GivenPlans result;
  RETURN_IF_ERROR(PlanReader(std::move(source)).Read(result.plans_));
  return result;
}

const GivenPlan* GivenPlans::Find(absl::string_view instruction) const {
  const auto found = plans_.find(instruction);
  return found == plans_.end() ? nullptr : &found->second;
}

absl::Status GivenPlans::CheckAllAreKnown(
    const std::vector<std::string>& names) const {
  for (const auto& [name, plan] : plans_) {
    if (std::ranges::binary_search(names, name)) continue;
    Diagnostics diagnostics;
    diagnostics.Error(plan.offset,
                      absl::StrCat("no instruction '", name, "' has a kernel"),
                      "names are those of hilo compile --emit=hlo");
    return diagnostics.ToStatus(*plan.source);
  }
  return absl::OkStatus();
}

}  // namespace hilo::backends
