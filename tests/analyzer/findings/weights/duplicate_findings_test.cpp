// Tensors that are there twice, by where their bytes come from: for and against.
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kMiB;
using tests::kModelBytes;
using tests::kTensorBytes;
using tests::kTensors;
using tests::Load;

namespace {

constexpr std::uint64_t kTied = 4;

/// The whole model in an arena that has room for four more tensors.
struct Arena : Load {
  Arena() {
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      trace.tensor(model, kTensorBytes / 4, kTensorBytes, "layer." + std::to_string(i) + ".w");
    }
    arena = block("Arena", kModelBytes + kTied * kTensorBytes);
    read_whole(arena);
    trace.origin(arena, 0, model, 0, kModelBytes);
  }
  std::vector<analyzer::Finding> found() {
    wait_ms(1000);
    trace.release(arena);
    return findings_of(report(), FindingKind::kTwice);
  }
  std::uint64_t arena = 0;
};

}  // namespace

TEST_CASE("tensors that an arena holds once more are named, with the peak without them",
          "[anatomy]") {
  Arena load;
  load.trace.origin(load.arena, kModelBytes, load.model, 2 * kTensorBytes, kTied * kTensorBytes);

  const auto found = load.found();

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kTied * kTensorBytes);
  CHECK(found[0].peak_without_bytes == kModelBytes);
  CHECK(found[0].remedy == "With one of them");
  CHECK(found[0].sentence ==
        "64.0 MiB of the weights have memory at the peak once more than they need, by where their "
        "bytes were read or copied from: layer.2.w, layer.3.w and 2 other tensors, in 1 block of "
        "Arena (loader.cpp:40), and again in the same.");
}

TEST_CASE("tensors in an arena and in blocks of their own are there twice", "[anatomy]") {
  Arena load;
  for (std::uint64_t i = 0; i < kTied; ++i) {
    const std::uint64_t own = load.block("Tensor", kTensorBytes);
    load.trace.origin(own, 0, load.model, i * kTensorBytes, kTensorBytes);
  }
  const auto found = load.found();
  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kTied * kTensorBytes);
  CHECK(found[0].peak_without_bytes == kModelBytes + kTied * kTensorBytes);
  CHECK_THAT(found[0].sentence,
             Catch::Contains("in 1 block of Arena (loader.cpp:40), and again in 4 blocks of Tensor "
                             "(loader.cpp:40)."));
}

TEST_CASE("of several places the one that has most is named, whoever asked for the largest block",
          "[anatomy]") {
  const bool is_half = GENERATE(true, false);
  CAPTURE(is_half);
  Arena load;
  const std::uint64_t large = load.block("main", kTensorBytes);
  load.trace.origin(large, 0, load.model, 0, kTensorBytes);
  // Of three tensors, halves; or of one.
  for (std::uint64_t i = 2; i < (is_half ? 8U : 3U); ++i) {
    const std::uint64_t small = load.block("to_owned", kTensorBytes / 2);
    load.trace.origin(small, 0, load.model, i * kTensorBytes / 2, kTensorBytes / 2);
  }
  const auto found = load.found();
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].sentence,
             Catch::EndsWith(is_half ? "7 blocks of to_owned (loader.cpp:40) and other places."
                                     : "2 blocks of main (loader.cpp:40) and other places."));
}

TEST_CASE("tensors that are there three times may be more than all weights", "[anatomy]") {
  Arena load;
  for (int copy = 0; copy < 2; ++copy) {
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      const std::uint64_t own = load.block("Tensor", kTensorBytes);
      load.trace.origin(own, 0, load.model, i * kTensorBytes, kTensorBytes);
    }
  }
  const auto found = load.found();
  REQUIRE(found.size() == 1);
  CHECK(found[0].title == "weights in memory 3 times");
  CHECK(found[0].bytes == 2 * kModelBytes);
  CHECK_THAT(found[0].sentence,
             Catch::StartsWith("512.0 MiB of the peak hold weights that are in memory already, up "
                               "to 3 times in all, by where"));
}

