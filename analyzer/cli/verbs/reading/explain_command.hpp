/// `tidemark explain`: what a kind of finding means.
#pragma once

#include "analyzer/cli/shared/verb.hpp"

#include <string>

namespace tidemark::cli {

struct ExplainCommand {
  std::string name;  ///< A finding's name; empty: list all.
};

/// Adds the verb to the command line.
Verb add_verb(CLI::App& app, ExplainCommand& command);

/// Prints the explanation, or the list. @return the exit status.
int run(const ExplainCommand& command);

}  // namespace tidemark::cli
