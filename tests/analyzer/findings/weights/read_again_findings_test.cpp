// A model that is read again while it stands: for and against.
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <vector>

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kModelBytes;
using tests::kTensorBytes;
using tests::kTensors;
using tests::Load;

namespace {

struct Reloading : Load {
  /// Tensors of the file from `first` on, each read into a block of its own.
  std::vector<std::uint64_t> read_tensors(const std::string& function = "read_tensor",
                                          std::uint64_t first = 0,
                                          std::uint64_t count = kTensors) {
    std::vector<std::uint64_t> blocks;
    for (std::uint64_t i = first; i < first + count; ++i) {
      blocks.push_back(block(function, kTensorBytes));
      trace.read_into(model, kTensorBytes, blocks.back());
      came(blocks.back(), i);
    }
    return blocks;
  }
  void came(std::uint64_t block, std::uint64_t tensor) {
    trace.origin(block, 0, model, tensor * kTensorBytes, kTensorBytes);
  }
  void list_tensors() {
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      trace.tensor(model, kTensorBytes / 4, kTensorBytes, "layer." + std::to_string(i) + ".w");
    }
  }
};

}  // namespace

TEST_CASE("a model that is read a second time beside the first is there twice", "[anatomy]") {
  Reloading load;
  if (GENERATE(false, true)) {
    load.list_tensors();
  }
  const auto old = load.read_tensors();
  load.wait_ms(200);
  const auto fresh = load.read_tensors();
  load.release(old);

  const auto found = findings_of(load.report_of_all({fresh}), FindingKind::kTwice);

  REQUIRE(found.size() == 1);
  CHECK(found[0].title == "the model loaded beside itself");
  CHECK(found[0].bytes == kModelBytes);
  CHECK(found[0].peak_without_bytes == kModelBytes);
  CHECK(found[0].advice == "release one before the other is loaded, or share one");
  CHECK(found[0].sentence ==
        "256.0 MiB of the model were read twice, and both are alive at the peak: in 16 blocks of "
        "read_tensor (loader.cpp:40) from 20 ms on, and again in 16 blocks of the same place from "
        "380 ms on.");
}

TEST_CASE("a model that is swapped again and again would be there once", "[anatomy]") {
  Reloading load;
  auto old = load.read_tensors("first_load");
  for (int swap = 0; swap < 4; ++swap) {
    const auto fresh = load.read_tensors("reload");
    load.release(old);
    old = fresh;
    load.wait_ms(100);
  }
  const auto found = findings_of(load.report_of_all({old}), FindingKind::kTwice);
  REQUIRE(found.size() == 1);
  CHECK(found[0].peak_without_bytes == kModelBytes);
  CHECK_THAT(found[0].sentence,
             Catch::Contains("in 16 blocks of first_load (loader.cpp:40)") &&
                 Catch::Contains("again in 16 blocks of reload (loader.cpp:40)"));
}

TEST_CASE("a model that is read three times is said to be", "[anatomy]") {
  Reloading load;
  std::vector<std::vector<std::uint64_t>> all;
  for (int session = 0; session < 3; ++session) {
    all.push_back(load.read_tensors());
  }
  const auto found = findings_of(load.report_of_all(all), FindingKind::kTwice);
  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == 2 * kModelBytes);
  CHECK(found[0].peak_without_bytes == kModelBytes);
  CHECK_THAT(found[0].sentence, Catch::StartsWith("256.0 MiB of the model were read 3 times, and "
                                                  "all are alive at the peak: in 16 blocks"));
}

TEST_CASE("what is read again, but not beside itself, is there once", "[anatomy]") {
  Reloading load;
  const auto how = GENERATE(as<std::string>{}, "into the same blocks", "two halves",
                            "a checksum before", "after it had gone", "two processes");
  CAPTURE(how);
  std::vector<std::uint64_t> all;
  if (how == "two halves") {
    all = load.read_tensors("low", 0, kTensors / 2);
    const auto high = load.read_tensors("high", kTensors / 2, kTensors / 2);
    all.insert(all.end(), high.begin(), high.end());
  } else if (how == "a checksum before") {
    const auto buffer = load.block("sha256", kTensorBytes);
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      load.trace.read_into(load.model, kTensorBytes, buffer);
    }
    all = load.read_tensors();
    all.push_back(buffer);
  } else if (how == "after it had gone") {
    load.release(load.read_tensors());
    all = load.read_tensors();
  } else {
    all = load.read_tensors();
    if (how == "two processes") {
      load.trace.on(load.trace.thread(load.trace.process(200, "worker")));
      const auto other = load.read_tensors();
      all.insert(all.end(), other.begin(), other.end());
    } else {
      for (std::uint64_t i = 0; i < kTensors; ++i) {
        load.trace.read_into(load.model, kTensorBytes, all[i]);
        load.came(all[i], i);
      }
    }
  }
  CHECK(findings_of(load.report_of_all({all}), FindingKind::kTwice).empty());
}

TEST_CASE("what was copied from what was read was not read again", "[anatomy]") {
  Reloading load;
  const auto read = load.read_tensors();
  const bool is_relayed = GENERATE(false, true);
  CAPTURE(is_relayed);
  std::vector<std::uint64_t> copies;
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    std::uint64_t from = read[i];
    if (is_relayed) {
      from = load.block("piece", kTensorBytes);
      load.trace.copy(kTensorBytes / 2, read[i], from);
    }
    copies.push_back(load.block("copy", kTensorBytes));
    // Only a half was seen to move, so that it is no finding of copies.
    load.trace.copy(kTensorBytes / 2, from, copies.back());
    load.came(copies.back(), i);
    if (is_relayed) {
      load.trace.release(from);
    }
  }
  // So much was read, by somebody.
  load.trace.read(load.model, kModelBytes);

  CHECK(findings_of(load.report_of_all({read, copies}), FindingKind::kTwice).empty());
}

TEST_CASE("what one reading brought to two places was read once", "[anatomy]") {
  Reloading load;
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    const auto piece = load.block("piece", kTensorBytes);
    load.trace.read_into(load.model, kTensorBytes, piece);
    for (const char* const function : {"weights", "other_weights"}) {
      all.push_back(load.block(function, kTensorBytes));
      load.trace.copy(kTensorBytes, piece, all.back());
      load.came(all.back(), i);
    }
    load.trace.release(piece);
  }
  CHECK(findings_of(load.report_of_all({all}), FindingKind::kTwice).empty());
}

// Each asked for all that it came from, however far away.
TEST_CASE("what is handed on from block to block was read once", "[anatomy]") {
  constexpr int kSteps = 20'000;
  Reloading load;
  load.list_tensors();
  auto block = load.read_tensors().front();
  for (int i = 0; i < kSteps; ++i) {
    const auto next = load.block("next", kTensorBytes);
    load.trace.copy(kTensorBytes / 2, block, next);
    load.came(next, 0);
    load.trace.release(block);
    block = next;
  }
  CHECK(findings_of(load.report(), FindingKind::kTwice).empty());
}
