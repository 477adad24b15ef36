#include "analyzer/html/words.hpp"

#include "analyzer/diff/diff_rows.hpp"
#include "analyzer/diff/main_change.hpp"
#include "analyzer/html/html.hpp"
#include "analyzer/report/facts/report_sentences.hpp"
#include "analyzer/report/parts/lane_rows.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::html {
namespace {

void add_element(std::string_view tag, std::string_view text, std::string& html) {
  if (!text.empty()) {
    html += fmt::format("<{0}>{1}</{0}>\n", tag, escaped_text(text));
  }
}

/// A row's first cell is a name, indented if it is a part of the row above. Numbers follow, and in
/// kLaneTable a meaning.
void add_row(std::string_view tag,
             std::initializer_list<std::string_view> cells,
             std::string& html) {
  html += "<tr>";
  for (const std::string_view cell : cells) {
    html += fmt::format("<{0}{1}>{2}</{0}>", tag, cell.starts_with(' ') ? " class=inner" : "",
                        escaped_text(cell));
  }
  html += "</tr>\n";
}

constexpr std::string_view kTable = "<div class=\"table-box\"><table class=\"words\">\n";
constexpr std::string_view kLaneTable =
    "<div class=\"table-box text-last\"><table class=\"words\">\n";
constexpr std::string_view kTableEnd = "</table></div>\n";

void add_notes(std::string& html) {
  constexpr std::string_view kMissing =
      "the interactive parts of this page are missing: the timeline, the flame graph, and the "
      "tables of stacks, allocations, phases, files and processes.";
  html += fmt::format(
      "<noscript><p class=\"warning\">JavaScript is off, so {0}</p></noscript>\n"
      "<p class=\"warning\" id=\"too-old\" hidden>This browser is too old (older than Chromium 85, "
      "Safari 16.4 and Firefox 113), so {0}</p>\n",
      kMissing);
}

/// What a reader must know before believing a number.
void add_warnings(const std::vector<std::string>& warnings, std::string& html) {
  for (const std::string& warning : warnings) {
    html += fmt::format("<p class=\"warning\">{}</p>\n", escaped_text(warning));
  }
}

void add_report(const analyzer::Report& report, std::string& html) {
  add_element("p", analyzer::peak_sum_of(report), html);
  add_element("p", analyzer::command_of(report), html);
  if (!report.anatomy.findings.empty()) {
    html += "<ul>\n";
    for (const analyzer::Finding& finding : report.anatomy.findings) {
      add_element("li", finding.title + ": " + finding.sentence, html);
    }
    html += "</ul>\n";
  }
  html += kLaneTable;
  add_row("th", {"lane", "highest", "at the peak", "meaning"}, html);
  for (const analyzer::LaneRow& row : analyzer::lane_rows(report)) {
    add_row("td", {row.name, row.highest, row.at_peak, row.meaning}, html);
  }
  html += kTableEnd;
}

}  // namespace

std::string words_of(const analyzer::Report& report) {
  std::string html;
  add_element("h1", analyzer::headline_of(report), html);
  add_notes(html);
  add_warnings(analyzer::warnings_of(report), html);
  add_report(report, html);
  return html;
}

std::string words_of(const analyzer::Diff& diff) {
  std::string html;
  add_element("h1", analyzer::headline_of(diff, "→"), html);
  add_element("p", analyzer::main_change_of(diff), html);
  add_notes(html);
  add_warnings(analyzer::warnings_of(diff), html);
  html += kTable;
  add_row("th", {"", "before", "after", "change", ""}, html);
  for (const auto& rows : {analyzer::lane_rows(diff), analyzer::load_rows(diff)}) {
    for (const analyzer::DiffRow& row : rows) {
      add_row("td", {row.name, row.before, row.after, row.change, row.percent}, html);
    }
  }
  html += kTableEnd;
  for (const auto& [side, report] : {std::pair("before", &diff.before), {"after", &diff.after}}) {
    add_element("h2", std::string(side) + ": " + analyzer::headline_of(*report), html);
    add_report(*report, html);
  }
  return html;
}

}  // namespace tidemark::html
