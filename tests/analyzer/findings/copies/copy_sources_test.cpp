// Which blocks that were copied on are told together, as one place or one source.
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

#include <string>

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kModelBytes;
using tests::kTensorBytes;
using tests::Load;

TEST_CASE("copies in several places are counted", "[anatomy]") {
  Load load;
  const auto blob = load.blob();
  load.trace.copy(3 * kTensorBytes, blob, load.block("embed", 3 * kTensorBytes));
  load.trace.copy(kModelBytes - 3 * kTensorBytes, blob,
                  load.block("layers", kModelBytes - 3 * kTensorBytes));

  const auto twice = findings_of(load.report(), FindingKind::kTwice);

  REQUIRE(twice.size() == 1);
  CHECK(twice[0].bytes == kModelBytes);
  CHECK_THAT(twice[0].sentence,
             Catch::Contains("in 1 block of layers (loader.cpp:40) and 1 other place."));
}

TEST_CASE("parts that several lines read and one copies are told in one sentence", "[anatomy]") {
  constexpr std::uint64_t kShards = 30;
  constexpr std::uint64_t kShard = kModelBytes / kShards;
  const std::string what = GENERATE("copied to one", "copied to others");
  CAPTURE(what);
  Load load;
  const auto all = load.block("concatenate", kModelBytes);
  for (std::uint64_t i = 0; i < kShards; ++i) {
    const auto shard = load.block("read_" + std::to_string(i), kShard);
    load.trace.read_into(load.model, kShard, shard);
    load.wait_ms(10);
    load.trace.copy(
        kShard, shard,
        what == "copied to one" ? all : load.block("copy_" + std::to_string(i), kShard));
  }
  const auto report = load.report(kShards * kShard);
  const auto twice = findings_of(report, FindingKind::kTwice);
  // Each alone is too small to be told.
  REQUIRE(twice.size() == (what == "copied to one" ? 1 : 0));
  if (what == "copied to one") {
    CHECK(twice[0].bytes == kShards * kShard);
    CHECK(twice[0].peak_without_bytes == kModelBytes);
    CHECK(twice[0].nodes.size() == kShards + 1);
    CHECK_THAT(twice[0].sentence, Catch::Contains(": in 30 blocks of read_") &&
                                      Catch::EndsWith(" and 29 other places, and, copied from "
                                                      "them, in 1 block of concatenate "
                                                      "(loader.cpp:40)."));
  }
}

TEST_CASE("copies at the very place of what they were copied from are told by who called it",
          "[anatomy]") {
  Load load;
  const bool has_one_caller = GENERATE(true, false);
  const auto copies_of = [&](const std::vector<std::uint64_t>& from, const std::string& caller) {
    const auto stack =
        load.trace.stack({"malloc", "Layer::Layer layer.hpp:8", caller + " loader.cpp:12", "main"});
    std::vector<std::uint64_t> copies;
    for (const std::uint64_t block : from) {
      load.wait_ms(10);
      copies.push_back(load.trace.allocate(kTensorBytes, stack));
      load.trace.copy(kTensorBytes, block, copies.back());
    }
    return copies;
  };
  std::vector<std::uint64_t> layers;
  for (std::uint64_t i = 0; i < tests::kTensors; ++i) {
    const auto read = load.block("read_layer", kTensorBytes);
    load.trace.read_into(load.model, kTensorBytes, read);
    layers.push_back(copies_of({read}, "append").front());
    load.trace.release(read);
  }
  copies_of(layers, has_one_caller ? "append" : "grow");
  load.wait_ms(10);
  load.release(layers);

  const auto twice = findings_of(load.report(), FindingKind::kTwice);

  REQUIRE_FALSE(twice.empty());
  CHECK_THAT(twice.back().sentence,
             Catch::Contains(has_one_caller
                                 ? "in 16 blocks of Layer::Layer (layer.hpp:8), called by append "
                                   "(loader.cpp:12), and, copied from them, in other blocks of "
                                   "the same place."
                                 : "in 16 blocks of append (loader.cpp:12) and, copied from them, "
                                   "in blocks of grow (loader.cpp:12)."));
}

TEST_CASE("elements that are copied whenever their vector grows are one copy too many",
          "[anatomy]") {
  Load load;
  const auto stack =
      load.trace.stack({"malloc", "Layer::Layer layer.hpp:8", "append loader.cpp:12", "main"});
  const auto copy_of = [&](std::uint64_t block) {
    load.wait_ms(10);
    const auto copy = load.trace.allocate(kTensorBytes, stack);
    load.trace.copy(kTensorBytes, block, copy);
    return copy;
  };
  std::vector<std::uint64_t> layers;
  for (std::uint64_t i = 0; i < tests::kTensors; ++i) {
    const auto read = load.block("read_layer", kTensorBytes);
    load.trace.read_into(load.model, kTensorBytes, read);
    const auto added = copy_of(read);
    if (i == 6 || i == 12) {
      std::vector<std::uint64_t> grown;
      for (const std::uint64_t layer : layers) {
        grown.push_back(copy_of(layer));
      }
      load.wait_ms(10);
      load.release(std::exchange(layers, grown));
    }
    layers.push_back(added);
    load.trace.release(read);
  }

  const auto twice = findings_of(load.report(), FindingKind::kTwice);

  REQUIRE(twice.size() == 1);
  CHECK_THAT(twice[0].sentence,
             Catch::Contains("in 12 blocks of Layer::Layer (layer.hpp:8), called by append "
                             "(loader.cpp:12), and, copied from them, in other blocks of the same "
                             "place."));
  // Of the last layer what was read stands beside its copy.
  CHECK(twice[0].peak_without_bytes == kModelBytes + kTensorBytes);
}

TEST_CASE("copies that one line makes in turn by different calls are each one of several",
          "[anatomy]") {
  Load load;
  const auto copy_of = [&](std::uint64_t block, const std::string& call) {
    load.wait_ms(10);
    const auto copy = load.trace.allocate(
        kModelBytes, load.trace.stack({"malloc", call, "load_all loader.cpp:12", "main"}));
    load.trace.copy(kModelBytes, block, copy);
    return copy;
  };
  const auto blob = load.blob();
  const auto first = copy_of(blob, "operator new(unsigned long)");
  const auto second = copy_of(first, "std::allocator<char>::allocate");
  const auto third = copy_of(second, "operator new[](unsigned long)");
  load.wait_ms(10);
  load.release({blob, first, second, third});

  const auto report = load.report();

  std::size_t told = 0;
  for (const analyzer::Finding& finding : report.anatomy.findings) {
    CHECK(finding.bytes == kModelBytes);
    told += finding.peak_without_bytes == 3 * kModelBytes ? 1U : 0U;
    CHECK(finding.peak_with_one_bytes == kModelBytes);
  }
  CHECK(told == 3);
}
