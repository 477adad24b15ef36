#include "analyzer/report/parts/usage_table.hpp"

#include "analyzer/flow/places.hpp"
#include "analyzer/report/parts/markdown_parts.hpp"
#include "analyzer/stacks/stack_text.hpp"
#include "analyzer/text/markdown.hpp"
#include "analyzer/text/size_text.hpp"
#include "analyzer/text/table_text.hpp"
#include "analyzer/text/wrapped_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// The cells in front of a row's name, and their headings.
struct UsageColumn {
  std::string_view title;
  std::string (*cell)(const UsageCounts& row, const UsageCounts& all);
  bool is_ranked = false;  // Has the number of `rank_of`.
};

std::string allocations_cell(const UsageCounts& row, const UsageCounts&) {
  return format_count(row.allocations);
}
std::string allocations_share(const UsageCounts& row, const UsageCounts& all) {
  return share(row.allocations, all.allocations);
}
std::string bytes_cell(const UsageCounts& row, const UsageCounts&) {
  return format_size(row.bytes);
}
std::string temporary_cell(const UsageCounts& row, const UsageCounts&) {
  return format_count(row.temporary);
}
/// As a part of the row's own allocations.
std::string temporary_share(const UsageCounts& row, const UsageCounts&) {
  return share(row.temporary, row.allocations);
}
std::string held_blocks_cell(const UsageCounts& row, const UsageCounts&) {
  return format_count(row.held_blocks);
}
std::string held_cell(const UsageCounts& row, const UsageCounts&) {
  return format_size(row.held_bytes);
}
std::string held_share(const UsageCounts& row, const UsageCounts& all) {
  return share(row.held_bytes, all.held_bytes);
}

std::vector<UsageColumn> columns_of(UsageGrouping by) {
  switch (by) {
    case UsageGrouping::kTemporary:
      return {{"temporary", temporary_cell, true},
              {"of", allocations_cell},
              {"share", temporary_share}};
    case UsageGrouping::kLeaked:
      return {{"bytes", held_cell, true}, {"share", held_share}, {"blocks", held_blocks_cell}};
    case UsageGrouping::kAllocations:
      return {
          {"number", allocations_cell, true}, {"share", allocations_share}, {"bytes", bytes_cell}};
    default:
      return {{"number", allocations_cell},
              {"share", allocations_share},
              {"bytes", bytes_cell, true},
              {"at peak", held_cell}};
  }
}

std::string counted(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", format_count(count), what, count == 1 ? "" : "s");
}

/// True for a mapping that is reserved and then committed, or that counts by its touched part.
bool holds_more_than_asked_for(const ReportUsage& usage) {
  return std::ranges::any_of(usage.rows, [](const ReportUsageRow& row) {
    return row.usage.counts.held_bytes > row.usage.counts.bytes;
  });
}

std::string usage_title(const ReportUsage& usage) {
  const UsageCounts& all = usage.all;
  switch (usage.by) {
    case UsageGrouping::kTemporary:
      return all.allocations == 0
                 ? "temporary allocations: there are no allocations"
                 : fmt::format(
                       "temporary allocations: {} of {} ({}) were freed before their thread did "
                       "anything else with the heap",
                       format_count(all.temporary), format_count(all.allocations),
                       share(all.temporary, all.allocations));
    case UsageGrouping::kLeaked:
      return fmt::format("never freed: {} in {}", format_size(all.held_bytes),
                         counted(all.held_blocks, "heap block"));
    case UsageGrouping::kAllocations:
      return fmt::format("who allocated most often: {}, {} in all",
                         counted(all.allocations, "allocation"), format_size(all.bytes));
    default:
      return fmt::format("allocations and mappings by {}: {}, {} in all{}", grouping_word(usage.by),
                         format_count(all.allocations), format_size(all.bytes),
                         holds_more_than_asked_for(usage)
                             ? "; what they committed or touched later counts at the peak alone"
                             : "");
  }
}

std::string_view last_heading(const ReportUsage& usage) {
  return !has_stacks(usage.by) ? grouping_word(usage.by) : usage.by_function ? "function" : "stack";
}

/// `64 B to 127 B`.
std::string size_range(std::uint64_t least_bytes) {
  return least_bytes < 2 ? format_size(least_bytes)
                         : fmt::format("{} to below {}", format_size(least_bytes),
                                       least_bytes > UINT64_MAX / 2 ? std::string("2^64")
                                                                    : format_size(least_bytes * 2));
}

