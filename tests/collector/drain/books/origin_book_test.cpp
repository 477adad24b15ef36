// Which bytes of a file a block is said to hold, and when nothing may be said.
#include "tests/collector/drain/recorded_host.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <vector>

using namespace tidemark;
using tests::AssembledSession;
using tests::of_file;
using tests::RecordedThread;

namespace {

constexpr std::uint64_t kBig = wire::kLargeTouch;
constexpr std::uint64_t kBlob = 0x7f0000000010;
constexpr std::uint64_t kTensor = 0x7f4000000010;
constexpr std::uint64_t kMapped = 0x7f8000000000;
constexpr std::uint32_t kWeights = 3;  ///< Descriptor.

struct Loader : AssembledSession {
  Loader() {
    claim_slot(0, kFirstPid);
    main.open(kWeights, "/m/weights.bin", 100 * kBig);
  }
  ~Loader() { CHECK(log().breaches().empty()); }
  /// After the end of the recording.
  std::vector<trace::Origin> told() {
    assembler().tell_origins();
    return log().origins();
  }

  RecordedThread main{*this, 0, 0, kFirstPid};
};

}  // namespace

TEST_CASE("what was read into a block has its place in the file", "[origin_book]") {
  Loader host;
  host.main.allocate(kBlob, 4 * kBig);
  host.main.read_at(kWeights, kBlob + 100, kBig, 5000);
  host.main.read_at(kWeights, kBlob + 100 + kBig, kBig, 5000 + kBig);
  const auto origins = host.told();
  REQUIRE(origins.size() == 1);
  CHECK(origins[0].allocation == 0);
  CHECK(origins[0].begin == 100);
  CHECK(origins[0].offset == 5000);
  CHECK(origins[0].bytes == 2 * kBig);
}

TEST_CASE("a copy takes the places along, also from a mapping and through a realloc",
          "[origin_book]") {
  Loader host;
  host.main.map(kMapped, 16 * kBig, of_file(kWeights));
  host.main.allocate(kBlob, 4 * kBig);
  host.main.copy(kBlob + kBig, kMapped + 3 * kBig, 2 * kBig);
  host.main.realloc_begin(kBlob, 8 * kBig);
  host.main.realloc_end(kBlob + 64 * kBig, 8 * kBig);
  host.main.allocate(kTensor, 2 * kBig);
  host.main.copy(kTensor, kBlob + 64 * kBig + 2 * kBig, 2 * kBig);
  const auto origins = host.told();
  // The mapping, the block, the same once it was reallocated, the tensor.
  REQUIRE(origins.size() == 4);
  CHECK(origins[0].bytes == 16 * kBig);
  for (const trace::Origin& origin : origins) {
    if (origin.allocation == 1 || origin.allocation == 2) {
      CHECK(origin.begin == kBig);
      CHECK(origin.offset == 3 * kBig);
      CHECK(origin.bytes == 2 * kBig);
    }
    if (origin.allocation == 3) {
      // The second half of what was copied lay beyond what is known.
      CHECK(origin.begin == 0);
      CHECK(origin.offset == 4 * kBig);
      CHECK(origin.bytes == kBig);
    }
  }
}

TEST_CASE("a block through which one piece after the other went has no places", "[origin_book]") {
  Loader host;
  host.main.allocate(kBlob, kBig);
  host.main.allocate(kTensor, 4 * kBig);
  for (std::uint64_t i = 0; i < 4; ++i) {
    host.main.read_at(kWeights, kBlob, kBig, i * kBig);
    host.main.copy(kTensor + i * kBig, kBlob, kBig);
  }
  const auto origins = host.told();
  REQUIRE(origins.size() == 1);
  CHECK(origins[0].allocation == 1);
  CHECK(origins[0].bytes == 4 * kBig);
}

TEST_CASE("other bytes over those of a file take the places away", "[origin_book]") {
  Loader host;
  host.main.allocate(kBlob, 4 * kBig);
  host.main.read_at(kWeights, kBlob, 2 * kBig, 0);
  const std::string what = GENERATE("a fill", "unknown bytes", "an unknown place of the file");
  CAPTURE(what);
  if (what == "a fill")
    host.main.fill(kBlob + kBig, kBig);
  else if (what == "unknown bytes")
    host.main.copy(kBlob, 0x7ffd00000000, kBig);
  else
    host.main.read_into(kWeights, kBlob + kBig, kBig);
  CHECK(host.told().empty());
}

TEST_CASE("what a block held is told when it is gone, however it went", "[origin_book]") {
  Loader host;
  host.main.allocate(kBlob, kBig);
  host.main.read_at(kWeights, kBlob, kBig, kBig);
  host.main.free(kBlob);
  host.main.allocate(kBlob, 2 * kBig);  // at the same place
  const auto origins = host.told();
  REQUIRE(origins.size() == 1);
  CHECK(origins[0].allocation == 0);
}

TEST_CASE("a place beyond the end of a block is none", "[origin_book]") {
  Loader host;
  host.main.allocate(kBlob, kBig);
  host.main.read_at(kWeights, kBlob + kBig / 2, ~std::uint64_t{0} >> 8, 7);
  host.main.fill(kBlob, ~std::uint64_t{0});
  host.main.copy(kBlob, kBlob, ~std::uint64_t{0});
  CHECK(host.told().empty());
}
