// Places that hold neighbouring bytes of a file are one array, for the time in which all do.
#include "collector/drain/books/contents/probe_stretches.hpp"

#include "tests/support/catch.hpp"

#include <cstdint>
#include <unordered_set>
#include <vector>

using namespace tidemark;

namespace {

constexpr std::uint64_t kEach = 1024;  ///< One place in so many bytes.
constexpr std::uint64_t kFileSize = 100 * kEach;

/// Adds places of one allocation, and says what they are.
class Places {
 public:
  Places() {
    files_[0].size = kFileSize;
    files_[0].id = trace::FileId{3};
  }
  void set_tensor(std::uint64_t begin, std::uint64_t end) { files_[0].borders = {begin, end}; }
  /// @param offsets in the file; of several the first one is the file's first.
  ProbedPlace& add(std::uint64_t begin, const std::vector<std::uint64_t>& offsets) {
    add_last();
    last_ = {.allocation = 7, .begin = begin, .step = kEach, .at_ns = 50, .last_ns = 100};
    for (const std::uint64_t offset : offsets)
      in_file_.push_back({.file = 0, .offset = offset});
    return last_;
  }
  std::vector<trace::PackedMatch> take() {
    add_last();
    return stretches_.take(files_);
  }

 private:
  void add_last() {
    if (!in_file_.empty())
      stretches_.add(last_, in_file_);
    in_file_.clear();
  }

  std::vector<weights::PlainFile> files_ = std::vector<weights::PlainFile>(1);
  ProbeStretches stretches_;
  ProbedPlace last_;
  std::vector<weights::PartSearch::Place> in_file_;
};

}  // namespace

TEST_CASE("neighbours are one stretch, and half a step at each end", "[probe_stretches]") {
  Places places;
  for (std::uint64_t i = 10; i < 20; ++i)
    places.add(i * kEach, {(i + 30) * kEach});
  const auto matches = places.take();
  REQUIRE(matches.size() == 1);
  CHECK(matches[0].allocation == 7);
  CHECK(matches[0].file == trace::FileId{3});
  CHECK(matches[0].begin == 10 * kEach - kEach / 2);
  CHECK(matches[0].offset == 40 * kEach - kEach / 2);
  CHECK(matches[0].bytes == 9 * kEach + kEach + sizeof(weights::Probe));
}

TEST_CASE("what is further apart, or elsewhere in the file, is another stretch",
          "[probe_stretches]") {
  Places places;
  places.add(10 * kEach, {40 * kEach});
  places.add(11 * kEach, {41 * kEach});
  const bool is_far = GENERATE(true, false);
  CAPTURE(is_far);
  const std::uint64_t next = is_far ? 16 : 12;
  places.add(next * kEach, {(next + (is_far ? 30 : 31)) * kEach});
  places.add((next + 1) * kEach, {(next + (is_far ? 31 : 32)) * kEach});
  CHECK(places.take().size() == 2);
}

TEST_CASE("a single place is an array where a tensor of the file says so", "[probe_stretches]") {
  Places places;
  places.add(10 * kEach, {40 * kEach + 300});
  SECTION("nothing does") {
    CHECK(places.take().empty());
  }
  SECTION("a tensor of half a step") {
    places.set_tensor(40 * kEach, 40 * kEach + 600);
    const auto matches = places.take();
    REQUIRE(matches.size() == 1);
    CHECK(matches[0].begin == 10 * kEach - 300);
    CHECK(matches[0].bytes == 600);
  }
  SECTION("a small one, which is met by chance") {
    places.set_tensor(40 * kEach + 200, 40 * kEach + 500);
    CHECK(places.take().empty());
  }
}

TEST_CASE("a stretch is there while all of its places are", "[probe_stretches]") {
  Places places;
  places.add(10 * kEach, {40 * kEach}).from_ns = 20;
  ProbedPlace& place = places.add(11 * kEach, {41 * kEach});
  place.from_ns = 30;
  place.last_ns = 80;
  place.has_ended = true;
  const auto matches = places.take();
  REQUIRE(matches.size() == 1);
  CHECK(matches[0].from_ns == 30);
  CHECK(matches[0].until_ns == 80);
}

