// Arrays with the weights within a large mapping of a language's runtime: for and against.
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

#include <cstdint>

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kMiB;
using tests::kModelBytes;
using tests::kTensorBytes;
using tests::kTensors;
using tests::Load;

namespace {

constexpr std::uint64_t kHeapBytes = 1024 * kMiB;
constexpr std::uint64_t kSomewhere = 100 * kMiB + 16;

/// The file in a block, and a mapping with room for it three times.
struct Runtime : Load {
  Runtime() {
    heap = block("commit", kHeapBytes, trace::Lane::kAnon);
    read = blob();
    trace.origin(read, 0, model, 0, kModelBytes);
  }
  analyzer::Report all() { return report_of_all({{heap, read}}); }

  std::uint64_t heap = 0;
  std::uint64_t read = 0;
};

}  // namespace

TEST_CASE("an array in a mapping is one copy of what was read, and the rest of it is not",
          "[anatomy]") {
  Runtime load;
  load.trace.part_of_file(load.heap, kSomewhere, kModelBytes, load.model, 0);

  const auto found = findings_of(load.all(), FindingKind::kTwice);

  REQUIRE(found.size() == 1);
  CHECK(found[0].title == "two copies of the weights");
  CHECK(found[0].bytes == kModelBytes);
  CHECK(found[0].peak_without_bytes == kHeapBytes);
  CHECK_FALSE(found[0].peak_with_one_bytes);
  CHECK(found[0].sentence ==
        "256.0 MiB of the weights are in memory twice at the peak, by the values that blocks hold: "
        "in 1 block of read_file (loader.cpp:40) as in the file, and again in 1 block of commit "
        "(loader.cpp:40), as a loop copies them.");
}

TEST_CASE("two arrays in one mapping are two copies, with each of their pieces", "[anatomy]") {
  Runtime load;
  const std::uint64_t pieces = GENERATE(1U, 4U);
  CAPTURE(pieces);
  for (const std::uint64_t array : {kSomewhere, kSomewhere + 2 * kModelBytes}) {
    for (std::uint64_t i = 0; i < pieces; ++i) {
      const std::uint64_t at = i * kModelBytes / pieces;
      load.trace.part_of_file(load.heap, array + at, kModelBytes / pieces, load.model, at);
    }
  }
  const auto found = findings_of(load.all(), FindingKind::kTwice);
  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes);
  CHECK(found[0].copies == 3);
  CHECK(found[0].peak_with_one_bytes == kHeapBytes - kModelBytes);
}

TEST_CASE("a mapping that has two arrays with the file is said to have it again", "[anatomy]") {
  Load load;
  const auto heap = load.block("commit", kHeapBytes, trace::Lane::kAnon);
  for (const std::uint64_t array : {kSomewhere, kSomewhere + 2 * kModelBytes}) {
    load.trace.part_of_file(heap, array, kModelBytes, load.model, 0);
  }
  load.trace.read_into(load.model, kModelBytes, trace::kNoAllocation);

  const auto found = findings_of(load.report_of_all({{heap}}), FindingKind::kTwice);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes);
  CHECK(found[0].peak_without_bytes == kHeapBytes - kModelBytes);
  CHECK(found[0].sentence ==
        "256.0 MiB of the weights are in memory twice at the peak, by the values that blocks hold: "
        "in 1 block of commit (loader.cpp:40) as in the file, and again in the same block, as a "
        "loop copies them.");
}

TEST_CASE("where arrays cross from one mapping into the next, their pieces are told whole",
          "[anatomy]") {
  constexpr std::uint64_t kFirst = 10 * kMiB;
  constexpr std::uint64_t kSecond = 20 * kMiB;
  Load load;
  const auto begin = load.block("commit", kFirst, trace::Lane::kAnon);
  const auto middle = load.block("commit", kModelBytes + kSecond, trace::Lane::kAnon);
  const auto end = load.block("commit", kModelBytes, trace::Lane::kAnon);
  load.trace.read_into(load.model, kModelBytes, trace::kNoAllocation);
  load.trace.part_of_file(begin, 0, kFirst, load.model, 0);
  // In the order of the file, as a recorder tells them: the second array's begin comes first.
  load.trace.part_of_file(middle, kModelBytes - kFirst, kSecond, load.model, 0);
  load.trace.part_of_file(middle, 0, kModelBytes - kFirst, load.model, kFirst);
  load.trace.part_of_file(end, 0, kModelBytes - kSecond, load.model, kSecond);

  const auto found = findings_of(load.report_of_all({{begin, middle, end}}), FindingKind::kTwice);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes);
}

