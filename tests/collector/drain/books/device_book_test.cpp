#include "collector/trace/types/device_place.hpp"
#include "tests/collector/drain/recorded_host.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using tests::anonymous;
using tests::AssembledSession;
using tests::RecordedThread;
using trace::EventKind;
using trace::Lane;

namespace {

constexpr std::uint64_t kBytes = 4 * wire::kLargeTouch;
constexpr std::uint64_t kWeightsHandle = 0x5500000000a0;  ///< A handle; more than 32 bits.
constexpr std::uint64_t kStaging = 0x5500000000b0;
constexpr std::uint64_t kMappedAt = 0x7f0000000000;

struct WithDevice : AssembledSession {
  WithDevice() { claim_slot(0, kFirstPid); }
  ~WithDevice() { CHECK(log().breaches().empty()); }
  [[nodiscard]] std::uint64_t device() const { return bytes(Lane::kDevice); }
  [[nodiscard]] std::uint64_t heap() const { return bytes(Lane::kHeap); }

  RecordedThread main{*this, 0, 0, kFirstPid};
  RecordedThread worker{*this, 1, 0, kFirstPid + 1};
};

}  // namespace

TEST_CASE("device memory counts from its allocation to its free", "[assembler][device]") {
  WithDevice host;
  host.main.device_begin(kBytes);
  CHECK(host.device() == 0);
  const auto place = wire::make_device_place(1, 7, 6, wire::kDeviceDedicated);
  host.main.device_end(kWeightsHandle, kBytes, place);
  CHECK(host.device() == kBytes);
  CHECK(trace::device_place(host.log().of_kind(EventKind::kAllocate).at(0)) ==
        trace::DevicePlace{.heap = 1, .type = 7, .properties = 6, .dedicated = true});
  host.worker.device_free(kWeightsHandle);
  CHECK(host.device() == 0);
}

TEST_CASE("what a driver takes from the heap to back it is not counted twice",
          "[assembler][device]") {
  WithDevice host;
  host.main.device_begin(kBytes);
  host.main.allocate(kMappedAt, 200);                   // its bookkeeping
  host.main.allocate(kMappedAt + 0x1000, kBytes + 64);  // what backs it
  host.main.device_end(kWeightsHandle, kBytes);
  CHECK(host.device() == kBytes);
  CHECK(host.heap() == 200);
  CHECK(trace::device_place(host.log().of_kind(EventKind::kAllocate).back()).from_host);
  host.main.device_free(kWeightsHandle);
  host.main.free(kMappedAt + 0x1000);
  host.main.free(kMappedAt);
  CHECK(host.device() == 0);
  CHECK(host.heap() == 0);
  CHECK(host.assembler().unmatched_releases() == 0);
}

TEST_CASE("a driver's mapping behind device memory is not counted either", "[assembler][device]") {
  WithDevice host;
  host.main.device_begin(kBytes);
  host.main.map(kMappedAt, kBytes, anonymous());
  host.main.device_end(kWeightsHandle, kBytes);
  CHECK(host.bytes(Lane::kAnon) == 0);
  host.main.unmap(kMappedAt, kBytes);
  CHECK(host.bytes(Lane::kAnon) == 0);
  CHECK(host.device() == kBytes);
}

TEST_CASE("another thread's memory meanwhile is its own", "[assembler][device]") {
  WithDevice host;
  host.main.device_begin(kBytes);
  host.worker.allocate(kMappedAt, kBytes);
  host.main.device_end(kWeightsHandle, kBytes);
  host.main.allocate(kMappedAt + 0x1000000, kBytes);
  CHECK(host.heap() == 2 * kBytes);
}

TEST_CASE("a refused request is a failure in the device lane", "[assembler][device]") {
  WithDevice host;
  host.main.device_begin(kBytes);
  host.main.device_end(0, kBytes);
  host.main.allocate(kMappedAt, kBytes);  // no driver's any more
  const auto failures = host.log().of_kind(EventKind::kFail);
  REQUIRE(failures.size() == 1);
  CHECK(failures[0].lane == Lane::kDevice);
  CHECK(failures[0].size == kBytes);
  CHECK(host.device() == 0);
  CHECK(host.heap() == kBytes);
}

TEST_CASE("memory imported from the host is in its own lane already", "[assembler][device]") {
  WithDevice host;
  host.main.allocate(kMappedAt, kBytes);
  host.main.device_begin(kBytes);
  host.main.device_end(
      kStaging, kBytes,
      wire::make_device_place(0, 0, 6, wire::kDeviceImported | wire::kDeviceHostPointer));
  CHECK(host.device() == 0);
  CHECK(host.heap() == kBytes);
  host.main.device_free(kStaging);
  CHECK(host.device() == 0);
}

