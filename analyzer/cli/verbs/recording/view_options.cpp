#include "analyzer/cli/shared/option_values.hpp"
#include "analyzer/cli/verbs/recording/view_command.hpp"

namespace tidemark::cli {

Verb add_verb(CLI::App& app, ViewCommand& command) {
  Verb verb(app, "view", "Open the window on one trace, or on two");
  add_trace(verb, "FILE", command.file, "The trace; with FILE2, the one before").required();
  add_trace(verb, "FILE2", command.other, "The trace after");
  verb.add_option("--screenshot", command.screenshot,
                  "Write a picture of the window; none opens, but a\ndisplay is needed")
      .type_name("OUT.png");
  verb.add_option("--size", command.size, "Pixels of the window (default: 1600x900)")
      .type_name("WxH");
  add_layers(verb, command.by);
  verb.add_option("--pane", command.pane,
                  "What to begin with below the timeline\n(difference: of two traces)")
      .type_name("holders|difference|blocks|activity|findings|usage|pages")
      .check(one_of({"holders", "difference", "blocks", "activity", "findings", "usage", "pages"}));
  verb.add_option("--state", command.state, "View to begin with, as S saves it in the window")
      .type_name("FILE.json");
  add_model_to_read_with(verb, command.model, true);
  add_frames(verb, command.frames);
  verb.add_option("--theme", command.theme, "Colours (default: as last time)")
      .type_name("light|dark")
      .check(one_of({"light", "dark"}));
  verb.footer("In the window, ? lists all keys.");
  return verb;
}

}  // namespace tidemark::cli
