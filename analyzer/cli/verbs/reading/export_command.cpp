#include "analyzer/cli/verbs/reading/export_command.hpp"

#include "analyzer/cli/shared/opened_trace.hpp"
#include "analyzer/cli/shared/terminal.hpp"
#include "analyzer/cli/verbs/reading/export_span.hpp"
#include "analyzer/export/formats.hpp"
#include "analyzer/gate/gate_bounds.hpp"

#include <optional>
#include <utility>

#include <unistd.h>

namespace tidemark::cli {
namespace {

using exports::ExportFormat;

bool asks_for_stacks(const ExportCommand& command) {
  return !command.at.empty() || !command.range.empty();
}

/// A format that can show both shows stacks if an instant or a range of them is asked for.
bool shows_run(const ExportFormat& format, const ExportCommand& command) {
  return format.run != nullptr && (format.stacks == nullptr || !asks_for_stacks(command));
}

// Leaves a few thousand of a hundred thousand stacks, which viewers open at once.
constexpr const char* kDefaultMinShare = "0.01";

/// The share below which stacks are folded; 0.01 is a hundredth.
Result<double> smallest_share(const ExportCommand& command) {
  constexpr double kPercent = 100;
  const auto percent =
      analyzer::parse_percent(command.min_share.empty() ? kDefaultMinShare : command.min_share);
  if (!percent.ok()) {
    return Error{ErrorCode::kUsage, "--min-share: " + percent.error().message};
  }
  return percent.value() / kPercent;
}

Status check_options(const ExportFormat& format, const ExportCommand& command) {
  if (!format.folds && !command.min_share.empty()) {
    return Error{ErrorCode::kUsage, "--min-share is for collapsed, flamegraph and speedscope; " +
                                        command.format +
                                        " has no stacks to fold, or folds them itself"};
  }
  if (!command.at.empty() && !command.range.empty()) {
    return Error{ErrorCode::kUsage,
                 "--at is one instant and --range lies between two; give only one of them"};
  }
  if (!command.at.empty() && shows_run(format, command) && !format.marks_instant) {
    return Error{ErrorCode::kUsage, "--at chooses stacks, and " + command.format +
                                        " shows the whole run; take --range A..B"};
  }
  if (format.is_binary && command.output.empty() && isatty(STDOUT_FILENO) == 1) {
    return Error{ErrorCode::kUsage, command.format +
                                        "'s format is binary, and standard output is a terminal; "
                                        "name a file with -o"};
  }
  return success();
}

Result<std::string> run_in_format(const ExportFormat& format,
                                  const ExportCommand& command,
                                  analyzer::LoadedTrace& trace) {
  const auto span = export_span(trace, command.range);
  if (!span.ok()) {
    return span.error();
  }
  std::optional<std::uint64_t> at_ns;
  if (!command.at.empty() && command.at != "peak") {  // The peak is there in any case.
    const auto at = export_instant(trace, command.at);
    if (!at.ok()) {
      return at.error();
    }
    at_ns = at.value().at_ns;
  }
  return format.run(trace, span.value(), at_ns);
}

Result<exports::StackTable> stacks_of(const ExportCommand& command, analyzer::LoadedTrace& trace) {
  if (!command.range.empty()) {
    const auto range = export_range(trace, command.range);
    if (!range.ok()) {
      return range.error();
    }
    return exports::stacks_between(trace, range.value().from, range.value().to);
  }
  const auto at = export_instant(trace, command.at.empty() ? "peak" : command.at);
  if (!at.ok()) {
    return at.error();
  }
  return exports::stacks_at(trace, at.value());
}

Result<std::string> stacks_in_format(const ExportFormat& format,
                                     const ExportCommand& command,
                                     analyzer::LoadedTrace& trace) {
  const auto stacks = stacks_of(command, trace);
  if (!stacks.ok()) {
    return stacks.error();
  }
  const auto share = smallest_share(command);
  if (!share.ok()) {
    return share.error();
  }
  return format.stacks(trace.definitions(), stacks.value(), share.value());
}

Result<Output> output_of(const ExportCommand& command) {
  const ExportFormat* const format = exports::find_export_format(command.format);
  if (format == nullptr) {
    return Error{ErrorCode::kUsage, "there is no format '" + command.format + "'"};
  }
  if (const auto status = check_options(*format, command); !status.ok()) {
    return status.error();
  }
  auto trace = open_trace(command.file);
  if (!trace.ok()) {
    return trace.error();
  }
  show_frames(trace.value(), command.frames);
  auto text = shows_run(*format, command) ? run_in_format(*format, command, trace.value())
                                          : stacks_in_format(*format, command, trace.value());
  if (!text.ok()) {
    return text.error();
  }
  return Output{.bytes = std::move(text.value()),
                .losses = {loss_sentence(trace.value(), command.file)}};
}

}  // namespace

int run(const ExportCommand& command) {
  return deliver(output_of(command), command.output);
}

}  // namespace tidemark::cli
