/// Resident memory: what the kernel counted, from the samples, against what the events explain.
#pragma once

#include "analyzer/query/loaded_trace.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace tidemark::analyzer {

/// The sum over all processes alive at an instant.
struct ResidentTotals {
  std::uint64_t at_ns = 0;
  std::uint64_t anon_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t shmem_bytes = 0;

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
  std::uint64_t own_bytes = 0;  ///< Most tidemark itself took in one process; not in the others.
};

/// Each one's own highest value. Sampled: a shorter and higher spike may have gone unseen.
ResidentPeaks find_resident_peaks(const LoadedTrace& trace,
                                  const std::vector<ResidentTotals>& series);

/// The highest value of the last 100 ms or so, in constant memory.
class RecentMaximum {
 public:
  /// `value` stands from `ns` on. Times must not decrease.
  void include(std::uint64_t ns, std::uint64_t value) {
    if (ns / kBucketNs != bucket_) {
      enter_bucket(ns / kBucketNs);
    }
    last_ = value;
    std::uint64_t& highest = buckets_[bucket_ % kBuckets];
    highest = std::max(highest, value);
  }
  [[nodiscard]] std::uint64_t value() const { return *std::ranges::max_element(buckets_); }
  /// Of values that stand within one bucket, the highest and the last are all that matters.
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

/// Finds `unexplained`: by how much resident anonymous memory exceeded heap + anon, at the sample
/// where it exceeded it most.
///
/// A release is recorded before the kernel takes the pages back, which takes it tens of
/// milliseconds for large blocks: so a sample is compared with the highest heap + anon of the 100
/// ms before it. Never below 0: memory that was asked for but not touched is not resident.
class UnexplainedMeter {
 public:
  /// `series` stays borrowed.
  explicit UnexplainedMeter(const std::vector<ResidentTotals>& series) : series_(series) {}

  /// heap + anon is `explained` bytes from `ns` on.
  void see(std::uint64_t ns, std::uint64_t explained) {
    explained_ = explained;
    recent_.include(ns, explained_);
  }
  /// What was seen last stood until just before `ns`.
  void see_until(std::uint64_t ns) {
    while (next_ < series_.size() && series_[next_].at_ns < ns) {
      compare(series_[next_++]);
    }
  }
  [[nodiscard]] std::uint64_t most_bytes() const { return most_bytes_; }

 private:
  void compare(const ResidentTotals& sample);

  const std::vector<ResidentTotals>& series_;
  RecentMaximum recent_;
  std::uint64_t explained_ = 0;
  std::size_t next_ = 0;
  std::uint64_t most_bytes_ = 0;
};

}  // namespace tidemark::analyzer
