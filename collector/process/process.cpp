#include "collector/process/process.hpp"

#include "preload/wire/session.hpp"

#include <cerrno>
#include <csignal>
#include <utility>

#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace tidemark {
namespace {

std::uint64_t identity_of(const FileDescriptor& pidfd) {
  struct statfs system {};
  struct stat status {};
  const bool is_known = pidfd.is_open() && ::fstatfs(pidfd.number(), &system) == 0 &&
                        system.f_type == wire::kPidFileSystem &&
                        ::fstat(pidfd.number(), &status) == 0;
  return is_known ? status.st_ino : 0;
}

std::optional<clockid_t> cpu_clock_of(pid_t pid) {
  clockid_t clock = 0;
  return ::clock_getcpuclockid(pid, &clock) == 0 ? std::optional(clock) : std::nullopt;
}

}  // namespace

Process::Process(pid_t pid, std::uint64_t start_ticks, FileDescriptor pidfd)
    : pid_(pid),
      start_ticks_(start_ticks),
      pidfd_(std::move(pidfd)),
      identity_(identity_of(pidfd_)),
      cpu_clock_(cpu_clock_of(pid)) {}

std::shared_ptr<const Process> Process::open(pid_t pid, ProcessStat* stat) {
  if (pid <= 0) {
    return nullptr;
  }
  FileDescriptor pidfd =
      unless_among_the_last(FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))));
  // In this order: if the pidfd's process still lives afterwards, the stat read in between was its
  // own.
  const auto read = read_process_stat(pid);
  if (!read) {
    return nullptr;
  }
  if (stat != nullptr) {
    *stat = *read;
  }
  return std::shared_ptr<const Process>(new Process(pid, read->start_ticks, std::move(pidfd)));
}

std::optional<std::uint64_t> Process::cpu_ns() const {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  timespec time{};
  if (!cpu_clock_ || ::clock_gettime(*cpu_clock_, &time) != 0) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(time.tv_sec) * kSecond +
         static_cast<std::uint64_t>(time.tv_nsec);
}

bool Process::has_ended() const {
  if (pidfd_.is_open()) {
    pollfd descriptor{pidfd_.number(), POLLIN, 0};
    return poll(&descriptor, 1, 0) > 0;
  }
  // A main thread that has ended while others go on is a zombie, too; so without pidfds a process
  // counts as ended only once its pid is free.
  if (const auto stat = read_process_stat(pid_)) {
    return stat->start_ticks != start_ticks_;
  }
  // Without free descriptors or memory, /proc cannot be read for a live process either.
  return ::kill(pid_, 0) != 0 && errno == ESRCH;
}

bool has_ended(pid_t pid) {
  const auto stat = read_process_stat(pid);
  if (stat && !stat->is_ending()) {
    return false;
  }
  const auto process = Process::open(pid);
  return process == nullptr ? ::kill(pid, 0) != 0 && errno == ESRCH : process->has_ended();
}

}  // namespace tidemark
