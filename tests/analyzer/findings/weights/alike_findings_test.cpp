// Blocks that hold what others hold, of files that cannot be looked into: for and against.
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

#include <cstdint>
#include <vector>

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
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
      originals.push_back(block("decompress", kTensorBytes));
    }
  }
  void make(std::uint64_t bytes,
            const std::string& type,
            const std::string& of_type,
            std::uint64_t until_ms = UINT64_MAX) {
    for (const std::uint64_t original : originals) {
      made.push_back(block("astype", bytes));
      trace.alike(made.back(), original, type, of_type, until_ms);
    }
  }
  std::vector<analyzer::Finding> twice() {
    return findings_of(report_of_all({originals, made}), FindingKind::kTwice);
  }
  std::vector<std::uint64_t> originals;
  std::vector<std::uint64_t> made;
};

}  // namespace

TEST_CASE("the same bytes in two blocks each are there twice", "[anatomy]") {
  Unpacked load;
  load.make(kTensorBytes, "", "");

  const auto found = load.twice();

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes);
  CHECK(found[0].peak_without_bytes == kModelBytes);
  CHECK(found[0].remedy == "With one of them");
  CHECK(found[0].sentence ==
        "256.0 MiB of values are in memory twice at the peak, by what blocks hold: in 16 blocks of "
        "decompress (loader.cpp:40), and again in 16 blocks of astype (loader.cpp:40).");
}

TEST_CASE("originals that stayed beside what they were converted to could go", "[anatomy]") {
  Unpacked load;
  load.make(kTensorBytes / 2, "f32", "f64");

  const auto found = load.twice();

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes);
  CHECK(found[0].remedy == "Had the original gone once converted");
  CHECK_THAT(found[0].sentence, Catch::Contains("and as f32 in 16 blocks of astype"));
}

TEST_CASE("what is no copy any more, or of a form that is not known, is not there twice",
          "[anatomy]") {
  Unpacked load;
  const bool has_ended = GENERATE(false, true);
  if (has_ended) {
    load.make(kTensorBytes, "", "", 1);
  } else {
    load.make(kTensorBytes, "f8", "f16");
  }
  load.wait_ms(1000);
  CHECK(load.twice().empty());
}

TEST_CASE("a copy whose original has gone is not there twice", "[anatomy]") {
  Unpacked load;
  load.make(kTensorBytes, "", "");
  load.release(load.originals);
  load.block("something_else", 2 * kModelBytes);
  load.originals.clear();
  CHECK(load.twice().empty());
}
