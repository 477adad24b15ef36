#include "tests/end_to_end/running_program.hpp"

#include "tests/support/comes_true.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tidemark::tests {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::string> environment_of(const Command& command) {
  std::vector<std::string> variables;
  const auto name_of = [](std::string_view text) { return text.substr(0, text.find('=')); };
  for (char** variable = environ; *variable != nullptr; ++variable) {
    bool is_replaced = false;
    for (const std::string& change : command.environment)
      is_replaced = is_replaced || name_of(change) == name_of(*variable);
    if (!is_replaced)
      variables.emplace_back(*variable);
  }
  for (const std::string& change : command.environment) {
    if (change.find('=') != std::string::npos)
      variables.push_back(change);
  }
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& text : strings)
    out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

int open_for_writing(const std::string& path) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
}

int millis_left(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  return left.count() > 0 ? static_cast<int>(left.count()) : 0;
}

/// Its three descriptors in the child, and our ends of the pipes.
struct Streams {
  int in = -1;
  int out = -1;
  int err = -1;
  int to_stdin = -1;
  int from_stdout = -1;
};

Streams open_streams(const Command& command, const std::string& prefix) {
  Streams streams;
  streams.err = open_for_writing(prefix + ".err");
  if (command.is_interactive) {
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0)
      throw std::runtime_error("no pipe");
    streams.in = in[0];
    streams.to_stdin = in[1];
    streams.from_stdout = out[0];
    streams.out = out[1];
    return streams;
  }
  std::ofstream(prefix + ".in", std::ios::binary) << command.input;
  streams.in = open((prefix + ".in").c_str(), O_RDONLY | O_CLOEXEC);
  streams.out = open_for_writing(prefix + ".out");
  return streams;
}

[[noreturn]] void become(const Command& command,
                         const Streams& streams,
                         char** arguments,
                         char** variables) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // a test that is killed leaves nothing running
  dup2(streams.in, STDIN_FILENO);
  dup2(streams.out, STDOUT_FILENO);
  dup2(streams.err, STDERR_FILENO);
  // Whatever this test itself was started with is nobody's business.
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  if (!command.folder.empty() && chdir(command.folder.c_str()) != 0)
    _exit(126);
  if (command.before_exec)
    command.before_exec();
  execvpe(arguments[0], arguments, variables);
  _exit(127);
}

}  // namespace

RunningProgram::RunningProgram(const Command& command, const std::string& prefix)
    : prefix_(prefix) {
  const Streams streams = open_streams(command, prefix);
  std::vector<std::string> words = command.words;
  std::vector<std::string> environment = environment_of(command);
  std::vector<char*> arguments = pointers(words);
  std::vector<char*> variables = pointers(environment);
  pid_ = fork();
  if (pid_ == 0)
    become(command, streams, arguments.data(), variables.data());
  for (const int used : {streams.in, streams.out, streams.err})
    close(used);
  to_stdin_ = streams.to_stdin;
  from_stdout_ = streams.from_stdout;
  if (pid_ < 0)
    throw std::runtime_error("no fork");
}

RunningProgram::~RunningProgram() {
  if (!has_ended_) {
    kill_group();
    waitpid(pid_, nullptr, 0);
  }
  if (to_stdin_ >= 0)
    close(to_stdin_);
  if (from_stdout_ >= 0)
    close(from_stdout_);
}

std::string RunningProgram::read_line() {
  const auto deadline = Clock::now() + kDeadline;
  for (;;) {
    if (const std::size_t end = read_.find('\n'); end != std::string::npos) {
      const std::string line = read_.substr(0, end);
      given_ += read_.substr(0, end + 1);
      read_.erase(0, end + 1);
      return line;
    }
    pollfd descriptor{from_stdout_, POLLIN, 0};
    if (poll(&descriptor, 1, millis_left(deadline)) <= 0)
      throw std::runtime_error("no line before the deadline; so far: " + given_ + read_);
    std::array<char, 4096> bytes{};
    const ssize_t got = ::read(from_stdout_, bytes.data(), bytes.size());
    if (got <= 0)
      throw std::runtime_error("ended before its line; so far: " + given_ + read_ +
                               read_text(prefix_ + ".err"));
    read_.append(bytes.data(), static_cast<std::size_t>(got));
  }
}

void RunningProgram::write_line(const std::string& text) const {
  const std::string line = text + '\n';
  if (::write(to_stdin_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    throw std::runtime_error("cannot write to the program");
}

void RunningProgram::signal(int number) const {
  kill(pid_, number);
}

void RunningProgram::kill_group() const {
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);
}

Outcome RunningProgram::wait() {
  const auto deadline = Clock::now() + kDeadline;
  if (to_stdin_ >= 0)
    close(std::exchange(to_stdin_, -1));
  // Its stdout first, or it might never end.
  while (from_stdout_ >= 0) {
    pollfd descriptor{from_stdout_, POLLIN, 0};
    std::array<char, 4096> bytes{};
    const ssize_t got = poll(&descriptor, 1, millis_left(deadline)) > 0
                            ? ::read(from_stdout_, bytes.data(), bytes.size())
                            : 0;
    if (got <= 0)
      close(std::exchange(from_stdout_, -1));
    else
      read_.append(bytes.data(), static_cast<std::size_t>(got));
  }
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  pollfd end{handle, POLLIN, 0};
  const bool in_time = poll(&end, 1, millis_left(deadline)) > 0;
  close(handle);
  if (!in_time)
    kill_group();
  int status = 0;
  waitpid(pid_, &status, 0);
  has_ended_ = true;
  if (!in_time)
    throw std::runtime_error("still running at the deadline: " + read_text(prefix_ + ".err"));
  const std::string out = given_ + read_;
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
          out.empty() ? read_text(prefix_ + ".out") : out, read_text(prefix_ + ".err")};
}

Outcome run(const Command& command, const std::string& prefix) {
  RunningProgram program(command, prefix);
  return program.wait();
}

bool wait_until(const std::function<bool()>& condition) {
  return comes_true(condition, kDeadline);
}

bool wait_for_looks(const RunningProgram& recorder) {
  // It wakes each 5 ms, and looks at a small host each 5 or 10 ms.
  constexpr unsigned long kWakes = 40;
  const std::string status = "/proc/" + std::to_string(recorder.pid()) + "/status";
  const auto wakes = [&status] {
    const std::string text = read_text(status);
    const std::string key = "\nvoluntary_ctxt_switches:";
    const std::size_t at = text.find(key);
    return at == std::string::npos ? 0 : std::stoul(text.substr(at + key.size()));
  };
  const unsigned long before = wakes();
  return wait_until([&] { return wakes() >= before + kWakes; });
}

std::string read_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace tidemark::tests
