/// `tidemark view`: the window, which is a command of its own, tidemark-gui.
#pragma once

#include "analyzer/cli/shared/verb.hpp"

#include <string>
#include <vector>

namespace tidemark::cli {

struct ViewCommand {
  std::string file;
  std::string other;       ///< The trace after; empty: one trace.
  std::string screenshot;  ///< PNG to write instead of opening a window; empty: a window.
  std::string size;        ///< `1600x900`; empty: as tidemark-gui has it. So the next four.
  std::string by;  ///< function, tensor, lane, module, phase; empty: as in the view, or function.
  std::string pane;
  std::string state;
  std::string model;
  std::string frames = "both";
  std::string theme;
  bool records = false;  ///< --record: the trace is made now, of `program`.
  std::string output;    ///< --output: that trace; empty: as `record` has it.
  std::vector<std::string> program;
};

/// Adds the verb to the command line. `command` stays borrowed, and gets the options' values.
Verb add_verb(CLI::App& app, ViewCommand& command);

/// Why the command is invalid; empty: it is valid.
std::string missing_in(const ViewCommand& command);

/// Execs tidemark-gui, which lies beside the running command, and returns, with 2, only if that
/// fails. With `records` it does not exec: @return the program's own exit status, once the window
/// is closed, too.
int run(const ViewCommand& command);

}  // namespace tidemark::cli
