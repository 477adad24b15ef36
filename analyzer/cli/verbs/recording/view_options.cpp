#include "analyzer/cli/shared/option_values.hpp"
#include "analyzer/cli/verbs/recording/view_command.hpp"

namespace tidemark::cli {

Verb add_verb(CLI::App& app, ViewCommand& command) {
  Verb verb(app, "view", "Open the window on one trace, or on two");
  add_trace(verb, "FILE", command.file, "The trace; with FILE2, the one before");
  add_trace(verb, "FILE2", command.other, "The trace after");
  verb.add_flag("--record", command.records,
                "Record the program behind -- and show the trace\nwhile it grows");
  verb.add_option("-o,--output", command.output,
                  "With --record, the trace to write (default:\ntidemark-<program>-<pid>.tmk)")
      .type_name("FILE.tmk");
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
  verb.footer(
      "In the window, ? lists all keys.\n"
      "Live:  tidemark view --record -- ./load model.gguf\n"
      "The program has the terminal. It runs on when the window is closed, and the\n"
      "window stays when it has ended; the exit status is the program's own. For other\n"
      "options of a recording: tidemark record -o FILE.tmk -- CMD, and beside it\n"
      "tidemark view FILE.tmk.incomplete.");
  return verb;
}

std::string missing_in(const ViewCommand& command) {
  if (!command.records && !command.output.empty()) {
    return "--output is of --record, which is missing";
  }
  if (!command.records) {
    return command.file.empty() ? "FILE is required" : std::string();
  }
  if (!command.file.empty()) {
    return "'" + command.file + "' is a trace, and --record makes one: the program goes behind --";
  }
  if (!command.screenshot.empty()) {
    return "--screenshot shows a trace that is there, and --record makes one";
  }
  return command.program.empty() ? "--record needs a program behind --" : std::string();
}

}  // namespace tidemark::cli
