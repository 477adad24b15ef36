// Arrays beside the one that they were joined to, by what blocks hold: for and against.
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

#include <cstdint>
#include <string>
#include <vector>

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kMiB;
using tests::kModelBytes;
using tests::Load;

namespace {

constexpr std::uint64_t kArrays = 4;
constexpr std::uint64_t kArrayBytes = kModelBytes / kArrays;

/// Arrays that came out of a compressed file, and one that was made of them.
struct Arrays : Load {
  void unpack(bool has_model = true) {
    if (has_model) {
      const auto packed = block("read_file", kModelBytes);
      trace.read_into(model, kModelBytes, packed);
      release({packed});
    }
    for (std::uint64_t i = 0; i < kArrays; ++i) {
      parts.push_back(block("decompress", kArrayBytes));
    }
  }
  void join(std::uint64_t rows = 1, std::uint64_t until_ms = UINT64_MAX) {
    wholes.push_back(block("concatenate", kModelBytes));
    for (std::uint64_t i = 0; i < kArrays; ++i) {
      trace.joined(parts[i], wholes.back(), i * kArrayBytes / rows, kArrayBytes, rows, until_ms);
    }
  }
  std::vector<std::uint64_t> parts;
  std::vector<std::uint64_t> wholes;
};

}  // namespace

TEST_CASE("arrays beside the one that holds them are there twice", "[anatomy]") {
  Arrays load;
  load.unpack();
  load.join();

  const auto found =
      findings_of(load.report_of_all({load.parts, load.wholes}), FindingKind::kTwice);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes);
  CHECK(found[0].peak_without_bytes == kModelBytes);
  CHECK(found[0].remedy == "With one of them");
  CHECK(found[0].sentence ==
        "256.0 MiB of values are in memory twice at the peak, by what blocks hold: in 4 blocks of "
        "decompress (loader.cpp:40), and joined, one behind the other, in 1 block of concatenate "
        "(loader.cpp:40). Each of them was compared at four places with where it stands there.");
}

TEST_CASE("arrays that came after the one that has them all were not joined to it", "[anatomy]") {
  // As query, key and value are cut out of one matrix.
  Arrays load;
  const auto whole = load.block("load", kModelBytes);
  load.wait_ms(10);
  load.unpack(false);
  load.wholes.push_back(whole);
  for (std::uint64_t i = 0; i < kArrays; ++i)
    load.trace.joined(load.parts[i], whole, i * kArrayBytes, kArrayBytes, 1, UINT64_MAX);
  const auto found = load.report(0).anatomy.findings;
  REQUIRE(found.size() == 1);
  CHECK(found[0].title == "arrays beside the one that has all of them");
  CHECK_THAT(found[0].sentence, Catch::Contains("of decompress (loader.cpp:40), and together, "
                                                "one behind the other, in 1 block of load"));
}

TEST_CASE("arrays that were joined row by row are said to be", "[anatomy]") {
  Arrays load;
  load.unpack();
  load.join(1024);
  const auto found =
      findings_of(load.report_of_all({load.parts, load.wholes}), FindingKind::kTwice);
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].sentence, Catch::Contains("and joined, row by row, in 1 block"));
}

TEST_CASE("arrays that were joined need no model", "[anatomy]") {
  Arrays load;
  load.unpack(false);
  load.join();
  load.wait_ms(100);
  const auto found = load.report(0).anatomy.findings;
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == FindingKind::kTwice);
  CHECK(found[0].bytes == kModelBytes);
}

TEST_CASE("arrays that have gone by the peak are not in memory twice", "[anatomy]") {
  Arrays load;
  load.unpack();
  load.join();
  load.release(load.parts);
  load.parts.clear();
  const auto later = load.block("later", 2 * kModelBytes);
  load.wait_ms(1000);
  load.release({later});
  CHECK(findings_of(load.report_of_all({load.wholes}), FindingKind::kTwice).empty());
}

