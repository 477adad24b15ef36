// Findings about what the system gave, or did not: memory that was freed and stayed, refusals.

#include "analyzer/findings/findings.hpp"
#include "analyzer/text/exit_status.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tidemark::analyzer {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

/// A stretch of time after the peak: what is the least that was resident, what the most that was
/// asked for.
struct Window {
  std::uint64_t begin_ns = 0;
  std::uint64_t resident = UINT64_MAX;
  std::uint64_t asked = 0;
};

std::vector<Window> windows_after_peak(const Evidence& evidence,
                                       const std::vector<ResidentTotals>& samples) {
  // The kernel takes tens of milliseconds to take large blocks back.
  constexpr std::uint64_t kShortest_ns = 100'000'000;
  constexpr std::uint64_t kMost = 64;
  const std::uint64_t begin = evidence.load.peak.at.at_ns;
  const std::uint64_t end = samples.empty() ? 0 : samples.back().at_ns;
  const std::size_t count =
      end <= begin ? 0 : static_cast<std::size_t>(std::min(kMost, (end - begin) / kShortest_ns));
  std::vector<Window> windows;
  Timeline timeline(evidence.trace);
  for (const Extents& column : timeline.columns(begin, end, count)) {
    const std::uint64_t index = windows.size();
    windows.push_back({.begin_ns = begin + (end - begin) / count * index});
    windows.back().asked = column.lanes[static_cast<std::size_t>(trace::Lane::kHeap)].maximum +
                           column.lanes[static_cast<std::size_t>(trace::Lane::kAnon)].maximum;
  }
  for (const ResidentTotals& sample : samples) {
    if (sample.at_ns >= begin && sample.at_ns < end && !windows.empty()) {
      const auto index = std::min<std::size_t>((sample.at_ns - begin) / ((end - begin) / count),
                                               windows.size() - 1);
      windows[index].resident = std::min(windows[index].resident, sample.anon_bytes);
    }
  }
  return windows;
}

/// What was resident over two windows in a row beyond what was asked for in both and before.
std::uint64_t kept_in(const std::vector<Window>& windows, std::size_t last) {
  std::uint64_t resident = UINT64_MAX;
  std::uint64_t asked = 0;
  for (std::size_t i = last - 2; i <= last; ++i) {
    asked = std::max(asked, windows[i].asked);
    resident = i == last - 2 ? resident : std::min(resident, windows[i].resident);
  }
  return resident == UINT64_MAX || resident < asked ? 0 : resident - asked;
}

/// Whether heap and mappings explain what was resident at its highest: else some of it is memory
/// that tidemark cannot see, and nobody knows when that was freed.
bool is_explained(const LoadFacts& load) {
  const std::uint64_t asked =
      load.peak.lanes[trace::Lane::kHeap] + load.peak.lanes[trace::Lane::kAnon];
  const std::uint64_t resident = load.resident.anon_bytes;
  return resident <= asked + asked / 20 + 16 * kMiB && is_most_of(resident, asked);
}

}  // namespace

void find_kept_memory(const Evidence& evidence, std::vector<Finding>& findings) {
  if (!is_explained(evidence.load)) {
    return;
  }
  const auto windows = windows_after_peak(evidence, resident_series(evidence.trace));
  std::uint64_t kept = 0;
  std::size_t at = 0;
  for (std::size_t last = 2; last < windows.size(); ++last) {
    if (const std::uint64_t bytes = kept_in(windows, last); bytes > kept) {
      kept = bytes;
      at = last;
    }
  }
  if (kept < std::max(16 * kMiB, evidence.load.peak.footprint_bytes / 5)) {
    return;
  }
  Finding finding{.kind = FindingKind::kKept, .title = "freed, but still resident"};
  finding.sentence = fmt::format(
      "{} that had been freed by {} stayed resident: {} of private memory against {} requested. "
      "The allocator keeps such pages; glibc's malloc_trim(0) gives them back.",
      format_size(kept), format_time(windows[at].begin_ns), format_size(windows[at].resident),
      format_size(windows[at].asked));
  finding.bytes = kept;
  finding.at_ns = windows[at].begin_ns;
  findings.push_back(std::move(finding));
}

void find_refusals(const LoadFacts& load, std::vector<Finding>& findings) {
  const std::uint64_t soon_ns = std::max<std::uint64_t>(1'000'000'000, load.duration_ns / 10);
  if (!load.last_failure || !load.session.ended || load.session.exit_status == 0 ||
      load.last_failure->size < kMiB ||
      load.duration_ns - std::min(load.duration_ns, load.last_failure->at_ns) > soon_ns) {
    return;
  }
  Finding finding{.kind = FindingKind::kRefused, .title = "an allocation failed"};
  finding.sentence = fmt::format(
      "An allocation of {} failed at {}; the program ended {} later with exit status {}.",
      format_size(load.last_failure->size), format_time(load.last_failure->at_ns),
      format_time(load.duration_ns - load.last_failure->at_ns),
      exit_status_text(load.session.exit_status));
  finding.bytes = load.last_failure->size;
  finding.at_ns = load.last_failure->at_ns;
  finding.frames = load.last_failure_stack;
  findings.push_back(std::move(finding));
}

}  // namespace tidemark::analyzer
