#include "collector/drain/hosts/heap_look_marks.hpp"

#include "tests/support/catch.hpp"

#include <cstdint>

using namespace tidemark;

namespace {
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
}

TEST_CASE("a heap is looked at where notably more is resident than was asked for", "[heap_looks]") {
  HeapLookMarks marks;
  CHECK_FALSE(marks.is_look_due(0, 0));
  CHECK_FALSE(marks.is_look_due(10 * kMiB, 10 * kMiB));
  CHECK_FALSE(marks.is_look_due(10 * kMiB, 12 * kMiB));
  CHECK_FALSE(marks.is_look_due(2 * kMiB - 1, kMiB));      // less than 1 MiB
  CHECK_FALSE(marks.is_look_due(200 * kMiB, 197 * kMiB));  // less than a fiftieth
  CHECK(marks.is_look_due(2 * kMiB, kMiB));
  CHECK(marks.is_look_due(200 * kMiB, 196 * kMiB));
}

TEST_CASE("a heap is looked at again when a sixteenth of what was found is in doubt",
          "[heap_looks]") {
  HeapLookMarks marks;
  REQUIRE(marks.is_look_due(160 * kMiB, 128 * kMiB));
  marks.note_look(160 * kMiB, 128 * kMiB);
  SECTION("as little was asked for") {
    CHECK_FALSE(marks.is_look_due(160 * kMiB, 128 * kMiB));
    CHECK_FALSE(marks.is_look_due(164 * kMiB, 130 * kMiB));
    CHECK_FALSE(marks.is_look_due(96 * kMiB, 64 * kMiB));
  }
  SECTION("more was asked for, which may lie in it") {
    CHECK(marks.is_look_due(163 * kMiB, 131 * kMiB));
  }
  SECTION("there is more of it") {
    CHECK(marks.is_look_due(163 * kMiB, 128 * kMiB));
  }
  SECTION("there is more of it, after it was less") {
    CHECK_FALSE(marks.is_look_due(144 * kMiB, 128 * kMiB));
    CHECK(marks.is_look_due(146 * kMiB, 128 * kMiB));
  }
}

TEST_CASE("a look that was ahead of the records is made again when they have come",
          "[heap_looks]") {
  HeapLookMarks marks;
  marks.note_look(64 * kMiB, 16 * kMiB);
  CHECK(marks.is_look_due(64 * kMiB, 56 * kMiB));
  marks.note_look(64 * kMiB, 56 * kMiB);
  CHECK_FALSE(marks.is_look_due(64 * kMiB, 56 * kMiB));
}
