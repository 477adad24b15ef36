#include "collector/os/clocks.hpp"
#include "tests/collector/drain/mapped_host.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"

#include <chrono>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tidemark;
using tests::AssembledSession;
using tests::kHere;
using tests::kPage;
using tests::kThere;
using tests::RecordedThread;
using trace::EventKind;
using trace::Lane;

namespace {

/// This very process as the host: what it really has is looked at.
struct OwnSession : AssembledSession {
  OwnSession() { claim_slot(0, static_cast<std::uint32_t>(getpid())); }
};

struct Shared : OwnSession {
  ~Shared() { CHECK(log().breaches().empty()); }

  char* map(std::size_t bytes) {
    auto* memory = static_cast<char*>(
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    REQUIRE(memory != MAP_FAILED);
    main.map(reinterpret_cast<std::uint64_t>(memory), bytes, tests::shared());
    return memory;
  }
  void unmap(char* memory, std::size_t bytes) {
    main.unmap(reinterpret_cast<std::uint64_t>(memory), bytes);
    munmap(memory, bytes);
  }
  std::uint64_t look() {
    assembler().look_at_shared(now());
    return bytes(Lane::kShared) / kPage;
  }

  RecordedThread main{*this, 0, 0, static_cast<std::uint32_t>(getpid())};
};

}  // namespace

TEST_CASE("shared memory counts the pages that were written", "[assembler]") {
  Shared host;
  char* memory = host.map(100 * kPage);
  CHECK(host.look() == 0);
  for (std::size_t page = 0; page < 7; ++page)
    memory[page * kPage] = 1;
  CHECK(host.look() == 7);
  madvise(memory, 3 * kPage, MADV_REMOVE);
  CHECK(host.look() == 4);
  host.unmap(memory, 100 * kPage);
  CHECK(host.bytes(Lane::kShared) == 0);
  CHECK(host.bytes(Lane::kAnon) == 0);
}

TEST_CASE("shared memory stays while one of two processes maps it", "[assembler]") {
  Shared host;
  char* memory = host.map(10 * kPage);
  memory[0] = 1;
  CHECK(host.look() == 1);
  host.claim_slot(1, AssembledSession::kFirstPid, static_cast<std::uint32_t>(getpid()),
                  wire::Origin::kForked);
  const RecordedThread child{host, 1, 1, AssembledSession::kFirstPid};
  host.unmap(memory, 10 * kPage);
  CHECK(host.bytes(Lane::kShared) == kPage);
  host.assembler().processes().end(*host.assembler().processes().hosts().at(1), host.now());
  CHECK(host.bytes(Lane::kShared) == 0);
}

TEST_CASE("a forked process has its parent's large shared mappings until it unmaps them",
          "[assembler]") {
  constexpr std::size_t kLarge = 256 * kPage;
  Shared host;
  char* large = host.map(kLarge);
  char* small = host.map(10 * kPage);
  large[0] = 1;
  CHECK(host.look() == 1);
  host.claim_slot(1, AssembledSession::kFirstPid, static_cast<std::uint32_t>(getpid()),
                  wire::Origin::kForked);
  RecordedThread child{host, 1, 1, AssembledSession::kFirstPid};

  const auto& hosts = host.assembler().processes().hosts();
  const auto mapped = [&](std::size_t process, const char* at) {
    return hosts.at(process)->tables.mappings.find(reinterpret_cast<std::uint64_t>(at));
  };
  REQUIRE(mapped(1, large) != nullptr);
  CHECK(mapped(1, large)->allocation == mapped(0, large)->allocation);
  CHECK(mapped(1, large)->may_hold_arrays());
  CHECK(mapped(1, small) == nullptr);

  child.unmap(reinterpret_cast<std::uint64_t>(large), kLarge);
  CHECK(mapped(1, large) == nullptr);
  CHECK(host.bytes(Lane::kShared) == kPage);
  host.unmap(small, 10 * kPage);
  host.unmap(large, kLarge);
}

TEST_CASE("a file of memory that a driver takes device memory from is in that lane alone",
          "[assembler][device]") {
  Shared host;
  const int descriptor = memfd_create("allocation fd", 0);
  REQUIRE(ftruncate(descriptor, 10 * kPage) == 0);
  REQUIRE(write(descriptor, std::string(2 * kPage, 'w').data(), 2 * kPage) == 2 * kPage);
  struct stat status {};
  REQUIRE(fstat(descriptor, &status) == 0);
  const auto number = static_cast<std::uint32_t>(descriptor);
  host.main.open(number, "/memfd:allocation fd (deleted)", 10 * kPage, status.st_dev,
                 status.st_ino);
  CHECK(host.look() == 2);  // nobody knows yet what it is for
  host.main.device_begin(10 * kPage);
  host.main.map(kHere, 10 * kPage, {descriptor, PROT_READ | PROT_WRITE, MAP_SHARED, 0, 0});
  host.main.device_end(1, 10 * kPage);
  CHECK(host.bytes(Lane::kShared) == 0);
  CHECK(host.bytes(Lane::kDevice) == 10 * kPage);
  REQUIRE(write(descriptor, std::string(kPage, 'w').data(), kPage) == kPage);
  CHECK(host.look() == 0);
  host.main.unmap(kHere, 10 * kPage);
  host.main.close(number);
  CHECK(host.bytes(Lane::kShared) == 0);
  close(descriptor);
}

TEST_CASE("a file of memory counts once, while anything leads to it", "[assembler]") {
  Shared host;
  const int descriptor = memfd_create("weights", 0);
  REQUIRE(ftruncate(descriptor, 10 * kPage) == 0);
  REQUIRE(write(descriptor, std::string(2 * kPage, 'w').data(), 2 * kPage) == 2 * kPage);
  struct stat status {};
  REQUIRE(fstat(descriptor, &status) == 0);
  const auto number = static_cast<std::uint32_t>(descriptor);
  host.main.open(number, "/memfd:weights (deleted)", 10 * kPage, status.st_dev, status.st_ino);
  CHECK(host.look() == 2);
  const wire::MappingArguments arguments{descriptor, PROT_READ, MAP_SHARED, 0, 0};
  host.main.map(kHere, 10 * kPage, arguments);
  host.main.map(kThere, 10 * kPage, arguments);
  host.main.duplicate(number, number + 1);
  CHECK(host.look() == 2);
  CHECK(host.bytes(Lane::kFile) == 0);
  host.main.close(number);
  host.main.unmap(kHere, 10 * kPage);
  host.main.close(number + 1);
  CHECK(host.bytes(Lane::kShared) == 2 * kPage);
  host.main.unmap(kThere, 10 * kPage);
  CHECK(host.bytes(Lane::kShared) == 0);
  close(descriptor);
}

TEST_CASE("what a file of memory held before the recording is not the program's", "[assembler]") {
  const std::string path = "/dev/shm/shared_book_test_" + std::to_string(getpid());
  const int descriptor = open(path.c_str(), O_CREAT | O_RDWR | O_EXCL, 0600);
  REQUIRE(descriptor >= 0);
  const std::string page(kPage, 'w');
  REQUIRE(write(descriptor, page.data(), kPage) == kPage);
  const std::uint64_t birth = clock_ns(CLOCK_REALTIME);
  REQUIRE(tests::comes_true([&] { return clock_ns(CLOCK_REALTIME) > birth + 50'000'000; },
                            std::chrono::seconds(5)));
  Shared host;
  struct stat status {};
  REQUIRE(fstat(descriptor, &status) == 0);
  host.main.open(static_cast<std::uint32_t>(descriptor), path, kPage, status.st_dev, status.st_ino);
  CHECK(host.look() == 0);
  REQUIRE(write(descriptor, page.data(), kPage) == kPage);
  CHECK(host.look() == 1);
  host.main.close(static_cast<std::uint32_t>(descriptor));
  CHECK(host.look() == 1);  // it still has its name
  unlink(path.c_str());
  CHECK(host.look() == 0);
  close(descriptor);
}

TEST_CASE("shared memory that is mapped once more stays with the second mapping", "[assembler]") {
  Shared host;
  char* memory = host.map(10 * kPage);
  memory[0] = 1;
  void* again = mremap(memory, 0, 10 * kPage, MREMAP_MAYMOVE);
  REQUIRE(again != MAP_FAILED);
  const auto there = reinterpret_cast<std::uint64_t>(again);
  host.main.remap_begin(reinterpret_cast<std::uint64_t>(memory), 0);
  host.main.remap_end(there, 10 * kPage, MREMAP_MAYMOVE);
  host.unmap(memory, 10 * kPage);
  CHECK(host.look() == 1);
  host.unmap(static_cast<char*>(again), 10 * kPage);
  CHECK(host.bytes(Lane::kShared) == 0);
}

TEST_CASE("shared memory that moves onto its own second mapping is still held", "[assembler]") {
  Shared host;
  host.main.map(kHere, 10 * kPage, tests::shared());
  host.main.remap_begin(kHere, 0);
  host.main.remap_end(kThere, 10 * kPage, MREMAP_MAYMOVE);
  host.main.remap_begin(kHere, 10 * kPage);
  host.main.remap_end(kThere, 10 * kPage, MREMAP_MAYMOVE | MREMAP_FIXED);
  CHECK(host.log().of_kind(EventKind::kRelease).empty());
  host.main.unmap(kThere, 10 * kPage);
  CHECK(host.log().of_kind(EventKind::kRelease).size() == 1);
}

TEST_CASE("a private mapping of a file of memory has its writes to itself", "[assembler]") {
  Shared host;
  const int descriptor = memfd_create("weights", 0);
  struct stat status {};
  REQUIRE(fstat(descriptor, &status) == 0);
  host.main.open(static_cast<std::uint32_t>(descriptor), "/memfd:weights (deleted)", 0,
                 status.st_dev, status.st_ino);
  host.main.map(kHere, 10 * kPage, {descriptor, PROT_READ | PROT_WRITE, MAP_PRIVATE, 0, 0});
  const auto allocations = host.log().of_kind(EventKind::kAllocate);
  REQUIRE(allocations.size() == 2);
  CHECK(allocations[1].lane == Lane::kAnon);
  close(descriptor);
}
