#include "analyzer/cli/shared/option_values.hpp"
#include "analyzer/cli/verbs/export_command.hpp"

namespace tidemark::cli {
CLI::App* add_export_verb(CLI::App& app, ExportCommand& command) {
  CLI::App* const verb = app.add_subcommand("export", "Write a trace for other viewers");
  add_trace(*verb, "FILE", command.file, "The trace")->required();
  verb->add_option("--to", command.format, "Format to write, see below")
      ->required()
      ->type_name("FORMAT")
      ->check(one_of({"collapsed", "speedscope", "pprof", "perfetto", "massif", "csv"}));
  verb->add_option("-o,--output", command.output, "File to write (default: standard output)")
      ->type_name("OUT");
  verb->add_option("--min-share", command.min_share,
                   "Of collapsed and speedscope: stacks below this\n"
                   "share of their lane become one '(smaller)', in\n"
                   "percent (default: 0.01; 0 keeps all)")
      ->type_name("PCT");
  verb->add_option("--at", command.at, "Instant of the stacks (default: peak), as 3.2s")
      ->type_name("peak|TIME");
  verb->add_option("--range", command.range,
                   "Only from A to B, as 1s..peak, 2s.. or ..3s\n"
                   "Of stacks: what came in that time and stayed")
      ->type_name("A..B");
  verb->footer(
      "Stacks alive at an instant, or what grew over a range:\n"
      "  collapsed   A line a stack, for flamegraph.pl and inferno. The lane (heap,\n"
      "              anon, device) is the outermost frame; all lines add up to the\n"
      "              footprint.\n"
      "  speedscope  JSON for https://www.speedscope.app: a profile a lane; over a\n"
      "              range also what was allocated and freed.\n"
      "  pprof       gzip'd heap profile: inuse_space, over a range also alloc_space.\n"
      "              The lane is a label: pprof -tagfocus=lane=heap.\n"
      "  csv         With --at or --range: a row a lane and stack.\n"
      "All of the run, or the range:\n"
      "  perfetto    JSON for https://ui.perfetto.dev: lanes, footprint, resident\n"
      "              memory and bytes read as counters, phases as slices.\n"
      "  massif      For ms_print and massif-visualizer: a hundred snapshots of the\n"
      "              footprint, the exact peak among them; --at adds one.\n"
      "  csv         A thousand rows: lowest and highest bytes of every lane.\n"
      "File mappings are no part of the footprint: speedscope, pprof, perfetto and\n"
      "csv have them apart from it, the others do not have them.");
  return verb;
}

}  // namespace tidemark::cli
