#include "analyzer/cli/shared/option_values.hpp"
#include "analyzer/cli/verbs/reading/plot_command.hpp"

namespace tidemark::cli {
Verb add_verb(CLI::App& app, PlotCommand& command) {
  Verb verb(app, "plot", "Draw one load, or two to compare, as SVG or PNG");
  add_trace(verb, "FILE", command.file, "The trace; with FILE2, the one before").required();
  add_trace(verb, "FILE2", command.other, "The trace after, drawn below it");
  verb.add_option("-o,--output", command.output, "Picture to write")
      .required()
      .type_name("OUT.svg|OUT.png");
  add_layers(verb, command.by);
  add_align(verb, command.align);
  verb.add_option("--theme", command.theme, "Colours (default: light)")
      .type_name("light|dark")
      .check(one_of({"light", "dark"}));
  verb.add_option("--size", command.size, "Pixels, from 320x200 up (default: 800x520)")
      .type_name("WxH");
  verb.add_option("--scale", command.scale, "Of a PNG: pixels for each one of --size\n(default: 2)")
      .type_name("1..4")
      .check(whole_number(1, 4));
  add_model_to_read_with(verb, command.model, true);
  verb.add_option("--title", command.title, "Instead of the peak, or how it changed")
      .type_name("TEXT");
  verb.footer(
      "Each column of pixels shows the highest and the lowest footprint that stood in\n"
      "it, however short: pale up to the highest, full colour up to the lowest. The\n"
      "same traces give the same file, byte for byte.\n"
      "Exit status: 0; 2 usage, unreadable input, or a picture that cannot be written.");
  return verb;
}

}  // namespace tidemark::cli
