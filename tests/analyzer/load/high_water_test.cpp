#include "analyzer/load/high_water.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/sizes.hpp"

#include <vector>

namespace tidemark::analyzer {
namespace {

using tests::kMiB;

/// One that asked for 10 MiB and had 3 MiB of files and 1 MiB of tidemark's.
trace::Process process(std::uint32_t pid, std::uint64_t mark) {
  trace::Process out;
  out.pid = pid;
  out.peak[trace::Lane::kHeap] = 4 * kMiB;
  out.peak[trace::Lane::kAnon] = 6 * kMiB;
  out.lane_peaks = out.peak;
  out.lane_peaks[trace::Lane::kFile] = 3 * kMiB;
  out.own_bytes = kMiB;
  out.kernel_peak_rss_bytes = mark;
  return out;
}

std::uint64_t unexplained(const std::vector<trace::Process>& processes,
                          std::uint64_t file_bytes = 0,
                          std::vector<std::uint64_t> lazily_freed = {},
                          std::uint64_t shmem_bytes = 0) {
  lazily_freed.resize(processes.size());
  return unexplained_at_high_water(processes, file_bytes, shmem_bytes, lazily_freed);
}

TEST_CASE("what a process had beyond all that may explain it is unexplained", "[high_water]") {
  CHECK(unexplained({}) == 0);
  CHECK(unexplained({process(1, 0)}) == 0);
  CHECK(unexplained({process(1, 14 * kMiB)}) == 0);
  CHECK(unexplained({process(1, 20 * kMiB)}) == 6 * kMiB);
  CHECK(unexplained({process(1, 20 * kMiB), process(2, 30 * kMiB)}) == 16 * kMiB);
}

TEST_CASE("what may have been files, or given back lazily, is explained", "[high_water]") {
  CHECK(unexplained({process(1, 20 * kMiB)}, 2 * kMiB) == 6 * kMiB);  // the lane has more
  CHECK(unexplained({process(1, 20 * kMiB)}, 5 * kMiB) == 4 * kMiB);
  CHECK(unexplained({process(1, 20 * kMiB)}, 0, {4 * kMiB}) == 2 * kMiB);
  CHECK(unexplained({process(1, 20 * kMiB)}, 0, {40 * kMiB}) == 0);
}

TEST_CASE("shared memory is in the mark of each process that maps it", "[high_water]") {
  CHECK(unexplained({process(1, 20 * kMiB)}, 0, {}, 4 * kMiB) == 2 * kMiB);
  trace::Process owner = process(1, 20 * kMiB);
  owner.peak[trace::Lane::kShared] = 4 * kMiB;
  CHECK(unexplained({owner}, 0, {}, 4 * kMiB) == 2 * kMiB);
  CHECK(unexplained({owner}) == 2 * kMiB);
}

TEST_CASE("a fork begins with its parent's pages, an exec without", "[high_water]") {
  trace::Process child = process(2, 30 * kMiB);
  child.parent = 0;
  CHECK(unexplained({process(1, 14 * kMiB), child}) == 2 * kMiB);
  const trace::Process before_exec = process(2, 14 * kMiB);
  CHECK(unexplained({process(1, 14 * kMiB), before_exec, child}) == 16 * kMiB);
}

}  // namespace
}  // namespace tidemark::analyzer
