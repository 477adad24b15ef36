#include "analyzer/diff/diff_rows.hpp"

#include "analyzer/report/facts/report_sentences.hpp"
#include "analyzer/text/change_text.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace tidemark::analyzer {
namespace {

std::string ratio_text(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.2f}", *ratio) : std::string("?");
}

/// Differ by more than a header, or a page of a mapping, adds to the same weights, and enough to
/// show in the printed sizes.
bool models_differ(std::uint64_t before, std::uint64_t after) {
  constexpr std::uint64_t kTolerance = 200;
  const std::uint64_t more = std::max(before, after);
  const std::uint64_t less = std::min(before, after);
  return more - less > more / kTolerance && format_size(more) != format_size(less);
}

std::string ratio_sentence(const Diff& diff, std::string_view arrow) {
  const auto before = diff.before.ratio();
  const auto after = diff.after.ratio();
  return before || after
             ? fmt::format(", ratio {} {} {}", ratio_text(before), arrow, ratio_text(after))
             : std::string();
}

DiffRow size_row(std::string name, std::uint64_t before, std::uint64_t after) {
  return {std::move(name), format_size(before), format_size(after),
          format_size_change(before, after), format_change(before, after)};
}

DiffRow ratio_row(const Diff& diff) {
  const auto before = diff.before.ratio();
  const auto after = diff.after.ratio();
  return {"peak / W", ratio_text(before), ratio_text(after),
          before && after ? fmt::format("{:+.2f}", *after - *before) : "", ""};
}

/// One lane's highest values.
struct Highest {
  std::string name;
  std::uint64_t before;
  std::uint64_t after;
};

std::vector<Highest> highest_values(const Diff& diff) {
  const auto& before = diff.before;
  const auto& after = diff.after;
  std::vector<Highest> values{
      {"footprint", before.peak.footprint_bytes, after.peak.footprint_bytes}};
  for (const trace::Lane lane : trace::kShownLanes) {
    const trace::LaneInfo& info = trace::info_of(lane);
    values.push_back({std::string(info.in_footprint ? "  " : "") + info.key,
                      before.lane_peaks[lane], after.lane_peaks[lane]});
  }
  values.insert(values.end(),
                {{"rss", before.resident.total_bytes, after.resident.total_bytes},
                 {"  rss_anon", before.resident.anon_bytes, after.resident.anon_bytes},
                 {"  rss_file", before.resident.file_bytes, after.resident.file_bytes},
                 {"  rss_shmem", before.resident.shmem_bytes, after.resident.shmem_bytes},
                 {"  VmHWM", before.kernel_peak_rss_bytes, after.kernel_peak_rss_bytes},
                 {"unexplained", before.unexplained_bytes, after.unexplained_bytes}});
  return values;
}

}  // namespace

std::string headline_of(const Diff& diff, std::string_view arrow) {
  const std::uint64_t before = diff.before.peak.footprint_bytes;
  const std::uint64_t after = diff.after.peak.footprint_bytes;
  const std::string change = before == after ? "unchanged" : format_change(before, after);
  return fmt::format("peak {} {} {}: {}{}", format_size(before), arrow, format_size(after), change,
                     ratio_sentence(diff, arrow));
}

std::string models_warning(std::uint64_t before_bytes, std::uint64_t after_bytes) {
  if (before_bytes == 0 || after_bytes == 0) {
    return before_bytes == after_bytes
               ? std::string()
               : fmt::format("No model is known {}: W is {} {}.",
                             before_bytes == 0 ? "before" : "after",
                             format_size(std::max(before_bytes, after_bytes)),
                             before_bytes == 0 ? "after" : "before");
  }
  return models_differ(before_bytes, after_bytes)
             ? fmt::format("The models differ: W is {} before and {} after.",
                           format_size(before_bytes), format_size(after_bytes))
             : std::string();
}

std::vector<std::string> warnings_of(const Diff& diff) {
  std::vector<std::string> warnings;
  for (const std::string& text : warnings_of(diff.before)) {
    warnings.push_back("before: " + text);
  }
  for (const std::string& text : warnings_of(diff.after)) {
    warnings.push_back("after: " + text);
  }
  if (diff.before.session.sample_bytes != diff.after.session.sample_bytes) {
    warnings.push_back(fmt::format(
        "Stacks were not sampled in the same way before and after: rows of heap blocks below {} "
        "cannot be compared.",
        format_size(std::max(diff.before.session.sample_bytes, diff.after.session.sample_bytes))));
  }
  if (std::string text = models_warning(diff.before.model.bytes, diff.after.model.bytes);
      !text.empty()) {
    warnings.push_back(std::move(text));
  }
  return warnings;
}

std::vector<DiffRow> lane_rows(const Diff& diff) {
  std::vector<DiffRow> rows;
  for (const Highest& value : highest_values(diff)) {
    if (value.before != 0 || value.after != 0 || rows.empty()) {
      rows.push_back(size_row(value.name, value.before, value.after));
    }
  }
  return rows;
}

std::vector<DiffRow> load_rows(const Diff& diff) {
  std::vector<DiffRow> rows;
  if (diff.before.model.is_known() || diff.after.model.is_known()) {
    rows.push_back(size_row("model, W", diff.before.model.bytes, diff.after.model.bytes));
    rows.push_back(ratio_row(diff));
  }
  const std::uint64_t before_ns = diff.before.duration_ns;
  const std::uint64_t after_ns = diff.after.duration_ns;
  rows.push_back({"duration", format_time(before_ns), format_time(after_ns),
                  format_time_change(before_ns, after_ns), format_change(before_ns, after_ns)});
  return rows;
}

std::string stacks_title_of(const Diff& diff) {
  return fmt::format("stacks at the peak: {} changed, {} did not",
                     format_count(diff.stacks.size() + diff.more.stacks),
                     format_count(diff.unchanged.stacks));
}

bool deserves_its_callers(const Diff& diff, std::size_t rank) {
  const DiffStack& stack = diff.stacks[rank];
  const std::uint64_t most =
      std::max(diff.before.peak.footprint_bytes, diff.after.peak.footprint_bytes);
  return rank == 0 || std::max(stack.before_bytes, stack.after_bytes) >= most / 100;
}

std::string_view note_on(const DiffStack& stack) {
  switch (stack.match) {
    case StackMatch::kSame:
      return "";
    case StackMatch::kSimilar:
      return "similar stack";
    case StackMatch::kNone:
      break;
  }
  return stack.after_bytes == 0 ? "removed" : "new";
}

std::string phase_name(const PhasePair& pair) {
  if (!pair.before || !pair.after) {
    return pair.before ? pair.before->name + " (removed)" : pair.after->name + " (new)";
  }
  return pair.before->name == pair.after->name ? pair.after->name
                                               : pair.before->name + " / " + pair.after->name;
}

}  // namespace tidemark::analyzer
