#include "analyzer/load/device_use.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/sizes.hpp"

namespace tidemark::analyzer {
namespace {

using tests::kMiB;

/// Two processes of one thread each.
trace::Definitions two_processes() {
  trace::Definitions definitions;
  definitions.processes.resize(2);
  definitions.threads = {{.process = trace::ProcessId{0}, .tid = 1, .name = {}},
                         {.process = trace::ProcessId{1}, .tid = 2, .name = {}}};
  return definitions;
}

trace::Event device_event(trace::EventKind kind,
                          std::uint64_t allocation,
                          std::uint64_t size,
                          std::uint64_t place = 0) {
  trace::Event event;
  event.kind = kind;
  event.lane = trace::Lane::kDevice;
  event.allocation = allocation;
  event.size = size;
  event.extra = place;
  return event;
}

}  // namespace

TEST_CASE("memory that a driver takes from the host is told", "[device_use]") {
  const auto definitions = two_processes();
  DeviceUseCollector collector(definitions);
  const auto local = trace::extra_of({.type = 1, .properties = 1});
  const auto taken = trace::extra_of({.type = 2, .properties = 1, .from_host = true});
  collector.see(device_event(trace::EventKind::kAllocate, 0, 20 * kMiB, local));
  collector.see(device_event(trace::EventKind::kAllocate, 1, 10 * kMiB, taken));

  const auto uses = collector.take();

  REQUIRE(uses.size() == 2);
  CHECK_FALSE(uses[0].is_private);
  CHECK(uses[1].is_private);
}

TEST_CASE("device memory adds up by heap and type", "[device_use]") {
  const auto local = trace::extra_of({.type = 1, .properties = 1, .dedicated = true});
  const auto visible = trace::extra_of({.heap = 1, .type = 2, .properties = 6});
  const auto definitions = two_processes();
  DeviceUseCollector collector(definitions);
  using trace::EventKind;
  collector.see(device_event(EventKind::kAllocate, 0, 10 * kMiB, visible));
  collector.see(device_event(EventKind::kAllocate, 1, 30 * kMiB, local));
  collector.see(device_event(EventKind::kRelease, 0, 10 * kMiB));
  collector.see(device_event(EventKind::kAllocate, 2, 4 * kMiB, visible));
  collector.see(device_event(EventKind::kAllocate, 3, 5 * kMiB, local));

  const auto uses = collector.take();

  REQUIRE(uses.size() == 2);
  CHECK(uses[0].heap == 0);
  CHECK(uses[0].type == 1);
  CHECK(uses[0].highest_bytes == 35 * kMiB);
  CHECK(uses[0].allocations == 2);
  CHECK(uses[0].dedicated == 2);
  CHECK(device_properties_text(uses[0].properties) == "device local");
  CHECK(uses[1].highest_bytes == 10 * kMiB);
  CHECK(uses[1].allocations == 2);
  CHECK(uses[1].dedicated == 0);
  CHECK(device_properties_text(uses[1].properties) == "host visible, coherent");
}

TEST_CASE("what a process leaves to its end does not add up with the next one's", "[device_use]") {
  const auto definitions = two_processes();
  DeviceUseCollector collector(definitions);
  using trace::EventKind;
  collector.see(device_event(EventKind::kAllocate, 0, 10 * kMiB));
  auto other = device_event(EventKind::kAllocate, 1, 3 * kMiB);
  other.thread = trace::ThreadId{1};
  collector.see(other);
  auto end = device_event(EventKind::kReleaseAll, 0, 10 * kMiB);
  end.extra = 0;  // the first process
  collector.see(end);
  other.allocation = 2;
  other.size = 8 * kMiB;
  collector.see(other);

  const auto uses = collector.take();

  REQUIRE(uses.size() == 1);
  CHECK(uses[0].highest_bytes == 13 * kMiB);
}

TEST_CASE("other lanes are no device memory", "[device_use]") {
  const auto definitions = two_processes();
  DeviceUseCollector collector(definitions);
  trace::Event event = device_event(trace::EventKind::kAllocate, 0, kMiB);
  event.lane = trace::Lane::kHeap;
  collector.see(event);
  CHECK(collector.take().empty());
}

}  // namespace tidemark::analyzer
