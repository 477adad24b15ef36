#include "analyzer/query/footprint/resident.hpp"

#include "analyzer/load/scan.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <cstdint>
#include <utility>
#include <vector>

using namespace tidemark;
using tests::TraceBuilder;

TEST_CASE("resident memory sums the last sample of every process alive", "[resident]") {
  TraceBuilder trace;
  const auto child = trace.process(101, "child");
  trace.on(trace.thread(child));
  trace.at_ms(1).sample(100, 10);
  trace.at_ms(2).sample(500, 20, child);
  trace.at_ms(3).sample(200, 10);
  trace.at_ms(4).end_process(child);
  trace.at_ms(5).sample(300, 10);
  auto loaded = trace.open();

  const auto series = analyzer::resident_series(loaded);
  const auto peaks = analyzer::find_resident_peaks(loaded, series);

  REQUIRE(series.size() == 4);
  CHECK(series[3].anon_bytes == 300);
  CHECK(peaks.anon_bytes == 700);
  CHECK(peaks.file_bytes == 30);
  CHECK(peaks.total_bytes == 730);
}

TEST_CASE("samples of one time are one sum", "[resident]") {
  TraceBuilder trace;
  const auto child = trace.process(101, "child");
  trace.at_ms(1).sample(1000, 10);
  trace.at_ms(2).sample(500, 5, child);
  trace.at_ms(2).sample(500, 5);
  auto loaded = trace.open();

  const auto series = analyzer::resident_series(loaded);
  REQUIRE(series.size() == 2);
  CHECK(series[1].anon_bytes == 1000);
  CHECK(analyzer::find_resident_peaks(loaded, series).anon_bytes == 1000);
}

TEST_CASE("unexplained is what resident anonymous memory exceeds heap and anon by", "[resident]") {
  TraceBuilder trace;
  trace.at_ms(1).allocate(1000);
  trace.at_ms(2).sample(1500);
  trace.at_ms(150).allocate(1000, trace::kNoStack, trace::Lane::kAnon);
  trace.at_ms(151).sample(1600);
  trace.at_ms(152).allocate(1);
  auto loaded = trace.open();

  CHECK(analyzer::scan(loaded, analyzer::resident_series(loaded)).unexplained.bytes == 500);
}

TEST_CASE("a large block that the kernel still takes back is not unexplained", "[resident]") {
  TraceBuilder trace;
  const auto block = trace.at_ms(1).allocate(300'000'000);
  trace.at_ms(500).sample(300'000'000);
  trace.at_ms(501).release(block);
  trace.at_ms(510).sample(280'000'000);
  trace.at_ms(550).sample(90'000'000);
  trace.at_ms(900).sample(4000);
  trace.at_ms(901).allocate(1);
  auto loaded = trace.open();

  CHECK(analyzer::scan(loaded, analyzer::resident_series(loaded)).unexplained.bytes == 4000);
}

TEST_CASE("what a busy kernel takes back slowly is not unexplained while it falls", "[resident]") {
  // Of samples further apart nobody knows that it fell all the time.
  const auto next_ms = GENERATE(std::uint64_t{860}, std::uint64_t{880});
  TraceBuilder trace;
  const auto block = trace.at_ms(1).allocate(300'000'000);
  trace.at_ms(500).sample(300'000'000);
  trace.at_ms(501).release(block);
  trace.at_ms(590).sample(200'000'000);
  trace.at_ms(680).sample(120'000'000);
  trace.at_ms(770).sample(60'000'000);
  trace.at_ms(next_ms).sample(50'000'000);
  trace.at_ms(950).sample(40'000'000);
  trace.at_ms(960).sample(30'000'000);
  trace.at_ms(961).allocate(1);
  auto loaded = trace.open();

  const auto unexplained = analyzer::scan(loaded, analyzer::resident_series(loaded)).unexplained;

  CHECK(unexplained.bytes == (next_ms == 860 ? 0 : 50'000'000));
}

TEST_CASE("what resident memory comes to rest at after a fall is unexplained", "[resident]") {
  TraceBuilder trace;
  const auto block = trace.at_ms(1).allocate(300'000'000);
  trace.at_ms(500).sample(300'000'000);
  trace.at_ms(501).release(block);
  trace.at_ms(590).sample(200'000'000);
  trace.at_ms(680).sample(60'000'000);
  trace.at_ms(690).sample(60'000'000);
  trace.at_ms(691).allocate(1);
  auto loaded = trace.open();

  CHECK(analyzer::scan(loaded, analyzer::resident_series(loaded)).unexplained.bytes == 60'000'000);
}

TEST_CASE("memory that is not resident makes nothing unexplained", "[resident]") {
  TraceBuilder trace;
  trace.at_ms(1).allocate(1'000'000);
  trace.at_ms(2).sample(1500);
  auto loaded = trace.open();

  CHECK(analyzer::scan(loaded, analyzer::resident_series(loaded)).unexplained.bytes == 0);
}

