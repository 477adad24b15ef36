#include "collector/family/judging/unrecorded_list.hpp"

#include "collector/family/members/life_bound.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <string>

using tidemark::UnrecordedList;
using tidemark::trace::kMaxUnrecordedEntries;
using tidemark::trace::WhyUnrecorded;

TEST_CASE("a list of unrecorded programs names the first, and adds up the others by reason",
          "[unrecorded_list]") {
  UnrecordedList list;
  for (std::uint32_t pid = 1; pid <= 4000; ++pid) {
    list.add({pid, "tool", pid % 4 == 0 ? WhyUnrecorded::kSetId : WhyUnrecorded::kStatic, 1});
  }
  CHECK(list.count() == 4000);
  CHECK(list.count(WhyUnrecorded::kSetId) == 1000);
  CHECK(list.entries().size() <= kMaxUnrecordedEntries);
  std::uint64_t listed = 0;
  for (const auto& entry : list.entries()) {
    listed += entry.processes;
  }
  CHECK(listed == 4000);
  CHECK(list.entries().front().pid == 1);
}

// A build starts hundreds of static compilers, and a gate needs what each can have had.
TEST_CASE("hundreds of programs keep their bounds", "[unrecorded_list]") {
  UnrecordedList list;
  for (std::uint32_t pid = 1; pid <= 500; ++pid) {
    list.add({.pid = pid,
              .command = "compile",
              .why = WhyUnrecorded::kStatic,
              .from_ns = pid,
              .until_ns = pid + 1,
              .most_bytes = 1});
  }
  CHECK(std::ranges::all_of(list.entries(), &tidemark::trace::Unrecorded::is_bounded));
  CHECK(list.entries().size() == 500);
}

TEST_CASE("programs of which nothing is known are one entry a reason", "[unrecorded_list]") {
  UnrecordedList list;
  list.add({0, "", WhyUnrecorded::kTooMany, 5});
  list.add({0, "", WhyUnrecorded::kTooMany, 7});
  list.add({3, "", WhyUnrecorded::kTooMany, 1});
  REQUIRE(list.entries().size() == 2);
  CHECK(list.entries()[0].processes == 12);
  CHECK(list.count(WhyUnrecorded::kTooMany) == 13);
}

TEST_CASE("a long command of an unrecorded program is cut", "[unrecorded_list]") {
  UnrecordedList list;
  list.add({1, std::string(100'000, 'x'), WhyUnrecorded::kStatic, 1});
  CHECK(list.entries()[0].command.size() == tidemark::trace::kMaxUnrecordedCommandBytes);
}

TEST_CASE("what is known of a program is of those that it forked, too", "[unrecorded_list]") {
  constexpr std::uint64_t kMs = 1'000'000;
  constexpr std::uint64_t kBytes = 5 << 20U;
  UnrecordedList list;
  list.add({.pid = 1,
            .why = WhyUnrecorded::kStatic,
            .from_ns = 10 * kMs,
            .until_ns = 13 * kMs,
            .most_bytes = kBytes});
  const auto stretched = [&]() -> const auto& {
    list.stretch_over_forks();
    return list.entries().front();
  };

  SECTION("while it ran, one that goes on behind its end, and one of that one") {
    list.note_fork(15 * kMs, 21 * kMs);
    list.note_fork(12 * kMs, 16 * kMs);
    CHECK(stretched().until_ns == 21 * kMs);
    CHECK(stretched().most_bytes == kBytes + tidemark::most_written_in(8 * kMs));
  }
  SECTION("one that ended before it did has had its part of the time") {
    list.note_fork(11 * kMs, 12 * kMs);
    CHECK(stretched().until_ns == 13 * kMs);
    CHECK(stretched().most_bytes == kBytes);
  }
  SECTION("one that came after its end is none of its") {
    list.note_fork(14 * kMs, 90 * kMs);
    CHECK(stretched().until_ns == 13 * kMs);
  }
  SECTION("more of them than there is room for leave nothing known") {
    for (int i = 0; i < 5000; ++i) {
      list.note_fork(1 * kMs, 2 * kMs);
    }
    CHECK_FALSE(stretched().is_bounded());
  }
}

TEST_CASE("a program that was waited for has no more than it can have written by then",
          "[unrecorded_list]") {
  constexpr std::uint64_t kMs = 1'000'000;
  constexpr std::uint64_t kMuch = std::uint64_t{1} << 40U;
  using Began = UnrecordedList::Began;
  UnrecordedList list;
  const auto bounded = [&](Began began = Began::kByExec) -> const auto& {
    list.add({.pid = 7,
              .why = WhyUnrecorded::kEndedEarly,
              .from_ns = 10 * kMs,
              .until_ns = 20 * kMs,
              .most_bytes = kMuch},
             began);
    list.bound_by_waits();
    return list.entries().front();
  };

  SECTION("in its time on a processor") {
    list.note_wait({.pid = 7, .at_ns = 15 * kMs, .cpu_ns = 1 * kMs, .most_resident_bytes = kMuch});
    CHECK(bounded().until_ns == 15 * kMs);
    CHECK(bounded().most_bytes == tidemark::most_written_by(1 * kMs));
  }
  SECTION("nor than was ever resident of it") {
    list.note_wait({.pid = 7, .at_ns = 15 * kMs, .cpu_ns = 1 * kMs, .most_resident_bytes = 4096});
    CHECK(bounded().most_bytes == 4096 + tidemark::counted_late());
  }
  SECTION("a late wait says nothing of when it ended") {
    list.note_wait({.pid = 7, .at_ns = 90 * kMs, .cpu_ns = 1 * kMs});
    CHECK(bounded().until_ns == 20 * kMs);
    CHECK(bounded().most_bytes == tidemark::most_written_by(1 * kMs));
  }
  SECTION("a wait that tells no use says when it had ended") {
    list.note_wait({.pid = 7, .at_ns = 15 * kMs});
    CHECK(bounded().until_ns == 15 * kMs);
    CHECK(bounded().most_bytes == kMuch);
  }
  SECTION("the wait for another process of its number, before it or behind it, is not its own") {
    list.note_wait({.pid = 7, .at_ns = 9 * kMs, .most_resident_bytes = 1});
    list.note_wait({.pid = 7, .at_ns = 15 * kMs, .most_resident_bytes = 2});
    list.note_wait({.pid = 7, .at_ns = 19 * kMs, .most_resident_bytes = 3});
    CHECK(bounded().most_bytes == 2 + tidemark::counted_late());
  }
  SECTION("a fork has what others have written") {
    list.note_wait({.pid = 7, .at_ns = 15 * kMs, .cpu_ns = 1 * kMs, .most_resident_bytes = 4096});
    CHECK(bounded(Began::kByFork).most_bytes == kMuch);
    CHECK(bounded(Began::kByFork).until_ns == 15 * kMs);
  }
}