TEST_CASE("copies of many small tensors are counted together", "[anatomy]") {
  constexpr std::uint64_t kSmall = 4 * tests::kMiB;
  constexpr std::uint64_t kCount = kModelBytes / kSmall;
  Load load;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    load.trace.tensor(load.model, kSmall / 4, kSmall, "layer." + std::to_string(i) + ".w");
  }
  const std::uint64_t arena = load.block("Arena", kModelBytes);
  load.read_whole(arena);
  load.trace.origin(arena, 0, load.model, 0, kModelBytes);
  for (std::uint64_t i = 0; i < 2 * kCount; ++i) {
    const std::uint64_t own = load.block("Tensor", kSmall);
    load.trace.origin(own, 0, load.model, i % kCount * kSmall, kSmall);
  }
  load.wait_ms(1000);
  load.trace.release(arena);
  const auto found = findings_of(load.report(), FindingKind::kTwice);
  REQUIRE(found.size() == 1);
  CHECK(found[0].title == "weights in memory 3 times");
}

TEST_CASE("one small tensor that is there often makes no copies of the others", "[anatomy]") {
  constexpr std::uint64_t kBias = 64 * 1024;
  Arena load;
  load.trace.tensor(load.model, kBias / 4, kBias, "bias");
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    const std::uint64_t own = load.block("Tensor", kTensorBytes);
    load.trace.origin(own, 0, load.model, i * kTensorBytes, kTensorBytes);
  }
  for (int copy = 0; copy < 3; ++copy) {
    load.trace.origin(load.block("Bias", kBias), 0, load.model, kModelBytes, kBias);
  }
  const auto found = load.found();
  REQUIRE(found.size() == 1);
  CHECK(found[0].title == "weights in memory twice");
}

TEST_CASE("parts of tensors in several blocks are one tensor", "[anatomy]") {
  Load load;
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.trace.tensor(load.model, kTensorBytes / 4, kTensorBytes);
    for (std::uint64_t half = 0; half < 2; ++half) {
      const std::uint64_t part = load.block("Shard", kTensorBytes / 2);
      load.trace.read_into(load.model, kTensorBytes / 2, part);
      load.trace.origin(part, 0, load.model, i * kTensorBytes + half * kTensorBytes / 2,
                        kTensorBytes / 2);
    }
  }
  CHECK(findings_of(load.report(), FindingKind::kTwice).empty());
}

TEST_CASE("what each of two processes holds once is no duplicate", "[anatomy]") {
  Arena load;
  load.trace.on(load.trace.thread(load.trace.process(200, "worker")));
  const std::uint64_t other = load.block("Arena", kTied * kTensorBytes);
  load.trace.origin(other, 0, load.model, 0, kTied * kTensorBytes);
  CHECK(load.found().empty());
}

TEST_CASE("what went before the peak, or came after it, was not there twice", "[anatomy]") {
  Arena load;
  const std::uint64_t early = load.block("Tensor", kTied * kTensorBytes);
  load.trace.origin(early, 0, load.model, 0, kTied * kTensorBytes);
  load.trace.release(early);
  const std::uint64_t other = load.block("Activations", 8 * kTensorBytes);
  load.wait_ms(10);
  load.trace.release(other);
  const std::uint64_t late = load.block("Tensor", kTied * kTensorBytes);
  load.trace.origin(late, 0, load.model, 0, kTied * kTensorBytes);

  const auto found = load.found();

  // Both are told of the peaks that are left without the activations, one after the other.
  REQUIRE(found.size() == 2);
  for (const analyzer::Finding& finding : found) {
    CHECK_THAT(finding.sentence, Catch::StartsWith("Then the peak is at ") &&
                                     Catch::Contains(", 384.0 MiB: 64.0 MiB of the weights"));
  }
  CHECK(found[0].at_ns < found[1].at_ns);
}

TEST_CASE("one small tensor that is there twice is not worth a word", "[anatomy]") {
  Arena load;
  load.trace.origin(load.arena, kModelBytes, load.model, 0, kTensorBytes - kMiB);
  CHECK(load.found().empty());
}
