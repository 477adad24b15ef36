/// What large anonymous mappings and heap blocks hold here and there: a few bytes at each of many
/// places, read from outside where the pages are in memory anyway.
///
/// A language's runtime has its arrays anywhere in one large mapping (a Java heap, the memory of a
/// WebAssembly module), and moves them as it likes; an arena of a framework has its tensors in one
/// block: no call tells where one begins. But bytes that are those of a weight file are recognised
/// wherever they lie, and places that hold what is as far apart in the file belong to one array.
/// What was seen stays with the recorder until the end; a trace gets only what was recognised.
#pragma once

#include "collector/drain/hosts/event_sink.hpp"
#include "collector/process/page_map.hpp"
#include "collector/weights/plain_file.hpp"
#include "collector/weights/searches/part_search.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

namespace tidemark {

/// Belongs to the collector's one thread.
class ProbeBook {
 public:
  /// Smaller mappings are passed over.
  static constexpr std::uint64_t kLargeMapping = std::uint64_t{4} << 20U;
  /// And smaller heap blocks: what malloc has mapped for one alone holds nothing of what was freed
  /// before.
  static constexpr std::uint64_t kFreshBlock = std::uint64_t{33} << 20U;
  /// One place in so much of that, or in a power of two times as much, where a process has
  /// more than kMaxPlaces of them.
  static constexpr std::uint64_t kStep = std::uint64_t{256} << 10U;
  static constexpr std::size_t kMaxPlaces = 2048;
  static constexpr std::uint64_t kMaxLookNs = 1'000'000;
  /// What is kept of all processes, some 200 bytes each, and at the end 500 for each that is looked
  /// for. Behind that a place keeps what it held last, and new ones are passed over.
  static constexpr std::size_t kMaxKept = 65'536;

  /// `sink` stays borrowed.
  explicit ProbeBook(EventSink& sink) : sink_(sink) {}

  /// Whether `look` would look: while weights are loaded every 20 ms, later where the footprint has
  /// risen, and three times a second; a hundredth of the host's time is for that, and 30 ms more.
  [[nodiscard]] bool is_due(const Host& host) const;
  /// When it is due. A round through a large process takes several looks, each of which goes
  /// through one piece of 64 MiB at least.
  /// @param max_ns of CPU time, but for the last piece, and for reading what was found in memory.
  void look(Host& host, std::uint64_t max_ns = kMaxLookNs);
  /// The host has ended, or the recording has.
  void end(Host& host);
  /// What was seen, before `search` has read any file.
  void want_in(weights::PartSearch& search) const;
  /// Puts what parts of these hold of `files`, which `search` has read, into the trace; not of
  /// those of `whole`, which are known to hold one array.
  void tell(const weights::PartSearch& search,
            std::span<const weights::PlainFile> files,
            const std::unordered_set<trace::AllocationNumber>& whole);

 private:
  void believe_seen(Host& host);
  static bool extend_period(HostProbes& probes, const HostProbes::Seen& seen);
  void begin_period(HostProbes& probes, const HostProbes::Seen& seen);

  EventSink& sink_;
  std::vector<HostProbes::Place> places_;  ///< Of mappings or processes that are gone.
  std::size_t kept_ = 0;                   ///< Periods, in all.
};

}  // namespace tidemark
