#include "tests/bench/child.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace tidemark::bench {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
/// Takes a child's output without a reader that would compete with it for a core.
using OutputFile = std::unique_ptr<std::FILE, CloseFile>;

OutputFile open_output() {
  OutputFile file(std::tmpfile());
  if (!file)
    throw std::runtime_error("no temporary file: " + std::string(std::strerror(errno)));
  return file;
}

std::string content_of(std::FILE* file) {
  std::rewind(file);
  std::string text;
  char buffer[1 << 14];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file))
    text.append(buffer, count);
  return text;
}

double monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

double ns_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_usec) * 1e3;
}

pid_t start(const std::vector<std::string>& command, int output, int errors) {
  std::vector<char*> argv;
  for (const std::string& word : command)
    argv.push_back(const_cast<char*>(word.c_str()));  // posix_spawn does not write to them
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  pid_t child = -1;
  const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw std::runtime_error(command[0] + " cannot be started: " + std::strerror(error));
  return child;
}

void add(const rusage& usage, Outcome& outcome) {
  outcome.cpu_ns += ns_of(usage.ru_utime) + ns_of(usage.ru_stime);
  outcome.max_rss = std::max(outcome.max_rss, static_cast<std::uint64_t>(usage.ru_maxrss) * 1024);
}

/// @return its wait status.
int wait_for(pid_t child, Outcome& outcome) {
  int status = 0;
  rusage usage{};
  while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  add(usage, outcome);
  return status;
}

/// heaptrack's script does not wait for all of its processes; those come to us.
void wait_for_orphans(Outcome& outcome) {
  rusage usage{};
  while (wait4(-1, nullptr, 0, &usage) > 0)
    add(usage, outcome);
}

std::string text_of(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace

Outcome run(const std::vector<std::string>& command) {
  const OutputFile output = open_output();
  const OutputFile errors = open_output();
  const double begin = monotonic_ns();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t child = start(command, fileno(output.get()), fileno(errors.get()));
  Outcome outcome;
  const int status = wait_for(child, outcome);
  outcome.wall_ns = monotonic_ns() - begin;
  wait_for_orphans(outcome);
  outcome.output = content_of(output.get());
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error("'" + text_of(command) + "' failed: " + content_of(errors.get()));
  return outcome;
}

bool is_installed(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + "/" + program).c_str(), X_OK) == 0)
      return true;
  }
  return false;
}

}  // namespace tidemark::bench
