#include "gui/view/session/allocation_usage.hpp"

#include "analyzer/query/footprint/peak.hpp"
#include "analyzer/query/footprint/program_end.hpp"
#include "analyzer/stacks/stack_names.hpp"
#include "analyzer/text/size_text.hpp"
#include "gui/view/trees/call_tree.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::gui {
namespace {

using analyzer::NamedFrame;

/// Behind the function.
std::string stacks_text(const analyzer::ReportUsageRow& function) {
  return function.stacks == 1 ? ""
                              : fmt::format(", {} stacks", analyzer::format_count(function.stacks));
}

std::string text_of(const analyzer::ReportUsageRow& function) {
  const auto& frames = function.frames;
  if (frames.empty()) {
    return "(no stack)" + stacks_text(function);
  }
  const NamedFrame& frame = frames[analyzer::asking_frame(frames)];
  std::string place = place_text(frame);
  if (!function.has_one_line) {
    place.erase(std::min(place.rfind(':'), place.size()));
  }
  return analyzer::short_name(frame) + (place.empty() ? "" : " (" + place + ")") +
         stacks_text(function);
}

std::string text_of(const std::vector<NamedFrame>& frames, const std::string& native) {
  std::string text = frames.empty() ? "(no stack)" : "";
  for (std::size_t i = analyzer::asking_frame(frames); i < frames.size(); ++i) {
    if (!text.empty()) {
      text += "  <  " + analyzer::lone_name(frames[i]);
      continue;
    }
    const std::string place = place_text(frames[i]);
    text += analyzer::short_name(frames[i]) + (place.empty() ? "" : " (" + place + ")") + native;
  }
  return text;
}

}  // namespace

AllocationUsage allocation_usage(analyzer::LoadedTrace& trace,
                                 const UsageQuestion& question,
                                 std::size_t max_rows) {
  AllocationUsage list{
      .question = question, .usage = {}, .lines = {}, .functions = {}, .stacks = {}};
  const analyzer::Usage usage =
      analyzer::usage_of(trace, analyzer::find_peak(trace).at, question.by, {});
  if (question.by_function && analyzer::has_stacks(question.by)) {
    analyzer::AskerFinder askers(trace.definitions());
    list.usage = analyzer::report_functions(trace.definitions(), askers, usage, max_rows);
    for (const analyzer::ReportUsageRow& row : list.usage.rows) {
      list.functions.push_back(text_of(row));
    }
  } else {
    list.usage = analyzer::report_usage(trace.definitions(), usage, max_rows);
  }
  list.lines = analyzer::usage_lines(list.usage);
  for (std::size_t i = 0; !list.usage.by_function && i < list.lines.natives.size(); ++i) {
    list.stacks.push_back(text_of(list.usage.rows[i].frames, list.lines.natives[i]));
  }
  if (question.by == analyzer::UsageGrouping::kLeaked) {
    list.end_ns = analyzer::program_end_ns(trace);
  }
  return list;
}

}  // namespace tidemark::gui
