// Registers every text test and corpus module as a Catch2 test case.
#pragma once

#include "tests/support/text_test_queue.h"

namespace hilo::tests {

// Registers, under names relative to their directories,
//   - every .hlo file under tests/ ("hlo/text/attributes.hlo"),
//   - those under tests/cases/ a second time, with their constants as
//     parameters ("cases/060_clamp_with_nan.hlo, parameters"),
//   - every .hlo file under examples/ ("examples/mlp.hlo"),
//   - the outside corpora ("survey/dot_64.hlo"), or one skipped test case
//     that says that there are none.
// With `update`, golden blocks that differ are rewritten. The tests' jobs go
// into `queue`.
void RegisterTextTests(bool update, TextTestQueue& queue);

}  // namespace hilo::tests
