// Tensors in another type than their file has, by their values: for and against.
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <utility>
#include <vector>

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kModelBytes;
using tests::kTensorBytes;
using tests::kTensors;
using tests::Load;

namespace {

/// Sixteen tensors of one size, each read into a block, and each there once more.
struct Converted : Load {
  Converted() {
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      trace.tensor(model, kTensorBytes / 4, kTensorBytes, "layer." + std::to_string(i) + ".w");
    }
  }
  void read_all() {
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      read.push_back(block("Tensor", kTensorBytes));
      trace.read_into(model, kTensorBytes, read.back());
      trace.origin(read.back(), 0, model, i * kTensorBytes, kTensorBytes);
    }
  }
  /// @param type that the values have there; empty: as in the file.
  void add(std::uint64_t size, const std::string& type) {
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      made.push_back(block("Convert", size));
      trace.match(made.back(), model, i * kTensorBytes, type);
    }
  }
  analyzer::Report all() { return report_of_all({read, made}); }
  std::vector<std::uint64_t> read;
  std::vector<std::uint64_t> made;
};

}  // namespace

TEST_CASE("weights that were widened and kept beside those of the file are both", "[anatomy]") {
  Converted load;
  load.read_all();
  load.add(2 * kTensorBytes, "f64");

  const auto report = load.all();

  const auto widened = findings_of(report, FindingKind::kWidened);
  REQUIRE(widened.size() == 1);
  CHECK(widened[0].bytes == 2 * kModelBytes);
  CHECK(widened[0].peak_without_bytes == 2 * kModelBytes);
  CHECK(widened[0].sentence ==
        "512.0 MiB in 16 blocks of Convert (loader.cpp:40) hold 16 tensors of f32 as f64, by their "
        "values: 8 bytes an element; the file has 4 bytes an element.");
  const auto twice = findings_of(report, FindingKind::kTwice);
  REQUIRE(twice.size() == 1);
  CHECK(twice[0].bytes == kModelBytes);
  CHECK(twice[0].peak_without_bytes == 2 * kModelBytes);  // with the wide ones
  CHECK(twice[0].sentence ==
        "256.0 MiB of the weights have memory at the peak once more than they need, by the values "
        "that blocks hold: layer.0.w, layer.1.w and 14 other tensors, in 16 blocks of Tensor "
        "(loader.cpp:40), and again as f64 in 16 blocks of Convert (loader.cpp:40).");
}

TEST_CASE("several blocks with one and the same tensors are as many tensors, and all their memory",
          "[anatomy]") {
  Converted load;
  load.read_all();
  for (int copy = 0; copy < 3; ++copy) {
    load.add(2 * kTensorBytes, "f64");
  }

  const auto report = load.all();

  const auto widened = findings_of(report, FindingKind::kWidened);
  REQUIRE(widened.size() == 1);
  CHECK_THAT(widened[0].sentence,
             Catch::StartsWith("1.50 GiB in 48 blocks of Convert (loader.cpp:40) hold 16 tensors"));
  const auto twice = findings_of(report, FindingKind::kTwice);
  REQUIRE(twice.size() == 1);
  // One of the wide copies stays.
  CHECK(twice[0].peak_without_bytes == 2 * kModelBytes);
  CHECK(twice[0].bytes == 5 * kModelBytes);
  CHECK_THAT(twice[0].sentence,
             Catch::StartsWith("1.25 GiB of the peak hold weights that are in memory already, up "
                               "to 4 times in all, by the values"));
}

TEST_CASE("weights that were widened and stand alone are wide only", "[anatomy]") {
  Converted load;
  load.read_all();
  load.release(load.read);
  load.read.clear();
  load.add(2 * kTensorBytes, "f64");
  const auto report = load.all();
  CHECK(findings_of(report, FindingKind::kWidened).size() == 1);
  CHECK(findings_of(report, FindingKind::kTwice).empty());
}

TEST_CASE("a copy with the file's own bytes is no wider one", "[anatomy]") {
  Converted load;
  load.read_all();
  load.add(kTensorBytes, "");
  const auto report = load.all();
  CHECK(findings_of(report, FindingKind::kWidened).empty());
  const auto twice = findings_of(report, FindingKind::kTwice);
  REQUIRE(twice.size() == 1);
  CHECK(twice[0].peak_without_bytes == kModelBytes);
}

