#include "analyzer/report/report_markdown.hpp"

#include "analyzer/report/anatomy/anatomy_markdown.hpp"
#include "analyzer/report/facts/report_sentences.hpp"
#include "analyzer/report/parts/lane_rows.hpp"
#include "analyzer/report/parts/markdown_parts.hpp"
#include "analyzer/report/parts/sampled_table.hpp"
#include "analyzer/report/parts/tensor_table.hpp"
#include "analyzer/report/parts/usage_table.hpp"
#include "analyzer/text/loss_text.hpp"
#include "analyzer/text/markdown.hpp"
#include "analyzer/text/size_text.hpp"
#include "analyzer/text/table_text.hpp"

#include <fmt/format.h>

namespace tidemark::analyzer {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string lanes(const Report& report) {
  Rows rows;
  for (const LaneRow& row : lane_rows(report)) {
    rows.push_back({md_indented(row.name), row.highest, row.at_peak, md_text(row.meaning)});
  }
  return md_table({{"memory", false}, {"highest", true}, {"at peak", true}, {"", false}}, rows) +
         (was_sampled(report) ? "" : "Resident memory was not sampled.\n\n");
}

std::string stacks(const Report& report) {
  Rows rows;
  const auto telling = telling_texts(report.live_stacks);
  for (std::size_t rank = 0; rank < report.live_stacks.size(); ++rank) {
    const ReportStack& stack = report.live_stacks[rank];
    rows.push_back({format_size(stack.bytes), share(stack.bytes, report.live_bytes),
                    format_count(stack.blocks),
                    md_stack(frames_of(report, stack), telling[rank], lane_suffix(stack.lane),
                             deserves_its_callers(report, rank))});
  }
  if (const std::size_t rest = report.live_stack_count - report.live_stacks.size(); rest > 0) {
    rows.push_back({format_size(report.live_rest.bytes),
                    share(report.live_rest.bytes, report.live_bytes),
                    format_count(report.live_rest.blocks),
                    fmt::format("{} more {}", format_count(rest), rest == 1 ? "stack" : "stacks")});
  }
  if (report.unattributed_bytes != 0) {
    rows.push_back({format_signed_size(report.unattributed_bytes), "", "", "not attributed"});
  }
  return "**" + live_title_of(report) + "**\n\n" +
         md_table({{"bytes", true}, {"share", true}, {"blocks", true}, {"stack", false}}, rows);
}

std::string model_notes(const Report& report) {
  std::string text;
  for (const std::string& note : model_notes_of(report)) {
    text += "- " + md_text(note) + '\n';
  }
  return text.empty() ? text : text + '\n';
}

std::string phases(const Report& report) {
  constexpr std::size_t kMaxPhaseRows = 20;
  Rows rows;
  for (const Phase& phase : highest_phases(report.phases, kMaxPhaseRows)) {
    const std::string ratio =
        report.model.is_known()
            ? fmt::format("{:.2f} x W", static_cast<double>(phase.peak_bytes) /
                                            static_cast<double>(report.model.bytes))
            : std::string();
    rows.push_back({md_code(phase.name), format_time(phase.begin_ns), format_time(phase.end_ns),
                    format_size(phase.peak_bytes), ratio});
  }
  return rows.empty() ? std::string()
                      : md_table({{"phase", false},
                                  {"begin", true},
                                  {"end", true},
                                  {"highest", true},
                                  {"", true}},
                                 rows);
}

}  // namespace

std::string report_markdown(const Report& report) {
  const std::string sum = peak_sum_of(report);
  return "**" + md_text(headline_of(report)) + "**\n\n" +
         (sum.empty() ? sum : md_text(sum) + "\n\n") + md_warnings(warnings_of(report)) +
         md_load(report) + "\n\n" + lanes(report) + model_notes(report) + md_anatomy(report) +
         tensor_markdown(report) + usage_markdown(report) + stacks(report) +
         sampled_markdown(report) + phases(report) + "Lost: " + lost_of(report) +
         ". Overhead: " + overhead_of(report) + ".\n" + md_unrecorded(report, {});
}

}  // namespace tidemark::analyzer