std::string thread_text(const ReportUsageRow& row) {
  return fmt::format("{}, tid {} of pid {}", row.thread.empty() ? "?" : row.thread, row.tid,
                     row.pid);
}

std::string rest_text(const ReportUsage& usage) {
  return counted(usage.row_count - usage.rows.size(), fmt::format("more {}", last_heading(usage)));
}

std::string cells_text(const ReportUsage& usage, const UsageCounts& counts) {
  std::string text;
  for (const UsageColumn& column : columns_of(usage.by)) {
    text += number_column(column.cell(counts, usage.all));
  }
  return text + "  ";
}

std::string headings(const ReportUsage& usage, const TextStyle& style) {
  std::string text;
  for (const UsageColumn& column : columns_of(usage.by)) {
    text += number_column(column.title);
  }
  return painted(style, Paint::kDim, text + "  " + std::string(last_heading(usage))) + '\n';
}

/// The stack, with its callers if it is one of the first.
std::string stack_cell(const ReportUsage& usage,
                       std::size_t rank,
                       const Telling& telling,
                       const TextStyle& style,
                       std::size_t indent) {
  constexpr std::size_t kWithCallers = 3;
  const auto& frames = usage.rows[rank].frames;
  const bool has_callers = rank < kWithCallers;
  const std::size_t room = style.width - std::min(style.width, indent);
  std::string text =
      painted(style, Paint::kBold,
              row_text(style, frames, has_callers ? telling.without_caller() : telling, room)) +
      '\n';
  if (has_callers) {
    for (const std::string& line : chain_text(style, frames, room)) {
      text += std::string(indent, ' ') + painted(style, Paint::kDim, line) + '\n';
    }
  }
  return text;
}

std::string name_cell(const ReportUsage& usage,
                      std::size_t rank,
                      const std::vector<Telling>& telling,
                      const TextStyle& style,
                      std::size_t indent) {
  const ReportUsageRow& row = usage.rows[rank];
  const std::size_t room = style.width - std::min(style.width, indent);
  switch (usage.by) {
    case UsageGrouping::kSize:
      return fit(style, size_range(row.usage.least_bytes), room) + '\n';
    case UsageGrouping::kThread:
      return fit(style, printable(style, thread_text(row)), room) + '\n';
    default:
      return stack_cell(usage, rank, telling[rank], style, indent);
  }
}

bool is_unused(const SuppressedLeaks& leaks) {
  return leaks.counts.held_blocks == 0;
}

std::string suppressed_text(const SuppressedLeaks& leaks) {
  return is_unused(leaks)
             ? "suppresses nothing: leak:" + leaks.pattern
             : fmt::format("suppressed: {} in {} by leak:{}", format_size(leaks.counts.held_bytes),
                           counted(leaks.counts.held_blocks, "block"), leaks.pattern);
}

std::vector<std::string> natives_of(const ReportUsage& usage) {
  if (!has_stacks(usage.by)) {
    return {};
  }
  std::vector<const std::vector<NamedFrame>*> stacks;
  for (const ReportUsageRow& row : usage.rows) {
    stacks.push_back(&row.frames);
  }
  return told_natives(stacks);
}

Json counts_json(const ReportUsage& usage, const UsageCounts& counts) {
  switch (usage.by) {
    case UsageGrouping::kLeaked:
      return {{"bytes", counts.held_bytes}, {"blocks", counts.held_blocks}};
    case UsageGrouping::kTemporary:
    case UsageGrouping::kAllocations:
      return {{"allocations", counts.allocations},
              {"bytes", counts.bytes},
              {"temporary", counts.temporary}};
    default:
      return {{"allocations", counts.allocations},
              {"bytes", counts.bytes},
              {"temporary", counts.temporary},
              {"peak_bytes", counts.held_bytes},
              {"peak_blocks", counts.held_blocks}};
  }
}

Json row_json(const ReportUsage& usage, const ReportUsageRow& row) {
  Json json = counts_json(usage, row.usage.counts);
  if (usage.by == UsageGrouping::kSize) {
    json["least_bytes"] = row.usage.least_bytes;
  } else if (usage.by == UsageGrouping::kThread) {
    json["pid"] = row.pid;
    json["tid"] = row.tid;
    json["name"] = row.thread;
  } else {
    json["stack"] = stack_document(row.frames);
  }
  return json;
}

std::vector<std::string> markdown_row(const ReportUsage& usage, const UsageCounts& counts) {
  std::vector<std::string> cells;
  for (const UsageColumn& column : columns_of(usage.by)) {
    cells.push_back(column.cell(counts, usage.all));
  }
  return cells;
}

}  // namespace

