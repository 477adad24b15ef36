#include "tests/collector/drain/recorded_host.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using tests::AssembledSession;
using tests::RecordedThread;
using trace::EventKind;
using trace::Lane;

namespace {

constexpr std::uint64_t kHere = 0x10000;
constexpr std::uint64_t kThere = 0x20000;

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
  loader.main.allocate(kHere, 100);
  loader.main.allocate(kThere, 50);
  CHECK(loader.heap() == 150);
  loader.worker.free(kHere);
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
  loader.main.allocate(kHere, 100);
  loader.main.free(kHere);
  loader.main.allocate(kHere, 30);
  loader.main.free(kHere);
  CHECK(loader.heap() == 0);
  CHECK(loader.log().of_kind(EventKind::kRelease).at(1).allocation == 1);
}

TEST_CASE("a free of a block that is not known changes nothing and is counted", "[assembler]") {
  Loader loader;
  loader.main.allocate(kHere, 100);
  loader.main.free(kThere);
  loader.main.free(0);
  CHECK(loader.heap() == 100);
  CHECK(loader.log().of_kind(EventKind::kRelease).empty());
  CHECK(loader.assembler().unmatched_releases() == 2);
}

TEST_CASE("a second block at a live address takes the first one's place", "[assembler]") {
  Loader loader;
  loader.main.allocate(kHere, 100);
  loader.main.allocate(kHere, 40);
  CHECK(loader.heap() == 40);
  CHECK(loader.assembler().unmatched_releases() == 1);
  loader.main.free(kHere);
  CHECK(loader.heap() == 0);
}

TEST_CASE("a realloc that grows in place is one event", "[assembler]") {
  Loader loader;
  loader.main.allocate(kHere, 100);
  loader.main.realloc_begin(kHere, 300);
  CHECK(loader.heap() == 100);
  loader.main.realloc_end(kHere, 300);
  CHECK(loader.heap() == 300);
  const auto events = loader.log().of_kind(EventKind::kReallocate);
  REQUIRE(events.size() == 1);
  CHECK(events[0].released == 0);
  CHECK(events[0].released_size == 100);
  loader.main.free(kHere);
  CHECK(loader.heap() == 0);
}

TEST_CASE("a realloc that moves frees its old address and takes its new one", "[assembler]") {
  Loader loader;
  loader.main.allocate(kHere, 100);
  loader.main.realloc_begin(kHere, 300);
  loader.main.realloc_end(kThere, 300);
  loader.main.free(kHere);
  CHECK(loader.assembler().unmatched_releases() == 1);
  CHECK(loader.heap() == 300);
  loader.main.free(kThere);
  CHECK(loader.heap() == 0);
}

TEST_CASE("a realloc that fails leaves the old block where it was", "[assembler]") {
  Loader loader;
  loader.main.allocate(kHere, 100);
  loader.main.realloc_begin(kHere, 1ULL << 60);
  loader.main.realloc_failed(1ULL << 60);
  CHECK(loader.heap() == 100);
  REQUIRE(loader.log().of_kind(EventKind::kFail).size() == 1);
  CHECK(loader.log().of_kind(EventKind::kFail)[0].size == 1ULL << 60);
  loader.main.free(kHere);
  CHECK(loader.heap() == 0);
  CHECK(loader.assembler().unmatched_releases() == 0);
}

TEST_CASE("another thread may be given a realloc's old address before it ends", "[assembler]") {
  Loader loader;
  loader.main.allocate(kHere, 100);
  loader.main.realloc_begin(kHere, 300);
  loader.worker.allocate(kHere, 7);
  loader.main.realloc_end(kThere, 300);
  CHECK(loader.heap() == 307);
  loader.worker.free(kHere);
  CHECK(loader.heap() == 300);
  CHECK(loader.assembler().unmatched_releases() == 0);
}

TEST_CASE("reallocs of two threads at one time do not meet", "[assembler]") {
  Loader loader;
  loader.main.allocate(kHere, 100);
  loader.worker.allocate(kThere, 10);
  loader.main.realloc_begin(kHere, 200);
  loader.worker.realloc_begin(kThere, 20);
  loader.main.realloc_failed(200);
  loader.worker.realloc_end(kThere + 64, 20);
  CHECK(loader.heap() == 120);
  loader.main.free(kHere);
  loader.main.free(kThere + 64);
  CHECK(loader.heap() == 0);
}

