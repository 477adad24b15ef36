#include "analyzer/cli/shared/option_values.hpp"
#include "analyzer/cli/verbs/recording/compare_command.hpp"

namespace tidemark::cli {
Verb add_verb(CLI::App& app, CompareCommand& command) {
  Verb verb(app, "compare", "Record two commands and show what changed");
  verb.add_option("--before", command.before, "Command line of the load as it was")
      .required()
      .type_name("'CMD'");
  verb.add_option("--after", command.after, "Command line of the changed load")
      .required()
      .type_name("'CMD'");
  verb.add_option("-o,--output", command.folder,
                  "Folder for the results (default: tidemark-compare)")
      .type_name("DIR");
  verb.add_option("--runs", command.runs,
                  "Times to record each, in turns; the run with the\nmedian peak is kept")
      .type_name("N")
      .check(whole_number(1, 1000));
  add_top(verb, command.top);
  add_frames(verb, command.frames);
  add_align(verb, command.align);
  verb.add_flag("--dark", command.dark, "Also draw graph-dark.svg and graph-dark.png");
  verb.add_flag(
      "--save-output", command.save_output,
      "Write what the commands print to before.out and\nafter.out, not to standard error");
  add_color(verb);
  add_recording_options(verb, command.record);
  verb.footer(
      "CMD is split into words as a shell does, and run without one. Only where it\n"
      "needs a shell (variables, globs, pipes, redirections, assignments, cd) /bin/sh\n"
      "runs it. What the commands print goes to standard error. DIR gets before.tmk,\n"
      "after.tmk, diff.txt, diff.md, diff.json, diff.html, graph.svg and graph.png;\n"
      "what it has of these is replaced.\n"
      "Exit status: 0; 1 when a command failed; 2 usage, or nothing could be recorded.");
  return verb;
}

}  // namespace tidemark::cli
