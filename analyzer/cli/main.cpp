#include "analyzer/cli/command_line.hpp"
#include "analyzer/cli/kept_inputs.hpp"
#include "analyzer/cli/marks_command.hpp"
#include "analyzer/cli/terminal.hpp"
#include "analyzer/out_of_memory.hpp"
#include "collector/trace/output_file.hpp"

#include <clocale>
#include <string>
#include <variant>
#include <vector>

namespace {

using namespace tidemark;

int run(const cli::RecordOptions& options) {
  return cli::run_record(options);
}
int run(const cli::ReportCommand& command) {
  return cli::run_report(command);
}
int run(const cli::DiffCommand& command) {
  return cli::run_diff(command);
}
int run(const cli::CompareCommand& command) {
  return cli::run_compare(command);
}
int run(const cli::PlotCommand& command) {
  return cli::run_plot(command);
}
int run(const cli::CheckCommand& command) {
  return cli::run_check(command);
}
int run(const cli::BaselineCommand& command) {
  return cli::run_baseline(command);
}
int run(const cli::ExportCommand& command) {
  return cli::run_export(command);
}
int run(const cli::ViewCommand& command) {
  return cli::run_view(command);
}
int run(const cli::MarksCommand&) {
  return cli::run_marks();
}
int run(const cli::Answer& answer) {
  const auto status = cli::write_output(answer.text);
  return status.ok() ? 0 : cli::fail(status.error());
}

}  // namespace

int main(int argc, char** argv) {
  analyzer::end_with_a_sentence("tidemark");
  analyzer::end_when_out_of_memory();
  try {
    // Only what can be shown depends on the locale; numbers always are printed the same way.
    std::setlocale(LC_CTYPE, "");
    trace::survive_file_size_limit();
    const auto command = cli::parse_command_line(std::vector<std::string>(argv + 1, argv + argc));
    if (!command.ok()) {
      return cli::fail(command.error());
    }
    if (const Status kept = cli::keeps_its_inputs(command.value()); !kept.ok()) {
      return cli::fail(kept.error());
    }
    return std::visit([](const auto& chosen) { return run(chosen); }, command.value());
  } catch (...) {
    return analyzer::fail_by_exception();
  }
}