TEST_CASE("weights that were made narrower are there twice only beside the wider", "[anatomy]") {
  Converted load;
  load.read_all();
  SECTION("beside them") {
    load.add(kTensorBytes / 2, "f16");
    const auto report = load.all();
    CHECK(findings_of(report, FindingKind::kWidened).empty());
    const auto twice = findings_of(report, FindingKind::kTwice);
    REQUIRE(twice.size() == 1);
    CHECK(twice[0].peak_without_bytes == kModelBytes);
    CHECK(twice[0].bytes == kModelBytes / 2);
    CHECK_THAT(twice[0].sentence, Catch::StartsWith("256.0 MiB of the weights have memory at the "
                                                    "peak once more than they need (it takes "
                                                    "128.0 MiB), by the values"));
  }
  SECTION("alone") {
    load.release(load.read);
    load.read.clear();
    load.add(kTensorBytes / 2, "f16");
    CHECK(findings_of(load.all(), FindingKind::kTwice).empty());
  }
}

TEST_CASE("what was converted can go piece by piece, where an earlier peak was as high",
          "[anatomy]") {
  Converted load;
  const auto strings = load.block("parse", kModelBytes);
  load.read_all();
  load.release({strings});
  SECTION("as another type") {
    load.add(kTensorBytes / 2, "bf16");
    (void)load.block("pack", kModelBytes / 2 + tests::kMiB);
    const auto twice = findings_of(load.all(), FindingKind::kTwice);
    REQUIRE(twice.size() == 1);
    CHECK(twice[0].remedy == "Converted piece by piece");
    CHECK(twice[0].bytes == kModelBytes);
    CHECK(twice[0].peak_without_bytes == kModelBytes + tests::kMiB);
    CHECK_THAT(twice[0].sentence,
               Catch::StartsWith("256.0 MiB of the weights have memory at the peak once more than "
                                 "they need, by the values") &&
                   Catch::EndsWith("and again as bf16 in 16 blocks of Convert (loader.cpp:40)."));
  }
  SECTION("as in the file") {
    load.add(kTensorBytes, "");
    CHECK(findings_of(load.all(), FindingKind::kTwice).empty());
  }
}

TEST_CASE("two peaks as high, each with a copy of its own, are both said", "[anatomy]") {
  Converted load;
  const bool has_second = GENERATE(true, false);
  CAPTURE(has_second);
  load.add(kTensorBytes, "");  // As a parser's strings.
  const std::vector<std::uint64_t> strings = std::exchange(load.made, {});
  load.read_all();
  load.release(strings);
  load.add(kTensorBytes, has_second ? "" : "no type");

  const auto twice = findings_of(load.all(), FindingKind::kTwice);

  REQUIRE(twice.size() == (has_second ? 2 : 0));
  if (has_second) {
    CHECK(twice[0].peak_without_bytes == 2 * kModelBytes);
    CHECK(twice[1].peak_without_bytes == kModelBytes);
    CHECK_THAT(twice[1].sentence, Catch::StartsWith("Then the peak is at ") &&
                                      Catch::EndsWith("and again in 16 blocks of Convert "
                                                      "(loader.cpp:40)."));
  }
}

TEST_CASE("blocks of the same sizes with values that nobody knows are not blamed", "[anatomy]") {
  Converted load;
  load.read_all();
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.made.push_back(load.block("Gradient", kTensorBytes));
  }
  const auto report = load.all();
  CHECK(findings_of(report, FindingKind::kWidened).empty());
  CHECK(findings_of(report, FindingKind::kTwice).empty());
}

TEST_CASE("what a block held before the peak or will hold after it is not blamed", "[anatomy]") {
  Converted load;
  load.read_all();
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.made.push_back(load.block("Scratch", 2 * kTensorBytes));
    if (i % 2 == 0) {
      load.trace.match(load.made.back(), load.model, i * kTensorBytes, "f64", 0, 1);
    } else {
      load.trace.match(load.made.back(), load.model, i * kTensorBytes, "f64", 100'000);
    }
  }
  const auto report = load.all();
  CHECK(findings_of(report, FindingKind::kWidened).empty());
  CHECK(findings_of(report, FindingKind::kTwice).empty());
}

