#include "tests/collector/drain/recorded_host.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <random>
#include <span>
#include <tuple>
#include <vector>

using namespace tidemark;
using tests::AssembledSession;
using tests::RecordedThread;
using trace::EventKind;
using trace::Lane;

namespace {

constexpr std::uint64_t kBlockAt = 0x10000;
constexpr std::uint64_t kBlocksThere = 0x20000;

/// One process with two threads.
struct Loader : AssembledSession {
  Loader() { claim_slot(0, kFirstPid); }
  ~Loader() { CHECK(log().breaches().empty()); }

  RecordedThread start(std::uint32_t number) {
    return {*this, number, 0, AssembledSession::kFirstPid + number};
  }
  [[nodiscard]] std::uint64_t heap() const { return bytes(Lane::kHeap); }
  [[nodiscard]] Host& host() { return *assembler().processes().hosts().at(0); }

  RecordedThread main = start(0);
  RecordedThread worker = start(1);
};

}  // namespace

TEST_CASE("a free releases the allocation at its address", "[assembler]") {
  Loader loader;
  loader.main.allocate(kBlockAt, 100);
  loader.main.allocate(kBlocksThere, 50);
  CHECK(loader.heap() == 150);
  loader.worker.free(kBlockAt);
  CHECK(loader.heap() == 50);

  const auto released = loader.log().of_kind(EventKind::kRelease);
  REQUIRE(released.size() == 1);
  CHECK(released[0].allocation == 0);
  CHECK(released[0].size == 100);
  CHECK(trace::index(released[0].thread) == 1);
  CHECK(loader.assembler().unmatched_releases() == 0);
}

TEST_CASE("an address that is used again names the new block", "[assembler]") {
  Loader loader;
  loader.main.allocate(kBlockAt, 100);
  loader.main.free(kBlockAt);
  loader.main.allocate(kBlockAt, 30);
  loader.main.free(kBlockAt);
  CHECK(loader.heap() == 0);
  CHECK(loader.log().of_kind(EventKind::kRelease).at(1).allocation == 1);
}

TEST_CASE("a free of a block that is not known changes nothing and is counted", "[assembler]") {
  Loader loader;
  loader.main.allocate(kBlockAt, 100);
  loader.main.free(kBlocksThere);
  loader.main.free(0);
  CHECK(loader.heap() == 100);
  CHECK(loader.log().of_kind(EventKind::kRelease).empty());
  CHECK(loader.assembler().unmatched_releases() == 2);
}

TEST_CASE("a second block at a live address takes the first one's place", "[assembler]") {
  Loader loader;
  loader.main.allocate(kBlockAt, 100);
  loader.main.allocate(kBlockAt, 40);
  CHECK(loader.heap() == 40);
  CHECK(loader.assembler().unmatched_releases() == 1);
  loader.main.free(kBlockAt);
  CHECK(loader.heap() == 0);
}

TEST_CASE("a realloc that grows in place is one event", "[assembler]") {
  Loader loader;
  loader.main.allocate(kBlockAt, 100);
  loader.main.realloc_begin(kBlockAt, 300);
  CHECK(loader.heap() == 100);
  loader.main.realloc_end(kBlockAt, 300);
  CHECK(loader.heap() == 300);
  const auto events = loader.log().of_kind(EventKind::kReallocate);
  REQUIRE(events.size() == 1);
  CHECK(events[0].released == 0);
  CHECK(events[0].released_size == 100);
  loader.main.free(kBlockAt);
  CHECK(loader.heap() == 0);
}

TEST_CASE("a realloc that moves frees its old address and takes its new one", "[assembler]") {
  Loader loader;
  loader.main.allocate(kBlockAt, 100);
  loader.main.realloc_begin(kBlockAt, 300);
  loader.main.realloc_end(kBlocksThere, 300);
  loader.main.free(kBlockAt);
  CHECK(loader.assembler().unmatched_releases() == 1);
  CHECK(loader.heap() == 300);
  loader.main.free(kBlocksThere);
  CHECK(loader.heap() == 0);
}

