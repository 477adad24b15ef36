#include "analyzer/cli/shared/option_values.hpp"
#include "analyzer/cli/verbs/reading/diff_command.hpp"

namespace tidemark::cli {

Verb add_verb(CLI::App& app, DiffCommand& command) {
  Verb verb(app, "diff", "Show what changed between two traces");
  add_trace(verb, "BEFORE", command.before, "The trace to compare with").required();
  add_trace(verb, "AFTER", command.after, "The trace of the changed load").required();
  verb.add_option("--format", command.format, "How to print it (default: text)")
      .type_name("text|json|markdown|html")
      .check(one_of({"text", "json", "markdown", "html"}));
  verb.add_option("-o,--output", command.output, "File to write (default: standard output)")
      .type_name("FILE");
  add_top(verb, command.top);
  add_frames(verb, command.frames);
  add_whole_stacks(verb, command.whole_stacks);
  add_model_to_read_with(verb, command.model, true);
  add_color(verb);
  add_no_pager(verb);
  verb.footer(
      "Stacks are the same when their functions are: lines may have moved, the program\n"
      "may have been built elsewhere, with other options, or under another name.\n"
      "Exit status: 0; 2 usage, or unreadable input.");
  return verb;
}

}  // namespace tidemark::cli
