#include "analyzer/query/footprint/resident.hpp"

#include <algorithm>
#include <deque>
#include <unordered_map>

namespace tidemark::analyzer {
namespace {

/// The last sample of each process that is alive, and their sum.
class AliveProcesses {
 public:
  explicit AliveProcesses(const std::vector<trace::Process>& processes) {
    for (std::uint32_t i = 0; i < processes.size(); ++i) {
      if (processes[i].end_ns != 0) {
        ends_.push_back({processes[i].end_ns, i});
      }
    }
    std::ranges::sort(ends_, {}, &End::at_ns);
  }

  ResidentTotals with(const trace::Sample& sample) {
    for (; next_end_ < ends_.size() && ends_[next_end_].at_ns < sample.at_ns; ++next_end_) {
      replace(ends_[next_end_].process, {});
    }
    replace(trace::index(sample.process), sample);
    sum_.at_ns = sample.at_ns;
    return sum_;
  }

 private:
  struct End {
    std::uint64_t at_ns;
    std::uint32_t process;
  };

  void replace(std::uint32_t process, const trace::Sample& sample) {
    trace::Sample& last = last_[process];
    sum_.anon_bytes += sample.rss_anon_bytes - last.rss_anon_bytes;
    sum_.file_bytes += sample.rss_file_bytes - last.rss_file_bytes;
    sum_.shmem_bytes += sample.rss_shmem_bytes - last.rss_shmem_bytes;
    sum_.own_bytes += sample.own_bytes - last.own_bytes;
    last = sample;
  }

