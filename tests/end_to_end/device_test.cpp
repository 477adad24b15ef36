#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <cstdio>
#include <filesystem>

using namespace tidemark;
using namespace tidemark::tests;
using trace::Event;
using trace::EventKind;
using trace::Lane;

namespace {

constexpr int kNoDevice = 77;

}  // namespace

TEST_CASE_METHOD(EndToEnd, "a Vulkan program's memory is in the device lane, and there alone") {
  const Words program = host("uses_vulkan");
  if (!std::filesystem::exists(program.at(0))) {
    SKIP_TEST("the device lane: Vulkan's headers are not on this machine");
    return;
  }
  const Recording recording = record(program);
  if (recording.host.status == kNoDevice) {
    SKIP_TEST("the device lane: no Vulkan device on this machine");
    return;
  }
  REQUIRE(recording.host.status == 0);
  CHECK(recording.host.out == "refused: 1\n");
  const Events& events = recording.events;
  CHECK(events.peak(Lane::kDevice) == 96 * kMiB);
  CHECK(events.levels(Lane::kDevice).back() == 0);
  // A software driver takes it from the heap: 48 MiB and more in one piece.
  CHECK(events.count([](const Event& event) {
    return trace::is_allocation(event.kind) && event.lane != Lane::kDevice &&
           event.size >= 48 * kMiB;
  }) == 0);
  CHECK(events.session().unmatched_releases == 0);

  const auto is_device = [](const Event& event) { return event.lane == Lane::kDevice; };
  CHECK(events.count([&](const Event& event) {
    return event.kind == EventKind::kFail && is_device(event) &&
           event.size == ~std::uint64_t{0xfffff};
  }) == 1);
  const auto copied = events.count([&](const Event& event) {
    return event.kind == EventKind::kCopy && event.size == 8 * kMiB &&
           event.allocation != trace::kNoAllocation;
  });
  CHECK(copied == 1);  // into mapped device memory

  const auto json = report(recording.trace);
  CHECK(json["lane_peaks"]["device_bytes"] == 96 * kMiB);
  REQUIRE(json["device"].size() == 1);
  CHECK(json["device"][0]["highest_bytes"] == 96 * kMiB);
  CHECK(json["device"][0]["allocations"] == 2);
}

TEST_CASE_METHOD(EndToEnd, "a Vulkan program's stacks begin at its own call") {
  const Words program = host("uses_vulkan");
  if (!std::filesystem::exists(program.at(0))) {
    SKIP_TEST("the device lane: Vulkan's headers are not on this machine");
    return;
  }
  const Recording recording = record(program);
  if (recording.host.status == kNoDevice) {
    SKIP_TEST("the device lane: no Vulkan device on this machine");
    return;
  }
  for (const Event& event : recording.events.all()) {
    if (event.kind != EventKind::kAllocate || event.lane != Lane::kDevice)
      continue;
    const auto functions = recording.events.functions(event);
    REQUIRE_FALSE(functions.empty());
    CHECK(functions[0].find("allocate") != std::string::npos);
    CHECK(functions.back().find("_start") != std::string::npos);
  }
}
