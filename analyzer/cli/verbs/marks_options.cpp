#include "analyzer/cli/verbs/marks_command.hpp"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace tidemark::cli {

CLI::App* add_verb(CLI::App& app, MarksCommand&) {
  CLI::App* const verb = app.add_subcommand("marks", "Print how to add phases to a loader");
  verb->footer("Without marks, phases are found from the files that a program reads.");
  return verb;
}

}  // namespace tidemark::cli
