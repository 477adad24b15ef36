// Blocks that hold the same values, of files that cannot be looked into: for and against.
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

#include <cstdint>
#include <optional>
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

/// Tensors that were made of a compressed file by code that calls no function for it.
struct Unpacked : Load {
  Unpacked() {
    const auto packed = block("read_file", kModelBytes);
    trace.read_into(model, kModelBytes, packed);
    release({packed});
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      oldest.push_back(block("decompress", kTensorBytes));
      trace.alike(oldest.back(), oldest.back());
    }
  }
  void make(std::uint64_t bytes,
            const std::string& type = {},
            const std::string& of_type = {},
            bool is_rounded = false,
            std::uint64_t until_ms = UINT64_MAX) {
    for (const std::uint64_t of : oldest) {
      made.push_back(block("astype", bytes));
      trace.alike(made.back(), of, type, of_type, is_rounded, until_ms);
    }
  }
  std::vector<analyzer::Finding> twice() {
    return findings_of(report_of_all({oldest, made}), FindingKind::kTwice);
  }
  std::vector<std::uint64_t> oldest;
  std::vector<std::uint64_t> made;
};

}  // namespace

TEST_CASE("the same bytes in two blocks each are there twice", "[anatomy]") {
  Unpacked load;
  load.make(kTensorBytes);

  const auto found = load.twice();

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes);
  CHECK(found[0].peak_without_bytes == kModelBytes);
  CHECK(found[0].remedy == "With one of them");
  CHECK(found[0].sentence ==
        "256.0 MiB of values are in memory twice at the peak, by what blocks hold: in 16 blocks of "
        "decompress (loader.cpp:40), and again in 16 blocks of astype (loader.cpp:40).");
}

TEST_CASE("the same bytes in three blocks each are there more than twice", "[anatomy]") {
  Unpacked load;
  load.make(kTensorBytes);
  load.make(kTensorBytes);

  const auto found = load.twice();

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == 2 * kModelBytes);
  CHECK(found[0].peak_without_bytes == kModelBytes);
  CHECK_THAT(found[0].sentence, Catch::StartsWith("Some values are in memory more than twice, "
                                                  "512.0 MiB beyond the first time, at the peak"));
}

TEST_CASE("what was rounded was made of the wider one, whichever block is older", "[anatomy]") {
  const bool is_wide_older = GENERATE(true, false);
  CAPTURE(is_wide_older);
  Unpacked load;
  if (is_wide_older) {
    load.make(kTensorBytes / 2, "f32", "f64", true);
  } else {
    load.make(kTensorBytes * 2, "f64", "f32", true);
  }

  const auto found = load.twice();

  REQUIRE(found.size() == 1);
  CHECK(found[0].remedy == std::string("Converted piece by piece") +
                               (is_wide_older ? ", an earlier peak is left" : ""));
  CHECK(found[0].bytes == (is_wide_older ? 1 : 2) * kModelBytes);
  CHECK(found[0].peak_without_bytes == kModelBytes);
  CHECK_THAT(
      found[0].sentence,
      Catch::Contains(is_wide_older ? "in 16 blocks of decompress (loader.cpp:40), and as f32 in 16"
                                    : "in 16 blocks of astype (loader.cpp:40), and as f32 in 16"));
}

TEST_CASE("what loses nothing in a narrower type was made of that", "[anatomy]") {
  Unpacked load;
  load.make(kTensorBytes * 2, "f32", "bf16");

  const auto found = load.twice();

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes);
  CHECK_THAT(found[0].sentence, Catch::Contains("and as f32 in 16 blocks of astype"));
}

TEST_CASE("copies are there twice also where the oldest of all has gone", "[anatomy]") {
  Unpacked load;
  load.release(load.oldest);
  load.make(kTensorBytes);
  load.make(kTensorBytes);
  load.oldest.clear();

  const auto found = load.twice();

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes);
}

TEST_CASE("what is no copy any more, or of a form that is not known, is not there twice",
          "[anatomy]") {
  Unpacked load;
  const bool has_ended = GENERATE(false, true);
  if (has_ended) {
    load.make(kTensorBytes, "", "", false, 1);
  } else {
    load.make(kTensorBytes, "f8", "f16");
  }
  load.wait_ms(1000);
  CHECK(load.twice().empty());
}

