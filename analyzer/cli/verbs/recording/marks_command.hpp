/// `tidemark marks`: how to add phases to a loader.
#pragma once

#include "analyzer/cli/shared/verb.hpp"

namespace tidemark::cli {

struct MarksCommand {
  bool python = false;  ///< The module for Python programs instead of the page.
};

/// Adds the verb to the command line.
Verb add_verb(CLI::App& app, MarksCommand& command);

/// Prints the page, or the module. @return the exit status.
int run(const MarksCommand& command);

}  // namespace tidemark::cli
