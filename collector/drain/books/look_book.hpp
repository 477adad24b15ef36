/// How much of each large heap block has been touched, observed from outside without touching a
/// page.
///
/// The heap lane counts requested bytes; the pages show how many of them were ever used. Looks
/// change no lane: they serve to explain why a peak is as high as it is.
#pragma once

#include "collector/drain/hosts/event_sink.hpp"
#include "collector/process/page_map.hpp"

#include <cstddef>
#include <cstdint>

namespace tidemark {

class LookBook {
 public:
  /// Smaller blocks are not looked at.
  static constexpr std::uint64_t kMinBytes = std::uint64_t{1} << 20U;
  /// Limit on last looks made by hosts, as programs may free large blocks all the time.
  static constexpr std::size_t kMaxLastLooks = 65'536;

  /// `sink` stays borrowed.
  explicit LookBook(EventSink& sink) : sink_(sink) {}

  /// Looks at the host's blocks if due, and writes what has changed to the trace. Takes at most a
  /// hundredth of the time.
  void look(Host& host);
  /// The host's own look at a block that it is about to free: the last one, and the only one for a
  /// block that lived between two of ours.
  void see(const Source& source, const wire::LastLook& look, const Behind& behind);
  /// The host or the recording has ended: writes the last looks at all blocks.
  void end(Host& host);

 private:
  void tell_seen(Host& host);
  void tell_quiet(trace::AllocationNumber allocation, const ToldLook& told);
  void look_at_all(Host& host, const PageMap& map, std::uint64_t end_ns);

  EventSink& sink_;
  std::size_t last_looks_ = 0;  ///< Written to the trace.
};

}  // namespace tidemark