TEST_CASE("of arrays some of which have gone by the peak the others count", "[anatomy]") {
  Arrays load;
  load.unpack();
  load.join();
  load.release({load.parts[0], load.parts[1]});
  load.parts = {load.parts[2], load.parts[3]};
  const auto later = load.block("later", kModelBytes);
  load.wait_ms(1000);
  load.release({later});
  const auto found =
      findings_of(load.report_of_all({load.parts, load.wholes}), FindingKind::kTwice);
  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes / 2);
  CHECK_THAT(found[0].sentence, Catch::Contains("in 2 blocks of decompress"));
}

TEST_CASE("an array that was overwritten since holds no others any more", "[anatomy]") {
  Arrays load;
  load.unpack();
  load.join(1, 1);
  load.wait_ms(1000);
  CHECK(findings_of(load.report_of_all({load.parts, load.wholes}), FindingKind::kTwice).empty());
}

TEST_CASE("arrays that were joined before the model was read are none of it", "[anatomy]") {
  Arrays load;
  load.unpack(false);
  load.join();
  load.wait_ms(100);
  const auto read = load.block("read_file", kModelBytes);
  load.trace.read_into(load.model, kModelBytes, read);
  CHECK(findings_of(load.report_of_all({load.parts, load.wholes, {read}}), FindingKind::kTwice)
            .empty());
}

namespace {

/// An array that is read out of bytes in memory, which have a header in front of it.
struct OfBytes : Load {
  static constexpr std::uint64_t kHeader = 160;

  void unpack() {
    const auto packed = block("read_file", kModelBytes);
    trace.read_into(model, kModelBytes, packed);
    release({packed});
    bytes = block("decompress", kModelBytes + kHeader);
  }
  void hold(std::uint64_t until_ms = UINT64_MAX) {
    trace.joined(array, bytes, kHeader, kModelBytes, 1, until_ms);
  }
  std::uint64_t bytes = 0;
  std::uint64_t array = 0;
};

}  // namespace

TEST_CASE("an array beside the bytes that it was taken out of is there twice", "[anatomy]") {
  OfBytes load;
  load.unpack();
  load.array = load.block("read_array", kModelBytes);
  load.hold();
  const auto found =
      findings_of(load.report_of_all({{load.bytes}, {load.array}}), FindingKind::kTwice);
  REQUIRE(found.size() == 1);
  CHECK(found[0].title == "arrays beside the block that they were taken out of");
  CHECK(found[0].bytes == kModelBytes);
  CHECK(found[0].peak_without_bytes == kModelBytes);
  CHECK(found[0].remedy == "Without");
  CHECK(found[0].sentence ==
        "256.0 MiB of values are in memory twice at the peak, by what blocks hold: in 1 block of "
        "read_array (loader.cpp:40), and again, behind other bytes, in 1 block of decompress "
        "(loader.cpp:40). Each of them was compared at four places with where it stands there.");
}

TEST_CASE("which of an array and the bytes that it was written to is needed is not known",
          "[anatomy]") {
  OfBytes load;
  const auto packed = load.block("read_file", kModelBytes);
  load.trace.read_into(load.model, kModelBytes, packed);
  load.release({packed});
  load.array = load.block("decode", kModelBytes);
  load.bytes = load.block("dumps", kModelBytes + OfBytes::kHeader);
  load.hold();
  const auto found =
      findings_of(load.report_of_all({{load.bytes}, {load.array}}), FindingKind::kTwice);
  REQUIRE(found.size() == 1);
  CHECK(found[0].title == "arrays beside a block that has them, too");
  CHECK(found[0].remedy == "With one of them");
  CHECK(found[0].peak_without_bytes == kModelBytes + OfBytes::kHeader);
}

TEST_CASE("an array that was overwritten stands beside no bytes that have it", "[anatomy]") {
  OfBytes load;
  load.unpack();
  load.array = load.block("read_array", kModelBytes);
  load.hold(1);
  load.wait_ms(1000);
  CHECK(findings_of(load.report_of_all({{load.bytes}, {load.array}}), FindingKind::kTwice).empty());
}
