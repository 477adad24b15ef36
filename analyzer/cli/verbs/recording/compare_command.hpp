/// `tidemark compare`: records two commands and shows what changed between them.
#pragma once

#include "analyzer/cli/shared/verb.hpp"
#include "analyzer/cli/verbs/recording/record_command.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace tidemark::cli {

struct CompareCommand {
  std::string before;  ///< A command line, as for a shell.
  std::string after;
  std::string folder = "tidemark-compare";
  unsigned runs = 1;               ///< Recordings of each, in turns; at least 1.
  std::optional<std::size_t> top;  ///< Stacks to list; none: the default of diff.
  std::string frames = "both";     ///< In the diff: both, python, native.
  std::string align = "time";      ///< In the pictures: time, phase, bytes.
  bool dark = false;               ///< Pictures for dark pages, too.
  bool save_output = false;        ///< What the commands print: to files, not to standard error.
  RecordOptions record;            ///< How to record: all but command and output.
};

/// Adds the verb to the command line. `command` stays borrowed, and gets the options' values.
Verb add_verb(CLI::App& app, CompareCommand& command);

/// @return 0; 1 when one of the commands failed (what was recorded is shown); 2 for bad input or
///     when nothing could be recorded; 128 + N when signal N stopped it.
int run(const CompareCommand& command);

}  // namespace tidemark::cli
