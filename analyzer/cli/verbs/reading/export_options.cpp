#include "analyzer/cli/shared/option_values.hpp"
#include "analyzer/cli/verbs/reading/export_command.hpp"
#include "analyzer/export/formats.hpp"

#include <string>
#include <vector>

namespace tidemark::cli {
namespace {

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const exports::ExportFormat& format : exports::export_formats()) {
    names.emplace_back(format.name);
  }
  return names;
}

std::string help_on_formats() {
  std::string stacks;
  std::string run;
  for (const exports::ExportFormat& format : exports::export_formats()) {
    stacks += format.stacks_help != nullptr ? format.stacks_help : "";
    run += format.run_help != nullptr ? format.run_help : "";
  }
  return "Stacks alive at an instant, or what grew over a range:\n" + stacks +
         "All of the run, or the range:\n" + run;
}

}  // namespace

Verb add_verb(CLI::App& app, ExportCommand& command) {
  Verb verb(app, "export", "Write a trace for other viewers");
  add_trace(verb, "FILE", command.file, "The trace").required();
  verb.add_option("--to", command.format, "Format to write, see below")
      .required()
      .type_name("FORMAT")
      .check(one_of(format_names()));
  verb.add_option("-o,--output", command.output, "File to write (default: standard output)")
      .type_name("OUT");
  add_frames(verb, command.frames);
  verb.add_option("--min-share", command.min_share,
                  "Of collapsed, flamegraph and speedscope: stacks\n"
                  "below this share of their lane become one\n"
                  "'(smaller)', in percent (default: 0.01; 0 keeps\nall)")
      .type_name("PCT");
  verb.add_option(
          "--at", command.at,
          "Instant of the stacks (default: peak), as 3.2s;\nend: what the program never gave back")
      .type_name("peak|end|TIME");
  verb.add_option("--range", command.range,
                  "Only from A to B, as 1s..peak, 2s..end or ..3s;\n"
                  "of stacks: what came in that time and stayed")
      .type_name("A..B");
  verb.footer(help_on_formats() +
              "File mappings are no part of the footprint: speedscope, pprof, perfetto and\n"
              "csv have them apart from it, the others do not have them.");
  return verb;
}

}  // namespace tidemark::cli
