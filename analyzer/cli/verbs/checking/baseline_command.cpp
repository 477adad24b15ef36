#include "analyzer/cli/verbs/checking/baseline_command.hpp"

#include "analyzer/cli/shared/opened_trace.hpp"
#include "analyzer/cli/shared/terminal.hpp"
#include "analyzer/gate/baseline.hpp"
#include "analyzer/gate/gate_loss.hpp"
#include "analyzer/io/whole_file.hpp"
#include "analyzer/text/exit_status.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

namespace tidemark::cli {
namespace {

constexpr int kInconclusive = 3;

std::string stored_sentence(const analyzer::Report& report, const std::string& output) {
  std::string ratio;
  if (const auto value = report.ratio()) {
    ratio =
        fmt::format(" = {:.2f} x the {} model", *value, analyzer::format_size(report.model.bytes));
  }
  return fmt::format("peak {}{} stored in {}\n", analyzer::format_size(report.peak.footprint_bytes),
                     ratio, analyzer::printable(output_style(), output));
}

std::string signal_that_ended(const trace::Session& session) {
  return session.ended ? analyzer::ending_signal_described(session.exit_status) : std::string();
}

int store(const BaselineCommand& command,
          analyzer::LoadedTrace& trace,
          const analyzer::Report& report) {
  const std::string signal = signal_that_ended(report.session);
  if (!command.allow_loss && !signal.empty()) {
    return fail({ErrorCode::kUsage,
                 fmt::format("{} makes no baseline: {} ended the program, so its load may not have "
                             "been whole; record it again, or say --allow-loss",
                             command.file, signal)});
  }
  const std::string why =
      command.allow_loss ? "" : analyzer::what_could_hide_more(trace, report, {});
  if (!why.empty()) {
    fail({ErrorCode::kCorrupt,
          fmt::format("{} makes no baseline: {}; record it again, or say --allow-loss",
                      command.file, why)});
    return kInconclusive;
  }
  const std::string text = analyzer::baseline_json(analyzer::make_baseline(report));
  if (const auto status = analyzer::write_whole_file(command.output, text); !status.ok()) {
    return fail(status.error());
  }
  const auto status = write_output(stored_sentence(report, command.output));
  return status.ok() ? 0 : fail(status.error());
}

}  // namespace

int run(const BaselineCommand& command) {
  auto trace = open_trace(command.file);
  if (!trace.ok()) {
    return fail(trace.error());
  }
  const auto report =
      analyzer::build_report(trace.value(), analyzer::comparison_options(command.model));
  return report.ok() ? store(command, trace.value(), report.value()) : fail(report.error());
}

}  // namespace tidemark::cli
