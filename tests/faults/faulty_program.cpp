#include "tests/faults/faulty_program.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tidemark::faults {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto kDeadline = std::chrono::seconds(10);

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int status_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& text : strings)
    out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

/// The environment of this test, with other values of some variables.
std::vector<std::string> environment_with(const std::vector<std::string>& changes) {
  const auto name_of = [](std::string_view text) { return text.substr(0, text.find('=')); };
  std::vector<std::string> variables = changes;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::ranges::none_of(changes, [&](const std::string& change) {
          return name_of(change) == name_of(*variable);
        }))
      variables.emplace_back(*variable);
  }
  return variables;
}

bool is_readable_before(int descriptor, Clock::time_point deadline) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  pollfd wanted{descriptor, POLLIN, 0};
  return poll(&wanted, 1, static_cast<int>(std::max<std::int64_t>(left, 0))) > 0;
}

Reply read_reply(int descriptor, pid_t server) {
  Reply reply;
  if (::read(descriptor, &reply, sizeof reply) == sizeof reply)
    return reply;
  int status = 0;
  waitpid(server, &status, 0);
  throw std::runtime_error("the program under test has gone, with status " +
                           std::to_string(status_of(status)));
}

int output_file(const std::string& path) {
  return open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
}

}  // namespace

FaultyProgram::FaultyProgram(std::vector<std::string> words,
                             const std::vector<std::string>& inputs,
                             const std::vector<std::string>& variables)
    : words_(std::move(words)), inputs_(inputs) {
  fs::create_directory(folder_);
  out_ = output_file(base_.file("out"));
  err_ = output_file(base_.file("err"));
  // What a run leaves behind is this test's to wait for.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  start(variables);
}

void FaultyProgram::start(const std::vector<std::string>& variables) {
  std::array<int, 2> orders{};
  std::array<int, 2> answers{};
  if (pipe2(orders.data(), O_CLOEXEC) != 0 || pipe2(answers.data(), O_CLOEXEC) != 0)
    throw std::runtime_error("no pipe");
  std::vector<std::string> changes = variables;
  changes.emplace_back("LD_PRELOAD=" TIDEMARK_FAULT_OBJECT);
  changes.emplace_back("XDG_CACHE_HOME=" + folder_ + "/cache");
  changes.emplace_back("LC_ALL=C");
  changes.emplace_back("GITHUB_STEP_SUMMARY=");
  changes.emplace_back(std::string(kPipesVariable) + "=" + std::to_string(orders[0]) + ":" +
                       std::to_string(answers[1]));
  std::vector<std::string> environment = environment_with(changes);
  std::vector<char*> arguments = pointers(words_);
  std::vector<char*> all_variables = pointers(environment);
  server_ = fork();
  if (server_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    close(nothing);
    dup2(out_, STDOUT_FILENO);
    dup2(err_, STDERR_FILENO);
    fcntl(orders[0], F_SETFD, 0);
    fcntl(answers[1], F_SETFD, 0);
    if (chdir(folder_.c_str()) == 0)
      execve(arguments[0], arguments.data(), all_variables.data());
    _exit(127);
  }
  close(orders[0]);
  close(answers[1]);
  orders_ = orders[1];
  answers_ = answers[0];
}

FaultyProgram::~FaultyProgram() {
  close(orders_);  // It ends.
  waitpid(server_, nullptr, 0);
  for (const int descriptor : {answers_, out_, err_})
    close(descriptor);
}

void FaultyProgram::clear_folder() const {
  for (const auto& entry : fs::directory_iterator(folder_))
    fs::remove_all(entry.path());
  for (const std::string& input : inputs_)
    fs::copy_file(input, fs::path(folder_) / fs::path(input).filename());
}

Run FaultyProgram::run(const Fault& fault) {
  clear_folder();
  if (ftruncate(out_, 0) != 0 || ftruncate(err_, 0) != 0 ||
      ::write(orders_, &fault, sizeof fault) != sizeof fault)
    throw std::runtime_error("cannot order a run");
  const pid_t pid = read_reply(answers_, server_).pid;
  Run run;
  run.is_late = !is_readable_before(answers_, Clock::now() + kDeadline);
  if (run.is_late)
    kill(pid, SIGKILL);
  const Reply reply = read_reply(answers_, server_);
  run.status = status_of(reply.wait_status);
  run.faults = reply.faults;
  run.bytes_written = reply.bytes_written;
  run.calls = reply.calls;
  collect_orphans(run);
  run.out = text_of(base_.file("out"));
  run.err = text_of(base_.file("err"));
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    if (entry.is_regular_file())
      run.files[fs::relative(entry.path(), folder_).string()] = text_of(entry.path());
  }
  for (const std::string& input : inputs_)
    run.files.erase(fs::path(input).filename().string());
  return run;
}

void FaultyProgram::collect_orphans(Run& run) const {
  const auto deadline = Clock::now() + kDeadline;
  for (;;) {
    siginfo_t info{};
    // The server is a child too, but it is not over.
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0) {
      if (info.si_pid == server_)
        throw std::runtime_error("the program under test has gone");
      int status = 0;
      waitpid(info.si_pid, &status, 0);
      run.orphans.push_back(status_of(status));
      continue;
    }
    // Children other than the server?
    std::ifstream children("/proc/self/task/" + std::to_string(getpid()) + "/children");
    std::vector<pid_t> running;
    for (pid_t child = 0; children >> child;) {
      if (child != server_)
        running.push_back(child);
    }
    if (running.empty())
      return;
    if (Clock::now() > deadline) {
      run.has_late_orphan = true;
      for (const pid_t child : running)
        kill(child, SIGKILL);
    }
    const timespec moment{0, 1'000'000};
    nanosleep(&moment, nullptr);
  }
}

std::string FaultyProgram::text() const {
  std::string line;
  for (const std::string& word : words_)
    line += (line.empty() ? "" : " ") + word;
  return line;
}

}  // namespace tidemark::faults
