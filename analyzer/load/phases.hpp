/// Phases: the named spans of a load, from marks in the program or found from its file I/O.
#pragma once

#include "analyzer/load/file_use.hpp"
#include "analyzer/query/footprint/timeline.hpp"
#include "collector/trace/types/event.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tidemark::analyzer {

struct Phase {
  std::string name;
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t peak_bytes = 0;  ///< Highest footprint of the session while the phase was open.
  bool marked = true;            ///< False: found from file I/O.
  // Marked phases only.
  trace::ThreadId thread{0};
  trace::EventOrdinal begin_event = 0;  ///< Ordinal of the mark.
  trace::EventOrdinal end_event =
      0;  ///< Ordinal of the mark that ends it, or one past the last event.
};

/// Pairs begin and end marks, per thread, and measures each phase. Seen events must be in order;
/// the cost of an event does not grow with the number of open phases.
class PhaseCollector {
 public:
  /// `definitions` stays borrowed.
  explicit PhaseCollector(const trace::Definitions& definitions) : definitions_(definitions) {}

  /// `footprint` after the event, `ordinal` the event's own.
  void see(const trace::Event& event, std::uint64_t footprint, trace::EventOrdinal ordinal) {
    highest_ = std::max(highest_, footprint);
    if (event.kind == trace::EventKind::kPhaseBegin) {
      begin(event, footprint, ordinal);
    } else if (event.kind == trace::EventKind::kPhaseEnd) {
      end(event, footprint, ordinal);
    }
  }
  /// A range without readable events (a damaged block), of which only the highest footprint is
  /// known.
  void see_maximum(std::uint64_t footprint) { highest_ = std::max(highest_, footprint); }

  /// The phases in order of their begin. Those still open end here.
  [[nodiscard]] std::vector<Phase> take(std::uint64_t end_ns, trace::EventOrdinal end_ordinal);

 private:
  void begin(const trace::Event& event, std::uint64_t footprint, trace::EventOrdinal ordinal);
  void end(const trace::Event& event, std::uint64_t footprint, trace::EventOrdinal ordinal);
  void credit_open_phases(std::uint64_t footprint);

  const trace::Definitions& definitions_;
  std::vector<Phase> phases_;
  std::vector<std::size_t> open_;  // Indices into `phases_`, in order of begin.
  std::uint64_t highest_ = 0;      // Highest footprint since the last mark.
};

/// `before read`, `read FILE`, `after read`. A file's phase lasts from its last opening before it
/// was used, or the end of another file's phase after that, to its last use: the phase of one big
/// read alone would be an instant. Empty when there is no model file.
/// @param model_files in the order of their first use.
std::vector<Phase> find_phases(std::span<const FileUse> model_files,
                               std::uint64_t duration_ns,
                               Timeline& timeline);

/// The `count` phases with the highest peaks, still in order of their begin.
std::vector<Phase> highest_phases(std::vector<Phase> phases, std::size_t count);

/// The innermost phase open at an event, on that event's own thread if it has one open there, else
/// the one begun last on any thread; for inferred phases the one that covers `at_ns`. Null when
/// none is open.
const Phase* phase_at(std::span<const Phase> phases,
                      std::uint64_t at_ns,
                      trace::EventOrdinal event_ordinal,
                      trace::ThreadId thread);

}  // namespace tidemark::analyzer
