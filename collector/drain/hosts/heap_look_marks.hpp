/// When a look at what a host's heap lies in would tell something new.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tidemark {

/// How much there was at the last look. What was asked for since may lie in what that found free,
/// so a reader of the trace has to take it off: once that is a sixteenth, another look is due. So
/// it is where a look was ahead of the records, and took blocks that it had not heard of for memory
/// that nobody asked for.
class HeapLookMarks {
 public:
  /// Asked at each sample, in order: bytes of private anonymous memory, and how much was asked for
  /// as far as records have been read.
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
  /// As a check of the peak takes it.
  static constexpr std::uint64_t kNotablePart = 50;
  static constexpr std::uint64_t kRisenPart = 16;

  static std::uint64_t beyond_of(std::uint64_t resident, std::uint64_t requested) {
    return resident - std::min(resident, requested);
  }

  std::uint64_t requested_bytes_ = 0;
  std::uint64_t beyond_bytes_ = 0;  ///< Resident and not asked for, at least since then.
};

}  // namespace tidemark
