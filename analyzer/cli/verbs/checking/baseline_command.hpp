/// `tidemark baseline`: stores what a later check compares with.
#pragma once

#include "analyzer/cli/shared/verb.hpp"

#include <string>

namespace tidemark::cli {

struct BaselineCommand {
  std::string file;
  std::string output;
  std::string model;        ///< A size or a file; empty: as recorded.
  bool allow_loss = false;  ///< Stores a trace that is not whole, too.
};

/// Adds the verb to the command line. `command` stays borrowed, and gets the options' values.
Verb add_verb(CLI::App& app, BaselineCommand& command);

/// @return 0; 2 for bad input or an output that cannot be written; 3 for a trace whose loss could
/// hide
///     a part of its peak.
int run(const BaselineCommand& command);

}  // namespace tidemark::cli
