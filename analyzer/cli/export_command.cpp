#include "analyzer/cli/export_command.hpp"

#include "analyzer/cli/export_span.hpp"
#include "analyzer/cli/terminal.hpp"
#include "analyzer/cli/torn_names.hpp"
#include "analyzer/export/collapsed.hpp"
#include "analyzer/export/csv.hpp"
#include "analyzer/export/massif.hpp"
#include "analyzer/export/perfetto.hpp"
#include "analyzer/export/pprof.hpp"
#include "analyzer/export/speedscope.hpp"
#include "analyzer/loss_text.hpp"

#include <cstdio>
#include <optional>

#include <unistd.h>

namespace tidemark::cli {
namespace {

/// Formats of the whole run; the others show stacks.
bool shows_time(const ExportCommand& command) {
  const bool asks_for_stacks = !command.at.empty() || !command.range.empty();
  return command.format == "perfetto" || command.format == "massif" ||
         (command.format == "csv" && !asks_for_stacks);
}

Status check_options(const ExportCommand& command) {
  if (!command.at.empty() && !command.range.empty()) {
    return Error{ErrorCode::kUsage,
                 "--at is one instant and --range lies between two; give only one of them"};
  }
  if (command.format == "perfetto" && !command.at.empty()) {
    return Error{ErrorCode::kUsage,
                 "--at chooses stacks, and perfetto shows the whole run; take --range A..B"};
  }
  if (command.format == "pprof" && command.output.empty() && isatty(STDOUT_FILENO) == 1) {
    return Error{
        ErrorCode::kUsage,
        "pprof's format is binary, and standard output is a terminal; name a file with -o"};
  }
  return success();
}

Result<std::string> time_in_format(const ExportCommand& command, analyzer::LoadedTrace& trace) {
  const auto span = export_span(trace, command.range);
  if (!span.ok()) {
    return span.error();
  }
  if (command.format == "perfetto") {
    return exports::perfetto_json(trace, span.value());
  }
  if (command.format == "csv") {
    return exports::timeline_csv(trace, span.value());
  }
  std::optional<std::uint64_t> at_ns;
  if (!command.at.empty() && command.at != "peak") {  // The peak is there in any case.
    const auto at = export_instant(trace, command.at);
    if (!at.ok()) {
      return at.error();
    }
    at_ns = at.value().at_ns;
  }
  return exports::massif_text(trace, span.value(), at_ns);
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

Result<std::string> stacks_in_format(const ExportCommand& command, analyzer::LoadedTrace& trace) {
  const auto stacks = stacks_of(command, trace);
  if (!stacks.ok()) {
    return stacks.error();
  }
  const auto& definitions = trace.definitions();
  if (command.format == "collapsed") {
    return exports::collapsed_text(definitions, stacks.value());
  }
  if (command.format == "speedscope") {
    return exports::speedscope_json(definitions, stacks.value());
  }
  if (command.format == "pprof") {
    return exports::pprof_profile(definitions, stacks.value());
  }
  return exports::stacks_csv(definitions, stacks.value());
}

Result<std::string> export_in_format(const ExportCommand& command) {
  if (const auto status = check_options(command); !status.ok()) {
    return status.error();
  }
  auto trace = analyzer::LoadedTrace::open(command.file);
  if (!trace.ok()) {
    return trace.error();
  }
  name_torn_frames(trace.value());
  auto text = shows_time(command) ? time_in_format(command, trace.value())
                                  : stacks_in_format(command, trace.value());
  if (text.ok() && analyzer::loses_anything(trace.value().loss())) {
    std::fprintf(stderr, "tidemark: %s\n", analyzer::describe_loss(trace.value().loss()).c_str());
  }
  return text;
}

}  // namespace

int run_export(const ExportCommand& command) {
  const auto text = export_in_format(command);
  if (!text.ok()) {
    return fail(text.error());
  }
  const auto status = write_output_to(command.output, text.value());
  return status.ok() ? 0 : fail(status.error());
}

}  // namespace tidemark::cli
