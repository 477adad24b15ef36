#include "collector/family/unrecorded_list.hpp"

#include "tests/support/catch.hpp"

#include <string>

using tidemark::UnrecordedList;
using tidemark::trace::kMaxUnrecordedEntries;
using tidemark::trace::WhyUnrecorded;

TEST_CASE("a list of unrecorded programs names the first, and adds up the others by reason",
          "[unrecorded_list]") {
  UnrecordedList list;
  for (std::uint32_t pid = 1; pid <= 1000; ++pid) {
    list.add({pid, "tool", pid % 4 == 0 ? WhyUnrecorded::kSetId : WhyUnrecorded::kStatic, 1});
  }
  CHECK(list.count() == 1000);
  CHECK(list.count(WhyUnrecorded::kSetId) == 250);
  CHECK(list.entries().size() <= kMaxUnrecordedEntries);
  std::uint64_t listed = 0;
  for (const auto& entry : list.entries()) {
    listed += entry.processes;
  }
  CHECK(listed == 1000);
  CHECK(list.entries().front().pid == 1);
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
