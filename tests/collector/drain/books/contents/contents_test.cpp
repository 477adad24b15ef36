#include "tests/collector/drain/recorded_host.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using tests::anonymous;
using tests::AssembledSession;
using tests::of_file;
using tests::RecordedThread;
using trace::Event;
using trace::EventKind;
using trace::kNoAllocation;

namespace {

constexpr std::uint64_t kBig = wire::kLargeTouch;
constexpr std::uint64_t kBlob = 0x7f0000000010;  ///< A heap block's address.
constexpr std::uint64_t kTensor = 0x7f4000000010;
constexpr std::uint64_t kMapped = 0x7f8000000000;
constexpr std::uint64_t kNowhere = 0x7ffd00000000;  ///< As a thread's stack.
constexpr std::uint32_t kWeightsFile = 3;           ///< Descriptor.

struct Touched : AssembledSession {
  Touched() { claim_slot(0, kFirstPid); }
  ~Touched() { CHECK(log().breaches().empty()); }
  /// The only event of its kind.
  Event only(EventKind kind) {
    const auto all = log().of_kind(kind);
    REQUIRE(all.size() == 1);
    return all[0];
  }

  RecordedThread main{*this, 0, 0, kFirstPid};
  RecordedThread worker{*this, 1, 0, kFirstPid + 1};
};

}  // namespace

TEST_CASE("a copy names the blocks that hold its source and its destination", "[assembler]") {
  Touched host;
  host.main.allocate(kBlob, 4 * kBig);
  host.main.allocate(kTensor, 2 * kBig);
  host.worker.copy(kTensor + kBig, kBlob + 3 * kBig, kBig);
  const Event copy = host.only(EventKind::kCopy);
  CHECK(copy.size == kBig);
  CHECK(copy.released == 0);
  CHECK(copy.allocation == 1);
}

TEST_CASE("a copy from or to an unknown place says so", "[assembler]") {
  Touched host;
  host.main.allocate(kBlob, kBig);
  host.main.copy(kBlob, kNowhere, kBig);
  host.main.copy(kNowhere, kBlob, kBig);
  const auto copies = host.log().of_kind(EventKind::kCopy);
  REQUIRE(copies.size() == 2);
  CHECK(copies[0].allocation == 0);
  CHECK(copies[0].released == kNoAllocation);
  CHECK(copies[1].allocation == kNoAllocation);
  CHECK(copies[1].released == 0);
}

TEST_CASE("a copy between two unknown places is no event", "[assembler]") {
  Touched host;
  host.main.copy(kNowhere, kNowhere + kBig, kBig);
  host.main.fill(kNowhere, kBig);
  CHECK(host.log().of_kind(EventKind::kCopy).empty());
  CHECK(host.log().of_kind(EventKind::kFill).empty());
}

TEST_CASE("a block that went is not the place of a later copy", "[assembler]") {
  Touched host;
  host.main.allocate(kBlob, kBig);
  host.worker.free(kBlob);
  host.main.fill(kBlob, kBig);
  CHECK(host.log().of_kind(EventKind::kFill).empty());
  host.main.allocate(kBlob, kBig);
  host.main.fill(kBlob, kBig);
  CHECK(host.only(EventKind::kFill).allocation == 1);
}

TEST_CASE("a block that moved takes its place with it", "[assembler]") {
  Touched host;
  host.main.allocate(kBlob, kBig);
  host.main.realloc_begin(kBlob, 2 * kBig);
  host.worker.fill(kBlob, kBig);  // the address may be another thread's by now: of no known block
  host.main.realloc_end(kTensor, 2 * kBig);
  host.main.fill(kTensor + kBig, kBig);
  CHECK(host.only(EventKind::kFill).allocation == 1);
}

TEST_CASE("a realloc that failed leaves the block where it was", "[assembler]") {
  Touched host;
  host.main.allocate(kBlob, kBig);
  host.main.realloc_begin(kBlob, 2 * kBig);
  host.main.realloc_failed(2 * kBig);
  host.main.fill(kBlob, kBig);
  CHECK(host.only(EventKind::kFill).allocation == 0);
}

TEST_CASE("a copy out of a mapped file names the mapping", "[assembler]") {
  Touched host;
  host.main.open(kWeightsFile, "/model/weights.bin", 4 * kBig);
  host.main.map(kMapped, 4 * kBig, of_file(kWeightsFile));
  host.main.allocate(kTensor, kBig);
  host.main.copy(kTensor, kMapped + 3 * kBig, kBig);
  const Event copy = host.only(EventKind::kCopy);
  CHECK(copy.released == 0);
  CHECK(copy.allocation == 1);
}

TEST_CASE("a fill of anonymous memory names its mapping, a reserved one has none", "[assembler]") {
  Touched host;
  host.main.map(kMapped, kBig, anonymous());
  host.main.map(kMapped + kBig, kBig, anonymous(0));
  host.main.fill(kMapped, kBig);
  host.main.fill(kMapped + kBig, kBig);
  CHECK(host.only(EventKind::kFill).allocation == 0);
}

