#include "analyzer/cli/verbs/reading/report_command.hpp"

#include "analyzer/cli/shared/opened_trace.hpp"
#include "analyzer/cli/shared/terminal.hpp"
#include "analyzer/html/page.hpp"
#include "analyzer/query/program_end.hpp"
#include "analyzer/report/report.hpp"
#include "analyzer/report/report_json.hpp"
#include "analyzer/report/report_markdown.hpp"
#include "analyzer/report/report_text.hpp"
#include "analyzer/text/plot_text.hpp"

namespace tidemark::cli {
namespace {

constexpr std::size_t kTextStacks = 10;
constexpr std::size_t kJsonStacks = 100;

analyzer::TensorGrouping grouping_of(const std::string& by) {
  using analyzer::TensorGrouping;
  for (const auto grouping :
       {TensorGrouping::kTensor, TensorGrouping::kLayer, TensorGrouping::kType}) {
    if (by == analyzer::grouping_word(grouping)) {
      return grouping;
    }
  }
  return TensorGrouping::kNone;
}

Result<analyzer::ReportOptions> report_options(const ReportCommand& command,
                                               analyzer::LoadedTrace& trace) {
  const bool is_json = command.format == "json";
  const bool is_text = command.format == "text";
  analyzer::ReportOptions options;
  options.model = command.model;
  options.top = command.top.value_or(is_json ? kJsonStacks : kTextStacks);
  options.by = grouping_of(command.by);
  if (options.by != analyzer::TensorGrouping::kNone && command.format == "html") {
    return Error{ErrorCode::kUsage, "--by lists tensors as text, json or markdown, not as html"};
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

Result<Output> output_of(const ReportCommand& command) {
  auto trace = open_trace(command.file);
  if (!trace.ok()) {
    return trace.error();
  }
  show_frames(trace.value(), command.frames);
  const auto options = report_options(command, trace.value());
  if (!options.ok()) {
    return options.error();
  }
  const auto report = analyzer::build_report(trace.value(), options.value());
  if (!report.ok()) {
    return report.error();
  }
  Output output{.bytes = in_format(command, trace.value(), report.value()), .losses = {}};
  if (!is_read_at_once(command.format, command.output)) {
    output.losses.push_back(loss_sentence(trace.value(), command.file));
  }
  return output;
}

}  // namespace

int run(const ReportCommand& command) {
  return deliver(output_of(command), command.output);
}

}  // namespace tidemark::cli
