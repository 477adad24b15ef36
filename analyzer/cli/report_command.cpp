#include "analyzer/cli/report_command.hpp"

#include "analyzer/cli/terminal.hpp"
#include "analyzer/cli/torn_names.hpp"
#include "analyzer/page/page.hpp"
#include "analyzer/plot_text.hpp"
#include "analyzer/report.hpp"
#include "analyzer/report_json.hpp"
#include "analyzer/report_markdown.hpp"
#include "analyzer/report_text.hpp"
#include "analyzer/size_text.hpp"

#include <fmt/format.h>

namespace tidemark::cli {
namespace {

constexpr std::size_t kTextStacks = 10;
constexpr std::size_t kJsonStacks = 100;

Result<analyzer::ReportOptions> report_options(const ReportCommand& command) {
  const bool is_json = command.format == ReportFormat::kJson;
  const bool is_text = command.format == ReportFormat::kText;
  analyzer::ReportOptions options;
  options.model = command.model;
  options.top = command.top.value_or(is_json ? kJsonStacks : kTextStacks);
  options.columns = is_text ? analyzer::plot_columns(output_style()) : 0;
  if (command.at != "peak") {
    auto at_ns = analyzer::parse_time(command.at);
    if (!at_ns.ok()) {
      return Error{ErrorCode::kUsage, "--at " + at_ns.error().message + ", or as peak"};
    }
    options.at_ns = at_ns.value();
  }
  return options;
}

Result<std::string> report_in_format(const ReportCommand& command) {
  auto options = report_options(command);
  if (!options.ok()) {
    return options.error();
  }
  auto trace = analyzer::LoadedTrace::open(command.file);
  if (!trace.ok()) {
    return trace.error();
  }
  name_torn_frames(trace.value());
  auto report = analyzer::build_report(trace.value(), options.value());
  if (!report.ok()) {
    return report.error();
  }
  switch (command.format) {
    case ReportFormat::kJson:
      return analyzer::report_json(report.value());
    case ReportFormat::kMarkdown:
      return analyzer::report_markdown(report.value());
    case ReportFormat::kHtml:
      return page::report_page(trace.value(), report.value());
    case ReportFormat::kText:
      break;
  }
  return analyzer::report_text(report.value(), output_style());
}

}  // namespace

int run_report(const ReportCommand& command) {
  const auto text = report_in_format(command);
  if (!text.ok()) {
    return fail(text.error());
  }
  const auto status = write_output_to(command.output, text.value());
  return status.ok() ? 0 : fail(status.error());
}

}  // namespace tidemark::cli
