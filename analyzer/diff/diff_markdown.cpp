#include "analyzer/diff/diff_markdown.hpp"

#include "analyzer/diff/diff_rows.hpp"
#include "analyzer/diff/main_change.hpp"
#include "analyzer/report/anatomy/anatomy_markdown.hpp"
#include "analyzer/report/parts/markdown_parts.hpp"
#include "analyzer/text/change_text.hpp"
#include "analyzer/text/loss_text.hpp"
#include "analyzer/text/markdown.hpp"
#include "analyzer/text/size_text.hpp"
#include "analyzer/text/table_text.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tidemark::analyzer {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::vector<MdColumn> value_columns(std::string first) {
  return {
      {std::move(first), false}, {"before", true}, {"after", true}, {"change", true}, {"", true}};
}

std::string values(const Diff& diff) {
  Rows rows;
  const auto add = [&rows](const std::vector<DiffRow>& values) {
    for (const DiffRow& row : values) {
      rows.push_back({md_indented(row.name), row.before, row.after, row.change, row.percent});
    }
  };
  add(lane_rows(diff));
  add(load_rows(diff));
  return md_table(value_columns("highest"), rows);
}

std::string phases(const Diff& diff) {
  constexpr std::size_t kMaxPhaseRows = 20;
  const auto peak = [](const std::optional<Phase>& phase) { return phase ? phase->peak_bytes : 0; };
  Rows rows;
  for (std::size_t i = 0; i < std::min(kMaxPhaseRows, diff.phases.size()); ++i) {
    const PhasePair& pair = diff.phases[i];
    const bool in_both = pair.before && pair.after;
    rows.push_back({md_code(phase_name(pair)), pair.before ? format_size(peak(pair.before)) : "-",
                    pair.after ? format_size(peak(pair.after)) : "-",
                    in_both ? format_size_change(peak(pair.before), peak(pair.after)) : "",
                    in_both ? format_change(peak(pair.before), peak(pair.after)) : ""});
  }
  return rows.empty() ? std::string() : md_table(value_columns("highest in phase"), rows);
}

void add_remainder(Rows& rows, const DiffRemainder& rest, const std::string& what) {
  if (rest.stacks != 0) {
    rows.push_back({format_size(rest.before_bytes), format_size(rest.after_bytes),
                    format_size_change(rest.before_bytes, rest.after_bytes),
                    format_count(rest.stacks) + ' ' + what});
  }
}

std::string stacks(const Diff& diff) {
  Rows rows;
  const auto telling = telling_texts(diff.stacks);
  for (std::size_t rank = 0; rank < diff.stacks.size(); ++rank) {
    const DiffStack& stack = diff.stacks[rank];
    std::string note(lane_suffix(stack.lane));
    if (const auto match = note_on(stack); !match.empty()) {
      note += " (" + std::string(match) + ')';
    }
    rows.push_back({format_size(stack.before_bytes), format_size(stack.after_bytes),
                    format_size_change(stack.before_bytes, stack.after_bytes),
                    md_stack(stack.frames, telling[rank], note, deserves_its_callers(diff, rank))});
  }
  add_remainder(rows, diff.more, "more that changed");
  add_remainder(rows, diff.unchanged, "that did not change");
  const std::int64_t before = diff.before.unattributed_bytes;
  const std::int64_t after = diff.after.unattributed_bytes;
  if (before != 0 || after != 0) {
    rows.push_back({format_signed_size(before), format_signed_size(after),
                    format_signed_size(after - before), "not attributed"});
  }
  return "**" + stacks_title_of(diff) + "**\n\n" +
         md_table({{"before", true}, {"after", true}, {"change", true}, {"stack", false}}, rows);
}

std::string why(const std::string& side, const Report& report) {
  const std::string list = md_why(report);
  return list.empty() ? list : "**why " + side + "**\n\n" + list;
}

}  // namespace

std::string diff_markdown(const Diff& diff) {
  const std::string main_change = main_change_of(diff);
  return "**" + md_text(headline_of(diff, "→")) + "**\n\n" +
         (main_change.empty() ? std::string() : md_text(main_change) + "\n\n") +
         md_warnings(warnings_of(diff)) + "- before: " + md_load(diff.before) +
         "\n- after: " + md_load(diff.after) + "\n\n" + values(diff) + why("before", diff.before) +
         why("after", diff.after) + phases(diff) + stacks(diff) +
         "Lost before: " + loss_text(diff.before.loss) +
         ". Lost after: " + loss_text(diff.after.loss) + ".\n" +
         md_unrecorded(diff.before, "before: ") + md_unrecorded(diff.after, "after: ");
}

}  // namespace tidemark::analyzer
