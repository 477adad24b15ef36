#include "analyzer/cli/verbs/checking/check_command.hpp"

#include "analyzer/cli/shared/kept_files.hpp"
#include "analyzer/cli/shared/opened_trace.hpp"
#include "analyzer/cli/shared/terminal.hpp"
#include "analyzer/cli/verbs/checking/wanted_checks.hpp"
#include "analyzer/gate/output/gate_output.hpp"
#include "analyzer/html/page.hpp"
#include "analyzer/io/whole_file.hpp"
#include "analyzer/io/work_apart.hpp"
#include "analyzer/picture/drawing/canvas.hpp"
#include "analyzer/picture/drawing/svg.hpp"
#include "analyzer/picture/graph.hpp"
#include "analyzer/text/plot_text.hpp"
#include "analyzer/text/shown_text.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

namespace tidemark::cli {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

/// The picture of one trace, as `plot` draws it.
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

/// Only a trace that is a file has a place beside it.
bool has_a_place(const std::string& trace) {
  std::error_code error;
  return std::filesystem::is_regular_file(trace, error);
}

/// What the explanation hands over. Sentences come as kWhy plus their WhyKind.
enum Part : std::uint8_t { kCurve, kPage, kPicture, kUnmade, kWhy };

/// Hands over the path where it is written, or else why not.
void leave(const analyzer::HandOver& hand_over,
           Part part,
           const std::string& path,
           const Result<std::string>& contents) {
  const Status status =
      contents.ok() ? analyzer::write_whole_file(path, contents.value()) : contents.error();
  if (status.ok()) {
    hand_over(part, path);
  } else {
    hand_over(kUnmade, analyzer::shown_text(path) + " was not left: " + status.error().message);
  }
}

/// The reasons for the peak, then what there is to look at.
void explain(const CheckCommand& command,
             const std::string& model,
             analyzer::LoadedTrace& trace,
             const analyzer::HandOver& hand_over) {
  analyzer::ReportOptions options;
  options.model = model;
  options.columns = analyzer::plot_columns({.width = 80, .colour = false, .utf8 = true});
  const auto report = analyzer::build_report(trace, options);
  if (!report.ok()) {
    hand_over(kUnmade, "why the peak is as high is not known: " + report.error().message);
    return;
  }
  analyzer::GateResult explained;
  analyzer::explain(explained, report.value());
  for (const analyzer::WhySentence& sentence : explained.why) {
    hand_over(static_cast<std::uint8_t>(kWhy + static_cast<std::uint8_t>(sentence.kind)),
              sentence.text);
  }
  hand_over(kCurve, explained.curve);
  if (!command.no_page && has_a_place(command.file)) {
    leave(hand_over, kPage, page_beside(command), html::report_page(trace, report.value()));
    leave(hand_over, kPicture, picture_beside(command), picture_of(trace, report.value()));
  }
}

void take(analyzer::HandedOver& result, analyzer::GateResult& gate) {
  switch (result.kind) {
    case kCurve:
      gate.curve = std::move(result.text);
      break;
    case kPage:
      gate.page = std::move(result.text);
      break;
    case kPicture:
      gate.picture = std::move(result.text);
      break;
    case kUnmade:
      gate.unmade.push_back(std::move(result.text));
      break;
    default:
      gate.why.push_back(
          {static_cast<analyzer::WhyKind>(result.kind - kWhy), std::move(result.text)});
  }
}

/// Explains in a process of its own: drawing takes more memory than deciding, with libraries that
/// end a process without memory. Whatever happens there does not change the verdict.
void explain_apart(const CheckCommand& command,
                   const std::string& model,
                   analyzer::LoadedTrace& trace,
                   analyzer::GateResult& gate) {
  auto work = analyzer::work_apart(
      [&](const analyzer::HandOver& hand_over) { explain(command, model, trace, hand_over); });
  for (analyzer::HandedOver& result : work.results) {
    take(result, gate);
  }
  if (!work.trouble.empty()) {
    gate.unmade.push_back("the explanation, with its page and graph, is not whole: " +
                          work.trouble);
  }
}

/// Tries every output, so that a full disk for one does not cost the others; reports the first
/// failure.
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

/// Writes the files that CI systems read.
void write_files(const CheckCommand& command, const analyzer::GateResult& gate, Outputs& outputs) {
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

/// The baselines that a policy names are inputs, too.
Status keeps_baselines(const CheckCommand& command, const analyzer::Policy& wanted) {
  NamedFiles files{.inputs = {}, .outputs = outputs_of(command)};
  for (const analyzer::Check& check : wanted.checks) {
    if (const auto* const reference = std::get_if<analyzer::Reference>(&check.bound)) {
      files.inputs.push_back(reference->file);
    }
  }
  return keeps_files(files);
}

/// The verdict is printed before anything is explained, and stays what it is.
Result<int> check(const CheckCommand& command) {
  const auto wanted = wanted_checks(command);
  if (!wanted.ok()) {
    return wanted.error();
  }
  if (const Status kept = keeps_baselines(command, wanted.value()); !kept.ok()) {
    return kept.error();
  }
  auto trace = open_trace(command.file);
  if (!trace.ok()) {
    return trace.error();
  }
  auto decided = analyzer::run_gate(trace.value(), wanted.value().checks, wanted.value().model);
  if (!decided.ok()) {
    return decided.error();
  }
  analyzer::GateResult& gate = decided.value();
  gate.trace = analyzer::shown_text(command.file);
  const analyzer::TextStyle style = output_style();
  Outputs outputs;
  outputs.note(write_output(analyzer::gate_text(gate, style)));
  if (gate.verdict() == analyzer::Verdict::kRegression) {
    explain_apart(command, wanted.value().model, trace.value(), gate);
  }
  std::string text = analyzer::gate_explanation_text(gate, style);
  if (command.github) {
    text += analyzer::gate_annotations(gate, variable("GITHUB_WORKSPACE"));
  }
  outputs.note(write_output(text));
  write_files(command, gate, outputs);
  return outputs.failure().ok() ? Result<int>(exit_status(gate.verdict()))
                                : outputs.failure().error();
}

}  // namespace

int run(const CheckCommand& command) {
  const auto status = check(command);
  return status.ok() ? status.value() : fail(status.error());
}

}  // namespace tidemark::cli
