#include "analyzer/cli/shared/option_values.hpp"
#include "analyzer/cli/verbs/recording/marks_command.hpp"

namespace tidemark::cli {

Verb add_verb(CLI::App& app, MarksCommand& command) {
  Verb verb(app, "marks", "Print how to add phases to a loader");
  verb.add_flag("--python", command.python, "Print the module that Python programs import");
  add_no_pager(verb);
  verb.footer("Without marks, phases are found from the files that a program reads.");
  return verb;
}

}  // namespace tidemark::cli
