#include "analyzer/export/formats.hpp"

#include "analyzer/export/collapsed.hpp"
#include "analyzer/export/csv.hpp"
#include "analyzer/export/flamegraph.hpp"
#include "analyzer/export/massif.hpp"
#include "analyzer/export/perfetto.hpp"
#include "analyzer/export/pprof.hpp"
#include "analyzer/export/speedscope.hpp"

#include <algorithm>
#include <array>

namespace tidemark::exports {
namespace {

using Instant = std::optional<std::uint64_t>;

std::string write_pprof(const trace::Definitions& definitions, const StackTable& table, double) {
  return pprof_profile(definitions, table);
}

std::string write_stacks_csv(const trace::Definitions& definitions,
                             const StackTable& table,
                             double) {
  return stacks_csv(definitions, table);
}

Result<std::string> write_timeline_csv(analyzer::LoadedTrace& trace,
                                       const TimeSpan& span,
                                       Instant) {
  return timeline_csv(trace, span);
}

Result<std::string> write_perfetto(analyzer::LoadedTrace& trace, const TimeSpan& span, Instant) {
  return perfetto_trace(trace, span);
}

Result<std::string> write_massif(analyzer::LoadedTrace& trace,
                                 const TimeSpan& span,
                                 Instant at_ns) {
  return massif_text(trace, span, at_ns);
}

constexpr std::array kFormats{
    ExportFormat{
        .name = "collapsed",
        .stacks = collapsed_text,
        .folds = true,
        .stacks_help =
            "  collapsed   A line a stack, for flamegraph.pl and inferno. The lane (heap,\n"
            "              anon, device, shared) is the outermost frame; all lines add up to\n"
            "              the footprint.\n"},
    ExportFormat{.name = "flamegraph",
                 .stacks = flamegraph_svg,
                 .folds = true,
                 .stacks_help =
                     "  flamegraph  SVG for any browser: frames are as wide as their bytes, which\n"
                     "              their titles have; the lane is the outermost one.\n"},
    ExportFormat{.name = "speedscope",
                 .stacks = speedscope_json,
                 .folds = true,
                 .stacks_help =
                     "  speedscope  JSON for https://www.speedscope.app: a profile a lane; over a\n"
                     "              range also what was allocated and freed.\n"},
    ExportFormat{
        .name = "pprof",
        .stacks = write_pprof,
        .is_binary = true,
        .stacks_help =
            "  pprof       gzip'd heap profile: inuse_space, over a range also alloc_space.\n"
            "              The lane is a label: pprof -tagfocus=lane=heap.\n"},
    ExportFormat{.name = "perfetto",
                 .run = write_perfetto,
                 .is_binary = true,
                 .run_help =
                     "  perfetto    For https://ui.perfetto.dev and trace_processor: lanes,\n"
                     "              footprint, resident memory and the bytes read of the model as\n"
                     "              counters, phases as slices, stacks as heap profiles at the\n"
                     "              peak and at the end.\n"},
    ExportFormat{
        .name = "massif",
        .run = write_massif,
        .marks_instant = true,
        .run_help = "  massif      For ms_print and massif-visualizer: a hundred snapshots of the\n"
                    "              footprint, the exact peak among them; --at adds one.\n"},
    ExportFormat{
        .name = "csv",
        .stacks = write_stacks_csv,
        .run = write_timeline_csv,
        .stacks_help = "  csv         With --at or --range: a row a lane and stack.\n",
        .run_help = "  csv         A thousand rows: lowest and highest bytes of every lane.\n"},
};

}  // namespace

std::span<const ExportFormat> export_formats() {
  return kFormats;
}

const ExportFormat* find_export_format(std::string_view name) {
  const auto* const found = std::ranges::find(kFormats, name, &ExportFormat::name);
  return found == kFormats.end() ? nullptr : &*found;
}

}  // namespace tidemark::exports
