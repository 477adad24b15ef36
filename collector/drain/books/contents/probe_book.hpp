/// Samples of large mappings, anonymous or shared, and heap blocks: a few bytes at each of many
/// places, read from outside where the pages are in memory anyway.
///
/// A language runtime has its arrays anywhere in one large mapping (a Java heap, the memory of a
/// WebAssembly module), and moves them as it likes; a framework's arena has its tensors in one
/// block. No call tells where one begins. But bytes of a weight file are recognised anywhere, and
/// places whose bytes are equally far apart in the file belong to one array.
/// Samples stay with the recorder until the end; a trace gets only what is recognised then.
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

/// Used only by the collector's single thread.
class ProbeBook {
 public:
  /// Smaller mappings are ignored.
  static constexpr std::uint64_t kLargeMapping = std::uint64_t{4} << 20U;
  /// So are smaller heap blocks. One that malloc maps separately has no remains of freed blocks.
  static constexpr std::uint64_t kFreshBlock = std::uint64_t{33} << 20U;
  /// Distance between places; multiplied by a power of two if a process has more than kMaxPlaces.
  static constexpr std::uint64_t kStep = std::uint64_t{256} << 10U;
  static constexpr std::size_t kMaxPlaces = 2048;
  static constexpr std::uint64_t kMaxLookNs = 1'000'000;
  /// Samples kept of all processes, some 200 bytes each, and at the end 500 for each that is
  /// searched for. Beyond that a place keeps only its last sample, and new places are ignored.
  static constexpr std::size_t kMaxKept = 65'536;

  /// `sink` stays borrowed.
  explicit ProbeBook(EventSink& sink) : sink_(sink) {}

  /// Whether `look` is due: every 20 ms while weights are loaded, later when the footprint has
  /// risen, else three times a second; within a hundredth of the host's time plus 30 ms.
  [[nodiscard]] bool is_due(const Host& host) const;
  /// Call when it is due. A round through a large process takes several looks, each of at least one
  /// piece of 64 MiB.
  /// @param max_ns CPU time, not counting the last piece and reading the pages found in memory.
  void look(Host& host, std::uint64_t max_ns = kMaxLookNs);
  /// The host has ended, or the recording has.
  void end(Host& host);
  /// Gives `search` what was seen; call before it reads any file.
  void want_in(weights::PartSearch& search) const;
  /// Which parts of mappings and blocks hold values of `files`, which `search` has read. Leaves out
  /// those in `whole`, which are known to hold a single array. Call once.
  [[nodiscard]] std::vector<trace::PackedMatch> take_parts(
      const weights::PartSearch& search,
      std::span<const weights::PlainFile> files,
      const std::unordered_set<trace::AllocationNumber>& whole);

 private:
  void believe_seen(Host& host);
  static bool extend_period(HostProbes& probes, const HostProbes::Seen& seen);
  void begin_period(HostProbes& probes, const HostProbes::Seen& seen);

  EventSink& sink_;
  std::vector<HostProbes::Place> places_;  ///< In mappings or processes that are gone.
  std::size_t kept_ = 0;                   ///< Number of periods of all places.
};

}  // namespace tidemark
