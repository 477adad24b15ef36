#include "collector/process/memory_files.hpp"

#include "collector/process/shared_segments.hpp"
#include "tests/support/catch.hpp"

#include <cstring>

#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tidemark;

namespace {

std::uint64_t device_of(const char* path) {
  struct stat status {};
  REQUIRE(stat(path, &status) == 0);
  return status.st_dev;
}

}  // namespace

TEST_CASE("files without a name, and those on tmpfs, are memory", "[process]") {
  MemoryFiles files;
  const int descriptor = memfd_create("weights", 0);
  struct stat status {};
  REQUIRE(fstat(descriptor, &status) == 0);
  close(descriptor);
  CHECK(files.holds(status.st_dev, getpid()));
  CHECK(files.holds(device_of("/dev/shm"), getpid()));
  CHECK_FALSE(files.holds(device_of("/proc/self/exe"), getpid()));
  CHECK_FALSE(files.holds(device_of("/proc"), getpid()));
}

TEST_CASE("a SysV segment is as long as it was made, and holds what was touched", "[process]") {
  const int segment = shmget(IPC_PRIVATE, 16U << 20U, 0600);
  if (segment < 0) {
    SKIP_TEST("no SysV shared memory here");
    return;
  }
  auto* memory = static_cast<char*>(shmat(segment, nullptr, 0));
  std::memset(memory, 1, 4U << 20U);
  const auto found = find_segment(name_segment(getpid(), segment));
  shmctl(segment, IPC_RMID, nullptr);
  shmdt(memory);
  REQUIRE(found);
  CHECK(found->bytes == 16U << 20U);
  CHECK(found->held == 4U << 20U);
  CHECK_FALSE(find_segment(name_segment(getpid(), segment)));
}