TEST_CASE("a realloc that fails leaves the old block where it was", "[assembler]") {
  Loader loader;
  loader.main.allocate(kBlockAt, 100);
  loader.main.realloc_begin(kBlockAt, 1ULL << 60);
  loader.main.realloc_failed(1ULL << 60);
  CHECK(loader.heap() == 100);
  REQUIRE(loader.log().of_kind(EventKind::kFail).size() == 1);
  CHECK(loader.log().of_kind(EventKind::kFail)[0].size == 1ULL << 60);
  loader.main.free(kBlockAt);
  CHECK(loader.heap() == 0);
  CHECK(loader.assembler().unmatched_releases() == 0);
}

TEST_CASE("another thread may be given a realloc's old address before it ends", "[assembler]") {
  Loader loader;
  loader.main.allocate(kBlockAt, 100);
  loader.main.realloc_begin(kBlockAt, 300);
  loader.worker.allocate(kBlockAt, 7);
  loader.main.realloc_end(kBlocksThere, 300);
  CHECK(loader.heap() == 307);
  loader.worker.free(kBlockAt);
  CHECK(loader.heap() == 300);
  CHECK(loader.assembler().unmatched_releases() == 0);
}

TEST_CASE("reallocs of two threads at one time do not meet", "[assembler]") {
  Loader loader;
  loader.main.allocate(kBlockAt, 100);
  loader.worker.allocate(kBlocksThere, 10);
  loader.main.realloc_begin(kBlockAt, 200);
  loader.worker.realloc_begin(kBlocksThere, 20);
  loader.main.realloc_failed(200);
  loader.worker.realloc_end(kBlocksThere + 64, 20);
  CHECK(loader.heap() == 120);
  loader.main.free(kBlockAt);
  loader.main.free(kBlocksThere + 64);
  CHECK(loader.heap() == 0);
}

TEST_CASE("a realloc of a block from before the recording is an allocation", "[assembler]") {
  Loader loader;
  loader.main.realloc_begin(kBlockAt, 300);
  loader.main.realloc_end(kBlocksThere, 300);
  CHECK(loader.heap() == 300);
  CHECK(loader.log().of_kind(EventKind::kAllocate).size() == 1);
  CHECK(loader.assembler().unmatched_releases() == 1);
  loader.main.free(kBlocksThere);
  CHECK(loader.heap() == 0);
}

TEST_CASE("a realloc to nothing is a free", "[assembler]") {
  Loader loader;
  loader.main.allocate(kBlockAt, 100);
  loader.main.realloc_begin(kBlockAt, 0);
  loader.main.realloc_end(0, 0);
  CHECK(loader.heap() == 0);
  CHECK(loader.log().of_kind(EventKind::kRelease).size() == 1);
}

TEST_CASE("a realloc whose end was dropped gives its old block up", "[assembler]") {
  Loader loader;
  loader.main.allocate(kBlockAt, 100);
  loader.main.allocate(kBlocksThere, 10);
  loader.main.realloc_begin(kBlockAt, 200);
  SECTION("by the time of the next one") {
    loader.main.realloc_begin(kBlocksThere, 20);
    loader.main.realloc_end(kBlocksThere, 20);
    CHECK(loader.heap() == 20);
  }
  SECTION("by the end of its thread") {
    loader.main.text(wire::RecordKind::kThreadEnd, "loader");
    CHECK(loader.heap() == 10);
  }
}

TEST_CASE("a realloc that fails finds its old address taken only when records are missing",
          "[assembler]") {
  Loader loader;
  loader.main.allocate(kBlockAt, 100);
  loader.main.realloc_begin(kBlockAt, 200);
  loader.worker.allocate(kBlockAt, 5);
  loader.main.realloc_failed(200);
  CHECK(loader.heap() == 100);
  loader.main.free(kBlockAt);
  CHECK(loader.heap() == 0);
}

