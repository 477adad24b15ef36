#include "collector/process/process_memory.hpp"

#include "collector/process/page_map.hpp"
#include "collector/process/process_tree.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <string>
#include <thread>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tidemark;

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kSize = 64 * kMiB;
// The kernel counts pages per CPU and hands them in by and by.
constexpr std::size_t kSlack = 4 * kMiB;

/// A child process that does one step of its life for each `go_on`.
class Child {
 public:
  explicit Child(const std::function<void(Child&)>& life) {
    REQUIRE(::pipe2(orders_.data(), O_CLOEXEC) == 0);
    REQUIRE(::pipe2(answers_.data(), O_CLOEXEC) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      life(*this);
      ::_exit(0);
    }
    ::close(orders_[0]);
    ::close(answers_[1]);
    wait_for_answer();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  Child(Child&&) = delete;
  Child& operator=(Child&&) = delete;
  ~Child() {
    ::close(orders_[1]);
    ::close(answers_[0]);
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  [[nodiscard]] pid_t pid() const { return pid_; }

  /// In the child: says that a step is done, and waits for the next.
  void pause() {
    char byte = '.';
    if (::write(answers_[1], &byte, 1) != 1 || ::read(orders_[0], &byte, 1) != 1) {
      ::_exit(1);
    }
  }
  /// In the parent: has the child do its next step. Returns when the child pauses, execs or ends.
  void go_on() {
    const char byte = '.';
    REQUIRE(::write(orders_[1], &byte, 1) == 1);
    wait_for_answer();
  }

 private:
  void wait_for_answer() {
    char byte = 0;
    [[maybe_unused]] const auto got = ::read(answers_[0], &byte, 1);
  }

  std::array<int, 2> orders_{};
  std::array<int, 2> answers_{};
  pid_t pid_ = -1;
};

void touch(void* memory, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += 4096) {
    static_cast<volatile char*>(memory)[at] = 1;
  }
}

void* map_anonymous(std::size_t bytes) {
  return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

void* map_memfd(const char* name, std::size_t bytes) {
  const int file = ::memfd_create(name, MFD_CLOEXEC);
  if (::ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    ::_exit(1);
  }
  return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
}

bool is_about(std::uint64_t bytes, std::uint64_t expected) {
  CAPTURE(bytes, expected);
  return bytes + kSlack >= expected && bytes <= expected + kSlack;
}

}  // namespace

TEST_CASE("memory that a process touches shows in the lane it belongs to", "[process_memory]") {
  Child child([](Child& self) {
    self.pause();
    touch(map_anonymous(kSize), kSize);
    self.pause();
    touch(map_memfd("tidemark_test", kSize), kSize);
    self.pause();
  });
  auto memory = ProcessMemory::open(child.pid());
  REQUIRE(memory);
  const auto first = memory->read();
  child.go_on();
  const auto with_anon = memory->read();
  child.go_on();
  const auto with_shmem = memory->read();

  REQUIRE((first && with_anon && with_shmem));
  CHECK(is_about(with_anon->rss_anon_bytes, first->rss_anon_bytes + kSize));
  CHECK(is_about(with_anon->rss_shmem_bytes, first->rss_shmem_bytes));
  CHECK(is_about(with_shmem->rss_anon_bytes, with_anon->rss_anon_bytes));
  CHECK(is_about(with_shmem->rss_shmem_bytes, with_anon->rss_shmem_bytes + kSize));
}

TEST_CASE("memory is seen after the main thread has left", "[process_memory]") {
  Child child([](Child& self) {
    std::thread other([&] {
      self.pause();
      touch(map_anonymous(kSize), kSize);
      self.pause();
    });
    syscall(SYS_exit, 0);
  });
  auto memory = ProcessMemory::open(child.pid());
  REQUIRE(memory);
  REQUIRE(tests::comes_true([&] { return thread_with_memory(child.pid()) != child.pid(); },
                            std::chrono::seconds(30)));
  const auto first = memory->read();
  child.go_on();
  const auto with_anon = memory->read();
  REQUIRE((first && with_anon));
  CHECK(is_about(with_anon->rss_anon_bytes, first->rss_anon_bytes + kSize));
  CHECK(read_memory_rollup(child.pid())->pss_anon_bytes >= kSize);
  const PageMap pages(child.pid());
  CHECK(pages.access() == PageMap::Access::kOpen);
}

TEST_CASE("the high-water mark outlives what it was made of", "[process_memory]") {
  Child child([](Child& self) {
    void* memory = map_anonymous(kSize);
    touch(memory, kSize);
    self.pause();
    ::munmap(memory, kSize);
    self.pause();
  });
  auto memory = ProcessMemory::open(child.pid());
  REQUIRE(memory);
  const auto full = memory->read();
  child.go_on();
  const auto empty = memory->read();

  REQUIRE((full && empty));
  CHECK(is_about(empty->rss_anon_bytes + kSize, full->rss_anon_bytes));
  CHECK(empty->high_water_bytes + kSlack >= full->high_water_bytes);
}

TEST_CASE("a process that ended has no memory, a zombie neither", "[process_memory]") {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::pause();
    ::_exit(0);
  }
  auto memory = ProcessMemory::open(pid);
  REQUIRE(memory);
  CHECK(memory->read());
  ::kill(pid, SIGKILL);
  siginfo_t info{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) == 0);
  CHECK_FALSE(memory->read());
  ::waitpid(pid, nullptr, 0);
  CHECK_FALSE(memory->read());
  CHECK_FALSE(ProcessMemory::open(pid));
}

TEST_CASE("an exec ends the observation of the image before it", "[process_memory]") {
  Child child([](Child& self) {
    self.pause();
    ::execl("/bin/sleep", "sleep", "1000", nullptr);
  });
  auto before = ProcessMemory::open(child.pid());
  REQUIRE(before);
  CHECK(before->read());
  child.go_on();
  CHECK_FALSE(before->read());
  auto after = ProcessMemory::open(child.pid());
  REQUIRE(after);
  CHECK(after->read());
}