TEST_CASE("a copy to where the host sees device memory goes to the device", "[assembler][device]") {
  WithDevice host;
  host.main.allocate(kMappedAt, kBytes);
  host.main.device_begin(kBytes);
  host.main.device_end(kStaging, kBytes);
  host.main.device_map(kStaging, kMappedAt + 0x1000000, ~std::uint64_t{0});  // all of it
  host.main.copy(kMappedAt + 0x1000000, kMappedAt, kBytes);
  host.main.device_unmap(kStaging);
  host.main.copy(kMappedAt + 0x1000000, kMappedAt, kBytes);
  const auto copies = host.log().of_kind(EventKind::kCopy);
  REQUIRE(copies.size() == 2);
  CHECK(copies[0].released == 0);
  CHECK(copies[0].allocation == 1);
  CHECK(copies[1].allocation == trace::kNoAllocation);
}

TEST_CASE("one request is backed by one block", "[assembler][device]") {
  WithDevice host;
  host.main.device_begin(kBytes);
  host.main.allocate(kMappedAt, kBytes);
  host.main.allocate(kMappedAt + 0x1000000, kBytes);
  host.main.device_end(kWeightsHandle, kBytes);
  CHECK(host.heap() == kBytes);
}

TEST_CASE("a request whose end was lost hides nothing after the loss", "[assembler][device]") {
  WithDevice host;
  host.main.device_begin(kBytes);
  host.main.add(wire::RecordKind::kLost, 0, 3);
  host.main.allocate(kMappedAt, kBytes);
  CHECK(host.heap() == kBytes);
}

TEST_CASE("imported host memory keeps its own block where it is mapped", "[assembler][device]") {
  WithDevice host;
  host.main.allocate(kMappedAt, kBytes);
  host.main.device_begin(kBytes);
  host.main.device_end(kStaging, kBytes,
                       wire::make_device_place(0, 0, 6, wire::kDeviceHostPointer));
  host.main.device_map(kStaging, kMappedAt, ~std::uint64_t{0});
  host.main.fill(kMappedAt, kBytes);
  host.main.device_unmap(kStaging);
  host.main.fill(kMappedAt, kBytes);
  const auto fills = host.log().of_kind(EventKind::kFill);
  REQUIRE(fills.size() == 2);
  CHECK(fills[0].allocation == 0);
  CHECK(fills[1].allocation == 0);
}

TEST_CASE("a mapping from the middle on ends where its memory ends", "[assembler][device]") {
  constexpr std::uint64_t kOffset = wire::kLargeTouch;
  WithDevice host;
  host.main.device_begin(kBytes);
  host.main.device_end(kStaging, kBytes);
  host.main.device_map(kStaging, kMappedAt, ~std::uint64_t{0} - kOffset);
  host.main.fill(kMappedAt + kBytes - kOffset - 1, 1);
  CHECK(host.log().of_kind(EventKind::kFill).size() == 1);
  host.main.fill(kMappedAt + kBytes - kOffset, 1);
  CHECK(host.log().of_kind(EventKind::kFill).size() == 1);
}

TEST_CASE("a handle that comes again without its free replaces the one before",
          "[assembler][device]") {
  WithDevice host;
  for (int i = 0; i < 2; ++i) {
    host.main.device_begin(kBytes);
    host.main.device_end(kWeightsHandle, kBytes);
  }
  CHECK(host.device() == kBytes);
  host.main.device_free(kWeightsHandle);
  host.main.device_free(kWeightsHandle);
  CHECK(host.device() == 0);
}

TEST_CASE("device memory goes with its process", "[assembler][device]") {
  WithDevice host;
  host.main.device_begin(kBytes);
  host.main.device_end(kWeightsHandle, kBytes);
  host.assembler().processes().end(*host.assembler().processes().hosts().at(0), host.now());
  CHECK(host.device() == 0);
}

TEST_CASE("device memory that a driver keeps in the host's is found there until it is freed",
          "[assembler][device]") {
  WithDevice host;
  constexpr std::uint64_t kBacking = kMappedAt + 0x1000;
  host.main.allocate(kStaging, kBytes);
  host.main.device_begin(kBytes);
  host.main.allocate(kBacking, kBytes);
  host.main.device_end(kWeightsHandle, kBytes);
  const auto number = host.log().of_kind(EventKind::kAllocate).back().allocation;
  const auto last_copy = [&] { return host.log().of_kind(EventKind::kCopy).back(); };
  host.worker.copy(kBacking + wire::kLargeTouch, kStaging, wire::kLargeTouch);
  CHECK(last_copy().allocation == number);
  // The driver gives out the memory itself: that it is mapped changes nothing, nor that it no
  // longer is.
  host.main.device_map(kWeightsHandle, kBacking, kBytes);
  host.worker.copy(kBacking, kStaging, wire::kLargeTouch);
  CHECK(last_copy().allocation == number);
  host.main.device_unmap(kWeightsHandle);
  host.worker.copy(kBacking, kStaging, wire::kLargeTouch);
  CHECK(last_copy().allocation == number);
  host.main.device_free(kWeightsHandle);
  host.main.free(kBacking);
  host.worker.copy(kBacking, kStaging, wire::kLargeTouch);
  CHECK(last_copy().allocation == trace::kNoAllocation);
}