TEST_CASE("an array that a collector has moved by the peak is no second one", "[anatomy]") {
  Runtime load;
  const bool is_moved = GENERATE(true, false);
  CAPTURE(is_moved);
  load.trace.part_of_file(load.heap, kSomewhere, kModelBytes, load.model, 0, {}, {},
                          is_moved ? 20 : UINT64_MAX);
  load.trace.part_of_file(load.heap, kSomewhere + 2 * kModelBytes, kModelBytes, load.model, 0);
  const auto found = findings_of(load.all(), FindingKind::kTwice);
  REQUIRE(found.size() == 1);
  CHECK(found[0].copies == (is_moved ? 0 : 3));
}

TEST_CASE("an array of a wider type in a mapping is wider by its part alone", "[anatomy]") {
  Runtime load;
  for (std::uint64_t i = 0; i < 2; ++i) {
    load.trace.part_of_file(load.heap, kSomewhere + 3 * i * kModelBytes / 2, kModelBytes,
                            load.model, i * kModelBytes / 2, "f64", "f32");
  }
  const auto report = load.all();
  const auto widened = findings_of(report, FindingKind::kWidened);
  const auto twice = findings_of(report, FindingKind::kTwice);

  REQUIRE(widened.size() == 1);
  CHECK(widened[0].bytes == 2 * kModelBytes);
  CHECK(widened[0].peak_without_bytes == kHeapBytes);
  CHECK_THAT(widened[0].sentence, Catch::StartsWith("512.0 MiB in 1 block of commit"));
  REQUIRE(twice.size() == 1);
  CHECK(twice[0].bytes == kModelBytes);
  CHECK(twice[0].peak_without_bytes == kHeapBytes);
}

TEST_CASE("of a block that holds an array in a part of it the rest may be told by others",
          "[anatomy]") {
  Load load;
  const auto read = load.blob();
  load.trace.origin(read, 0, load.model, 0, kModelBytes);
  const auto made = load.block("make_vect", 2 * kModelBytes);
  load.trace.part_of_file(made, kSomewhere, kModelBytes, load.model, 0);
  load.wait_ms(1000);
  load.trace.look(made, load.now_ms(), kSomewhere + kModelBytes);
  load.trace.look(made, load.now_ms() + 900, kSomewhere + kModelBytes);
  load.wait_ms(1000);
  const auto found = findings_of(load.report_of_all({{read, made}}), FindingKind::kUntouched);
  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes - kSomewhere);
}

TEST_CASE("what was read into a mapping is not there once more because it is seen there",
          "[anatomy]") {
  Load load;
  const auto heap = load.block("commit", kHeapBytes, trace::Lane::kAnon);
  load.trace.read_into(load.model, kModelBytes, heap);
  load.trace.origin(heap, kSomewhere, load.model, 0, kModelBytes);
  load.trace.part_of_file(heap, kSomewhere, kModelBytes, load.model, 0);
  const bool is_copied = GENERATE(false, true);
  CAPTURE(is_copied);
  if (is_copied) {
    load.trace.part_of_file(heap, kSomewhere + 2 * kModelBytes, kModelBytes, load.model, 0);
  }
  const auto found = findings_of(load.report_of_all({{heap}}), FindingKind::kTwice);
  CHECK(found.size() == (is_copied ? 1 : 0));
}

TEST_CASE("arrays of a file that lists its tensors are found, too", "[anatomy]") {
  Runtime load;
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.trace.tensor(load.model, kTensorBytes / 4, kTensorBytes);
    load.trace.part_of_file(load.heap, 2 * i * kTensorBytes + 64, kTensorBytes, load.model,
                            i * kTensorBytes);
  }
  const auto found = findings_of(load.all(), FindingKind::kTwice);
  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes);
  CHECK(found[0].peak_without_bytes == kHeapBytes);
}
