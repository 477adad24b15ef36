/// `tidemark report`: the peak, what it was made of, phases, files, loss.
#pragma once

#include "analyzer/cli/shared/verb.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace tidemark::cli {

struct ReportCommand {
  std::string file;
  std::string format = "text";     ///< text, json, markdown, html.
  std::string at = "peak";         ///< `peak`, or a time since the session's start.
  std::optional<std::size_t> top;  ///< None: what suits the format. 0: all.
  std::string by = "stack";        ///< stack; else what is listed beside the stacks.
  std::string suppressions;        ///< A file, of --by leaked; empty: none.
  bool whole_stacks = false;       ///< For text; the other formats have what they have.
  std::string frames = "both";     ///< both, python, native.
  std::string model;               ///< A size or a file; empty: as recorded.
  std::string output;              ///< The file to write; empty: standard output.
};

/// Adds the verb to the command line. `command` stays borrowed, and gets the options' values.
Verb add_verb(CLI::App& app, ReportCommand& command);

/// @return 0, also for a damaged trace (the report says what is lost); 2 for bad input.
int run(const ReportCommand& command);

}  // namespace tidemark::cli