TEST_CASE("a heap block inside its allocator's mapping is the block", "[assembler]") {
  Touched host;
  host.main.map(kMapped, 16 * kBig, {-1, 3, 0x22, 1, 0});
  host.main.allocate(kMapped + kBig, kBig);
  host.main.fill(kMapped + kBig, kBig);
  CHECK(host.only(EventKind::kFill).allocation == 0);
  host.main.copy(kMapped + 4 * kBig, kNowhere, kBig);
  CHECK(host.log().of_kind(EventKind::kCopy).empty());
}

TEST_CASE("a read says which block it filled, and what was in memory before", "[assembler]") {
  Touched host;
  host.main.open(kWeightsFile, "/model/weights.bin", 4 * kBig);
  host.main.allocate(kBlob, 4 * kBig);
  host.main.read_into(kWeightsFile, kBlob + kBig, 2 * kBig, wire::kMaxResidentShare);
  CHECK(host.only(EventKind::kRead).size == 2 * kBig);
  const Event into = host.only(EventKind::kReadInto);
  CHECK(into.size == 2 * kBig);
  CHECK(into.allocation == 0);
  CHECK(trace::resident_share(into) == 1.0);
}

TEST_CASE("a small read into a large block says so too, into a small one not", "[assembler]") {
  Touched host;
  host.main.open(kWeightsFile, "/model/weights.bin", 4 * kBig);
  host.main.allocate(kBlob, kBig);
  host.main.allocate(kTensor, kBig - 1);
  host.main.read_into(kWeightsFile, kBlob, 100);
  host.main.read_into(kWeightsFile, kTensor, 100);
  CHECK(host.log().of_kind(EventKind::kRead).size() == 2);
  const Event into = host.only(EventKind::kReadInto);
  CHECK(into.allocation == 0);
  CHECK_FALSE(trace::resident_share(into));
}

TEST_CASE("a copy without its source's address has none", "[assembler]") {
  Touched host;
  host.main.allocate(kBlob, kBig);
  host.main.add(wire::RecordKind::kCopy, kBlob, kBig);
  CHECK(host.only(EventKind::kCopy).released == kNoAllocation);
}

TEST_CASE("a read over two mappings, one right behind the other, goes into both", "[assembler]") {
  Touched host;
  host.main.open(kWeightsFile, "/model/weights.bin", 8 * kBig);
  host.main.map(kMapped, kBig, anonymous());
  host.main.map(kMapped + kBig, 4 * kBig, anonymous());
  host.main.read_into(kWeightsFile, kMapped + kBig / 2, 4 * kBig);
  CHECK(host.only(EventKind::kRead).size == 4 * kBig);  // the file's bytes count once
  const auto into = host.log().of_kind(EventKind::kReadInto);
  REQUIRE(into.size() == 2);
  CHECK(into[0].allocation == 0);
  CHECK(into[0].size == kBig / 2);
  CHECK(into[1].allocation == 1);
  CHECK(into[1].size == 4 * kBig - kBig / 2);
}

TEST_CASE("what is read beyond the last block went into none", "[assembler]") {
  Touched host;
  host.main.open(kWeightsFile, "/model/weights.bin", 8 * kBig);
  host.main.map(kMapped, kBig, anonymous());
  host.main.map(kMapped + 2 * kBig, kBig, anonymous());
  host.main.read_into(kWeightsFile, kMapped, 3 * kBig);
  const Event into = host.only(EventKind::kReadInto);
  CHECK(into.allocation == 0);
  CHECK(into.size == kBig);
}

TEST_CASE("a copy out of a mapping in pieces is one, as all of them are one block", "[assembler]") {
  Touched host;
  host.main.open(kWeightsFile, "/model/weights.bin", 8 * kBig);
  host.main.map(kMapped, 8 * kBig, of_file(kWeightsFile));
  host.main.protect(kMapped + 2 * kBig, kBig, 1);
  host.main.copy(kNowhere, kMapped + kBig, 4 * kBig);
  const Event copy = host.only(EventKind::kCopy);
  CHECK(copy.released == 0);
  CHECK(copy.size == 4 * kBig);
}

TEST_CASE("a copy is cut where its source or its destination goes on in the next block",
          "[assembler]") {
  Touched host;
  host.main.map(kMapped, kBig, anonymous());
  host.main.map(kMapped + kBig, 4 * kBig, anonymous());
  host.main.map(kMapped + 5 * kBig, 4 * kBig, anonymous());
  // From half of the first and 3.5 of the second, to the last half of the second and the third.
  host.main.copy(kMapped + 9 * kBig / 2, kMapped + kBig / 2, 4 * kBig);
  const auto copies = host.log().of_kind(EventKind::kCopy);
  REQUIRE(copies.size() == 2);
  CHECK(copies[0].released == 0);
  CHECK(copies[0].allocation == 1);
  CHECK(copies[0].size == kBig / 2);
  CHECK(copies[1].released == 1);
  CHECK(copies[1].allocation == 2);
  CHECK(copies[1].size == 7 * kBig / 2);
}

TEST_CASE("a fill over two mappings sets bytes of both", "[assembler]") {
  Touched host;
  host.main.map(kMapped, kBig, anonymous());
  host.main.map(kMapped + kBig, kBig, anonymous());
  host.main.fill(kMapped, 2 * kBig);
  const auto fills = host.log().of_kind(EventKind::kFill);
  REQUIRE(fills.size() == 2);
  CHECK(fills[0].size + fills[1].size == 2 * kBig);
  CHECK(fills[1].allocation == 1);
}