TEST_CASE("a refused request says how much it was for", "[assembler]") {
  Loader loader;
  loader.main.add(wire::RecordKind::kAllocationFailed, 0, 1ULL << 40);
  const auto failed = loader.log().of_kind(EventKind::kFail);
  REQUIRE(failed.size() == 1);
  CHECK(failed[0].size == 1ULL << 40);
  CHECK(loader.heap() == 0);
}

TEST_CASE("the slack of a block travels beside its size", "[assembler]") {
  Loader loader;
  loader.main.add(wire::RecordKind::kAllocate, kBlockAt, 100, 0, 12);
  CHECK(loader.log().of_kind(EventKind::kAllocate).at(0).extra == 12);
  CHECK(loader.heap() == 100);
}

TEST_CASE("the peak of a host is the highest it stood at, with its time", "[assembler]") {
  Loader loader;
  loader.main.allocate(kBlockAt, 100);
  loader.main.allocate(kBlocksThere, 50);
  const auto peak_at = loader.now();
  loader.main.free(kBlockAt);
  loader.main.allocate(kBlockAt, 99);
  CHECK(loader.host().facts().peak[Lane::kHeap] == 150);
  CHECK(loader.host().facts().peak_at_ns == peak_at);
  CHECK(loader.assembler().peak_footprint() == 150);
  CHECK(loader.assembler().peak_at_ns() == peak_at);
}

namespace {

/// Records of one thread as a host may write them: blocks at few addresses, so that many come where
/// another one was whose free is missing, frees of nothing, large ones, reallocs in between.
std::vector<RawRecord> heap_records(unsigned seed, std::uint64_t first_time) {
  using wire::RecordKind;
  std::mt19937_64 random(seed);
  std::vector<RawRecord> records;
  std::uint64_t time = first_time;
  for (int i = 0; i < 3'000; ++i) {
    RawRecord record;
    record.time = (time += random() % 300) & wire::kTimeMask;
    record.address = kBlockAt + random() % 64 * 0x200;
    record.size = random() % 50 == 0 ? 128 << 10 : random() % 0x200;
    switch (random() % 16) {
      case 0:
        record.kind = RecordKind::kReallocBegin;
        break;
      case 1:
        record.kind = RecordKind::kReallocEnd;
        if (random() % 8 == 0)
          record.address = 0;  // realloc(p, 0)
        break;
      case 2:
      case 3:
      case 4:
      case 5:
      case 6:
      case 7:
        record.kind = RecordKind::kFree;
        break;
      default:
        record.kind = RecordKind::kAllocate;
        record.extra = 8;
        break;
    }
    records.push_back(record);
    if (record.kind == RecordKind::kAllocate && random() % 4 == 0) {
      record.kind = RecordKind::kFree;  // at once
      record.time = (time += 20) & wire::kTimeMask;
      records.push_back(record);
    }
  }
  return records;
}

using Said = std::tuple<EventKind, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>;

std::vector<Said> said_by(Loader& loader) {
  std::vector<Said> said;
  for (const trace::Event& event : loader.log().events()) {
    said.emplace_back(event.kind, event.at_ns, event.size,
                      event.kind == EventKind::kReallocate ? event.released : event.allocation,
                      event.extra);
  }
  return said;
}

std::vector<std::uint64_t> large_blocks(Loader& loader) {
  std::vector<std::uint64_t> found;
  loader.host().tables.large.visit_all([&](std::uint64_t address, const LargeBlocks::Block& block) {
    found.insert(found.end(), {address, block.size, block.allocation});
  });
  return found;
}

}  // namespace

