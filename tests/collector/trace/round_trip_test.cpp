#include "tests/collector/trace/recording.hpp"
#include "tests/support/catch.hpp"

namespace tidemark::trace::tests {
namespace {

void check_events_come_back(Recording& recording) {
  const auto expected = recording.events();
  const auto content = content_of(recording.finish());
  CHECK(text_of(content.events) == text_of(expected));
  CHECK(text_of(content.loss) == text_of(Loss{}));
}

TEST_CASE("an allocation and its release come back", "[trace]") {
  Recording recording;
  const auto block = recording.at(1'000).allocate(4'096, Recording::kInner, Lane::kHeap, 8);
  recording.at(2'000).release(block);

  check_events_come_back(recording);
}

TEST_CASE("every kind of event comes back with the fields it has", "[trace]") {
  Recording recording;
  recording.at(100).note(EventKind::kProcessBegin, 0, 0);
  recording.note(EventKind::kThreadBegin, 0, 0);
  recording.at(200).note(EventKind::kOpen, 0, 0, Recording::kOuter);
  recording.note(EventKind::kPhaseBegin, 0, Recording::kPhaseName);
  recording.note(EventKind::kLoad, 0, Recording::kPhaseName);
  recording.at(300).note(EventKind::kRead, 1 << 16, 0, Recording::kInner);
  recording.note(EventKind::kAdvise, 4'096, 4);
  recording.note(EventKind::kFail, std::uint64_t{1} << 62, 77, Recording::kInner);
  const auto heap = recording.at(400).allocate(100, Recording::kInner, Lane::kHeap, 4);
  const auto mapped = recording.allocate(1 << 20, Recording::kInner, Lane::kFile, 0);
  const auto anon = recording.allocate(1 << 22, Recording::kOuter, Lane::kAnon);
  const auto device = recording.on(1).allocate(1 << 24, kNoStack, Lane::kDevice, 3);
  const auto grown = recording.on(0).reallocate(heap, 200);
  recording.at(500).release_part(anon, 4'096);
  recording.release(grown);
  recording.release(anon);
  recording.release(mapped);
  recording.note(EventKind::kLost, 12, 0);
  recording.note(EventKind::kUnload, 0, 0);
  recording.note(EventKind::kPhaseEnd, 0, Recording::kPhaseName);
  recording.note(EventKind::kClose, 0, 0);
  recording.note(EventKind::kThreadEnd, 0, 0);
  recording.at(600).release_all(Lane::kDevice, 1 << 24);
  recording.note(EventKind::kProcessEnd, 0, 0);
  (void)device;

  check_events_come_back(recording);
}

TEST_CASE("sizes of blocks released in a later events block come back", "[trace]") {
  Recording recording;
  const auto first = recording.allocate(111);
  const auto second = recording.allocate(222);
  const auto third = recording.allocate(333);
  recording.flush();
  const auto fourth = recording.allocate(444);
  recording.release(first);
  recording.release(fourth);
  recording.flush();
  recording.reallocate(second, 555);
  recording.release_part(third, 33);
  recording.release(third);

  check_events_come_back(recording);
}

TEST_CASE("a release after partial releases carries what was left", "[trace]") {
  Recording recording;
  const auto block = recording.allocate(10'000, Recording::kInner, Lane::kAnon);
  recording.release_part(block, 4'000);
  recording.flush();
  const auto other = recording.allocate(9'000, Recording::kInner, Lane::kAnon);
  recording.release_part(other, 1'000);
  recording.release(other);
  recording.release(block);

  check_events_come_back(recording);
}

TEST_CASE("what copies, fills and reads touched comes back", "[trace]") {
  Recording recording;
  const auto blob = recording.allocate(1 << 20);
  recording.touch(EventKind::kReadInto, 1 << 20, blob, 0, kMaxResidentShare);
  recording.flush();
  const auto tensor = recording.allocate(1 << 20, Recording::kOuter);
  recording.touch(EventKind::kFill, 1 << 20, tensor);
  recording.touch(EventKind::kCopy, 1 << 20, tensor, blob);
  recording.touch(EventKind::kCopy, 1 << 19, blob, kNoAllocation);
  recording.touch(EventKind::kCopy, 1 << 19, kNoAllocation, tensor);
  // A touched block is not gone: the refs of releases beside it still come out right.
  recording.release(blob);
  recording.touch(EventKind::kFill, 7, tensor);
  recording.release(tensor);

  check_events_come_back(recording);
}

TEST_CASE("a block in which something touches an allocation that never was is damaged", "[trace]") {
  Recording recording;
  recording.allocate(64);
  recording.touch(EventKind::kFill, 7, 5);
  const auto bytes = recording.finish();  // The reader borrows them.
  auto opened = TraceReader::open(bytes);
  REQUIRE(opened.ok());
  std::vector<Event> events;
  REQUIRE(opened.value().blocks().size() == 1);
  CHECK_FALSE(opened.value().decode(0, events));
}

TEST_CASE("the part of resident pages is none where nobody looked", "[trace]") {
  CHECK_FALSE(resident_share(Event{.extra = 0}));
  CHECK(resident_share(Event{.extra = 1}) == 0.0);
  CHECK(resident_share(Event{.extra = 128}) == 0.5);
  CHECK(resident_share(Event{.extra = kMaxResidentShare}) == 1.0);
}

TEST_CASE("a chain of reallocations comes back", "[trace]") {
  Recording recording;
  auto block = recording.allocate(16);
  for (std::uint64_t size = 32; size < 1'000'000; size *= 2) {
    block = recording.reallocate(block, size);
    if (size == 1'024)
      recording.flush();
  }

  check_events_come_back(recording);
}

TEST_CASE("extreme values come back", "[trace]") {
  const std::uint64_t most = ~std::uint64_t{0};
  Recording recording;
  const auto huge = recording.allocate(most, Recording::kInner, Lane::kHeap, most);
  recording.allocate(0);
  recording.release(huge);
  recording.at(most).note(EventKind::kFail, most, most, Recording::kInner);

  check_events_come_back(recording);
}

TEST_CASE("times never decrease and are rounded down to the time unit", "[trace]") {
  Recording recording;
  for (const std::uint64_t ns : {1'099ULL, 950ULL, 1'250ULL, 1'201ULL, 1'300ULL})
    recording.at(ns).note(EventKind::kThreadBegin, 0, 0);

  const auto events = content_of(recording.finish()).events;

  std::vector<std::uint64_t> times;
  for (const auto& event : events)
    times.push_back(event.at_ns);
  CHECK(times == std::vector<std::uint64_t>{1'000, 1'000, 1'200, 1'200, 1'300});
}

TEST_CASE("events before and after a flush are one sequence", "[trace]") {
  Recording recording;
  for (int i = 0; i < 5; ++i) {
    recording.at(static_cast<std::uint64_t>(i) * 1'000).on(i % 2 == 0 ? 0 : 1).allocate(64);
    recording.flush();
  }

  check_events_come_back(recording);
}

TEST_CASE("more events than one block holds come back", "[trace]") {
  Recording recording;
  std::uint64_t ns = 0;
  for (int i = 0; i < 50'000; ++i) {
    const auto first = recording.at(ns += 130).allocate(24);
    recording.at(ns += 70).release(first);
  }

  const auto expected = recording.events();
  const auto content = content_of(recording.finish());
  REQUIRE(content.blocks.size() == 2);
  CHECK(content.blocks[0].event_count == 65'536);
  CHECK(content.blocks[1].first_event == 65'536);
  CHECK(text_of(content.events) == text_of(expected));
}

TEST_CASE("samples come back", "[trace]") {
  Recording recording;
  const std::vector<Sample> samples{
      {.at_ns = 123'456'789,
       .process = ProcessId{0},
       .rss_anon_bytes = 1 << 20,
       .rss_file_bytes = 4'096,
       .rss_shmem_bytes = 1,
       .own_bytes = 2,
       .high_water_bytes = 3},
      {.at_ns = 5, .process = ProcessId{0}, .rss_anon_bytes = ~std::uint64_t{0}}};
  for (const auto& sample : samples)
    recording.writer().append(sample);

  const auto content = content_of(recording.finish());

  REQUIRE(content.samples.size() == 2);
  CHECK(content.samples[0].at_ns == 123'456'789);
  CHECK(content.samples[0].rss_anon_bytes == 1 << 20);
  CHECK(content.samples[0].rss_file_bytes == 4'096);
  CHECK(content.samples[0].rss_shmem_bytes == 1);
  CHECK(content.samples[0].own_bytes == 2);
  CHECK(content.samples[0].high_water_bytes == 3);
  CHECK(content.samples[1].at_ns == 5);
  CHECK(content.samples[1].rss_anon_bytes == ~std::uint64_t{0});
}

TEST_CASE("a trace without events opens", "[trace]") {
  Recording recording;

  const auto content = content_of(recording.finish());

  CHECK(content.blocks.empty());
  CHECK(content.events.empty());
  CHECK_FALSE(content.loss.torn);
}

TEST_CASE("for_each starts at the given block and stops when told", "[trace]") {
  Recording recording;
  for (std::uint64_t i = 0; i < 6; ++i) {
    recording.allocate(i + 1);
    if (i % 2 == 1)
      recording.flush();
  }
  const auto bytes = recording.finish();
  auto reader = TraceReader::open(bytes);
  REQUIRE(reader.ok());

  std::vector<std::uint64_t> sizes;
  reader.value().for_each(
      [&](const Event& event) {
        sizes.push_back(event.size);
        return event.size < 5;
      },
      1);

  CHECK(sizes == std::vector<std::uint64_t>{3, 4, 5});
}

}  // namespace
}  // namespace tidemark::trace::tests
