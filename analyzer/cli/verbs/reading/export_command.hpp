/// `tidemark export`: a trace in the formats of other viewers.
#pragma once

#include "analyzer/cli/shared/verb.hpp"

#include <string>

namespace tidemark::cli {

struct ExportCommand {
  std::string file;
  std::string format;           ///< The name of an exports::ExportFormat.
  std::string frames = "both";  ///< both, python, native.
  std::string output;           ///< Empty: standard output.
  std::string at;               ///< `peak`, or a time since the session's start; empty: not given.
  std::string min_share;        ///< Percent of a lane; empty: the default.
  std::string range;            ///< `A..B`, each as `at`, or empty for the start and the end.
};

/// Adds the verb to the command line. `command` stays borrowed, and gets the options' values.
Verb add_verb(CLI::App& app, ExportCommand& command);

/// Writes the whole file or nothing. Says on standard error what the trace lost.
/// @return 0, also for a damaged trace; 2 for bad input or an output that cannot be written.
int run(const ExportCommand& command);

}  // namespace tidemark::cli
