#include "analyzer/cli/plot_command.hpp"

#include <vector>

namespace tidemark::cli {
namespace {

/// The type name in the help lists the words already.
CLI::Validator one_of(const std::vector<std::string>& words) {
  return CLI::Validator(CLI::IsMember(words)).description("");
}

}  // namespace

CLI::App* add_plot_verb(CLI::App& app, PlotCommand& command) {
  CLI::App* const verb =
      app.add_subcommand("plot", "Draw one load, or two to compare, as SVG or PNG");
  verb->add_option("FILE", command.file, "The trace; with FILE2, the one before")
      ->required()
      ->type_name(" ");
  verb->add_option("FILE2", command.other, "The trace after, drawn below it")->type_name(" ");
  verb->add_option("-o,--output", command.output, "Picture to write")
      ->required()
      ->type_name("OUT.svg|OUT.png");
  verb->add_option("--align", command.align,
                   "Put below each other equal times (default), phases of the same name,\n"
                   "or equal shares of the model read")
      ->type_name("time|phase|bytes")
      ->check(one_of({"time", "phase", "bytes"}));
  verb->add_option("--theme", command.theme, "Colours (default: light)")
      ->type_name("light|dark")
      ->check(one_of({"light", "dark"}));
  verb->add_option("--size", command.size, "Pixels, from 320x200 up (default: 800x450)")
      ->type_name("WxH");
  verb->add_option("--model", command.model,
                   "Size of the model, or its file, for both; replaces what was recorded")
      ->type_name("SIZE|FILE");
  verb->add_option("--title", command.title, "Instead of the peak, or how it changed")
      ->type_name("TEXT");
  verb->footer(
      "Each column of pixels shows the highest and the lowest footprint that stood in it, however\n"
      "short: pale up to the highest, full colour up to the lowest. The same traces give the same\n"
      "file, byte for byte.");
  return verb;
}

}  // namespace tidemark::cli
