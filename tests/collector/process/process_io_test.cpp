#include "collector/process/process_io.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tidemark;
using tidemark::tests::TemporaryFolder;

namespace {

constexpr std::size_t kBytes = 1 << 20;

bool reads_all(const std::string& path) {
  std::string bytes(kBytes, '\0');
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool is_whole = ::read(file, bytes.data(), kBytes) == static_cast<ssize_t>(kBytes);
  ::close(file);
  return is_whole;
}

/// One entry that does nothing.
void submit_nothing(int ring, const io_uring_params& facts) {
  const auto map = [ring](std::size_t bytes, off_t at) {
    void* mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring, at);
    REQUIRE(mapped != MAP_FAILED);
    return static_cast<char*>(mapped);
  };
  char* const queue =
      map(facts.sq_off.array + facts.sq_entries * sizeof(std::uint32_t), IORING_OFF_SQ_RING);
  auto* const entry = reinterpret_cast<io_uring_sqe*>(
      map(facts.sq_entries * sizeof(io_uring_sqe), IORING_OFF_SQES));
  *entry = {};
  entry->opcode = IORING_OP_NOP;
  reinterpret_cast<std::atomic<std::uint32_t>*>(queue + facts.sq_off.array)->store(0);
  reinterpret_cast<std::atomic<std::uint32_t>*>(queue + facts.sq_off.tail)->store(1);
  REQUIRE(::syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, nullptr, 0) == 1);
}

}  // namespace

TEST_CASE("what a process reads is told by the kernel, when it has ended too", "[process_io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("file", std::string(kBytes, 'x'));
  const auto before = bytes_read_by(::getpid());
  REQUIRE(before);
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(reads_all(path) ? 0 : 1);
  }
  siginfo_t ended{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) == 0);
  REQUIRE(ended.si_status == 0);

  CHECK(bytes_read_by(child).value_or(0) >= kBytes);
  CHECK(*bytes_read_by(::getpid()) < *before + kBytes);
  ::waitpid(child, nullptr, 0);
  CHECK_FALSE(bytes_read_by(child));
  // From here on it is in its parent's sum.
  CHECK(*bytes_read_by(::getpid()) >= *before + kBytes);
}

TEST_CASE("large regular files that a process has open are found, with their positions",
          "[process_io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("weights", std::string(kBytes, 'x'));
  const std::string small = folder.file("small", std::string(kBytes - 1, 'x'));
  const int reading = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const int changing = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  const int writing = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const int of_small = ::open(small.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(::lseek(reading, 1000, SEEK_SET) == 1000);

  const auto at = [](const std::vector<OpenFile>& files, int descriptor) {
    const auto found = std::ranges::find(files, descriptor, &OpenFile::descriptor);
    return found == files.end() ? std::nullopt : std::optional(*found);
  };
  const auto files = open_files_of(::getpid(), kBytes);
  const auto read = at(files, reading);
  REQUIRE(read);
  CHECK(read->path == path);
  CHECK(read->size == kBytes);
  CHECK(read->position == 1000);
  CHECK_FALSE(read->is_writable);
  CHECK_FALSE(read->is_unlinked);
  const auto changed = at(files, changing);
  REQUIRE(changed);
  CHECK(changed->is_writable);
  CHECK(changed->position == 0);
  CHECK(changed->is_same_file(*read));
  CHECK_FALSE(at(files, writing));
  CHECK_FALSE(at(files, of_small));
  CHECK(open_files_of(::getpid(), kBytes, 1).empty());

  REQUIRE(::unlink(path.c_str()) == 0);
  const auto gone = at(open_files_of(::getpid(), kBytes), reading);
  REQUIRE(gone);
  CHECK(gone->is_unlinked);
  for (const int descriptor : {reading, changing, writing, of_small})
    ::close(descriptor);
  CHECK_FALSE(at(open_files_of(::getpid(), kBytes), reading));
}

TEST_CASE("an io_uring among a process's descriptors is found", "[process_io]") {
  CHECK(rings_of(::getpid()) == RingsOfProcess{});
  io_uring_params facts{};
  const auto ring = static_cast<int>(::syscall(SYS_io_uring_setup, 4, &facts));
  if (ring < 0) {
    SKIP_TEST("this system cannot read by io_uring");
    return;
  }
  CHECK(rings_of(::getpid()) == RingsOfProcess{.idle = 1});
  CHECK(rings_of(::getpid(), 1) == RingsOfProcess{});
  submit_nothing(ring, facts);
  CHECK(rings_of(::getpid()) == RingsOfProcess{.used = 1});
  ::close(ring);
  CHECK(rings_of(::getpid()) == RingsOfProcess{});
}