TEST_CASE("a realloc of a block from before the recording is an allocation", "[assembler]") {
  Loader loader;
  loader.main.realloc_begin(kHere, 300);
  loader.main.realloc_end(kThere, 300);
  CHECK(loader.heap() == 300);
  CHECK(loader.log().of_kind(EventKind::kAllocate).size() == 1);
  CHECK(loader.assembler().unmatched_releases() == 1);
  loader.main.free(kThere);
  CHECK(loader.heap() == 0);
}

TEST_CASE("a realloc to nothing is a free", "[assembler]") {
  Loader loader;
  loader.main.allocate(kHere, 100);
  loader.main.realloc_begin(kHere, 0);
  loader.main.realloc_end(0, 0);
  CHECK(loader.heap() == 0);
  CHECK(loader.log().of_kind(EventKind::kRelease).size() == 1);
}

TEST_CASE("a realloc whose end was dropped gives its old block up", "[assembler]") {
  Loader loader;
  loader.main.allocate(kHere, 100);
  loader.main.allocate(kThere, 10);
  loader.main.realloc_begin(kHere, 200);
  SECTION("by the time of the next one") {
    loader.main.realloc_begin(kThere, 20);
    loader.main.realloc_end(kThere, 20);
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
  loader.main.allocate(kHere, 100);
  loader.main.realloc_begin(kHere, 200);
  loader.worker.allocate(kHere, 5);
  loader.main.realloc_failed(200);
  CHECK(loader.heap() == 100);
  loader.main.free(kHere);
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
  loader.main.add(wire::RecordKind::kAllocate, kHere, 100, 0, 12);
  CHECK(loader.log().of_kind(EventKind::kAllocate).at(0).extra == 12);
  CHECK(loader.heap() == 100);
}

TEST_CASE("the peak of a host is the highest it stood at, with its time", "[assembler]") {
  Loader loader;
  loader.main.allocate(kHere, 100);
  loader.main.allocate(kThere, 50);
  const auto peak_at = loader.now();
  loader.main.free(kHere);
  loader.main.allocate(kHere, 99);
  CHECK(loader.host().facts().peak[Lane::kHeap] == 150);
  CHECK(loader.host().facts().peak_at_ns == peak_at);
  CHECK(loader.assembler().peak_footprint() == 150);
  CHECK(loader.assembler().peak_at_ns() == peak_at);
}

TEST_CASE("a block that lives for one event counts in one step as in two", "[assembler]") {
  Loader loader;
  loader.main.allocate(kHere, 100);
  RawRecord block;
  block.kind = wire::RecordKind::kAllocate;
  block.address = kThere;
  block.size = 50;
  const auto at = loader.now() + 10;
  REQUIRE(loader.assembler().add_fleeting(0, block, at, at + 10));
  CHECK(loader.host().facts().peak[Lane::kHeap] == 150);
  CHECK(loader.host().facts().lane_peaks[Lane::kHeap] == 150);
  CHECK(loader.host().facts().peak_at_ns == at);  // Not the time of its free.
  CHECK(loader.assembler().peak_footprint() == 150);
  CHECK(loader.assembler().peak_at_ns() == at);
  CHECK(loader.host().totals()[Lane::kHeap] == 100);
  CHECK(loader.heap() == 100);
}

TEST_CASE("a large block is taken in two steps: it may lie where one was whose free was missed",
          "[assembler]") {
  Loader loader;
  RawRecord block;
  block.kind = wire::RecordKind::kAllocate;
  block.address = kHere;
  block.size = 128 << 10;
  CHECK_FALSE(loader.assembler().add_fleeting(0, block, 10, 20));
}

TEST_CASE("records of a ring whose thread did not begin are left out", "[assembler]") {
  Loader loader;
  RawRecord record;
  record.kind = wire::RecordKind::kAllocate;
  record.address = kHere;
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
