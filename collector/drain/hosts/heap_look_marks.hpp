/// Decides when a look at the memory that holds a host's heap would show something new.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tidemark {

/// Remembers the last look. Bytes requested since may lie in memory that it found free, so a reader
/// of the trace must subtract them: once they reach a sixteenth of it, another look is due. The
/// same holds if a look was ahead of the records, and took unrecorded blocks for memory that nobody
/// requested.
class HeapLookMarks {
 public:
  /// Call at each sample, in order, with the private anonymous memory in bytes, and the bytes
  /// requested according to the records read so far.
  bool is_look_due(std::uint64_t rss_anon_bytes, std::uint64_t requested_bytes) {
    const std::uint64_t beyond = beyond_of(rss_anon_bytes, requested_bytes);
    beyond_bytes_ = std::min(beyond_bytes_, beyond);
    const std::uint64_t notable_rise = beyond_bytes_ / kRisenPart;
    return beyond >= kNotableBytes && beyond >= rss_anon_bytes / kNotablePart &&
           (beyond > beyond_bytes_ + notable_rise ||
            requested_bytes > requested_bytes_ + notable_rise);
  }

  void note_look(std::uint64_t rss_anon_bytes, std::uint64_t requested_bytes) {
    requested_bytes_ = requested_bytes;
    beyond_bytes_ = beyond_of(rss_anon_bytes, requested_bytes);
  }

 private:
  static constexpr std::uint64_t kNotableBytes = std::uint64_t{1} << 20U;
  /// The same share as in the check of the peak.
  static constexpr std::uint64_t kNotablePart = 50;
  static constexpr std::uint64_t kRisenPart = 16;

  static std::uint64_t beyond_of(std::uint64_t resident, std::uint64_t requested) {
    return resident - std::min(resident, requested);
  }

  std::uint64_t requested_bytes_ = 0;
  std::uint64_t beyond_bytes_ = 0;  ///< Least resident but unrequested bytes since then.
};

}  // namespace tidemark
