/// Resident memory: compares the kernel's counts, from the samples, with what the events explain.
#pragma once

#include "analyzer/query/loaded_trace.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace tidemark::analyzer {

/// The sum over all processes alive at an instant.
struct ResidentTotals {
  std::uint64_t at_ns = 0;
  std::uint64_t anon_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t shmem_bytes = 0;
  std::uint64_t own_bytes = 0;  ///< Tidemark's own, not included in the others.

  [[nodiscard]] std::uint64_t total() const { return anon_bytes + file_bytes + shmem_bytes; }
};

/// One entry per sample, in order of time. Each process counts with its last sample until it ends.
std::vector<ResidentTotals> resident_series(const LoadedTrace& trace);

/// Whether one of a series' samples lies in [begin_ns, end_ns].
bool has_sample_in(const std::vector<ResidentTotals>& series,
                   std::uint64_t begin_ns,
                   std::uint64_t end_ns);

struct ResidentPeaks {
  std::uint64_t anon_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t shmem_bytes = 0;
  std::uint64_t total_bytes = 0;
  std::uint64_t with_own_bytes = 0;  ///< All of that, with tidemark's own.
  std::uint64_t own_bytes = 0;   ///< Most tidemark itself took in one process; not in the others.
  std::uint64_t anon_at_ns = 0;  ///< When `anon_bytes` were there first.
};

/// The highest value of each. Sampled: a short, higher spike may have been missed.
ResidentPeaks find_resident_peaks(const LoadedTrace& trace,
                                  const std::vector<ResidentTotals>& series);

/// The highest values in the samples of one process, each at its own instant.
struct SampledProcess {
  std::uint64_t with_own_bytes = 0;  ///< All kinds, and tidemark's own.
  std::uint64_t file_bytes = 0;
};
std::vector<SampledProcess> sampled_processes(const LoadedTrace& trace);

/// The highest value of about the last 100 ms, in constant memory.
class RecentMaximum {
 public:
  /// `value` holds from `ns` on. Times must not decrease.
  void include(std::uint64_t ns, std::uint64_t value) {
    if (ns / kBucketNs != bucket_) {
      enter_bucket(ns / kBucketNs);
    }
    last_ = value;
    std::uint64_t& highest = buckets_[bucket_ % kBuckets];
    highest = std::max(highest, value);
  }
  [[nodiscard]] std::uint64_t value() const { return *std::ranges::max_element(buckets_); }
  /// End of the bucket of `ns`. Within one bucket only the highest and the last value matter.
  [[nodiscard]] static constexpr std::uint64_t bucket_end(std::uint64_t ns) {
    return (ns / kBucketNs + 1) * kBucketNs;
  }

 private:
  static constexpr std::uint64_t kBucketNs = 10'000'000;
  static constexpr std::size_t kBuckets = 11;
  void enter_bucket(std::uint64_t bucket);

  std::array<std::uint64_t, kBuckets> buckets_{};
  std::uint64_t bucket_ = 0;
  std::uint64_t last_ = 0;
};

/// Private memory explained by the lanes.
struct TrackedBytes {
  std::uint64_t heap = 0;
  std::uint64_t asked = 0;   ///< heap + anon.
  std::uint64_t device = 0;  ///< Also private memory, if the driver takes it from the host.

  TrackedBytes() = default;
  explicit TrackedBytes(const trace::LaneTotals& totals)
      : heap(totals[trace::Lane::kHeap]),
        asked(heap + totals[trace::Lane::kAnon]),
        device(totals[trace::Lane::kDevice]) {}

  void include(const TrackedBytes& other) {
    heap = std::max(heap, other.heap);
    asked = std::max(asked, other.asked);
    device = std::max(device, other.device);
  }
};

/// Private memory in excess of requested memory, at the sample with the largest excess.
struct Unexplained {
  std::uint64_t bytes = 0;
  std::uint64_t kept_bytes = 0;  ///< The part that was once in the heap lane and freed.
  std::uint64_t at_ns = 0;       ///< When that sample was taken; meaningless for 0 bytes.
};

/// Freed memory that stayed resident.
struct KeptMemory {
  /// The minimum kept over a fifth of a second, or by one look at the heap's pages.
  std::uint64_t bytes = 0;
  std::uint64_t at_ns = 0;  ///< When that began; resident and requested bytes then:
  std::uint64_t resident_bytes = 0;
  std::uint64_t asked_bytes = 0;
};

/// Whether the device lane is part of the private memory, as with a driver in software.
enum class DeviceMemory : std::uint8_t { kElsewhere, kPrivate };

/// Finds `unexplained`: by how much resident anonymous memory exceeded heap + anon, at the sample
/// where it exceeded it most; and what of it the heap kept.
///
/// A release is recorded before the kernel takes the pages back, which takes tens of milliseconds
/// for large blocks, more on a busy machine. So a sample is compared with the highest heap + anon
/// of the 100 ms before it or, while resident memory falls from sample to sample, with what the
/// previous sample was compared with. A mapping may be recorded after its pages are present
/// (MAP_POPULATE), and one being filled is counted by looks, so growth of the anon lane in the 100
/// ms after the sample counts, too; slower filling is not covered. Never below 0: memory requested
/// but not touched is not resident.
///
/// The heap may keep memory that it once had while it stays resident: at most its highest value
/// until then, and at most the lowest resident memory since. Resident memory beyond that at an
/// earlier sample is memory that tidemark cannot see, and is assumed to be still there. If the
/// heap's pages were looked at together with the sample, whatever is resident beyond its blocks was
/// kept, including gaps between them that never added up at one time; the same holds for the
/// samples of the 100 ms before.
class UnexplainedMeter {
 public:
  /// @param series and `looks`, in order of time, stay borrowed.
  UnexplainedMeter(const std::vector<ResidentTotals>& series,
                   DeviceMemory device,
                   std::span<const trace::HeapLook> looks = {})
      : series_(series), device_(device), looks_(looks) {}