TEST_CASE("unexplained memory that the heap once had is told apart", "[resident]") {
  TraceBuilder trace;
  const auto blob = trace.at_ms(1).allocate(1000);
  trace.at_ms(2).sample(1050);
  trace.at_ms(3).allocate(1000, trace::kNoStack, trace::Lane::kAnon);
  trace.release(blob);
  trace.at_ms(500).sample(2050);
  trace.at_ms(800).sample(2050);
  trace.at_ms(801).allocate(1);
  auto loaded = trace.open();

  const auto result = analyzer::scan(loaded, analyzer::resident_series(loaded));

  CHECK(result.unexplained.bytes == 1050);
  CHECK(result.unexplained.kept_bytes == 1000);
  CHECK(result.kept.bytes == 1000);
  CHECK(result.kept.at_ns == 500'000'000);
  CHECK(result.kept.resident_bytes == 2050);
  CHECK(result.kept.asked_bytes == 1000);
}

namespace {

/// The heap holds 500, in one block; 1,800 are resident.
struct ResidentHeap {
  static constexpr std::uint64_t kMs = 1'000'000;
  static constexpr std::uint64_t kBesideBlock = 24;

  std::vector<analyzer::ResidentTotals> series{{.at_ns = 500 * kMs, .anon_bytes = 1800}};
  std::vector<trace::HeapLook> looks;

  /// @param later_heap what it holds from 600 ms on.
  [[nodiscard]] analyzer::UnexplainedMeter meter(std::uint64_t later_heap = 500) const {
    return meter_of({{1, 500}, {600, later_heap}});
  }
  /// @param earlier_heap what it held until 460 ms.
  [[nodiscard]] analyzer::UnexplainedMeter meter_from(std::uint64_t earlier_heap) const {
    return meter_of({{1, earlier_heap}, {460, 500}});
  }

 private:
  /// From a time in ms on, so much.
  using Heap = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  [[nodiscard]] analyzer::UnexplainedMeter meter_of(const Heap& heap) const {
    analyzer::UnexplainedMeter meter(series, analyzer::DeviceMemory::kElsewhere, looks);
    for (const auto& [ms, bytes] : heap)
      see(meter, ms, bytes);
    meter.see_until(UINT64_MAX);
    return meter;
  }
  static void see(analyzer::UnexplainedMeter& meter, std::uint64_t ms, std::uint64_t heap) {
    trace::LaneTotals totals;
    totals[trace::Lane::kHeap] = heap;
    meter.see_until(ms * kMs);
    meter.see(ms * kMs, analyzer::TrackedBytes(totals));
  }
};

}  // namespace

TEST_CASE("what the heap never had at one time was freed where its pages say so", "[resident]") {
  ResidentHeap heap;
  CHECK(heap.meter().most().bytes == 1300);
  CHECK(heap.meter().most().at_ns == 500 * ResidentHeap::kMs);
  CHECK(heap.meter().most().kept_bytes == 0);
  heap.looks = {{.at_ns = 500 * ResidentHeap::kMs, .bytes = 1700, .blocks = 2}};
  const std::uint64_t kept = 1700 - 500 - 2 * ResidentHeap::kBesideBlock;

  CHECK(heap.meter().most().bytes == 1300);
  CHECK(heap.meter().most().kept_bytes == kept);
  CHECK(heap.meter().most_kept(1000 * ResidentHeap::kMs).bytes == kept);
  CHECK(heap.meter().most_kept(1000 * ResidentHeap::kMs).asked_bytes == 500);
  // The last twentieth of a run is its end.
  CHECK(heap.meter().most_kept(510 * ResidentHeap::kMs).bytes == 0);
  // Of what is more than the process has in all, as much as that is.
  heap.looks.front().bytes = 5000;
  CHECK(heap.meter().most().kept_bytes == 1300);
  // A sample that stands somewhere else is no witness.
  heap.looks.front().at_ns += 1;
  CHECK(heap.meter().most().kept_bytes == 0);
}

TEST_CASE("what a look found beside the heap's blocks is there until it may have come to use",
          "[resident]") {
  ResidentHeap heap;
  heap.series.front().anon_bytes = 1700;
  heap.looks = {{.at_ns = 500 * ResidentHeap::kMs, .bytes = 1700, .blocks = 0}};
  struct Later {
    std::uint64_t heap;
    std::uint64_t resident_at_700_ms;
    std::uint64_t resident_at_800_ms;
    std::uint64_t kept;
  };
  const auto later = GENERATE(Later{500, 1700, 1900, 1200}, Later{800, 1700, 2300, 900},
                              Later{500, 1500, 2500, 1000}, Later{1700, 1700, 3500, 0});
  CAPTURE(later.heap, later.resident_at_700_ms);
  heap.series.push_back({.at_ns = 700 * ResidentHeap::kMs, .anon_bytes = later.resident_at_700_ms});
  heap.series.push_back({.at_ns = 800 * ResidentHeap::kMs, .anon_bytes = later.resident_at_800_ms});
  const auto most = heap.meter(later.heap).most();
  CHECK(most.bytes == later.resident_at_800_ms - later.heap);
  CHECK(most.kept_bytes == later.kept);
}

