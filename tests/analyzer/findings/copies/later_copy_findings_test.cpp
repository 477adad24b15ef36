// The pair that makes the peak which other findings leave: for and against.
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

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

namespace {

/// Humps of one height: each copy is made beside the one before it, which then goes.
struct Humps : Load {
  std::vector<std::uint64_t> last{blob()};

  Humps() { trace.origin(last.front(), 0, model, 0, kModelBytes); }

  /// Copies that are seen.
  void copy(const std::string& function) {
    const auto copies = tensors_from(last.front(), function);
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      trace.origin(copies[i], 0, model, i * kTensorBytes, kTensorBytes);
    }
    replace(copies);
  }
  /// Values alone tell what is in these.
  void scale(const std::string& function, bool are_known = true) {
    std::vector<std::uint64_t> made;
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      made.push_back(block(function, kTensorBytes));
      if (are_known) {
        trace.widened(made.back(), model, i * kTensorBytes, "f32", "f32");
      }
    }
    replace(made);
  }
  /// All behind one another in one block.
  void join(const std::string& function) {
    const auto joined = block(function, kModelBytes);
    for (const std::uint64_t part : last) {
      trace.copy(kModelBytes / last.size(), part, joined);
      wait_ms(10);
    }
    replace({joined});
  }
  void replace(const std::vector<std::uint64_t>& made) {
    wait_ms(10);
    release(last);
    last = made;
  }
  analyzer::Report ended() { return report_of_all({last}); }
};

std::vector<std::string> beginnings(const std::vector<analyzer::Finding>& findings) {
  std::vector<std::string> texts;
  for (const analyzer::Finding& finding : findings) {
    texts.push_back(finding.sentence.substr(0, finding.sentence.find(':')));
  }
  return texts;
}

}  // namespace

TEST_CASE("of three copies in turn, each of which makes a peak as high, all are told",
          "[anatomy]") {
  const bool are_known = GENERATE(true, false);
  CAPTURE(are_known);
  Humps load;
  load.copy("Parse");
  load.scale("Normalise", are_known);
  load.join("Stack");

  const auto report = load.ended();

  const auto& found = report.anatomy.findings;
  if (!are_known) {
    // What was made at the second instant is not known: without the others it is as high.
    CHECK(findings_of(report, FindingKind::kTwice).empty());
    CHECK(told_then(report).empty());
    return;
  }
  REQUIRE(found.size() == 3);
  CHECK(beginnings(found) ==
        std::vector<std::string>{"256.0 MiB of the weights are in memory twice at the peak",
                                 "Then the peak is at 670 ms, 512.0 MiB",
                                 "Then the peak is at 690 ms, 512.0 MiB"});
  CHECK(found[0].peak_without_bytes == 2 * kModelBytes);
  CHECK(found[0].remedy == "Without, a later peak is left");
  CHECK_THAT(found[1].sentence,
             Catch::Contains("in 16 blocks of Parse (loader.cpp:40) as in the file, and scaled"));
  CHECK(found[1].peak_without_bytes == 2 * kModelBytes);
  CHECK(found[1].remedy == "Scaled in place, too");
  CHECK_THAT(found[2].sentence, Catch::Contains("in 16 blocks of Normalise (loader.cpp:40) were "
                                                "copied into 1 block of Stack (loader.cpp:40)"));
  CHECK(found[2].peak_without_bytes == kModelBytes);
  CHECK(found[2].remedy == "Without these too");
}

TEST_CASE("four copies in turn are told, of five none", "[anatomy]") {
  const bool has_fifth = GENERATE(false, true);
  CAPTURE(has_fifth);
  Humps load;
  load.copy("Parse");
  load.scale("Normalise");
  load.join("Stack");
  load.join("Sort");
  if (has_fifth) {
    load.join("Centre");
  }

  const auto report = load.ended();

  CHECK(findings_of(report, FindingKind::kTwice).size() == (has_fifth ? 0 : 4));
}
