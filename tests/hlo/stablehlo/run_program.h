// Runs StableHLO texts on the evaluator.
#pragma once

#include <string>

#include "hlo/stablehlo/stablehlo.h"

namespace hilo::tests {

// The printed result of a program without arguments, or what went wrong.
std::string EvaluateStableHlo(const std::string& text);

// What the first check of the program that fails says; empty when all hold.
std::string RunChecks(const StableHloProgram& program);

// The same for a text that is a whole program, or its mistakes.
std::string CheckStableHlo(const std::string& text);

// The same for the body of a function without arguments and results.
std::string CheckStableHloBody(const std::string& body);

}  // namespace hilo::tests
