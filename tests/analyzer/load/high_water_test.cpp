#include "analyzer/load/high_water.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/sizes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
/// @param lazily_freed by process.
HighWater high_water(const std::vector<trace::Process>& processes,
                     const SampledProcess& sampled = {},
                     const ResidentPeaks& resident = {},
                     const std::vector<std::uint64_t>& lazily_freed = {}) {
  auto gaps = SampleGaps(processes, {}).take();
  for (std::size_t i = 0; i < lazily_freed.size(); ++i) {
    gaps[i].back().lazily_freed_bytes = lazily_freed[i];
  }
  return high_water_of(processes, std::vector(processes.size(), sampled), gaps, resident);
}

/// One process of which samples say what its memory and its mark were.
struct Sampled {
  trace::Process process{};
  std::vector<trace::Sample> samples{};
  std::uint64_t grown_bytes = 0;     ///< 50 ms before its end.
  std::uint64_t unmapped_bytes = 0;  ///< Of files, 1 ms before its last sample.

  [[nodiscard]] HighWater high_water() const {
    const std::vector processes{process};
    SampleGaps gaps(processes, samples);
    if (unmapped_bytes != 0) {
      gaps.see(0, {.at_ns = samples.back().at_ns - kMs,
                   .size = unmapped_bytes,
                   .kind = trace::EventKind::kRelease,
                   .lane = trace::Lane::kFile});
    }
    gaps.see(0, {.at_ns = process.end_ns - 50 * kMs,
                 .size = grown_bytes,
                 .kind = trace::EventKind::kGrow,
                 .lane = trace::Lane::kAnon});
    SampledProcess sampled;
    for (const trace::Sample& sample : samples) {
      const std::uint64_t resident = sample.rss_anon_bytes + sample.rss_file_bytes;
      sampled.with_own_bytes = std::max(sampled.with_own_bytes, resident);
      sampled.file_bytes = std::max(sampled.file_bytes, sample.rss_file_bytes);
    }
    return high_water_of(processes, std::vector{sampled}, gaps.take(), {});
  }
  static constexpr std::uint64_t kMs = 1'000'000;
};

/// In MiB; nothing else is resident.
trace::Sample sample(std::uint64_t at_ms,
                     std::uint64_t anon,
                     std::uint64_t file,
                     std::uint64_t mark) {
  return {.at_ns = at_ms * Sampled::kMs,
          .rss_anon_bytes = anon * kMiB,
          .rss_file_bytes = file * kMiB,
          .high_water_bytes = mark * kMiB};
}

/// 1 second, one sample after another.
Sampled one_sampled(std::uint64_t mark, std::vector<trace::Sample> samples) {
  Sampled out;
  out.process.pid = 1;
  out.process.end_ns = 1000 * Sampled::kMs;
  out.process.kernel_peak_rss_bytes = mark * kMiB;
  out.samples = std::move(samples);
  return out;
}

