#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using namespace tidemark::tests;
using trace::EventKind;
using trace::Lane;
using Levels = std::vector<std::uint64_t>;

namespace {

constexpr std::uint64_t kPage = 4096;

/// The levels in pages; the host did nothing else in this lane.
Levels pages(const Recording& recording, Lane lane) {
  Levels levels = recording.events.levels(lane);
  for (std::uint64_t& level : levels) {
    CHECK(level % kPage == 0);
    level /= kPage;
  }
  return levels;
}

}  // namespace

TEST_CASE_METHOD(EndToEnd, "a mapping that is given back in parts shrinks by each part") {
  CHECK(pages(record_unchanged(host("maps_in_parts")), Lane::kAnon) == Levels{0, 64, 56, 40, 0});
}

TEST_CASE_METHOD(EndToEnd, "a mapping that grows, shrinks and moves is counted once all the time") {
  const Recording recording = record_unchanged(host("remaps"));
  // Two mappings for the trace, the first one and what it grew by; both go at the end.
  CHECK(pages(recording, Lane::kAnon) == Levels{0, 16, 64, 32, 16, 0});
  CHECK(recording.events.failures(std::uint64_t{1} << 50) == 1);
}

TEST_CASE_METHOD(EndToEnd, "mappings that are made by the calls' numbers are recorded") {
  const Recording recording = record_unchanged(host("maps_by_number"));
  CHECK(pages(recording, Lane::kAnon) == Levels{0, 16, 64, 32, 16, 0, 512, 256, 0});
  CHECK(recording.events.failures(std::uint64_t{1} << 50) == 1);
}

TEST_CASE_METHOD(EndToEnd, "a reservation counts nothing until a part of it is opened") {
  const Recording recording = record_unchanged(host("opens_reservation"));
  CHECK(pages(recording, Lane::kAnon) == Levels{0, kMiB / kPage, kMiB / 2 / kPage, 0});
}

TEST_CASE_METHOD(EndToEnd, "a mapping over another one replaces its bytes") {
  const Recording recording = record_unchanged(host("maps_over"));
  // The kernel replaces at one instant; the trace releases and allocates, in this order.
  const Levels levels = pages(recording, Lane::kAnon);
  REQUIRE(levels.size() >= 4);
  CHECK(recording.events.peak(Lane::kAnon) == 64 * kPage);
  CHECK(levels[1] == 64);
  CHECK(levels[levels.size() - 2] <= 56);
  CHECK(levels.back() == 0);
}

TEST_CASE_METHOD(EndToEnd, "a break that the program moves itself is memory of its own") {
  const Recording recording = record_unchanged(host("moves_break"));
  CHECK(pages(recording, Lane::kAnon) == Levels{0, kMiB / kPage, kMiB / 2 / kPage, 0});
}

TEST_CASE_METHOD(EndToEnd, "a mapped file is in the file lane and never in the footprint") {
  const std::string file = a_file_of(3 * kMiB, "weights.bin");
  const Recording recording = record_unchanged(host("maps_file", {file}));
  CHECK(pages(recording, Lane::kFile) == Levels{0, 768, 784, 768, 0});
  CHECK(recording.events.peak(Lane::kAnon) == 0);
  CHECK(recording.events.peak_footprint() < kMiB);
  CHECK(recording.events.count([](const trace::Event& event) {
    return event.kind == EventKind::kAdvise && event.size == 3 * kMiB;
  }) == 1);
  const auto json = report(recording.trace);
  REQUIRE(json["model"]["files"].size() == 1);
  CHECK(json["model"]["files"][0]["path"] == file);
  CHECK(json["model"]["bytes"] == 3 * kMiB);
}

TEST_CASE_METHOD(EndToEnd, "a program that unmaps what it never mapped lives on, recorded") {
  const Recording recording = record_unchanged(host("unmaps_everything_else"));
  CHECK(recording.host.out == "done\n");
  CHECK(recording.events.allocations(4321) == 1000);
  CHECK(recording.events.releases(4321) == 1000);
}
