#include "analyzer/cli/baseline_command.hpp"

namespace tidemark::cli {

CLI::App* add_baseline_verb(CLI::App& app, BaselineCommand& command) {
  auto* const verb = app.add_subcommand("baseline", "Store what a later check compares with");
  verb->add_option("FILE", command.file, "The trace")->required()->type_name(" ");
  verb->add_option("-o,--output", command.output, "Baseline to write")
      ->required()
      ->type_name("B.json");
  verb->add_option("--model", command.model,
                   "Size of the model, or its file; replaces what was recorded")
      ->type_name("SIZE|FILE");
  verb->add_flag("--allow-loss", command.allow_loss,
                 "Store also where lost events could hide a part of the peak");
  verb->footer(
      "Exit status: 0 stored, 2 usage or unreadable input, 3 the trace has loss that could hide\n"
      "a part of its peak.");
  return verb;
}

}  // namespace tidemark::cli
