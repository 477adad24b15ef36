#include "analyzer/cli/verbs/checking/check_command.hpp"

#include "analyzer/cli/shared/opened_trace.hpp"
#include "analyzer/cli/shared/terminal.hpp"
#include "analyzer/cli/verbs/checking/wanted_checks.hpp"
#include "analyzer/gate/gate_output.hpp"
#include "analyzer/io/whole_file.hpp"
#include "analyzer/text/shown_text.hpp"

#include <cstdlib>

namespace tidemark::cli {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
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
  if (const std::string summary = variable("GITHUB_STEP_SUMMARY"); !summary.empty()) {
    outputs.note(analyzer::append_to_file(summary, analyzer::gate_markdown(gate)));
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