std::uint64_t unexplained(const std::vector<trace::Process>& processes,
                          std::uint64_t file_bytes = 0,
                          std::vector<std::uint64_t> lazily_freed = {},
                          std::uint64_t shmem_bytes = 0) {
  const SampledProcess sampled{.with_own_bytes = 40 * kMiB, .file_bytes = file_bytes};
  return high_water(processes, sampled, {.shmem_bytes = shmem_bytes}, lazily_freed)
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

TEST_CASE("of a program that was never sampled libraries are not taken for its own memory",
          "[high_water]") {
  const auto private_bytes = [](std::uint64_t mark) {
    return high_water({process(1, mark)}).private_bytes;
  };
  CHECK(private_bytes(30 * kMiB) == 0);
  CHECK(private_bytes(300 * kMiB) >= 256 * kMiB);
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
  const auto gaps = SampleGaps(processes, {}).take();
  // Together the samples had more than the largest mark says; still it was never sampled.
  const HighWater high = high_water_of(processes, sampled, gaps, {.with_own_bytes = 320 * kMiB});
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

TEST_CASE("of a child that was waited for, the kernel's last word bounds what it touched",
          "[high_water]") {
  std::vector processes{process(1, 20 * kMiB), process(2, 5 * kMiB)};
  processes[0].peak[trace::Lane::kHeap] = 0;
  processes[1].peak[trace::Lane::kHeap] = 300 * kMiB;
  const auto at_most = [&] { return high_water(processes).private_bytes_at_most; };
  // It may have touched all that it asked for since its last sample.
  CHECK(at_most() == 326 * kMiB);
  processes[1].rss_at_most_bytes = 40 * kMiB;
  CHECK(at_most() == 60 * kMiB);
  // Samples have seen more.
  processes[1].kernel_peak_rss_bytes = 100 * kMiB;
  CHECK(at_most() == 120 * kMiB);
  // A child of its own may have had that: more than it asked for says nothing.
  processes[1].rss_at_most_bytes = 900 * kMiB;
  CHECK(at_most() == 326 * kMiB);
}

TEST_CASE("file pages that stood before and after were no private memory", "[high_water]") {
  const auto at_most = [](const Sampled& one) { return one.high_water().private_bytes_at_most; };
  // The mark is of the gap, above both samples.
  Sampled one = one_sampled(150, {sample(10, 120, 14, 134), sample(20, 60, 15, 150)});
  CHECK(at_most(one) == 136 * kMiB);
  // As many pages as were unmapped may have gone before it.
  one.unmapped_bytes = 4 * kMiB;
  CHECK(at_most(one) == 140 * kMiB);
  // Those that had gone by the next sample, too.
  CHECK(at_most(one_sampled(150, {sample(10, 120, 14, 134), sample(20, 60, 3, 150)})) ==
        147 * kMiB);
  // Where the file pages are of another time than a short spike, all of it may be private.
  CHECK(at_most(one_sampled(150, {sample(5, 10, 100, 110), sample(10, 50, 100, 150),
                                  sample(20, 50, 1, 150)})) == 149 * kMiB);
  // Later heights do not count for what was before.
  CHECK(at_most(one_sampled(150, {sample(10, 20, 1, 21), sample(20, 20, 130, 150)})) == 149 * kMiB);
  CHECK(at_most(one_sampled(150, {sample(10, 20, 130, 150)})) == 150 * kMiB);
}

TEST_CASE("samples of one time leave no gap between them", "[high_water]") {
  const Sampled one =
      one_sampled(150, {sample(10, 20, 1, 21), sample(20, 120, 30, 150), sample(20, 120, 30, 150)});
  CHECK(one.high_water().private_bytes_at_most == 149 * kMiB);
}

TEST_CASE("a fork begins with what its parent had by then", "[high_water]") {
  const Sampled parent = one_sampled(100, {sample(10, 20, 0, 20), sample(900, 100, 0, 100)});
  std::vector processes{parent.process, process(2, 0)};
  processes[1].parent = 0;
  processes[1].begin_ns = 5 * Sampled::kMs;
  processes[1].end_ns = 950 * Sampled::kMs;
  const auto gaps = SampleGaps(processes, parent.samples).take();
  // Beside the 10 MiB that it asked for.
  CHECK(high_water_of(processes, std::vector<SampledProcess>(2), gaps, {}).private_bytes_at_most ==
        130 * kMiB);
}

TEST_CASE("the marks of programs that ran in turn in one process are one", "[high_water]") {
  std::vector<trace::Process> images(2, process(1, 0));
  images[0].end_ns = images[1].begin_ns = 10;
  images[1].kernel_peak_rss_bytes = 100 * kMiB;
  images[1].peak[trace::Lane::kHeap] = 300 * kMiB;
  // It has not touched all that it asked for, and the shell before it had no more than it.
  CHECK(high_water(images).private_bytes_at_most == 100 * kMiB);
}

TEST_CASE("what a mark has beyond the file pages beside it was private", "[high_water]") {
  const auto by_mark = [](const Sampled& one) { return one.high_water().private_by_mark; };
  Sampled one = one_sampled(198, {sample(10, 141, 3, 144), sample(20, 50, 3, 198)});
  CHECK(by_mark(one) == 195 * kMiB);
  // Pages of files may have come and gone in between.
  one.unmapped_bytes = 20 * kMiB;
  CHECK(by_mark(one) == 175 * kMiB);
  CHECK(by_mark(one_sampled(198, {sample(10, 141, 3, 144), sample(20, 50, 60, 198)})) ==
        141 * kMiB);
  // No sample tells what it was.
  CHECK(by_mark(one_sampled(198, {})) == 0);
}

TEST_CASE("behind the last sample files may come as they came before it", "[high_water]") {
  const auto by_mark = [](const Sampled& one) { return one.high_water().private_by_mark; };
  const Sampled steady = one_sampled(314, {sample(800, 200, 23, 223), sample(950, 277, 23, 300)});
  CHECK(by_mark(steady) == 290 * kMiB);  // 1 MiB may have come in any case.
  CHECK(by_mark(one_sampled(314, {sample(800, 200, 3, 203), sample(950, 277, 23, 300)})) ==
        277 * kMiB);
  Sampled mapped = steady;
  mapped.process.lane_peaks[trace::Lane::kFile] = 96 * kMiB;
  CHECK(by_mark(mapped) == 277 * kMiB);  // Of the sample.
}

TEST_CASE("a mapped file may have been filled behind the last sample", "[high_water]") {
  // 3 MiB of private memory, 7 of libraries, and then a file of 60 MiB at once.
  Sampled populated = one_sampled(71, {sample(500, 2, 6, 8), sample(700, 3, 7, 10)});
  populated.process.peak[trace::Lane::kHeap] = 3 * kMiB;
  populated.process.lane_peaks[trace::Lane::kFile] = 60 * kMiB;
  CHECK(populated.high_water().unexplained_bytes == 0);
  CHECK(populated.high_water().private_bytes == 3 * kMiB);
  SECTION("what is more than that is unexplained") {
    populated.process.kernel_peak_rss_bytes += 20 * kMiB;
    CHECK(populated.high_water().unexplained_bytes == 20 * kMiB);
  }
  SECTION("one that was gone again by the next sample, too") {
    populated.samples.push_back(sample(900, 3, 7, 71));
    populated.unmapped_bytes = 60 * kMiB;
    CHECK(populated.high_water().unexplained_bytes == 1 * kMiB);
    CHECK(populated.high_water().private_bytes == 4 * kMiB);
  }
  SECTION("one that was seen filled is among the file pages that were seen") {
    populated.samples.push_back(sample(900, 3, 67, 70));
    populated.process.kernel_peak_rss_bytes = 200 * kMiB;
    CHECK(populated.high_water().unexplained_bytes == (200 - 3 - 67 - 32) * kMiB);
  }
}

TEST_CASE("a mark may be of memory that was being touched", "[high_water]") {
  Sampled one = one_sampled(314, {sample(800, 200, 23, 223), sample(980, 277, 23, 300)});
  CHECK_FALSE(one.high_water().is_mark_of_growth);
  one.grown_bytes = 2 * kMiB;
  CHECK(one.high_water().is_mark_of_growth);
}

TEST_CASE("what MADV_FREE had given back before may be in a mark", "[high_water]") {
  const Sampled one = one_sampled(198, {sample(10, 141, 3, 144), sample(20, 50, 3, 198)});
  const std::vector processes{one.process};
  auto gaps = SampleGaps(processes, one.samples).take();
  gaps[0][1].lazily_freed_bytes = 20 * kMiB;  // That may have been behind it.
  const auto by_mark = [&] {
    return high_water_of(processes, std::vector<SampledProcess>(1), gaps, {}).private_by_mark;
  };
  CHECK(by_mark() == 195 * kMiB);
  gaps[0][0].lazily_freed_bytes = 20 * kMiB;
  CHECK(by_mark() == 175 * kMiB);
}

TEST_CASE("a sample of a process that shares pages has a part of its files only", "[high_water]") {
  std::vector processes{one_sampled(198, {}).process, one_sampled(0, {}).process};
  processes[1].pid = 2;
  processes[1].parent = 0;
  processes[1].begin_ns = 15 * Sampled::kMs;
  processes[1].end_ns = 16 * Sampled::kMs;
  const auto by_mark = [&](std::uint64_t at_ms) {
    const std::vector samples{sample(10, 141, 3, 144), sample(at_ms, 141, 3, 144),
                              sample(at_ms + 10, 50, 3, 198)};
    const auto gaps = SampleGaps(processes, samples).take();
    return high_water_of(processes, std::vector<SampledProcess>(2), gaps, {}).private_by_mark;
  };
  CHECK(by_mark(18) == 141 * kMiB);
  CHECK(by_mark(200) == 195 * kMiB);  // It has long gone.
}

}  // namespace
}  // namespace tidemark::analyzer
