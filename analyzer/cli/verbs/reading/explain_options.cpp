#include "analyzer/cli/shared/option_values.hpp"
#include "analyzer/cli/verbs/reading/explain_command.hpp"

namespace tidemark::cli {

Verb add_verb(CLI::App& app, ExplainCommand& command) {
  Verb verb(app, "explain", "Say what a finding of a report means, and what helps");
  verb.add_option("NAME", command.name, "Of a finding; without one, all are listed")
      .option_text(" ");
  add_color(verb);
  add_no_pager(verb);
  verb.footer("Names: those in the list, which are the kinds in report --format json.");
  return verb;
}

}  // namespace tidemark::cli