  std::vector<End> ends_;
  std::size_t next_end_ = 0;
  std::unordered_map<std::uint32_t, trace::Sample> last_;
  ResidentTotals sum_;
};

}  // namespace

std::vector<ResidentTotals> resident_series(const LoadedTrace& trace) {
  std::vector<trace::Sample> samples(trace.samples().begin(), trace.samples().end());
  std::ranges::stable_sort(samples, {}, &trace::Sample::at_ns);
  AliveProcesses alive(trace.definitions().processes);
  std::vector<ResidentTotals> series;
  series.reserve(samples.size());
  for (const trace::Sample& sample : samples) {
    const ResidentTotals totals = alive.with(sample);
    // Processes that share pages are all sampled at one time: a sum of some as they were before a
    // fork, and some as they are after it, has these pages twice.
    if (!series.empty() && series.back().at_ns == totals.at_ns) {
      series.back() = totals;
    } else {
      series.push_back(totals);
    }
  }
  return series;
}

bool has_sample_in(const std::vector<ResidentTotals>& series,
                   std::uint64_t begin_ns,
                   std::uint64_t end_ns) {
  const auto first = std::ranges::lower_bound(series, begin_ns, {}, &ResidentTotals::at_ns);
  return first != series.end() && first->at_ns <= end_ns;
}

ResidentPeaks find_resident_peaks(const LoadedTrace& trace,
                                  const std::vector<ResidentTotals>& series) {
  ResidentPeaks peaks;
  for (const ResidentTotals& at : series) {
    if (at.anon_bytes > peaks.anon_bytes) {
      peaks.anon_bytes = at.anon_bytes;
      peaks.anon_at_ns = at.at_ns;
    }
    peaks.file_bytes = std::max(peaks.file_bytes, at.file_bytes);
    peaks.shmem_bytes = std::max(peaks.shmem_bytes, at.shmem_bytes);
    peaks.total_bytes = std::max(peaks.total_bytes, at.total());
    peaks.with_own_bytes = std::max(peaks.with_own_bytes, at.total() + at.own_bytes);
  }
  for (const trace::Sample& sample : trace.samples()) {
    peaks.own_bytes = std::max(peaks.own_bytes, sample.own_bytes);
  }
  for (const trace::Process& process : trace.definitions().processes) {
    peaks.own_bytes = std::max(peaks.own_bytes, process.own_bytes);
  }
  return peaks;
}

std::vector<SampledProcess> sampled_processes(const LoadedTrace& trace) {
  std::vector<SampledProcess> sampled(trace.definitions().processes.size());
  for (const trace::Sample& sample : trace.samples()) {
    SampledProcess& process = sampled[trace::index(sample.process)];
    process.with_own_bytes =
        std::max(process.with_own_bytes, sample.rss_anon_bytes + sample.rss_file_bytes +
                                             sample.rss_shmem_bytes + sample.own_bytes);
    process.file_bytes = std::max(process.file_bytes, sample.rss_file_bytes);
  }
  return sampled;
}

void RecentMaximum::enter_bucket(std::uint64_t bucket) {
  // A value that did not change while nothing happened belongs to all the buckets in between.
  const std::uint64_t first = bucket > bucket_ + kBuckets ? bucket - kBuckets : bucket_;
  for (std::uint64_t between = first + 1; between <= bucket; ++between) {
    buckets_[between % kBuckets] = last_;
  }
  bucket_ = bucket;
}

bool UnexplainedMeter::is_falling(const ResidentTotals& sample) const {
  if (kept_.empty()) {
    return false;
  }
  const ResidentTotals& before = series_[kept_.size() - 1];
  return sample.anon_bytes < before.anon_bytes && sample.at_ns - before.at_ns <= kFallNs;
}

/// How much of the heap's memory is beyond its blocks, and beyond an allocator's overhead for each:
/// by a look together with the sample, or by the last one, less what was requested or given back
/// since.
std::uint64_t UnexplainedMeter::beside_blocks(const ResidentTotals& sample) {
  constexpr std::uint64_t kBesideBlock = 24;  // glibc: 8 bytes, and up to the next multiple of 16.
  const std::uint64_t heap = recent_heap_.value();
  const std::uint64_t come = heap - std::min(heap, heap_at_look_);
  const std::uint64_t gone = resident_before_ - std::min(resident_before_, sample.anon_bytes);
  beside_blocks_ -= std::min(beside_blocks_, come + gone);
  heap_at_look_ = std::max(heap_at_look_, heap);
  resident_before_ = sample.anon_bytes;
  for (; !looks_.empty() && looks_.front().at_ns <= sample.at_ns; looks_ = looks_.subspan(1)) {
    const trace::HeapLook& look = looks_.front();
    const std::uint64_t used = heap + kBesideBlock * look.blocks;
    if (look.at_ns == sample.at_ns && look.bytes >= used + beside_blocks_) {
      beside_blocks_ = look.bytes - used;
      heap_at_look_ = heap;
      tell_samples_before(sample);
    }
  }
  return beside_blocks_;
}

/// What a look found was there at the samples shortly before it, too, except for what has become
/// resident since, and what was in blocks then.
void UnexplainedMeter::tell_samples_before(const ResidentTotals& look) {
  for (Doubtful& sample : doubtful_) {
    const std::uint64_t come = look.anon_bytes - std::min(look.anon_bytes, sample.resident_bytes);
    const std::uint64_t freed = sample.heap_bytes - std::min(sample.heap_bytes, heap_at_look_);
    sample.kept_bytes =
        std::max(sample.kept_bytes, beside_blocks_ - std::min(beside_blocks_, come + freed));
  }
}

void UnexplainedMeter::compare(const ResidentTotals& sample) {
  recent_.include(sample.at_ns, asked_);
  recent_heap_.include(sample.at_ns, heap_);
  const std::uint64_t asked =
      std::max(recent_.value(), is_falling(sample) ? kept_.back().asked_bytes : 0);
  const std::uint64_t unexplained = sample.anon_bytes - std::min(sample.anon_bytes, asked);
  // Just freed counts as not yet freed here, too.
  const std::uint64_t freed = highest_heap_ - std::min(highest_heap_, heap_ + (asked - asked_));
  const std::uint64_t by_look = std::min(unexplained, beside_blocks(sample));
  const std::uint64_t kept =
      std::max(std::min(unexplained - std::min(unexplained, unseen_), freed), by_look);
  unseen_ = std::max(unseen_, unexplained - kept);
  highest_heap_ = std::max(heap_, std::min(highest_heap_, sample.anon_bytes));
  kept_.push_back({.bytes = kept,
                   .asked_bytes = asked,
                   .standing_bytes = asked_,
                   .is_by_look = kept != 0 && kept == by_look});
  lowest_ = asked_;
  doubtful_.push_back({.at_ns = sample.at_ns,
                       .resident_bytes = sample.anon_bytes,
                       .compared_bytes = asked,
                       .kept_bytes = kept,
                       .asked_bytes = asked_,
                       .heap_bytes = heap_,
                       .anon_bytes = anon_});
}

Unexplained UnexplainedMeter::more_of(const Unexplained& known, const Doubtful& sample) {
  const std::uint64_t asked =
      std::max(sample.compared_bytes, sample.asked_bytes + sample.late_bytes);
  const std::uint64_t bytes = sample.resident_bytes - std::min(sample.resident_bytes, asked);
  return bytes > known.bytes ? Unexplained{.bytes = bytes,
                                           .kept_bytes = std::min(sample.kept_bytes, bytes),
                                           .at_ns = sample.at_ns}
                             : known;
}

Unexplained UnexplainedMeter::most() const {
  Unexplained most = most_;
  for (const Doubtful& sample : doubtful_) {
    most = more_of(most, sample);
  }
  return most;
}

/// Less is asked for than at any time since the last sample.
void UnexplainedMeter::fall(std::uint64_t ns) {
  if (!kept_.empty() && ns > last_fall_ns_ + kPauseNs) {
    kept_.back().resumed_ns = ns;
  }
  last_fall_ns_ = ns;
  lowest_ = asked_;
}

/// A program may free all that it has, step after step, before it ends: an interpreter takes a
/// tenth of a second for that after large imports, a destructor of millions of entries a whole
/// second. So the run ends at the last instant after which less and less is requested, without a
/// pause; at the latest in its last twentieth, at the earliest in its second half. Judged by the
/// releases, as samples are far apart while resident memory does not change.
std::uint64_t UnexplainedMeter::ending_ns(std::uint64_t end_ns) const {
  constexpr std::uint64_t kEndPart = 20;
  std::uint64_t ending = end_ns - end_ns / kEndPart;
  if (kept_.empty() || end_ns > last_fall_ns_ + kPauseNs) {
    return ending;
  }
  std::uint64_t standing_behind = kept_.back().standing_bytes;
  for (std::size_t i = kept_.size(); i-- > 0;) {
    const Kept& kept = kept_[i];
    if (standing_behind > kept.standing_bytes || series_[i].at_ns < end_ns / 2) {
      break;
    }
    if (kept.resumed_ns != 0) {
      return std::min(ending, kept.resumed_ns);
    }
    if (standing_behind < kept.standing_bytes) {
      ending = std::min(ending, series_[i].at_ns);
    }
    standing_behind = kept.standing_bytes;
  }
  return ending;
}

/// For each sample at which a fifth of a second may begin, the minimum over all samples in it, by a
/// queue of those that no later one undercuts; and each sample at which the heap's pages were
/// looked at. What is freed as the run ends does not count.
KeptMemory UnexplainedMeter::most_kept(std::uint64_t end_ns, std::uint64_t shutdown_ns) const {
  constexpr std::uint64_t kLong_ns = 200'000'000;
  const std::uint64_t ending = std::min(ending_ns(end_ns), shutdown_ns);
  KeptMemory most;
  const auto include = [&](const Kept& kept, std::size_t begin, std::size_t lowest) {
    if (kept.bytes > most.bytes) {
      most = {.bytes = kept.bytes,
              .at_ns = series_[begin].at_ns,
              .resident_bytes = series_[lowest].anon_bytes,
              .asked_bytes = kept.asked_bytes};
    }
  };
  std::deque<std::size_t> least;
  std::size_t begin = 0;
  for (std::size_t last = 0; last < kept_.size(); ++last) {
    while (!least.empty() && kept_[least.back()].bytes >= kept_[last].bytes) {
      least.pop_back();
    }
    least.push_back(last);
    if (kept_[last].is_by_look && series_[last].at_ns <= ending) {
      include(kept_[last], last, last);
    }
    const std::uint64_t until =
        std::min(last + 1 < kept_.size() ? series_[last + 1].at_ns : end_ns, shutdown_ns);
    for (; begin <= last && until >= series_[begin].at_ns + kLong_ns; ++begin) {
      if (series_[begin].at_ns < ending) {
        include(kept_[least.front()], begin, least.front());
      }
      if (least.front() == begin) {
        least.pop_front();
      }
    }
  }
  return most;
}

}  // namespace tidemark::analyzer