TEST_CASE("numbers that all were there before the model was read are nothing of it", "[anatomy]") {
  const std::uint64_t header = GENERATE(0U, kModelBytes / 100);  // Read before, without its values.
  CAPTURE(header);
  Load load;
  if (header != 0)
    load.trace.read(load.model, header);
  load.wait_ms(10);
  std::vector<std::uint64_t> network;
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    network.push_back(load.block("initialise", kTensorBytes));
    load.trace.alike(network.back(), network.front());
  }
  load.wait_ms(10);
  const auto whole = load.block("read_file", kModelBytes);
  load.trace.read_into(load.model, kModelBytes - header, whole);
  CHECK(findings_of(load.report_of_all({network, {whole}}), FindingKind::kTwice).empty());
}

TEST_CASE("one copy alone is not there twice", "[anatomy]") {
  Unpacked load;
  load.make(kTensorBytes);
  load.release(load.oldest);
  load.block("something_else", 2 * kModelBytes);
  load.oldest.clear();
  CHECK(load.twice().empty());
}

TEST_CASE("of whole numbers and float the larger side is foretold, and the other one said",
          "[anatomy]") {
  const bool are_floats_made = GENERATE(true, false);
  CAPTURE(are_floats_made);
  Unpacked load;
  if (are_floats_made) {
    load.make(2 * kTensorBytes, "f32", "u16");
  } else {
    load.make(kTensorBytes / 2, "u16", "f32");
  }
  const auto found = load.twice();
  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == (are_floats_made ? 2 : 1) * kModelBytes);
  CHECK(found[0].peak_without_bytes == kModelBytes);  // Where floats were unpacked first, earlier.
  CHECK(found[0].remedy ==
        (are_floats_made ? "Without the latter" : "Without the former, an earlier peak is left"));
  CHECK(found[0].sentence ==
        (are_floats_made
             ? "Values are in memory twice at the peak, by what blocks hold: 256.0 MiB in 16 "
               "blocks of decompress (loader.cpp:40), and as f32 512.0 MiB in 16 blocks of astype "
               "(loader.cpp:40). Without the former instead: 512.0 MiB."
             : "Values are in memory twice at the peak, by what blocks hold: 256.0 MiB in 16 "
               "blocks of decompress (loader.cpp:40), and as u16 128.0 MiB in 16 blocks of astype "
               "(loader.cpp:40). Without the latter instead: 256.0 MiB."));
}

TEST_CASE("of two sides the one without which the peak stays is not said to lower it",
          "[anatomy]") {
  Unpacked load;
  load.make(kTensorBytes / 2, "u16", "f32");
  // What comes once the numbers have gone makes a peak that is nearly as high.
  load.wait_ms(1000);
  load.release(load.made);
  const auto next = load.block("next_step", kModelBytes / 2 - kTensorBytes);
  const auto found = findings_of(load.report_of_all({load.oldest, {next}}), FindingKind::kTwice);
  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes);
  CHECK_THAT(found[0].sentence, Catch::EndsWith("in 16 blocks of astype (loader.cpp:40)."));
}

TEST_CASE("the same values in two blocks are told of where no file is a model", "[anatomy]") {
  const bool is_overwritten = GENERATE(false, true);
  CAPTURE(is_overwritten);
  Load load;
  const auto piped = load.block("read_pipe", kModelBytes);
  load.trace.alike(piped, piped);
  const auto array = load.block("frombuffer", kModelBytes);
  load.trace.alike(array, piped, {}, {}, false, is_overwritten ? load.now_ms() : UINT64_MAX);
  load.wait_ms(10);
  const auto found = load.report(0).anatomy.findings;
  REQUIRE(found.size() == (is_overwritten ? 0 : 1));
  if (!is_overwritten) {
    CHECK(found[0].title == "the same values in memory twice");
    CHECK(found[0].peak_without_bytes == kModelBytes);
  }
}
