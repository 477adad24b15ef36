#include "analyzer/cli/shared/option_values.hpp"
#include "analyzer/cli/verbs/reading/report_command.hpp"

namespace tidemark::cli {

Verb add_verb(CLI::App& app, ReportCommand& command) {
  Verb verb(app, "report", "Show the peak and what it was made of");
  add_trace(verb, "FILE", command.file, "The trace").required();
  verb.add_option("--format", command.format, "How to print it (default: text)")
      .type_name("text|json|markdown|html")
      .check(one_of({"text", "json", "markdown", "html"}));
  verb.add_option("-o,--output", command.output, "File to write (default: standard output)")
      .type_name("FILE");
  verb.add_option("--at", command.at,
                  "Instant of the list of stacks (default: peak),\nas 3.2s; end: what the program "
                  "never gave back")
      .type_name("peak|end|TIME");
  add_top(verb, command.top);
  verb.add_option("--by", command.by,
                  "Also list the weights that are alive then, by\n"
                  "tensor, layer or dtype; or what the whole run\n"
                  "asked for: stacks of temporary allocations, of\n"
                  "leaked ones, by number of allocations; by size,\n"
                  "by thread (default: stack)")
      .type_name("stack|tensor|layer|dtype|temporary|leaked|allocations|size|thread")
      .check(one_of({"stack", "tensor", "layer", "dtype", "temporary", "leaked", "allocations",
                     "size", "thread"}));
  verb.add_option("--suppressions", command.suppressions,
                  "With --by leaked: leaks that are known, in lines\nas leak:PATTERN (see "
                  "LeakSanitizer)")
      .type_name("FILE");
  add_whole_stacks(verb, command.whole_stacks);
  add_frames(verb, command.frames);
  add_model_to_read_with(verb, command.model);
  add_color(verb);
  add_no_pager(verb);
  verb.footer(
      "W is the size of the model: the weight files that were read or mapped, unless\n"
      "--model says it. What is missing from a trace is said beside the numbers.\n"
      "Exit status: 0; 2 usage, or unreadable input.");
  return verb;
}

}  // namespace tidemark::cli
