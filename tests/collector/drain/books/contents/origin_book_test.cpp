// Which bytes of a file a block is said to hold, and when nothing may be said.
#include "tests/collector/drain/recorded_host.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <vector>

using namespace tidemark;
using tests::anonymous;
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
    assembler().tell_rest();
    return log().origins();
  }
  /// What is told so far; there must be one alone.
  trace::Origin origin_of(trace::AllocationNumber allocation) {
    std::vector<trace::Origin> found;
    for (const trace::Origin& origin : log().origins()) {
      if (origin.allocation == allocation)
        found.push_back(origin);
    }
    CAPTURE(allocation);
    REQUIRE(found.size() == 1);
    return found[0];
  }
  /// Long after the look before.
  void look() {
    now_ns_ += 10'000'000'000;
    for (const auto& host : assembler().processes().hosts())
      assembler().look_at_pages(*host, now_ns_);
  }

  RecordedThread main{*this, 0, 0, kFirstPid};

 private:
  std::uint64_t now_ns_ = 0;
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
  host.told();
  CHECK(host.origin_of(0).bytes == 16 * kBig);             // the mapping
  for (const trace::AllocationNumber number : {1U, 2U}) {  // the block, before and after
    CHECK(host.origin_of(number).begin == kBig);
    CHECK(host.origin_of(number).offset == 3 * kBig);
    CHECK(host.origin_of(number).bytes == 2 * kBig);
  }
  // The second half of what was copied lay beyond what is known.
  CHECK(host.origin_of(3).begin == 0);
  CHECK(host.origin_of(3).offset == 4 * kBig);
  CHECK(host.origin_of(3).bytes == kBig);
}

TEST_CASE("a block that was made smaller holds what is left of it", "[origin_book]") {
  Loader host;
  host.main.allocate(kBlob, 4 * kBig);
  host.main.read_at(kWeights, kBlob, 4 * kBig, 0);
  host.main.realloc_begin(kBlob, 3 * kBig);
  host.main.realloc_end(kBlob, 3 * kBig);
  host.told();
  CHECK(host.origin_of(1).bytes == 3 * kBig);
}

TEST_CASE("a look between the two records of a call finds the block alive", "[origin_book]") {
  Loader host;
  host.main.allocate(kBlob, 2 * kBig);
  host.main.read_at(kWeights, kBlob, 2 * kBig, 0);
  host.main.realloc_begin(kBlob, 4 * kBig);
  host.look();
  CHECK(host.log().origins().empty());
  host.main.realloc_end(kBlob + 64 * kBig, 4 * kBig);
  host.look();
  CHECK(host.origin_of(0).bytes == 2 * kBig);  // this one is gone now
  host.main.read_at(kWeights, kBlob + 66 * kBig, 2 * kBig, 2 * kBig);
  host.told();
  CHECK(host.origin_of(1).bytes == 4 * kBig);
}

TEST_CASE("places in an arena stay where they are when it is cut up or moved", "[origin_book]") {
  Loader host;
  host.main.map(kMapped, 16 * kBig, anonymous());
  host.main.read_at(kWeights, kMapped, 16 * kBig, 0);
  host.main.protect(kMapped + 8 * kBig, 8 * kBig, 1);
  host.main.allocate(kTensor, kBig);
  host.main.copy(kTensor, kMapped + 10 * kBig, kBig);
  host.main.remap_begin(kMapped, 16 * kBig);
  host.look();
  host.main.remap_end(kMapped + 64 * kBig, 16 * kBig);
  host.look();
  host.main.allocate(kBlob, kBig);
  host.main.copy(kBlob, kMapped + (64 + 12) * kBig, kBig);
  host.told();
  CHECK(host.origin_of(0).bytes == 16 * kBig);
  CHECK(host.origin_of(1).offset == 10 * kBig);
  CHECK(host.origin_of(2).offset == 12 * kBig);
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
  host.look();
  CHECK(host.log().origins().empty());
  host.main.free(kBlob);
  host.main.allocate(kBlob, 2 * kBig);  // at the same place
  host.look();
  CHECK(host.origin_of(0).offset == kBig);
  CHECK(host.told().size() == 1);
}

TEST_CASE("a read goes no further than its block", "[origin_book]") {
  Loader host;
  host.main.allocate(kBlob, kBig);
  host.main.read_at(kWeights, kBlob + kBig / 2, ~std::uint64_t{0} >> 8, 7);
  host.told();
  CHECK(host.origin_of(0).begin == kBig / 2);
  CHECK(host.origin_of(0).bytes == kBig / 2);
}

TEST_CASE("a read and a copy go on in the blocks that follow without a gap", "[origin_book]") {
  Loader host;
  host.main.map(kMapped, kBig, anonymous());
  host.main.map(kMapped + kBig, 4 * kBig, anonymous());
  host.main.read_at(kWeights, kMapped + kBig - 8, 3 * kBig, 1000);
  host.main.allocate(kTensor, 4 * kBig);
  host.main.copy(kTensor, kMapped + kBig - 8, 3 * kBig);
  host.told();
  CHECK(host.origin_of(0).begin == kBig - 8);
  CHECK(host.origin_of(0).offset == 1000);
  CHECK(host.origin_of(0).bytes == 8);
  CHECK(host.origin_of(1).begin == 0);
  CHECK(host.origin_of(1).offset == 1008);
  CHECK(host.origin_of(1).bytes == 3 * kBig - 8);
  CHECK(host.origin_of(2).begin == 0);
  CHECK(host.origin_of(2).offset == 1000);
  CHECK(host.origin_of(2).bytes == 3 * kBig);
}

TEST_CASE("fills and copies of any length do no harm", "[origin_book]") {
  Loader host;
  host.main.allocate(kBlob, kBig);
  host.main.read_at(kWeights, kBlob, kBig, 7);
  SECTION("a fill") {
    host.main.fill(kBlob, ~std::uint64_t{0});
    CHECK(host.told().empty());
  }
  SECTION("a copy onto itself") {
    host.main.copy(kBlob, kBlob, ~std::uint64_t{0});
    CHECK(host.told().size() == 1);
  }
}

TEST_CASE("a file that is too small to be looked into gives no names", "[origin_book]") {
  Loader host;
  host.main.open(4, "/m/picture.jpg", kBig);
  host.main.allocate(kBlob, kBig);
  host.main.read_at(4, kBlob, kBig, 0);
  host.main.map(kMapped, kBig, of_file(4));
  CHECK(host.told().empty());
}
