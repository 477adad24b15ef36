#include "analyzer/query/footprint/program_end.hpp"

#include <algorithm>
#include <optional>

namespace tidemark::analyzer {
namespace {

/// Follows the events from the last one back.
class EndSearch {
 public:
  explicit EndSearch(const LoadedTrace& trace) : trace_(trace), end_ns_(trace.duration_ns() + 1) {}

  /// @return false where there is no more to look for.
  bool see(const trace::Event& event) {
    const auto process = trace_.process_of(event.thread);
    if (!process_) {
      if (event.kind == trace::EventKind::kProcessEnd && process && is_program(*process)) {
        process_ = process;
        end_ns_ = event.at_ns;
      }
      return true;
    }
    if (process != process_) {
      return true;
    }
    // All that it still holds goes right before its end.
    if (event.kind == trace::EventKind::kReleaseAll) {
      end_ns_ = std::min(end_ns_, event.at_ns);
    }
    return event.kind == trace::EventKind::kReleaseAll ||
           event.kind == trace::EventKind::kThreadEnd;
  }

  /// The first instant without that memory.
  [[nodiscard]] std::uint64_t end_ns() const { return end_ns_; }

 private:
  [[nodiscard]] bool is_program(trace::ProcessId process) const {
    const auto& processes = trace_.definitions().processes;
    return trace::index(process) < processes.size() &&
           processes[trace::index(process)].pid == processes.front().pid;
  }

  const LoadedTrace& trace_;
  std::optional<trace::ProcessId> process_;
  std::uint64_t end_ns_;
};

}  // namespace

std::uint64_t program_end_ns(LoadedTrace& trace) {
  EndSearch search(trace);
  bool goes_on = true;
  for (std::size_t block = trace.blocks().size(); goes_on && block > 0; --block) {
    if (const auto* const events = trace.events(block - 1)) {
      for (auto event = events->rbegin(); event != events->rend(); ++event) {
        goes_on = goes_on && search.see(*event);
      }
    }
  }
  return search.end_ns() - std::min<std::uint64_t>(search.end_ns(), 1);
}

}  // namespace tidemark::analyzer
