// What is left behind when Hilo itself fails.
#pragma once

#include <string>
#include <vector>

namespace hilo::cli {

// Remembers the command line, and catches the signals of failed checks and
// crashes: they write a reproducer, say where, and exit with kInternalError.
void InstallCrashHandler(const std::vector<std::string>& arguments);

// The module that is being worked on, for the reproducer.
void SetModuleForCrashReport(std::string text);

// Writes a reproducer now: version, command line and module. Returns its path;
// empty if it could not be written.
std::string WriteReproducer();

}  // namespace hilo::cli
