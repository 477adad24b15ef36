#include "analyzer/cli/verbs/reading/report_command.hpp"

#include "analyzer/cli/shared/opened_trace.hpp"
#include "analyzer/cli/shared/terminal.hpp"
#include "analyzer/html/page.hpp"
#include "analyzer/io/whole_file.hpp"
#include "analyzer/query/footprint/program_end.hpp"
#include "analyzer/report/facts/report.hpp"
#include "analyzer/report/report_json.hpp"
#include "analyzer/report/report_markdown.hpp"
#include "analyzer/report/report_text.hpp"
#include "analyzer/text/plot_text.hpp"

#include <memory>
#include <utility>

namespace tidemark::cli {
namespace {

constexpr std::size_t kTextStacks = 10;
constexpr std::size_t kJsonStacks = 100;

analyzer::TensorGrouping tensors_by(const std::string& by) {
  using analyzer::TensorGrouping;
  for (const auto grouping :
       {TensorGrouping::kTensor, TensorGrouping::kLayer, TensorGrouping::kType}) {
    if (by == analyzer::grouping_word(grouping)) {
      return grouping;
    }
  }
  return TensorGrouping::kNone;
}

analyzer::UsageGrouping usage_by(const std::string& by) {
  using analyzer::UsageGrouping;
  for (const auto grouping :
       {UsageGrouping::kTemporary, UsageGrouping::kLeaked, UsageGrouping::kAllocations,
        UsageGrouping::kSize, UsageGrouping::kThread}) {
    if (by == analyzer::grouping_word(grouping)) {
      return grouping;
    }
  }
  return UsageGrouping::kNone;
}

/// What --by and --suppressions ask for.
Status take_lists(const ReportCommand& command, analyzer::ReportOptions& options) {
  options.by = tensors_by(command.by);
  options.usage = usage_by(command.by);
  if (command.by != "stack" && command.format == "html") {
    return Error{ErrorCode::kUsage,
                 "--by adds a list to text, json and markdown; the page has its own lists"};
  }
  if (command.suppressions.empty()) {
    return success();
  }
  if (options.usage != analyzer::UsageGrouping::kLeaked) {
    return Error{ErrorCode::kUsage, "--suppressions is for leaks: --by leaked lists them"};
  }
  const auto text = analyzer::read_whole_file(command.suppressions);
  if (!text.ok()) {
    return text.error();
  }
  auto suppressions = analyzer::parse_suppressions(text.value(), command.suppressions);
  if (!suppressions.ok()) {
    return suppressions.error();
  }
  options.suppressions = std::move(suppressions.value());
  return success();
}

Result<analyzer::ReportOptions> report_options(const ReportCommand& command,
                                               analyzer::LoadedTrace& trace) {
  const bool is_json = command.format == "json";
  const bool is_text = command.format == "text";
  analyzer::ReportOptions options;
  options.model = command.model;
  options.top = command.top.value_or(is_json ? kJsonStacks : kTextStacks);
  options.names_when_shown = true;
  if (const Status lists = take_lists(command, options); !lists.ok()) {
    return lists.error();
  }
  options.columns = is_text ? analyzer::plot_columns(output_style(false, command.output)) : 0;
  if (command.at == "end") {
    options.at_ns = analyzer::program_end_ns(trace);
  } else if (command.at != "peak") {
    const auto at_ns = time_in_run(trace, "--at", command.at);
    if (!at_ns.ok()) {
      return at_ns.error();
    }
    options.at_ns = at_ns.value();
  }
  return options;
}

std::string in_format(const ReportCommand& command,
                      analyzer::LoadedTrace& trace,
                      const analyzer::Report& report) {
  const std::string& format = command.format;
  if (format == "json") {
    return analyzer::report_json(report);
  }
  if (format == "markdown") {
    return analyzer::report_markdown(report);
  }
  return format == "html"
             ? html::report_page(trace, report)
             : analyzer::report_text(report, output_style(command.whole_stacks, command.output));
}

/// With very many stacks the JSON takes gigabytes, so it is never in memory as a whole.
struct JsonSource {
  JsonSource(std::shared_ptr<analyzer::LoadedTrace> of, analyzer::Report built)
      : trace(std::move(of)), report(std::move(built)) {}

  std::shared_ptr<analyzer::LoadedTrace> trace;  // What the report's stacks are named from.
  analyzer::Report report;
  analyzer::ReportJsonPieces pieces{report};
};

analyzer::Pieces json_pieces(std::shared_ptr<analyzer::LoadedTrace> trace,
                             analyzer::Report report) {
  const auto source = std::make_shared<JsonSource>(std::move(trace), std::move(report));
  return [source] { return source->pieces.next(); };
}

Result<Output> output_of(const ReportCommand& command) {
  auto opened = open_trace(command.file);
  if (!opened.ok()) {
    return opened.error();
  }
  const auto trace = std::make_shared<analyzer::LoadedTrace>(std::move(opened.value()));
  show_frames(*trace, command.frames);
  const auto options = report_options(command, *trace);
  if (!options.ok()) {
    return options.error();
  }
  auto report = analyzer::build_report(*trace, options.value());
  if (!report.ok()) {
    return report.error();
  }
  Output output;
  output.is_long_text = command.format != "html";
  if (command.format == "json" && report.value().live_stacks.size() > analyzer::kNamedStacks) {
    output.more = json_pieces(trace, std::move(report.value()));
  } else {
    output.bytes = in_format(command, *trace, report.value());
  }
  if (!is_read_at_once(command.format, command.output)) {
    output.losses.push_back(loss_sentence(*trace, command.file));
  }
  return output;
}

}  // namespace

int run(const ReportCommand& command) {
  return deliver(output_of(command), command.output);
}

}  // namespace tidemark::cli
