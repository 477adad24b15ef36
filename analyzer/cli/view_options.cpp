#include "analyzer/cli/view_command.hpp"

namespace tidemark::cli {

CLI::App* add_view_verb(CLI::App& app, ViewCommand& command) {
  CLI::App* const verb = app.add_subcommand("view", "Open the window on one trace, or on two");
  verb->add_option("FILE", command.file, "The trace; with FILE2, the one before")
      ->required()
      ->type_name(" ");
  verb->add_option("FILE2", command.other, "The trace after")->type_name(" ");
  verb->add_option("--screenshot", command.screenshot,
                   "Write a picture of the window; none opens, but a display is needed")
      ->type_name("OUT.png");
  verb->add_option("--size", command.size, "Pixels of the window (default: 1600x900)")
      ->type_name("WxH");
  verb->add_option("--state", command.state, "View to begin with, as saved from the window")
      ->type_name("FILE.json");
  verb->add_option("--model", command.model,
                   "Size of the model, or its file, for both; replaces what was recorded")
      ->type_name("SIZE|FILE");
  verb->add_option("--theme", command.theme, "Colours (default: as last time)")
      ->type_name("light|dark")
      ->check(CLI::Validator(CLI::IsMember({"light", "dark"})).description(""));
  verb->footer("In the window, ? lists all keys.");
  return verb;
}

}  // namespace tidemark::cli
