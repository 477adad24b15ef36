#include "analyzer/diff/diff.hpp"

#include <utility>

namespace tidemark::analyzer {

std::optional<double> Diff::peak_change_ratio() const {
  if (before.peak.footprint_bytes == 0) {
    return std::nullopt;
  }
  return static_cast<double>(peak_change_bytes()) /
         static_cast<double>(before.peak.footprint_bytes);
}

Diff shortened(Diff diff, std::size_t top) {
  while (top != 0 && diff.stacks.size() > top) {
    ++diff.more.stacks;
    diff.more.before_bytes += diff.stacks.back().before_bytes;
    diff.more.after_bytes += diff.stacks.back().after_bytes;
    diff.stacks.pop_back();
  }
  return diff;
}

Result<Diff> build_diff(LoadedTrace& before, LoadedTrace& after, const DiffOptions& options) {
  const ReportOptions report_options{
      .at_ns = {}, .top = options.top, .model = options.model, .certain_stacks = true};
  auto report_before = build_report(before, report_options);
  if (!report_before.ok()) {
    return report_before.error();
  }
  auto report_after = build_report(after, report_options);
  if (!report_after.ok()) {
    return report_after.error();
  }
  Diff diff;
  diff.before = std::move(report_before.value());
  diff.after = std::move(report_after.value());
  diff.phases = match_phases(diff.before, diff.after);
  static_cast<ChangedStacks&>(diff) = list_changed_stacks(
      diff.before.live, before.definitions(), diff.after.live, after.definitions(), options.top);
  return diff;
}

}  // namespace tidemark::analyzer
