/// The command line as data: the content of its help, for the manual, for shell completion, and for
/// suggestions after a typing error.
#pragma once

#include <string>
#include <vector>

namespace tidemark::cli {

struct CommandOption {
  std::vector<std::string> names;  ///< `-o`, `--output`: short ones first.
  std::string value;               ///< What the help calls its value; empty for a flag.
  std::string about;
  bool required = false;
  bool repeated = false;

  [[nodiscard]] const std::string& long_name() const { return names.back(); }
};

struct CommandArgument {
  std::string name;
  std::string usage;  ///< `[TRACE]`, as the usage line has it.
  std::string about;
};

struct CommandVerb {
  std::string name;
  std::string about;
  std::vector<CommandArgument> arguments;
  std::vector<CommandOption> options;
  std::string footer;
};

struct CommandTree {
  CommandVerb command;             ///< `tidemark` itself.
  std::vector<CommandVerb> verbs;  ///< In the order of the help.
};

}  // namespace tidemark::cli
