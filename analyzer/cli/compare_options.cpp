#include "analyzer/cli/compare_command.hpp"

#include <vector>

namespace tidemark::cli {
namespace {

void add_record_options(CLI::App& verb, CompareCommand& command) {
  verb.add_option("--model", command.record.model, "Size of the model, or its file, for both")
      ->type_name("SIZE|FILE");
  verb.add_option("--overflow", command.overflow,
                  "When the recorder falls behind: make the program wait, or drop records")
      ->type_name("block|drop")
      ->check(
          CLI::Validator(CLI::IsMember(std::vector<std::string>{"block", "drop"})).description(""));
  verb.add_option("--depth", command.record.depth, "Most frames of a stack to keep")
      ->type_name("N");
  verb.add_flag("--wait-children", command.record.wait_children,
                "Go on until the last child process ended");
  verb.add_flag("--no-copies", command.record.no_copies,
                "Leave memcpy, memmove and memset alone: no copy chain in the report");
  verb.add_flag("--no-symbol-cache", command.record.no_symbol_cache,
                "Look all names up anew; leave $XDG_CACHE_HOME/tidemark alone");
}

}  // namespace

CLI::App* add_compare_verb(CLI::App& app, CompareCommand& command) {
  CLI::App* const verb =
      app.add_subcommand("compare", "Record two commands, and show what changed between them");
  verb->add_option("--before", command.before, "Command line of the load as it was")
      ->required()
      ->type_name("'CMD'");
  verb->add_option("--after", command.after, "Command line of the changed load")
      ->required()
      ->type_name("'CMD'");
  verb->add_option("-o,--output", command.folder,
                   "Folder for the results (default: tidemark-compare)")
      ->type_name("DIR");
  verb->add_option("--runs", command.runs,
                   "Times to record each, in turns; the run with the median peak is kept")
      ->type_name("N")
      ->check(CLI::Validator(CLI::Range(1, 1000)).description(""));
  verb->add_option("--top", command.top, "Stacks to list, 0 for all (default: 10, in JSON 100)")
      ->type_name("N");
  add_record_options(*verb, command);
  verb->footer(
      "CMD is split into words as a shell does, and run without one. Only where it needs a shell\n"
      "(variables, globs, pipes, redirections, assignments, cd) /bin/sh runs it. What the "
      "commands\n"
      "print goes to standard error. DIR gets before.tmk, after.tmk, diff.txt, diff.md,\n"
      "diff.json, diff.html, graph.svg and graph.png; what it has of these is replaced.\n"
      "Exit status: 0; 1 when a command failed; 2 usage, or nothing could be recorded.");
  return verb;
}

}  // namespace tidemark::cli