TEST_CASE("what a look found beside the heap's blocks was there shortly before", "[resident]") {
  ResidentHeap heap;
  struct Before {
    std::uint64_t at_ms;
    std::uint64_t heap;
    std::uint64_t resident;
    std::uint64_t kept;
  };
  // 1,200 bytes of the look's 1,700 are in no block.
  const auto before = GENERATE(Before{450, 500, 1900, 1200}, Before{450, 500, 1800, 1200},
                               Before{450, 300, 1750, 1150}, Before{450, 600, 2000, 1100},
                               Before{300, 500, 1900, 0});
  CAPTURE(before.at_ms, before.heap, before.resident);
  heap.series.front().at_ns = before.at_ms * ResidentHeap::kMs;
  heap.series.front().anon_bytes = before.resident;
  heap.series.push_back({.at_ns = 500 * ResidentHeap::kMs, .anon_bytes = 1800});
  heap.looks = {{.at_ns = 500 * ResidentHeap::kMs, .bytes = 1700, .blocks = 0}};
  const auto most = heap.meter_from(before.heap).most();
  CHECK(most.bytes == before.resident - before.heap);
  CHECK(most.kept_bytes == before.kept);
}

TEST_CASE("what went back to the system is not what is there later", "[resident]") {
  TraceBuilder trace;
  const auto blob = trace.at_ms(1).allocate(1000);
  trace.at_ms(2).sample(1000);
  trace.at_ms(3).release(blob);
  trace.at_ms(500).sample(10);
  trace.at_ms(800).sample(900);
  trace.at_ms(1100).sample(900);
  trace.at_ms(1101).allocate(1);
  auto loaded = trace.open();

  const auto result = analyzer::scan(loaded, analyzer::resident_series(loaded));

  CHECK(result.unexplained.bytes == 900);
  CHECK(result.unexplained.kept_bytes == 10);
  CHECK(result.kept.bytes == 10);
}

TEST_CASE("memory that was never seen is not taken for freed memory", "[resident]") {
  TraceBuilder trace;
  const auto blob = trace.at_ms(1).allocate(1000);
  trace.at_ms(2).sample(2000);
  trace.at_ms(3).release(blob);
  trace.at_ms(500).sample(1000);
  trace.at_ms(800).sample(1000);
  trace.at_ms(801).allocate(1);
  auto loaded = trace.open();

  const auto result = analyzer::scan(loaded, analyzer::resident_series(loaded));

  CHECK(result.unexplained.bytes == 1000);
  CHECK(result.unexplained.kept_bytes == 0);
  CHECK(result.kept.bytes == 0);
}

TEST_CASE("what is kept until the next sample is what was not asked for again", "[resident]") {
  TraceBuilder trace;
  const auto blob = trace.at_ms(1).allocate(1000);
  trace.at_ms(2).sample(1000);
  trace.at_ms(3).release(blob);
  trace.at_ms(500).sample(1000);
  trace.at_ms(510).allocate(400);
  trace.at_ms(2000).sample(1000);
  trace.at_ms(2001).allocate(1);
  auto loaded = trace.open();

  CHECK(analyzer::scan(loaded, analyzer::resident_series(loaded)).kept.bytes == 600);
}

TEST_CASE("what is mapped a moment after its pages came explains them", "[resident]") {
  constexpr std::uint64_t kMs = 1'000'000;
  const std::vector<analyzer::ResidentTotals> series{{.at_ns = 50 * kMs, .anon_bytes = 1000}};
  const auto unexplained = [&](std::uint64_t asked_ms, trace::Lane lane) {
    analyzer::UnexplainedMeter meter(series, analyzer::DeviceMemory::kElsewhere);
    meter.see(1, {});
    meter.see_until(asked_ms * kMs);
    trace::LaneTotals totals;
    totals[lane] = 900;
    meter.see(asked_ms * kMs, analyzer::TrackedBytes(totals));
    meter.see_until(UINT64_MAX);
    return meter.most().bytes;
  };
  CHECK(unexplained(140, trace::Lane::kAnon) == 100);
  CHECK(unexplained(160, trace::Lane::kAnon) == 1000);
  CHECK(unexplained(140, trace::Lane::kHeap) == 1000);  // A block's record is made before it fills.
}

TEST_CASE("device memory that the driver took from the host explains private memory",
          "[resident]") {
  const std::vector<analyzer::ResidentTotals> series{{.at_ns = 10, .anon_bytes = 1000}};
  trace::LaneTotals totals;
  totals[trace::Lane::kHeap] = 100;
  totals[trace::Lane::kDevice] = 800;
  analyzer::UnexplainedMeter elsewhere(series, analyzer::DeviceMemory::kElsewhere);
  analyzer::UnexplainedMeter with_private(series, analyzer::DeviceMemory::kPrivate);
  for (auto* const meter : {&elsewhere, &with_private}) {
    meter->see(1, analyzer::TrackedBytes(totals));
    meter->see_until(UINT64_MAX);
  }

  CHECK(elsewhere.most().bytes == 900);
  CHECK(with_private.most().bytes == 100);
}
