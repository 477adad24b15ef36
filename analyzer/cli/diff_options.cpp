#include "analyzer/cli/diff_command.hpp"

#include <vector>

namespace tidemark::cli {

CLI::App* add_diff_verb(CLI::App& app, DiffCommand& command) {
  CLI::App* const verb =
      app.add_subcommand("diff", "Show what changed between two traces: peaks, phases, stacks");
  verb->add_option("BEFORE", command.before, "The trace to compare with")
      ->required()
      ->type_name(" ");
  verb->add_option("AFTER", command.after, "The trace of the changed load")
      ->required()
      ->type_name(" ");
  verb->add_option("--format", command.format, "How to print it (default: text)")
      ->type_name("text|json|markdown|html")
      ->check(CLI::Validator(CLI::IsMember(std::vector<std::string>{"text", "json", "markdown", "html"}))
                  .description(""));
  verb->add_option("-o,--output", command.output, "File to write (default: standard output)")
      ->type_name("FILE");
  verb->add_option("--top", command.top, "Stacks to list, 0 for all (default: 10, in JSON 100)")
      ->type_name("N");
  verb->add_option("--model", command.model,
                   "Size of the model, or its file, for both; replaces what was recorded")
      ->type_name("SIZE|FILE");
  verb->footer(
      "Stacks are the same when their functions are: lines may have moved, the program may have\n"
      "been built elsewhere, with other options, or under another name.");
  return verb;
}

}  // namespace tidemark::cli
