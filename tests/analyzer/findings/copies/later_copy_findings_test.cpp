// The pair that makes the peak which other findings leave: for and against.
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <iterator>

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kMiB;
using tests::kModelBytes;
using tests::kTensorBytes;
using tests::kTensors;
using tests::Load;

namespace {

/// Objects that a parser copies out of the file's bytes, and arrays that a loop fills from these.
struct ParsedInTurn : Load {
  std::uint64_t text = blob();
  std::vector<std::uint64_t> objects;
  std::vector<std::uint64_t> arrays;

  ParsedInTurn() { trace.origin(text, 0, model, 0, kModelBytes); }
  void parse() {
    objects = tensors_from(text, "Parse");
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      trace.origin(objects[i], 0, model, i * kTensorBytes, kTensorBytes);
    }
    wait_ms(10);
  }
  void unpack() {
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      arrays.push_back(block("Unpack", kTensorBytes));
      trace.as_in_file(arrays.back(), model, i * kTensorBytes);
    }
    wait_ms(10);
  }
  /// A second after the objects have gone.
  analyzer::Report ended() {
    release(objects);
    return report_of_all({arrays});
  }
};

bool is_then(const analyzer::Finding& finding) {
  return finding.sentence.starts_with("Then the peak is at ");
}

/// Those about the peak that is left.
std::vector<analyzer::Finding> told_then(const analyzer::Report& report) {
  std::vector<analyzer::Finding> found;
  std::ranges::copy_if(report.anatomy.findings, std::back_inserter(found), is_then);
  return found;
}

}  // namespace

TEST_CASE("bytes that are held too long, without which they and their copies make the peak",
          "[anatomy]") {
  ParsedInTurn load;
  load.parse();
  // Without the arrays more is left than without the objects.
  const auto names = load.block("names", kMiB);
  load.release({names});
  load.unpack();
  load.release({load.text});

  const auto report = load.ended();

  const auto held = findings_of(report, FindingKind::kHeld);
  REQUIRE(held.size() == 1);
  CHECK(held[0].peak_without_bytes == 2 * kModelBytes);
  const auto then = told_then(report);
  REQUIRE(then.size() == 1);
  CHECK(then[0].kind == FindingKind::kTwice);
  CHECK(then[0].remedy == "Without these too");
  CHECK(then[0].peak_without_bytes.value_or(0) == kModelBytes + kMiB);
  CHECK(then[0].sentence ==
        "Then the peak is at 490 ms, 512.0 MiB: 256.0 MiB of the weights are in memory twice at "
        "the peak: in 1 block of read_file (loader.cpp:40) and, copied from it, in blocks of Parse "
        "(loader.cpp:40).");
  REQUIRE_FALSE(then[0].nodes.empty());
  CHECK(report.anatomy.chain.nodes[then[0].nodes.front()].name == "read_file (loader.cpp:40)");
}

TEST_CASE("a copy that is seen and one that values tell, each of which makes a peak as high",
          "[anatomy]") {
  const bool has_second = GENERATE(true, false);
  const bool is_second_higher = GENERATE(true, false);
  CAPTURE(has_second, is_second_higher);
  ParsedInTurn load;
  load.parse();
  load.release({load.text});
  const std::uint64_t more = is_second_higher ? kMiB : 0;
  if (is_second_higher) {
    load.block("names", more);
  }
  if (has_second) {
    load.unpack();
  } else {
    load.block("activations", kModelBytes);
  }

  const auto report = load.ended();

  const auto twice = findings_of(report, FindingKind::kTwice);
  REQUIRE(twice.size() + findings_of(report, FindingKind::kHeld).size() == (has_second ? 2 : 0));
  if (has_second) {
    const auto then = told_then(report);
    REQUIRE(then.size() == 1);
    CHECK(then[0].peak_without_bytes.value_or(0) == kModelBytes + more);
  }
}
