// Hilo's public interface: everything that a program needs to compile and run
// HLO. Link Hilo::hilo.
//
//   ASSIGN_OR_RETURN(auto client, hilo::Client::Create());
//   ASSIGN_OR_RETURN(auto executable, client->Compile(hlo_text));
//   ASSIGN_OR_RETURN(auto x, hilo::Buffer::View<float>({2, 3}, values));
//   ASSIGN_OR_RETURN(auto results, executable->Run({x}));
#pragma once

#include "backends/buffer.h"                // IWYU pragma: export
#include "hlo/ir/literal.h"                 // IWYU pragma: export
#include "hlo/ir/module.h"                  // IWYU pragma: export
#include "hlo/ir/shape.h"                   // IWYU pragma: export
#include "hlo/ops/builder.h"                // IWYU pragma: export
#include "hlo/stablehlo/print_stablehlo.h"  // IWYU pragma: export
#include "hlo/stablehlo/stablehlo.h"        // IWYU pragma: export
#include "hlo/text/parser.h"                // IWYU pragma: export
#include "hlo/text/printer.h"               // IWYU pragma: export
#include "hlo/verify/verify.h"              // IWYU pragma: export
#include "jit/client.h"                     // IWYU pragma: export
#include "jit/dump_directory.h"             // IWYU pragma: export
#include "jit/executable.h"                 // IWYU pragma: export
#include "runtime/base/status.h"            // IWYU pragma: export

namespace hilo {

using hlo::Builder;
using hlo::ElementType;
using hlo::Literal;
using hlo::Module;
using hlo::Parse;
using hlo::ParseLiteral;
using hlo::ParseShape;
using hlo::Print;
using hlo::Shape;
using hlo::Verify;

}  // namespace hilo