UsageLines usage_lines(const ReportUsage& usage) {
  UsageLines lines{.title = usage_title(usage),
                   .headings = {},
                   .cells = {},
                   .names = {},
                   .ranked = 0,
                   .natives = {}};
  for (const UsageColumn& column : columns_of(usage.by)) {
    lines.ranked = column.is_ranked ? lines.headings.size() : lines.ranked;
    lines.headings.emplace_back(column.title);
  }
  lines.headings.emplace_back(last_heading(usage));
  for (const ReportUsageRow& row : usage.rows) {
    lines.cells.push_back(markdown_row(usage, row.usage.counts));
    lines.names.push_back(usage.by == UsageGrouping::kSize     ? size_range(row.usage.least_bytes)
                          : usage.by == UsageGrouping::kThread ? thread_text(row)
                                                               : std::string());
  }
  lines.natives = natives_of(usage);
  if (usage.row_count > usage.rows.size()) {
    lines.cells.push_back(markdown_row(usage, usage.rest));
    lines.names.push_back(rest_text(usage));
  }
  return lines;
}

std::string usage_table(const Report& report, const TextStyle& style) {
  const ReportUsage& usage = report.usage;
  if (usage.by == UsageGrouping::kNone) {
    return {};
  }
  std::string text;
  for (const std::string& line : wrapped(style, usage_title(usage), style.width)) {
    text += title(style, line);
  }
  if (!usage.rows.empty()) {
    text += headings(usage, style);
  }
  const auto telling = telling_texts(usage.rows);
  for (std::size_t rank = 0; rank < usage.rows.size(); ++rank) {
    const std::string cells = cells_text(usage, usage.rows[rank].usage.counts);
    text += cells + name_cell(usage, rank, telling, style, cells.size());
  }
  if (usage.row_count > usage.rows.size()) {
    text += cells_text(usage, usage.rest) + rest_text(usage) + '\n';
  }
  for (const SuppressedLeaks& leaks : usage.suppressed) {
    text += "  " + fit(style, printable(style, suppressed_text(leaks)), style.width - 2) + '\n';
  }
  return text;
}

std::string usage_markdown(const Report& report) {
  const ReportUsage& usage = report.usage;
  if (usage.by == UsageGrouping::kNone) {
    return {};
  }
  std::vector<MdColumn> columns;
  for (const UsageColumn& column : columns_of(usage.by)) {
    columns.push_back({std::string(column.title), true});
  }
  columns.push_back({std::string(last_heading(usage)), false});
  std::vector<std::vector<std::string>> rows;
  const auto telling = telling_texts(usage.rows);
  for (std::size_t rank = 0; rank < usage.rows.size(); ++rank) {
    const ReportUsageRow& row = usage.rows[rank];
    rows.push_back(markdown_row(usage, row.usage.counts));
    rows.back().push_back(usage.by == UsageGrouping::kSize ? size_range(row.usage.least_bytes)
                          : usage.by == UsageGrouping::kThread
                              ? md_text(thread_text(row))
                              : md_stack(row.frames, telling[rank], "", rank < 3));
  }
  if (usage.row_count > usage.rows.size()) {
    rows.push_back(markdown_row(usage, usage.rest));
    rows.back().push_back(rest_text(usage));
  }
  std::string text = "**" + md_text(usage_title(usage)) + "**\n\n";
  text += rows.empty() ? "" : md_table(columns, rows);
  for (const SuppressedLeaks& leaks : usage.suppressed) {
    text += "- " + md_text(suppressed_text(leaks)) + '\n';
  }
  return usage.suppressed.empty() ? text : text + '\n';
}

Json usage_json(const Report& report) {
  const ReportUsage& usage = report.usage;
  Json rows = Json::array();
  for (const ReportUsageRow& row : usage.rows) {
    rows.push_back(row_json(usage, row));
  }
  Json json{{"by", grouping_word(usage.by)}, {"all", counts_json(usage, usage.all)}};
  json["rows"] = std::move(rows);
  json["rest"] = counts_json(usage, usage.rest);
  json["rest"]["rows"] = usage.row_count - usage.rows.size();
  if (usage.by == UsageGrouping::kLeaked) {
    json["suppressed"] = Json::array();
    for (const SuppressedLeaks& leaks : usage.suppressed) {
      json["suppressed"].push_back({{"pattern", leaks.pattern},
                                    {"bytes", leaks.counts.held_bytes},
                                    {"blocks", leaks.counts.held_blocks}});
    }
  }
  return json;
}

}  // namespace tidemark::analyzer
