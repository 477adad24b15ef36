#include "analyzer/cli/shared/opened_trace.hpp"

#include "analyzer/cli/shared/torn_names.hpp"
#include "analyzer/text/loss_text.hpp"
#include "analyzer/text/size_text.hpp"
#include "collector/trace/output/output_target.hpp"
#include "collector/trace/types/unfinished.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace tidemark::cli {

Result<analyzer::LoadedTrace> open_trace(const std::string& path) {
  auto trace = analyzer::LoadedTrace::open(path);
  if (trace.ok()) {
    name_torn_frames(trace.value());
    return trace;
  }
  std::error_code error;
  // A link's target has it beside itself.
  const auto target = trace::find_output(path);
  const std::string begun = trace::unfinished_name(target.ok() ? target.value().path : path);
  if (!std::filesystem::exists(path, error) && std::filesystem::exists(begun, error)) {
    return Error{trace.error().code,
                 fmt::format("{} is not there: its recording was cut short, or goes on; what was "
                             "written so far is {}",
                             path, begun)};
  }
  return trace;
}

void show_frames(analyzer::LoadedTrace& trace, const std::string& frames) {
  using analyzer::FrameChoice;
  if (frames != "both") {
    trace.show_frames(frames == "python" ? FrameChoice::kPython : FrameChoice::kNative);
  }
}

std::string loss_sentence(const analyzer::LoadedTrace& trace, const std::string& path) {
  return analyzer::loses_anything(trace.loss())
             ? fmt::format("{}: {}", path, analyzer::describe_loss(trace.loss()))
             : std::string();
}

bool is_read_at_once(const std::string& format, const std::string& output) {
  return output.empty() && (format == "text" || format == "markdown");
}

Result<std::uint64_t> time_in_run(const analyzer::LoadedTrace& trace,
                                  const std::string& option,
                                  const std::string& text) {
  const auto ns = analyzer::parse_time(text);
  if (!ns.ok()) {
    return Error{ErrorCode::kUsage, option + ' ' + ns.error().message + ", or as peak or end"};
  }
  const std::uint64_t end_ns = trace.duration_ns();
  const std::string end = analyzer::format_time(end_ns);
  if (ns.value() > end_ns && analyzer::format_time(ns.value()) != end) {
    return Error{
        ErrorCode::kUsage,
        fmt::format("{} '{}' is behind the end of the run, which took {}", option, text, end)};
  }
  return std::min(ns.value(), end_ns);
}

}  // namespace tidemark::cli
