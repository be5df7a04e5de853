// The option table that help, completion, man page and list are made from.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace hilo::cli {

// One option, or positional argument, of a command.
struct OptionDescription {
  // "--seed"; a positional argument has its name, "FILE".
  std::vector<std::string> names;
  bool is_positional = false;
  bool is_required = false;
  bool is_repeatable = false;
  // "N", "text|npy"; empty for flags.
  std::string value;
  std::string default_value;
  std::string doc;

  // The values that can be typed; empty unless `value` lists words.
  std::vector<std::string> choices() const;
};

// The application that a command belongs to.
const CLI::App& ApplicationOf(const CLI::App& command);
std::string NameOf(const CLI::App& command);
std::string DocOf(const CLI::App& command);

// In the order of declaration.
std::vector<OptionDescription> DescribeOptions(const CLI::App& command);

// The subcommands in the order of declaration.
std::vector<const CLI::App*> SubcommandsOf(const CLI::App& application);

// "hilo run [OPTIONS] FILE".
std::string UsageOf(const CLI::App& command);

// The help of the application or of a command: examples first.
std::string HelpOf(const CLI::App& command);

}  // namespace hilo::cli
