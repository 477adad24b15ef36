#include "analyzer/cli/verbs/checking/check_command.hpp"

#include "analyzer/cli/shared/opened_trace.hpp"
#include "analyzer/cli/shared/terminal.hpp"
#include "analyzer/cli/verbs/checking/wanted_checks.hpp"
#include "analyzer/gate/gate_output.hpp"
#include "analyzer/html/page.hpp"
#include "analyzer/io/whole_file.hpp"
#include "analyzer/picture/drawing/canvas.hpp"
#include "analyzer/picture/drawing/svg.hpp"
#include "analyzer/picture/graph.hpp"
#include "analyzer/text/plot_text.hpp"
#include "analyzer/text/shown_text.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace tidemark::cli {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

/// Of one trace, as `plot` draws it.
Result<std::string> picture_of(analyzer::LoadedTrace& trace, const analyzer::Report& report) {
  if (!picture::can_draw()) {
    return Error{ErrorCode::kUnsupported, picture::kDrawsNothing};
  }
  const std::array subjects{picture::subject_of(trace, report)};
  const auto scene = picture::draw_graph(
      subjects,
      {.width = 800, .height = 520, .by = analyzer::LayerGrouping::kFunction, .title = {}},
      picture::cairo_measure());
  return scene.ok() ? Result<std::string>(picture::svg_document(scene.value())) : scene.error();
}

/// @return `path`, or nothing, and then a note says why.
std::string left_file(const std::string& path,
                      const Result<std::string>& contents,
                      std::vector<std::string>& notes) {
  const Status status =
      contents.ok() ? analyzer::write_whole_file(path, contents.value()) : contents.error();
  if (status.ok()) {
    return path;
  }
  notes.push_back(analyzer::shown_text(path) + " was not left: " + status.error().message);
  return {};
}

/// Only a trace that is a file has a place beside it.
bool has_a_place(const std::string& trace) {
  std::error_code error;
  return std::filesystem::is_regular_file(trace, error);
}

/// Why the peak is as high, and what there is to look at. Nothing of it changes the verdict.
Status explain_regression(const CheckCommand& command,
                          const std::string& model,
                          analyzer::LoadedTrace& trace,
                          analyzer::GateResult& gate) {
  analyzer::ReportOptions options;
  options.model = model;
  options.columns = analyzer::plot_columns({.width = 80, .colour = false, .utf8 = true});
  const auto report = analyzer::build_report(trace, options);
  if (!report.ok()) {
    return report.error();
  }
  analyzer::explain(gate, report.value());
  if (!command.no_page && has_a_place(command.file)) {
    gate.page =
        left_file(page_beside(command), html::report_page(trace, report.value()), gate.notes);
    gate.picture =
        left_file(picture_beside(command), picture_of(trace, report.value()), gate.notes);
  }
  return success();
}

Result<analyzer::GateResult> decide(const CheckCommand& command) {
  const auto wanted = wanted_checks(command);
  if (!wanted.ok()) {
    return wanted.error();
  }
  auto trace = open_trace(command.file);
  if (!trace.ok()) {
    return trace.error();
  }
  auto gate = analyzer::run_gate(trace.value(), wanted.value().checks, wanted.value().model);
  if (gate.ok()) {
    gate.value().trace = analyzer::shown_text(command.file);
  }
  if (gate.ok() && gate.value().verdict() == analyzer::Verdict::kRegression) {
    const auto status =
        explain_regression(command, wanted.value().model, trace.value(), gate.value());
    if (!status.ok()) {
      return status.error();
    }
  }
  return gate;
}

/// Every output is tried, so that one full disk does not cost the others; the first failure is
/// told.
class Outputs {
 public:
  void note(const Status& status) {
    if (!status.ok() && failure_.ok()) {
      failure_ = status;
    }
  }
  [[nodiscard]] const Status& failure() const { return failure_; }

 private:
  Status failure_ = success();
};

Status write_all(const CheckCommand& command, const analyzer::GateResult& gate) {
  Outputs outputs;
  std::string text = analyzer::gate_text(gate, output_style());
  if (command.github) {
    text += analyzer::gate_annotations(gate, variable("GITHUB_WORKSPACE"));
  }
  outputs.note(write_output(text));
  if (!command.junit.empty()) {
    outputs.note(analyzer::write_whole_file(command.junit, analyzer::gate_junit(gate)));
  }
  if (!command.json.empty()) {
    outputs.note(analyzer::write_whole_file(command.json, analyzer::gate_json(gate)));
  }
  if (!command.markdown.empty()) {
    outputs.note(analyzer::write_whole_file(command.markdown,
                                            analyzer::gate_markdown(gate, command.picture_url)));
  }
  if (const std::string summary = variable("GITHUB_STEP_SUMMARY"); !summary.empty()) {
    outputs.note(
        analyzer::append_to_file(summary, analyzer::gate_markdown(gate, command.picture_url)));
  }
  return outputs.failure();
}

int exit_status(analyzer::Verdict verdict) {
  switch (verdict) {
    case analyzer::Verdict::kPass:
      return 0;
    case analyzer::Verdict::kRegression:
      return 1;
    case analyzer::Verdict::kInconclusive:
      break;
  }
  return 3;
}

}  // namespace

int run(const CheckCommand& command) {
  const auto gate = decide(command);
  if (!gate.ok()) {
    return fail(gate.error());
  }
  const auto written = write_all(command, gate.value());
  return written.ok() ? exit_status(gate.value().verdict()) : fail(written.error());
}

}  // namespace tidemark::cli