  /// The tracked bytes from `ns` on.
  void see(std::uint64_t ns, const TrackedBytes& tracked) {
    anon_ = tracked.asked - tracked.heap;
    asked_ = tracked.asked + (device_ == DeviceMemory::kPrivate ? tracked.device : 0);
    heap_ = tracked.heap;
    highest_heap_ = std::max(highest_heap_, heap_);
    recent_.include(ns, asked_);
    recent_heap_.include(ns, heap_);
    if (asked_ < lowest_) {
      fall(ns);
    }
    for (; !doubtful_.empty() && doubtful_.front().at_ns + kLateNs < ns; doubtful_.pop_front()) {
      most_ = more_of(most_, doubtful_.front());
    }
    for (Doubtful& sample : doubtful_) {
      sample.late_bytes = std::max(sample.late_bytes, anon_ - std::min(anon_, sample.anon_bytes));
    }
    if (!kept_.empty()) {  // Until the next sample, no more is kept than was not reused.
      const std::uint64_t resident = series_[kept_.size() - 1].anon_bytes;
      std::uint64_t& kept = kept_.back().bytes;
      kept = std::min(kept, resident - std::min(resident, asked_));
    }
  }
  /// The last seen values hold until just before `ns`.
  void see_until(std::uint64_t ns) {
    while (next_ < series_.size() && series_[next_].at_ns < ns) {
      compare(series_[next_++]);
    }
  }
  [[nodiscard]] Unexplained most() const;
  /// A sample holds until the next one, the last one until `end_ns`. From `shutdown_ns` on the
  /// program is known to take itself down: what it keeps then does not count.
  [[nodiscard]] KeptMemory most_kept(std::uint64_t end_ns,
                                     std::uint64_t shutdown_ns = UINT64_MAX) const;

 private:
  /// What the heap kept at a sample, and until the next.
  struct Kept {
    std::uint64_t bytes = 0;
    std::uint64_t asked_bytes = 0;     ///< The highest of the 100 ms before.
    std::uint64_t standing_bytes = 0;  ///< What was asked for then.
    bool is_by_look = false;           ///< At the pages of the heap.
    /// When the last pause ended after which requested memory only fell until the next sample; or
    /// 0.
    std::uint64_t resumed_ns = 0;
  };
  /// A sample that later events may still explain.
  struct Doubtful {
    std::uint64_t at_ns = 0;
    std::uint64_t resident_bytes = 0;
    std::uint64_t compared_bytes = 0;  ///< The highest of the 100 ms before.
    std::uint64_t kept_bytes = 0;
    std::uint64_t asked_bytes = 0;
    std::uint64_t heap_bytes = 0;  ///< The heap lane's part of `asked_bytes`.
    std::uint64_t anon_bytes = 0;  ///< The anon lane's.
    std::uint64_t late_bytes = 0;  ///< What it has grown by since, at most.
  };
  static constexpr std::uint64_t kLateNs = 100'000'000;
  static Unexplained more_of(const Unexplained& known, const Doubtful& sample);
  /// Samples further apart say nothing about the time between them.
  static constexpr std::uint64_t kFallNs = 100'000'000;
  /// A program that is freeing its memory does not pause for longer.
  static constexpr std::uint64_t kPauseNs = 100'000'000;
  void fall(std::uint64_t ns);
  [[nodiscard]] std::uint64_t ending_ns(std::uint64_t end_ns) const;
  [[nodiscard]] bool is_falling(const ResidentTotals& sample) const;
  void compare(const ResidentTotals& sample);
  [[nodiscard]] std::uint64_t beside_blocks(const ResidentTotals& sample);
  void tell_samples_before(const ResidentTotals& look);

  const std::vector<ResidentTotals>& series_;
  DeviceMemory device_;
  std::span<const trace::HeapLook> looks_;  // Those that are still to come.
  RecentMaximum recent_;
  RecentMaximum recent_heap_;
  std::uint64_t asked_ = 0;
  std::uint64_t heap_ = 0;
  std::uint64_t anon_ = 0;
  std::uint64_t highest_heap_ = 0;   // As far as it may still be resident.
  std::uint64_t lowest_ = 0;         // The lowest of requested bytes since the last sample.
  std::uint64_t last_fall_ns_ = 0;   // When that last became less.
  std::uint64_t beside_blocks_ = 0;  // By the last look, minus what may have been reused since.
  std::uint64_t heap_at_look_ = 0;   // The highest since then, too.
  std::uint64_t resident_before_ = 0;
  std::uint64_t unseen_ = 0;  // Highest neither requested nor kept, so far.
  std::size_t next_ = 0;
  Unexplained most_;
  std::deque<Doubtful> doubtful_;
  std::vector<Kept> kept_;  // By sample.
};

}  // namespace tidemark::analyzer
