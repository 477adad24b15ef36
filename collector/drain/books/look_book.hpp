/// How much of each large heap block has been touched, from outside, never touching a page.
///
/// The heap counts what was asked for; what of that was ever used, its pages tell. The looks change
/// no lane: they are for whoever asks why a peak is as high as it is.
#pragma once

#include "collector/drain/hosts/event_sink.hpp"
#include "collector/process/page_map.hpp"

#include <cstddef>
#include <cstdint>

namespace tidemark {

class LookBook {
 public:
  /// Smaller blocks are not looked at.
  static constexpr std::uint64_t kLeastBytes = std::uint64_t{1} << 20U;
  /// Of last looks that hosts take themselves, as programs may free large blocks all the time.
  static constexpr std::size_t kMaxLastLooks = 65'536;

  /// `sink` stays borrowed.
  explicit LookBook(EventSink& sink) : sink_(sink) {}

  /// Looks at the host's blocks if it is time, and tells what has changed. At most a hundredth of
  /// the time is for that.
  void look(Host& host);
  /// What the host saw itself of a block that it is about to free: the last look at it, and for a
  /// block that was there between two of ours the only one.
  void see(const Source& source, const wire::LastLook& look, const Behind& behind);
  /// Tells the last looks at all blocks: the host has ended, or the recording has.
  void end(Host& host);

 private:
  void tell_seen(Host& host);
  void tell_quiet(trace::AllocationNumber allocation, const ToldLook& told);
  void look_at_all(Host& host, const PageMap& map, std::uint64_t end_ns);

  EventSink& sink_;
  std::size_t last_looks_ = 0;  ///< Told ones.
};

}  // namespace tidemark
