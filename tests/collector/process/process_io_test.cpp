#include "collector/process/process_io.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <string>

#include <fcntl.h>
#include <linux/io_uring.h>
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

TEST_CASE("an io_uring among a process's descriptors is found", "[process_io]") {
  CHECK_FALSE(has_ring(::getpid()));
  io_uring_params facts{};
  const auto ring = static_cast<int>(::syscall(SYS_io_uring_setup, 4, &facts));
  if (ring < 0) {
    SKIP_TEST("this system cannot read by io_uring");
    return;
  }
  CHECK(has_ring(::getpid()));
  ::close(ring);
  CHECK_FALSE(has_ring(::getpid()));
}
