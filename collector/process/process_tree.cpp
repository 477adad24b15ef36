#include "collector/process/process_tree.hpp"

#include "collector/process/proc_file.hpp"
#include "collector/process/process_facts.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tidemark {
namespace {

void add_numbers(std::string_view text, std::vector<pid_t>& numbers) {
  const char* end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    pid_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error == std::errc{}) {
      numbers.push_back(number);
    }
    at = error == std::errc{} ? next : at + 1;
  }
}

void add_children_of_thread(pid_t pid, const std::string& tid, std::vector<pid_t>& children) {
  constexpr std::size_t kMaxChildren = 1 << 20;  // bytes of their numbers
  add_numbers(read_proc(pid, ("task/" + tid + "/children").c_str(), kMaxChildren), children);
}

/// Each thread adds a link to the folder, besides "." and "..".
bool has_one_thread(pid_t pid) {
  struct stat folder {};
  return ::stat(proc_path(pid, "task").c_str(), &folder) == 0 && folder.st_nlink == 3;
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

/// Not by std::filesystem, whose iterator terminates the program if there is no memory for a name:
/// in g++ 12 it is called from a noexcept function.
std::vector<std::string> threads_of(pid_t pid) {
  std::vector<std::string> threads;
  const std::unique_ptr<DIR, CloseFolder> folder(::opendir(proc_path(pid, "task").c_str()));
  if (folder == nullptr) {
    if (errno == ENOMEM) {
      throw std::bad_alloc();
    }
    return threads;
  }
  while (const dirent* thread = ::readdir(folder.get())) {
    if (thread->d_name[0] != '.') {
      threads.emplace_back(thread->d_name);
    }
  }
  return threads;
}

}  // namespace

std::vector<pid_t> children_of(pid_t pid) {
  // More would delay the caller. The others get their turn in later calls.
  constexpr std::size_t kMaxThreads = 256;
  static std::size_t turn = 0;
  std::vector<pid_t> children;
  add_children_of_thread(pid, std::to_string(pid), children);
  if (has_one_thread(pid)) {
    return children;
  }
  const std::vector<std::string> threads = threads_of(pid);
  const std::size_t first = threads.size() > kMaxThreads ? turn += kMaxThreads : 0;
  for (std::size_t i = 0; i < std::min(threads.size(), kMaxThreads); ++i) {
    const std::string& thread = threads[(first + i) % threads.size()];
    if (thread != std::to_string(pid)) {
      add_children_of_thread(pid, thread, children);
    }
  }
  return children;
}

pid_t thread_with_memory(pid_t pid) {
  const auto has_memory = [](pid_t thread) {
    const auto stat = read_process_stat(thread);
    return stat && !stat->is_ending();
  };
  if (has_memory(pid)) {
    return pid;
  }
  for (const std::string& name : threads_of(pid)) {
    pid_t thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    if (has_memory(thread)) {
      return thread;
    }
  }
  return pid;
}

TaskCounter::TaskCounter() : loadavg_(::open("/proc/loadavg", O_RDONLY | O_CLOEXEC)) {
  seen_ = last_pid();
}

std::optional<std::uint64_t> TaskCounter::last_pid() const {
  std::array<char, 128> text{};
  const ssize_t got = ::pread(loadavg_.number(), text.data(), text.size(), 0);
  if (got <= 0) {
    return std::nullopt;
  }
  // "3.56 2.78 1.86 9/146 3362": the last number is the pid assigned last.
  const std::string_view line(text.data(), static_cast<std::size_t>(got));
  const std::size_t begin = line.rfind(' ') + 1;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(line.data() + begin, line.data() + line.size(), number);
  return error == std::errc{} ? std::optional(number) : std::nullopt;
}

bool TaskCounter::has_moved() {
  const auto now = last_pid();
  const bool has = !is_believed_ || !now || now != seen_;
  seen_ = now;
  return has;
}

void TaskCounter::prove() {
  const auto now = last_pid();
  is_believed_ = now && seen_ && now != seen_;
  seen_ = now;
}

}  // namespace tidemark
