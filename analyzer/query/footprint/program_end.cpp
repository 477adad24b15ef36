#include "analyzer/query/footprint/program_end.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// Follows the events from the last one back.
class EndSearch {
 public:
  explicit EndSearch(const LoadedTrace& trace) : trace_(trace), end_ns_(trace.duration_ns() + 1) {}

  /// @return false if there is nothing more to look for.
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
    // All that it still holds is released right before its end.
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

/// What ends a program is below one of these. Not __cxa_finalize: dlclose calls it, too.
constexpr auto kEnders =
    std::to_array<std::string_view>({"exit", "__run_exit_handlers", "_dl_fini", "Py_FinalizeEx",
                                     "Py_Finalize", "perl_destruct", "ruby_cleanup"});

bool is_ender(const trace::Definitions& tables, trace::FrameId frame) {
  const std::size_t i = trace::index(frame);
  return i < tables.frames.size() && i < tables.locations.size() &&
         tables.frames[i].language == trace::FrameLanguage::kNative &&
         std::ranges::any_of(tables.locations[i], [](const trace::Location& location) {
           return std::ranges::find(kEnders, location.function) != kEnders.end();
         });
}

/// Which stacks are below one of these functions.
std::vector<bool> stacks_of_end(const LoadedTrace& trace) {
  const trace::Definitions& tables = trace.definitions();
  std::vector<bool> frames(tables.frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    frames[i] = is_ender(tables, static_cast<trace::FrameId>(i));
  }
  const auto stacks = trace.recorded_stacks();
  std::vector<bool> below(stacks.size());
  for (std::size_t i = 1; i < stacks.size(); ++i) {
    const std::size_t frame = trace::index(stacks[i].frame);
    below[i] = (frame < frames.size() && frames[frame]) || below[trace::index(stacks[i].parent)];
  }
  return below;
}

std::optional<trace::ProcessId> largest_process(const trace::Definitions& tables) {
  const auto largest = std::ranges::max_element(
      tables.processes, {}, [](const trace::Process& process) { return process.peak.footprint(); });
  if (largest == tables.processes.end()) {
    return std::nullopt;
  }
  return static_cast<trace::ProcessId>(largest - tables.processes.begin());
}

/// Follows the events from the last one back.
class ShutdownSearch {
 public:
  ShutdownSearch(const LoadedTrace& trace, std::vector<bool> of_end)
      : trace_(trace), of_end_(std::move(of_end)), process_(largest_process(trace.definitions())) {}

  /// @return false where there is no more to look for.
  bool see(const trace::Event& event) {
    if (!trace::is_allocation(event.kind) || event.stack == trace::kUnsampledStack) {
      return true;
    }
    const std::size_t stack = trace::index(event.stack);
    if (stack >= of_end_.size() || !of_end_[stack]) {
      other_bytes_ += event.size;
    } else if (trace_.process_of(event.thread) == process_) {
      begin_ns_ = event.at_ns;
    }
    return other_bytes_ <= kOtherBytes;
  }
  [[nodiscard]] std::optional<std::uint64_t> begin_ns() const { return begin_ns_; }

 private:
  /// A shell that waits for the program, and threads that still run, ask for a little.
  static constexpr std::uint64_t kOtherBytes = std::uint64_t{64} << 10U;

  const LoadedTrace& trace_;
  std::vector<bool> of_end_;
  std::optional<trace::ProcessId> process_;
  std::uint64_t other_bytes_ = 0;
  std::optional<std::uint64_t> begin_ns_;
};

/// Shows `search` the events from the last one back, until it has seen enough.
template <typename Search>
void walk_back(LoadedTrace& trace, Search& search) {
  bool goes_on = true;
  for (std::size_t block = trace.blocks().size(); goes_on && block > 0; --block) {
    if (const auto* const events = trace.events(block - 1)) {
      for (auto event = events->rbegin(); event != events->rend(); ++event) {
        goes_on = goes_on && search.see(*event);
      }
    }
  }
}

}  // namespace

std::uint64_t program_end_ns(LoadedTrace& trace) {
  EndSearch search(trace);
  walk_back(trace, search);
  return search.end_ns() - std::min<std::uint64_t>(search.end_ns(), 1);
}

std::optional<std::uint64_t> program_shutdown_ns(LoadedTrace& trace) {
  std::vector<bool> of_end = stacks_of_end(trace);
  if (std::ranges::find(of_end, true) == of_end.end()) {
    return std::nullopt;
  }
  ShutdownSearch search(trace, std::move(of_end));
  walk_back(trace, search);
  return search.begin_ns();
}

}  // namespace tidemark::analyzer
