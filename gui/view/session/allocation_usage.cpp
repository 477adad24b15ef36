#include "gui/view/session/allocation_usage.hpp"

#include "analyzer/query/footprint/peak.hpp"
#include "analyzer/query/footprint/program_end.hpp"
#include "analyzer/stacks/stack_names.hpp"
#include "analyzer/text/size_text.hpp"
#include "gui/view/trees/call_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace tidemark::gui {
namespace {

using analyzer::NamedFrame;
using analyzer::UsageGrouping;
using analyzer::UsageRow;

struct Function {
  NamedFrame frame;
  bool has_one_line = true;  ///< All its stacks ask in the same.
  UsageRow heaviest;
  analyzer::UsageCounts counts;
  std::size_t stacks = 0;
};

/// Functions of one name in two files or modules are two.
using FunctionKey = std::pair<std::string, std::string>;

FunctionKey key_of(const NamedFrame& frame) {
  return {frame.function, frame.file.empty() ? frame.module : frame.file};
}

NamedFrame asking_or_none(const trace::Definitions& definitions, trace::StackId stack) {
  if (auto frame = analyzer::asking_of(definitions, stack)) {
    return *std::move(frame);
  }
  NamedFrame none;
  none.function = "(no stack)";
  return none;
}

/// `rows` have the heaviest first.
std::vector<Function> functions_of(const trace::Definitions& definitions,
                                   const std::vector<UsageRow>& rows,
                                   UsageGrouping by) {
  std::map<FunctionKey, Function> found;
  for (const UsageRow& row : rows) {
    const NamedFrame frame = asking_or_none(definitions, row.stack);
    Function& function = found[key_of(frame)];
    if (function.stacks++ == 0) {
      function.frame = frame;
      function.heaviest = row;
    }
    function.has_one_line = function.has_one_line && function.frame.line == frame.line;
    function.counts += row.counts;
  }
  std::vector<Function> functions;
  for (auto& [key, function] : found) {
    functions.push_back(std::move(function));
  }
  std::ranges::stable_sort(functions, std::ranges::greater(),
                           [by](const Function& function) { return rank_of(by, function.counts); });
  return functions;
}

std::string text_of(const Function& function) {
  std::string place = place_text(function.frame);
  if (!function.has_one_line) {
    place.erase(std::min(place.rfind(':'), place.size()));
  }
  return fmt::format(
      "{}{}{}", analyzer::short_name(function.frame), place.empty() ? "" : " (" + place + ")",
      function.stacks == 1 ? ""
                           : fmt::format(", {} stacks", analyzer::format_count(function.stacks)));
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

AllocationUsage by_function(analyzer::LoadedTrace& trace,
                            const UsageQuestion& question,
                            std::size_t max_rows) {
  const analyzer::Usage stacks =
      analyzer::usage_of(trace, analyzer::find_peak(trace).at, question.by, {});
  AllocationUsage list{
      .question = question, .usage = {}, .lines = {}, .functions = {}, .stacks = {}};
  list.usage.by = question.by;
  list.usage.all = stacks.all;
  const auto functions = functions_of(trace.definitions(), stacks.rows, question.by);
  list.usage.row_count = functions.size();
  for (const Function& function : functions) {
    if (list.usage.rows.size() == max_rows) {
      list.usage.rest += function.counts;
      continue;
    }
    analyzer::ReportUsageRow& row = list.usage.rows.emplace_back();
    row.usage = function.heaviest;
    row.usage.counts = function.counts;
    // Of the stack that is shown.
    row.usage.counts.largest_bytes = function.heaviest.counts.largest_bytes;
    row.usage.counts.largest_at_ns = function.heaviest.counts.largest_at_ns;
    row.frames = analyzer::named_stack(trace.definitions(), function.heaviest.stack);
    list.functions.push_back(text_of(function));
  }
  list.lines = analyzer::usage_lines(list.usage);
  list.lines.headings.back() = "function";
  if (functions.size() > max_rows) {
    const std::size_t more = functions.size() - max_rows;
    list.lines.names.back() =
        fmt::format("{} more function{}", analyzer::format_count(more), more == 1 ? "" : "s");
  }
  return list;
}

}  // namespace

bool has_stacks(UsageGrouping by) {
  return by != UsageGrouping::kSize && by != UsageGrouping::kThread;
}

AllocationUsage allocation_usage(analyzer::LoadedTrace& trace,
                                 const UsageQuestion& question,
                                 std::size_t max_rows) {
  AllocationUsage list{
      .question = question, .usage = {}, .lines = {}, .functions = {}, .stacks = {}};
  if (question.by_function && has_stacks(question.by)) {
    list = by_function(trace, question, max_rows);
  } else {
    list.usage =
        analyzer::report_usage(trace, analyzer::find_peak(trace).at, question.by, max_rows);
    list.lines = analyzer::usage_lines(list.usage);
    for (std::size_t i = 0; i < list.lines.natives.size(); ++i) {
      list.stacks.push_back(text_of(list.usage.rows[i].frames, list.lines.natives[i]));
    }
  }
  if (question.by == UsageGrouping::kLeaked) {
    list.end_ns = analyzer::program_end_ns(trace);
  }
  return list;
}

}  // namespace tidemark::gui
