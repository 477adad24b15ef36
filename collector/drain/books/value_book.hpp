/// What large heap blocks hold: some of their bytes, from outside, never touching a page.
///
/// A program that converts its weights, or moves them by loops of its own, shows nothing of it in
/// its calls. But the values it has then are those of a file, and they can be compared. What was
/// seen stays with the recorder until the end; a trace gets only what was recognised.
#pragma once

#include "collector/drain/books/event_sink.hpp"
#include "collector/process/page_map.hpp"
#include "collector/weights/value_index.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tidemark {

class ValueBook {
 public:
  /// Of blocks, those that are gone among them; of more nothing is seen.
  static constexpr std::size_t kMaxSamples = 65'536;

  /// `sink` stays borrowed.
  explicit ValueBook(EventSink& sink) : sink_(sink) {}

  /// Looks into the host's blocks if it is time: into each soon after it came, and ever more
  /// rarely. At most a two-hundredth of the time is for that.
  void look(Host& host);
  /// The host has ended, or the recording has.
  void end(Host& host);
  /// Puts the blocks that hold tensors into the trace.
  void tell(const weights::ValueIndex& index);

 private:
  struct Wanted {
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    trace::AllocationNumber allocation = 0;
  };

  void believe_seen(Host& host);
  void keep(const weights::BlockSample& sample, HostValues& values);
  void look_into(Host& host, const PageMap& map, const Wanted& block);

  EventSink& sink_;
  std::unordered_map<trace::AllocationNumber, weights::BlockSample> samples_;
};

}  // namespace tidemark
