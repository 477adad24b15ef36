#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

using namespace tidemark;
using namespace tidemark::tests;
using trace::Event;
using trace::EventKind;
using trace::kNoAllocation;

namespace {

constexpr std::uint64_t kCopied = 300'007;
constexpr std::uint64_t kFrom = 400'009;
constexpr std::uint64_t kTo = 500'009;

std::vector<Event> touches_of(const Events& events, EventKind kind, std::uint64_t size) {
  std::vector<Event> found;
  std::ranges::copy_if(events.all(), std::back_inserter(found), [&](const Event& event) {
    return event.kind == kind && event.size == size;
  });
  return found;
}

/// Bytes of the block with that number; 0 for none.
std::uint64_t size_of(const Events& events, std::uint64_t allocation) {
  const auto block = std::ranges::find_if(events.all(), [&](const Event& event) {
    return trace::is_allocation(event.kind) && event.allocation == allocation;
  });
  return block == events.all().end() ? 0 : block->size;
}

}  // namespace

TEST_CASE_METHOD(EndToEnd, "a large copy is in the trace with both its blocks and its stack") {
  const std::string program = GENERATE("copies", "copies_fortified");
  const std::string how = GENERATE("memcpy", "memmove", "mempcpy");
  CAPTURE(program, how);
  const Recording recording = record_unchanged(host(program, {how}));
  const auto copies = touches_of(recording.events, EventKind::kCopy, kCopied);
  REQUIRE(copies.size() == 1);
  CHECK(size_of(recording.events, copies[0].released) == kFrom);
  CHECK(size_of(recording.events, copies[0].allocation) == kTo);
  const auto functions = recording.events.functions(copies[0]);
  CHECK(std::ranges::count(functions, "main") == 1);
  // It begins at the caller, not in a hook of ours.
  CHECK(std::ranges::none_of(functions,
                             [](const std::string& name) { return name.starts_with("tidemark"); }));
}

TEST_CASE_METHOD(EndToEnd, "a copy into a variable has no destination") {
  const std::string program = GENERATE("copies", "copies_fortified");
  const std::string how = GENERATE("memcpy_variable", "memmove_variable", "mempcpy_variable");
  CAPTURE(program, how);
  const Recording recording = record_unchanged(host(program, {how}));
  const auto copies = touches_of(recording.events, EventKind::kCopy, kCopied);
  REQUIRE(copies.size() == 1);
  CHECK(size_of(recording.events, copies[0].released) == kFrom);
  CHECK(copies[0].allocation == kNoAllocation);
}

TEST_CASE_METHOD(EndToEnd, "a large fill is in the trace with its block") {
  const std::string program = GENERATE("copies", "copies_fortified");
  CAPTURE(program);
  const Recording recording = record_unchanged(host(program, {"memset"}));
  const auto fills = touches_of(recording.events, EventKind::kFill, kCopied);
  REQUIRE(fills.size() == 1);
  CHECK(size_of(recording.events, fills[0].allocation) == kTo);
}

TEST_CASE_METHOD(EndToEnd, "an overlapping copy moves what it should") {
  const Recording recording = record_unchanged(host("copies", {"overlap"}));
  const auto copies = touches_of(recording.events, EventKind::kCopy, kCopied);
  REQUIRE(copies.size() == 1);
  CHECK(copies[0].released == copies[0].allocation);
}

TEST_CASE_METHOD(EndToEnd, "a copy below 64 KiB leaves no event") {
  const Recording recording = record_unchanged(host("copies", {"small"}));
  CHECK(recording.events.count(EventKind::kCopy) == 0);
}

TEST_CASE_METHOD(EndToEnd, "a fortified copy that has no room ends the program as without us") {
  const std::string how = GENERATE("memcpy_variable", "memset_variable");
  const Recording recording = record_unchanged(host("copies_fortified", {how, "310001"}));
  CHECK(recording.host.status == 134);  // SIGABRT
}

TEST_CASE_METHOD(EndToEnd, "without copies the hooks are not there") {
  Command command;
  command.words = {EndToEnd::command(), "record", "-q", "--no-copies", "-o", trace(), "--"};
  const Words program = host("copies", {"memcpy"});
  command.words.insert(command.words.end(), program.begin(), program.end());
  CHECK(run_alone(command).status == 0);
  const Events events(trace());
  CHECK(events.allocations(kFrom) == 1);
  CHECK(events.count(EventKind::kCopy) == 0);
  CHECK(events.count(EventKind::kFill) == 0);
  CHECK_FALSE(events.session().copies_recorded);
}

TEST_CASE_METHOD(EndToEnd,
                 "a child's copies are recorded, also where its environment was cleared") {
  Words words{"/usr/bin/env", "-i"};
  const Words program = host("copies", {"memcpy"});
  words.insert(words.end(), program.begin(), program.end());
  const Recording recording = record_unchanged(words);
  CHECK(recording.events.session().copies_recorded);
  CHECK(touches_of(recording.events, EventKind::kCopy, kCopied).size() == 1);
}

TEST_CASE_METHOD(EndToEnd, "a child without copies stays without them") {
  Command command;
  command.words = {EndToEnd::command(), "record", "-q", "--no-copies", "-o", trace(), "--",
                   "/usr/bin/env",      "-i"};
  const Words program = host("copies", {"memcpy"});
  command.words.insert(command.words.end(), program.begin(), program.end());
  CHECK(run_alone(command).status == 0);
  const Events events(trace());
  CHECK(events.allocations(kFrom) == 1);
  CHECK(events.count(EventKind::kCopy) == 0);
}

TEST_CASE_METHOD(EndToEnd, "a library that copies before everybody else gets its bytes") {
  const Recording recording = record_unchanged(host("copies_early"));
  CHECK(recording.host.out == "600000\n");
}

TEST_CASE_METHOD(EndToEnd, "a read says whether its destination was in memory before") {
  const auto [how, least, most] = GENERATE(table<std::string, double, double>(
      {{"fresh", 0.0, 0.0}, {"memset", 1.0, 1.0}, {"loop", 1.0, 1.0}}));
  CAPTURE(how);
  const std::string file = a_file_of(64 * kMiB, "weights.bin");
  const Recording recording = record_unchanged(host("fills_then_reads", {how, file}));
  const auto reads = touches_of(recording.events, EventKind::kReadInto, 64 * kMiB);
  REQUIRE(reads.size() == 1);
  CHECK(size_of(recording.events, reads[0].allocation) == 64 * kMiB);
  REQUIRE(trace::resident_share(reads[0]));
  CHECK(*trace::resident_share(reads[0]) >= least);
  CHECK(*trace::resident_share(reads[0]) <= most);
  CHECK(recording.events.count(EventKind::kFill) == (how == "memset" ? 1 : 0));
}

TEST_CASE_METHOD(EndToEnd, "an array over two mappings is read into and copied from both of them") {
  constexpr std::size_t kModel = 24 << 20;
  const std::string how = GENERATE("protect", "map");
  CAPTURE(how);
  const std::string file = a_file_of(kModel, "weights.f32");
  const Recording recording = record_unchanged(host("reads_over_commits", {file, how}));
  const auto seen = report(recording.trace);
  // Once, though two blocks have it.
  CHECK(seen["model"]["files"][0]["bytes_read"] == kModel);
  REQUIRE_FALSE(seen["findings"].empty());
  const auto& twice = seen["findings"][0];
  CAPTURE(twice);
  CHECK(twice["kind"] == "twice");
  CHECK(twice["bytes"].get<std::size_t>() >= kModel - 16 * 4096);
  CHECK(twice["bytes"].get<std::size_t>() <= kModel);
}
