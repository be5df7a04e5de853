// The schedule of a kernel as data: what was decided, and what is given.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "runtime/base/source.h"

namespace hilo::backends {

// What a decision may be.
struct DecisionRange {
  int64_t minimum = 1;
  int64_t maximum = 1;
  bool is_power_of_two = false;
};

// A plan given by hand for one instruction.
struct GivenPlan {
  struct Decision {
    int64_t value = 0;
    // Where it stands in the text.
    int64_t offset = 0;
  };

  std::shared_ptr<const Source> source;
  std::string kind;
  // Where the plan begins in the text.
  int64_t offset = 0;
  std::map<std::string, Decision, std::less<>> decisions;

  // The decisions, to tell plans apart.
  std::string ToString() const;
};

// Collects the decisions about one kernel while it is planned and emitted. A
// plan that is given decides otherwise where it says so.
class KernelPlan {
 public:
  // `given` may be null, and must outlive the plan.
  explicit KernelPlan(const GivenPlan* given = nullptr) : given_(given) {}

  // Which family of kernels the instruction has; said before all decisions.
  void set_kind(absl::string_view kind) { kind_ = std::string(kind); }

  // Begins decisions about a part of the kernel, whose names are preceded by
  // the part's and a dot. "": ends them.
  void set_part(absl::string_view part);

  // Returns the given decision if there is one in the range, else `chosen`;
  // when asked again, the same.
  int64_t Decide(absl::string_view name, int64_t chosen,
                 const DecisionRange& range);
  // A decision that cannot be another here.
  int64_t Fix(absl::string_view name, int64_t value) {
    return Decide(name, value, {.minimum = value, .maximum = value});
  }
  // Something that follows from the decisions, for readers.
  void Note(absl::string_view name, int64_t value);

  // Whether all that is given was asked for and lay in its range. Errors:
  // InvalidArgument with place, caret and reason.
  absl::Status Check() const;

  // "matmul lanes=8 row_tile=6 grain=4 # units=32".
  std::string ToString() const;

 private:
  struct Entry {
    std::string name;
    int64_t value = 0;
  };

  const GivenPlan* given_;
  std::string kind_;
  // With its dot.
  std::string part_;
  std::vector<Entry> decisions_;
  std::vector<Entry> notes_;
  // Why a given decision is impossible, by its place.
  std::map<int64_t, std::string> errors_;
};

// Plans given by hand, by instruction name.
class GivenPlans {
 public:
  GivenPlans() = default;

  // Reads what KernelPlan::ToString prints behind "INSTRUCTION: ", a line each;
  // "#" begins a comment. Errors: InvalidArgument with places and carets.
  static absl::StatusOr<GivenPlans> Parse(std::shared_ptr<const Source> source);

  // The plan of an instruction; null when there is none.
  const GivenPlan* Find(absl::string_view instruction) const;
  bool empty() const { return plans_.empty(); }

  // Errors: InvalidArgument, at its place, for the first plan whose
  // instruction is not among `names`, which are sorted.
  absl::Status CheckAllAreKnown(const std::vector<std::string>& names) const;

 private:
  std::map<std::string, GivenPlan, std::less<>> plans_;
};

}  // namespace hilo::backends
