/// `tidemark plot`: the picture of one load, or of two to compare.
#pragma once

#include "analyzer/cli/shared/terminal.hpp"
#include "analyzer/cli/shared/verb.hpp"

#include <string>

namespace tidemark::cli {

struct PlotCommand {
  std::string file;
  std::string other;            ///< Drawn as what came after `file`; empty: one trace.
  std::string output;           ///< The ending says the kind: .svg or .png.
  std::string by = "function";  ///< function, tensor, lane, module, phase.
  std::string align = "time";   ///< time, phase, bytes.
  std::string theme = "light";  ///< light, dark.
  std::string size = "800x520";
  unsigned scale = 2;  ///< For a PNG: its pixels for each one of `size`.
  std::string model;   ///< A size or a file, for both; empty: as recorded.
  std::string title;
};

/// Adds the verb to the command line. `command` stays borrowed, and gets the options' values.
Verb add_verb(CLI::App& app, PlotCommand& command);

/// The picture.
Result<Output> plot_output(const PlotCommand& command);

/// Writes the whole picture or nothing. @return 0, also for damaged traces; 2 for bad input or an
/// output that cannot be written.
int run(const PlotCommand& command);

}  // namespace tidemark::cli