TEST_CASE("what two processes see of one shared array is there until the last has seen it go",
          "[probe_stretches]") {
  Places places;
  const bool is_later_first = GENERATE(true, false);
  for (std::uint64_t i = 10; i < 12; ++i) {
    for (const bool is_later : {is_later_first, !is_later_first}) {
      ProbedPlace& place = places.add(i * kEach, {(i + 30) * kEach});
      place.last_ns = is_later ? 100 : 80;
      place.has_ended = is_later;
    }
  }
  const auto matches = places.take();
  REQUIRE(matches.size() == 1);
  CHECK(matches[0].bytes == 2 * kEach + sizeof(weights::Probe));
  CHECK(matches[0].until_ns == 100);
}

TEST_CASE("places that nobody looks at any more go with their neighbours, or when they were seen",
          "[probe_stretches]") {
  Places places;
  places.add(10 * kEach, {40 * kEach}).is_left = true;
  const bool is_alone = GENERATE(true, false);
  CAPTURE(is_alone);
  places.add(11 * kEach, {41 * kEach}).is_left = is_alone;
  const auto matches = places.take();
  REQUIRE(matches.size() == 1);
  CHECK(matches[0].until_ns == (is_alone ? 100 : trace::ValueMatch::kNever));
}

TEST_CASE("two arrays of what a file has twice are each one of them", "[probe_stretches]") {
  constexpr std::uint64_t kAgain = 50 * kEach;
  Places places;
  for (const std::uint64_t array : {100 * kEach, 300 * kEach + 64}) {
    for (std::uint64_t i = 0; i < 10; ++i) {
      const std::uint64_t offset = i * kEach + (array == 100 * kEach ? 0 : 192);
      places.add(array + i * kEach, {offset, kAgain + offset});
    }
  }
  const auto matches = places.take();
  REQUIRE(matches.size() == 2);
  CHECK(matches[0].offset < kAgain);
  CHECK(matches[1].offset >= kAgain - kEach);
}

TEST_CASE("what was overwritten in between is there again", "[probe_stretches]") {
  Places places;
  places.add(10 * kEach, {40 * kEach});
  places.add(11 * kEach, {41 * kEach}).has_ended = true;
  ProbedPlace& again = places.add(11 * kEach, {41 * kEach});
  again.at_ns = again.last_ns = 200;
  const auto matches = places.take();
  REQUIRE(matches.size() == 1);
  CHECK(matches[0].until_ns == trace::ValueMatch::kNever);
}

namespace {

constexpr std::uint64_t kHeldMiB = std::uint64_t{1} << 20U;

trace::PackedMatch part(trace::AllocationNumber allocation, std::uint64_t offset) {
  return {.allocation = allocation,
          .file = trace::FileId{3},
          .offset = offset,
          .at_ns = 50,
          .bytes = 8 * kHeldMiB};
}

}  // namespace

TEST_CASE("allocations with the bytes of a file that one of them has twice", "[probe_stretches]") {
  std::vector<trace::PackedMatch> parts{part(7, 0), part(7, 4 * kHeldMiB), part(8, 9 * kHeldMiB)};
  SECTION("one of them has") {
    CHECK(with_files_held_twice(parts) == std::unordered_set<trace::AllocationNumber>{7, 8});
  }
  SECTION("as another type, of which four bytes are two of the file") {
    parts[1].type = "f32";
    parts[1].file_type = "bf16";
    parts[1].bytes = 16 * kHeldMiB;
    CHECK(with_files_held_twice(parts) == std::unordered_set<trace::AllocationNumber>{7, 8});
    parts[1].bytes = 2 * kHeldMiB;
    parts[0].bytes = 5 * kHeldMiB;
    CHECK(with_files_held_twice(parts) == std::unordered_set<trace::AllocationNumber>{7, 8});
    parts[0].bytes = 5 * kHeldMiB - 4096;
    CHECK(with_files_held_twice(parts).empty());
  }
  SECTION("another one has them again") {
    parts[1].allocation = 9;
    CHECK(with_files_held_twice(parts).empty());
  }
  SECTION("of two files") {
    parts[1].file = trace::FileId{4};
    CHECK(with_files_held_twice(parts).empty());
  }
  SECTION("one behind the other in the file") {
    parts[1].offset = 8 * kHeldMiB;
    CHECK(with_files_held_twice(parts).empty());
  }
  SECTION("one after the other in time") {
    parts[0].until_ns = 49;
    CHECK(with_files_held_twice(parts).empty());
  }
}
