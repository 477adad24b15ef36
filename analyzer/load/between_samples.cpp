#include "analyzer/load/between_samples.hpp"

#include "collector/trace/types/less.hpp"

#include <algorithm>

#include <sys/mman.h>

namespace tidemark::analyzer {
namespace {

using trace::less;

std::uint64_t resident(const trace::Sample& sample) {
  return sample.rss_anon_bytes + sample.rss_file_bytes + sample.rss_shmem_bytes + sample.own_bytes;
}

NotPrivate not_private(const trace::Sample& sample) {
  return {sample.rss_file_bytes, sample.rss_shmem_bytes, sample.own_bytes};
}

/// By how much file pages have grown in the 100 ms up to each sample. Must be asked in order of the
/// samples, so that it never goes back: in a hostile trace, all samples may be of one time.
class NewFilePages {
 public:
  explicit NewFilePages(std::span<const trace::Sample> samples) : samples_(samples) {}

  /// @param i no less than before.
  std::uint64_t bytes_at(std::size_t i) {
    constexpr std::uint64_t kRecentNs = 100'000'000;
    const trace::Sample& last = samples_[i];
    while (last.at_ns - samples_[older_].at_ns >= kRecentNs) {
      ++older_;
    }
    // For the first samples: since the process began.
    return less(last.rss_file_bytes, older_ == 0 ? 0 : samples_[older_ - 1].rss_file_bytes);
  }

 private:
  std::span<const trace::Sample> samples_;
  std::size_t older_ = 0;  // The number of samples before these 100 ms.
};

/// @param samples of the process, in order of time.
std::vector<BetweenSamples> gaps_of(const trace::Process& process,
                                    std::span<const trace::Sample> samples) {
  std::vector<BetweenSamples> gaps;
  // A sample without a mark leaves all of them to the last one.
  const bool are_marks_known = std::ranges::none_of(
      samples, [](const auto& sample) { return sample.high_water_bytes == 0; });
  BetweenSamples gap{.begin_ns = process.begin_ns};
  std::uint64_t mark = 0;
  NewFilePages new_pages(samples);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    gap.after = not_private(samples[i]);
    gap.end_ns = std::max(gap.begin_ns, samples[i].at_ns);
    gap.is_last = false;
    gap.mark = std::max({mark, samples[i].high_water_bytes, resident(samples[i])});
    gap.has_risen = are_marks_known && gap.mark > mark;
    mark = gap.mark;
    gaps.push_back(gap);
    gap = {.begin_ns = gap.end_ns,
           .before = not_private(samples[i]),
           .is_first = false,
           .new_file_bytes = new_pages.bytes_at(i)};
  }
  gap.end_ns = process.end_ns != 0 ? std::max(gap.begin_ns + 1, process.end_ns) : UINT64_MAX;
  gap.mark = std::max(mark, process.kernel_peak_rss_bytes);
  gap.has_risen = are_marks_known && gap.mark > mark;
  gaps.push_back(gap);
  if (!are_marks_known) {
    for (BetweenSamples& any : gaps) {
      any.mark = gap.mark;
    }
  }
  return gaps;
}

}  // namespace

std::uint64_t BetweenSamples::private_at_most() const {
  std::uint64_t file = less(before.file_bytes, unmapped_bytes);
  std::uint64_t shmem = less(before.shmem_bytes, unmapped_bytes);
  std::uint64_t own = before.own_bytes;
  if (!is_last) {
    file = std::min(file, after.file_bytes);
    shmem = std::min(shmem, after.shmem_bytes);
    own = std::min(own, after.own_bytes);
  }
  return less(mark, file + shmem + own);
}

SampleGaps::SampleGaps(std::span<const trace::Process> processes,
                       std::span<const trace::Sample> samples)
    : current_(processes.size()) {
  std::vector<std::vector<trace::Sample>> by_process(processes.size());
  for (const trace::Sample& sample : samples) {
    // A sample with nothing in memory belongs to a process that is gone; its mark is an older
    // one's.
    if (resident(sample) != 0) {
      by_process[trace::index(sample.process)].push_back(sample);
    }
  }
  for (std::size_t i = 0; i < processes.size(); ++i) {
    std::ranges::stable_sort(by_process[i], {}, &trace::Sample::at_ns);
    gaps_.push_back(gaps_of(processes[i], by_process[i]));
  }
}

void SampleGaps::see(std::size_t process, const trace::Event& event) {
  std::vector<BetweenSamples>& gaps = gaps_[process];
  std::size_t& at = current_[process];
  while (at + 1 < gaps.size() && gaps[at].end_ns < event.at_ns) {
    ++at;
  }
  BetweenSamples& gap = gaps[at];
  const bool is_shareable = event.lane == trace::Lane::kFile || event.lane == trace::Lane::kShared;
  switch (event.kind) {
    case trace::EventKind::kRelease:
    case trace::EventKind::kReleasePart:
      gap.unmapped_bytes += is_shareable ? event.size : 0;
      break;
    case trace::EventKind::kReallocate:
      gap.unmapped_bytes += is_shareable ? event.released_size : 0;
      break;
    case trace::EventKind::kAdvise:
      gap.lazily_freed_bytes += event.extra == MADV_FREE ? event.size : 0;
      break;
    case trace::EventKind::kGrow:
      gap.grown_bytes += event.lane == trace::Lane::kAnon ? event.size : 0;
      break;
    default:
      break;
  }
}

}  // namespace tidemark::analyzer