TEST_CASE("a run of records means what they mean one by one", "[assembler]") {
  const auto seed = GENERATE(range(1U, 9U));
  CAPTURE(seed);
  constexpr std::uint64_t kNever = ~std::uint64_t{0};
  TickClock clock(wire::Clock::kMonotonic);
  const std::vector<RawRecord> records = heap_records(seed, clock.look());

  Loader one_by_one;
  Loader in_runs;
  std::size_t taken_in_runs = 0;
  for (std::size_t i = 0; i < records.size(); ++i)
    one_by_one.assembler().add(0, records[i], {}, clock.to_ns(records[i].time),
                               std::span(records).subspan(i + 1));
  for (std::size_t i = 0; i < records.size();) {
    const std::span rest = std::span(records).subspan(i);
    const std::size_t taken = in_runs.assembler().add_heap_run(0, rest, clock, kNever);
    taken_in_runs += taken > 1 ? taken : 0;
    if (taken == 0)
      in_runs.assembler().add(0, rest[0], {}, clock.to_ns(rest[0].time), rest.subspan(1));
    i += std::max<std::size_t>(taken, 1);
  }

  CHECK(taken_in_runs > records.size() / 2);
  CHECK(said_by(in_runs) == said_by(one_by_one));
  CHECK(large_blocks(in_runs) == large_blocks(one_by_one));
  CHECK(in_runs.assembler().unmatched_releases() == one_by_one.assembler().unmatched_releases());
  CHECK(in_runs.assembler().unmatched_releases() > 100);
  CHECK(in_runs.assembler().peak_footprint() == one_by_one.assembler().peak_footprint());
  CHECK(in_runs.assembler().peak_at_ns() == one_by_one.assembler().peak_at_ns());
  CHECK(in_runs.host().totals() == one_by_one.host().totals());
  CHECK(in_runs.host().facts().peak == one_by_one.host().facts().peak);
  CHECK(in_runs.host().facts().peak_at_ns == one_by_one.host().facts().peak_at_ns);
  CHECK(in_runs.host().facts().lane_peaks == one_by_one.host().facts().lane_peaks);
}

TEST_CASE("a run ends where another ring's record comes first, after one record at least",
          "[assembler]") {
  Loader loader;
  TickClock clock(wire::Clock::kMonotonic);
  const std::uint64_t now = clock.look();
  std::vector<RawRecord> records(3);
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].kind = wire::RecordKind::kAllocate;
    records[i].address = kBlockAt + i * 0x100;
    records[i].size = 100;
    records[i].time = (now + 10 * i) & wire::kTimeMask;
  }
  CHECK(loader.assembler().add_heap_run(0, records, clock, clock.to_ticks(records[1].time)) == 2);
  CHECK(loader.heap() == 200);
  CHECK(loader.assembler().add_heap_run(0, std::span(records).subspan(2), clock, 0) == 1);
  CHECK(loader.heap() == 300);
}

TEST_CASE("no run while a driver is asked for memory, and none of an unknown ring", "[assembler]") {
  Loader loader;
  TickClock clock(wire::Clock::kMonotonic);
  std::vector<RawRecord> records(1);
  records[0].kind = wire::RecordKind::kAllocate;
  records[0].address = kBlockAt;
  records[0].size = 1 << 20;
  records[0].time = clock.look() & wire::kTimeMask;
  CHECK(loader.assembler().add_heap_run(9, records, clock, 0) == 0);
  loader.main.device_begin(1 << 20);
  CHECK(loader.assembler().add_heap_run(0, records, clock, 0) == 0);
  CHECK(loader.heap() == 0);
}

TEST_CASE("records of a ring whose thread did not begin are left out", "[assembler]") {
  Loader loader;
  RawRecord record;
  record.kind = wire::RecordKind::kAllocate;
  record.address = kBlockAt;
  record.size = 100;
  loader.add(9, record);
  CHECK(loader.heap() == 0);
}

TEST_CASE("every gap in a ring is in the trace", "[assembler]") {
  Loader loader;
  loader.main.add(wire::RecordKind::kLost, 0, 17);
  loader.worker.add(wire::RecordKind::kLost, 0, 3);
  const auto gaps = loader.log().of_kind(EventKind::kLost);
  REQUIRE(gaps.size() == 2);
  CHECK(gaps[0].size == 17);
  CHECK(gaps[1].size == 3);
}
