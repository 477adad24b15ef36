#include "analyzer/cli/shared/option_values.hpp"
#include "analyzer/cli/verbs/checking/baseline_command.hpp"

namespace tidemark::cli {

Verb add_verb(CLI::App& app, BaselineCommand& command) {
  Verb verb(app, "baseline", "Store what a later check compares with");
  add_trace(verb, "FILE", command.file, "The trace").required();
  verb.add_option("-o,--output", command.output, "Baseline to write")
      .required()
      .type_name("B.json");
  add_model_to_read_with(verb, command.model);
  verb.add_flag("--allow-loss", command.allow_loss,
                "Store also where lost events, or the signal that\n"
                "ended the program, could hide a part of the peak");
  verb.footer(
      "Exit status: 0 stored, 2 usage, unreadable input, or a program that a signal\n"
      "ended, 3 the trace has loss that could hide a part of its peak.");
  return verb;
}

}  // namespace tidemark::cli