TEST_CASE("of a block that holds more than the tensor its part alone is blamed", "[anatomy]") {
  Converted load;
  load.read_all();
  load.release(load.read);
  load.read.clear();
  load.add(4 * kTensorBytes, "f64");
  const auto widened = findings_of(load.all(), FindingKind::kWidened);
  REQUIRE(widened.size() == 1);
  CHECK(widened[0].peak_without_bytes == 3 * kModelBytes);
}

TEST_CASE("a block that was far larger at the peak did not hold the tensor then", "[anatomy]") {
  Converted load;
  load.read_all();
  load.release(load.read);
  load.read.clear();
  load.add(16 * kTensorBytes, "f64");
  CHECK(findings_of(load.all(), FindingKind::kWidened).empty());
}

TEST_CASE("a copy that is known by its values is there before one that was read", "[anatomy]") {
  Converted load;
  load.add(kTensorBytes, "");
  load.read_all();
  const auto twice = findings_of(load.all(), FindingKind::kTwice);
  REQUIRE(twice.size() == 1);
  CHECK(twice[0].peak_without_bytes == kModelBytes);
}

TEST_CASE("what two processes hold by their values each has once", "[anatomy]") {
  Converted load;
  load.read_all();
  load.trace.on(load.trace.thread(load.trace.process(200, "worker")));
  load.add(kTensorBytes, "");
  CHECK(findings_of(load.all(), FindingKind::kTwice).empty());
}

TEST_CASE("a match that says what this reader does not know is passed over", "[anatomy]") {
  const bool is_type = GENERATE(true, false);
  CAPTURE(is_type);
  Converted load;
  load.read_all();
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.made.push_back(load.block("Convert", 2 * kTensorBytes));
    load.trace.match(load.made.back(), load.model, i * kTensorBytes + (is_type ? 0 : 4),
                     is_type ? "f128" : "f64");
  }
  const auto report = load.all();
  CHECK(findings_of(report, FindingKind::kWidened).empty());
  CHECK(findings_of(report, FindingKind::kTwice).empty());
}

TEST_CASE("a copy of the whole file that no call made is there once more", "[anatomy]") {
  Converted load;
  const auto blob = load.blob();
  load.trace.origin(blob, 0, load.model, 0, kModelBytes);
  const bool is_half = GENERATE(false, true);
  const auto copy = load.block("GetByteArrayElements", is_half ? kModelBytes / 2 : kModelBytes);
  load.read = {blob, copy};
  if (is_half) {
    load.trace.as_in_file(copy, load.model, kModelBytes / 2);
    const auto found = findings_of(load.all(), FindingKind::kTwice);
    REQUIRE(found.size() == 1);
    CHECK(found[0].bytes == kModelBytes / 2);
    CHECK_THAT(found[0].sentence, Catch::Contains("layer.8.w"));
    CHECK_THAT(found[0].sentence, !Catch::Contains("layer.0.w"));
    return;
  }
  SECTION("at the peak") {
    load.trace.as_in_file(copy, load.model, 0);
    const auto found = findings_of(load.all(), FindingKind::kTwice);
    REQUIRE(found.size() == 1);
    CHECK(found[0].bytes == kModelBytes);
    CHECK(found[0].peak_without_bytes == kModelBytes);
    CHECK_THAT(found[0].sentence, Catch::Contains("by the values that blocks hold"));
    CHECK_THAT(found[0].sentence, Catch::Contains("GetByteArrayElements"));
  }
  SECTION("it held something else by then") {
    load.trace.as_in_file(copy, load.model, 0, 20);
    CHECK(findings_of(load.all(), FindingKind::kTwice).empty());
  }
}

TEST_CASE("what blocks held while it was nearly as high as at the peak counts", "[anatomy]") {
  // Changed in place some time after, and then more was asked for.
  const bool is_little = GENERATE(true, false);
  Converted load;
  load.read_all();
  const std::uint64_t until_ms = load.now_ms() + 500;
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.made.push_back(load.block("Convert", kTensorBytes));
    load.trace.match(load.made.back(), load.model, i * kTensorBytes, "", 0, until_ms);
  }
  load.wait_ms(1000);
  load.made.push_back(load.block("Result", is_little ? kTensorBytes / 64 : kModelBytes));
  CHECK(findings_of(load.all(), FindingKind::kTwice).size() == (is_little ? 1U : 0U));
}
