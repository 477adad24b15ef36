/// Resident memory: what the kernel counted, from the samples, against what the events explain.
#pragma once

#include "analyzer/loaded_trace.hpp"

#include <algorithm>
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

/// Finds `unexplained`: by how much resident anonymous memory exceeded heap + anon, at the sample
/// where it exceeded it most. Never below 0: memory that was asked for but not touched is not
/// resident.
class UnexplainedMeter {
 public:
  /// `series` stays borrowed.
  explicit UnexplainedMeter(const std::vector<ResidentTotals>& series) : series_(series) {}

  /// `totals` stood until just before `ns`.
  void see_until(std::uint64_t ns, const trace::LaneTotals& totals) {
    while (next_ < series_.size() && series_[next_].at_ns < ns) {
      compare(series_[next_++], totals);
    }
  }
  [[nodiscard]] std::uint64_t most_bytes() const { return most_bytes_; }

 private:
  void compare(const ResidentTotals& sample, const trace::LaneTotals& totals) {
    const std::uint64_t explained = totals[trace::Lane::kHeap] + totals[trace::Lane::kAnon];
    if (sample.anon_bytes > explained) {
      most_bytes_ = std::max(most_bytes_, sample.anon_bytes - explained);
    }
  }

  const std::vector<ResidentTotals>& series_;
  std::size_t next_ = 0;
  std::uint64_t most_bytes_ = 0;
};

}  // namespace tidemark::analyzer
