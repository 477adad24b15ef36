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

TEST_CASE("libraries may have come after the samples that are below the mark", "[high_water]") {
  CHECK(files_at_high_water(100 * kMiB, 100 * kMiB, 40 * kMiB) == 40 * kMiB);
  CHECK(files_at_high_water(100 * kMiB, 99 * kMiB, 40 * kMiB) == 40 * kMiB);
  CHECK(files_at_high_water(100 * kMiB, 90 * kMiB, 40 * kMiB) == 80 * kMiB);
  CHECK(files_at_high_water(100 * kMiB, 90 * kMiB, 4 * kMiB) == 8 * kMiB);
  CHECK(files_at_high_water(100 * kMiB, 0, 0) == 0);
}

TEST_CASE("the marks of those count together that were alive at once", "[high_water]") {
  const auto lived = [](std::uint64_t begin_ns, std::uint64_t end_ns, std::uint64_t mark) {
    trace::Process one = process(1, mark);
    one.begin_ns = begin_ns;
    one.end_ns = end_ns;
    return one;
  };
  CHECK(marks_at_once({}) == 0);
  const std::vector one_by_one{lived(0, 10, 20 * kMiB), lived(10, 20, 30 * kMiB)};
  CHECK(marks_at_once(one_by_one) == 30 * kMiB);
  // In any order, and one that was still there at the end.
  const std::vector at_once{lived(5, 0, 30 * kMiB), lived(0, 10, 20 * kMiB),
                            lived(12, 20, 15 * kMiB)};
  CHECK(marks_at_once(at_once) == 50 * kMiB);
  // Of a fork, whose mark may be an old one: what it asked for, and what it began with.
  std::vector<trace::Process> forked{lived(0, 20, 50 * kMiB), lived(5, 10, 7 * kMiB)};
  forked[1].pid = 2;
  forked[1].parent = 0;
  CHECK(marks_at_once(forked) == 110 * kMiB);
}

}  // namespace
}  // namespace tidemark::analyzer
