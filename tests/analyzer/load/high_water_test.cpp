#include "analyzer/load/high_water.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/sizes.hpp"

#include <utility>
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

/// @param sampled of each process alike; none where nothing of it is said.
HighWater high_water(const std::vector<trace::Process>& processes,
                     const SampledProcess& sampled = {},
                     const ResidentPeaks& resident = {},
                     std::vector<std::uint64_t> lazily_freed = {}) {
  lazily_freed.resize(processes.size());
  return high_water_of(processes, std::vector(processes.size(), sampled), resident, lazily_freed);
}

std::uint64_t unexplained(const std::vector<trace::Process>& processes,
                          std::uint64_t file_bytes = 0,
                          std::vector<std::uint64_t> lazily_freed = {},
                          std::uint64_t shmem_bytes = 0) {
  const SampledProcess sampled{.with_own_bytes = 40 * kMiB, .file_bytes = file_bytes};
  return high_water(processes, sampled, {.shmem_bytes = shmem_bytes}, std::move(lazily_freed))
      .unexplained_bytes;
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
  const auto one = [](std::uint64_t mark, std::uint64_t sampled, std::uint64_t file_bytes) {
    trace::Process process;
    process.pid = 1;
    process.kernel_peak_rss_bytes = mark;
    return high_water({process}, {.with_own_bytes = sampled, .file_bytes = file_bytes});
  };
  CHECK(one(100 * kMiB, 100 * kMiB, 40 * kMiB).unexplained_bytes == 60 * kMiB);
  CHECK(one(100 * kMiB, 99 * kMiB, 40 * kMiB).unexplained_bytes == 60 * kMiB);
  CHECK(one(100 * kMiB, 90 * kMiB, 20 * kMiB).unexplained_bytes == 60 * kMiB);
  CHECK(one(100 * kMiB, 90 * kMiB, 4 * kMiB).unexplained_bytes == 92 * kMiB);
  // So many libraries do not come at once.
  CHECK(one(1200 * kMiB, 1000 * kMiB, 700 * kMiB).unexplained_bytes == 468 * kMiB);
}

TEST_CASE("a mark that was sampled with tidemark's own memory was sampled", "[high_water]") {
  trace::Process process;
  process.pid = 1;
  process.own_bytes = 12 * kMiB;
  process.peak[trace::Lane::kHeap] = 620 * kMiB;
  process.kernel_peak_rss_bytes = 612 * kMiB;
  const SampledProcess sampled{.with_own_bytes = 612 * kMiB, .file_bytes = 300 * kMiB};
  const ResidentPeaks resident{.anon_bytes = 300 * kMiB,
                               .file_bytes = 300 * kMiB,
                               .total_bytes = 600 * kMiB,
                               .with_own_bytes = 612 * kMiB,
                               .own_bytes = 12 * kMiB};
  const HighWater high = high_water({process}, sampled, resident);
  CHECK(high.private_bytes == 300 * kMiB);
  CHECK(high.private_bytes_at_most == 300 * kMiB);
}

TEST_CASE("what files and tidemark itself may have had is no private memory", "[high_water]") {
  const auto private_bytes = [](std::uint64_t mark, std::uint64_t own_bytes,
                                std::uint64_t shmem_bytes = 0) {
    trace::Process process;
    process.pid = 1;
    process.own_bytes = own_bytes;
    process.kernel_peak_rss_bytes = mark;
    return high_water(
               {process}, {.with_own_bytes = 35 * kMiB, .file_bytes = 30 * kMiB},
               {.anon_bytes = 5 * kMiB, .shmem_bytes = shmem_bytes, .with_own_bytes = 35 * kMiB})
        .private_bytes;
  };
  CHECK(private_bytes(55 * kMiB, 0) == 5 * kMiB);
  CHECK(private_bytes(200 * kMiB, 0) == 140 * kMiB);  // More than libraries can be.
  CHECK(private_bytes(200 * kMiB, 8 * kMiB) == 132 * kMiB);
  CHECK(private_bytes(200 * kMiB, 8 * kMiB, 100 * kMiB) == 32 * kMiB);
}

TEST_CASE("each process's samples are compared with its own mark", "[high_water]") {
  trace::Process one;
  one.pid = 1;
  one.kernel_peak_rss_bytes = 300 * kMiB;
  trace::Process other = one;
  other.pid = 2;
  other.kernel_peak_rss_bytes = 100 * kMiB;
  const std::vector processes{one, other};
  const std::vector<SampledProcess> sampled{
      {.with_own_bytes = 120 * kMiB, .file_bytes = 20 * kMiB},
      {.with_own_bytes = 100 * kMiB, .file_bytes = 90 * kMiB}};
  const std::vector<std::uint64_t> lazily_freed(2);
  // Together the samples had more than the largest mark says; still it was never sampled.
  const HighWater high =
      high_water_of(processes, sampled, {.with_own_bytes = 320 * kMiB}, lazily_freed);
  CHECK(high.unexplained_bytes == 178 * kMiB);
}

TEST_CASE("the marks of those count together that were alive at once", "[high_water]") {
  const auto at_most = [](const std::vector<trace::Process>& processes) {
    return high_water(processes).private_bytes_at_most;
  };
  const auto lived = [](std::uint64_t begin_ns, std::uint64_t end_ns, std::uint64_t mark) {
    trace::Process one = process(1, mark);
    one.begin_ns = begin_ns;
    one.end_ns = end_ns;
    return one;
  };
  CHECK(at_most({}) == 0);
  CHECK(at_most({lived(0, 10, 20 * kMiB), lived(10, 20, 30 * kMiB)}) == 30 * kMiB);
  // In any order, and one that was still there at the end.
  CHECK(at_most({lived(5, 0, 30 * kMiB), lived(0, 10, 20 * kMiB), lived(12, 20, 15 * kMiB)}) ==
        50 * kMiB);
  // Of a fork, whose mark may be an old one: what it asked for, and what it began with.
  std::vector<trace::Process> forked{lived(0, 20, 50 * kMiB), lived(5, 10, 7 * kMiB)};
  forked[1].pid = 2;
  forked[1].parent = 0;
  CHECK(at_most(forked) == 110 * kMiB);
}

}  // namespace
}  // namespace tidemark::analyzer
