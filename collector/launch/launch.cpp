#include "collector/launch/launch.hpp"

#include "collector/os/exec_arguments.hpp"
#include "collector/os/file_descriptor.hpp"
#include "collector/os/own_objects.hpp"
#include "preload/wire/session.hpp"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <linux/limits.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tidemark {
namespace {

constexpr std::array kForwarded = {SIGHUP,  SIGINT,  SIGQUIT,  SIGTERM,
                                   SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT};

std::atomic<pid_t> g_host{0};
std::atomic<bool> g_asked_to_stop{false};
std::array<struct sigaction, kForwarded.size()> g_before{};
bool g_children_ignored = false;  ///< SIGCHLD was ignored when this process began.
struct sigaction g_child_before {};
std::atomic<std::atomic<std::uint32_t>*> g_doorbell{nullptr};
sigset_t g_mask_before{};  ///< Signal mask of this process, from hold_signals to let_signals_go.

void hold_signals() {
  sigset_t forwarded;
  sigemptyset(&forwarded);
  for (const int signal : kForwarded)
    sigaddset(&forwarded, signal);
  sigprocmask(SIG_BLOCK, &forwarded, &g_mask_before);
}

/// Where SIGCHLD is ignored the kernel reaps children by itself, and nobody learns that the host
/// has ended, nor how the child that looks up names does. It is ignored for the host again, as its
/// parent wanted.
void learn_of_children() {
  struct sigaction action {};
  sigaction(SIGCHLD, nullptr, &action);
  g_children_ignored = action.sa_handler == SIG_IGN;
  if (g_children_ignored)
    signal(SIGCHLD, SIG_DFL);
}

/// A sleep that has not begun yet does not begin then: its doorbell has rung.
void ring_for_child(int) {
  if (std::atomic<std::uint32_t>* doorbell = g_doorbell.load(std::memory_order_relaxed))
    doorbell->fetch_add(1, std::memory_order_relaxed);
}

void let_signals_go() {
  sigprocmask(SIG_SETMASK, &g_mask_before, nullptr);
}

constexpr bool ends_a_wait(int signal) {
  return signal == SIGHUP || signal == SIGINT || signal == SIGQUIT || signal == SIGTERM;
}

void forward(int signal, siginfo_t* info, void*) {
  const pid_t host = g_host.load(std::memory_order_relaxed);
  if (host == 0 && ends_a_wait(signal))
    g_asked_to_stop.store(true, std::memory_order_relaxed);
  // si_code > 0: the kernel's own, sent to the whole foreground group.
  if (host > 0 && info->si_code <= 0) {
    const int errno_before = errno;
    kill(host, signal);
    errno = errno_before;
  }
}

std::vector<std::string> own_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable)
    variables.emplace_back(*variable);
  return variables;
}

/// @return whether `number` was in the pipe before its end.
bool read_whole(int pipe, int& number) {
  ssize_t got = 0;
  do {
    got = read(pipe, &number, sizeof number);
  } while (got < 0 && errno == EINTR);
  return got == sizeof number;
}

/// A pipe that closes by itself in an exec.
struct Pipe {
  FileDescriptor reading;
  FileDescriptor writing;

  /// False: errno says why.
  bool open() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
      return false;
    reading = FileDescriptor(ends[0]);
    writing = FileDescriptor(ends[1]);
    return true;
  }
};

/// A child that has not become its program yet, and never does if an error or an exception comes
/// before it is released. If this process is killed meanwhile it does become it, as it would
/// without tidemark.
class HeldChild {
 public:
  /// @param start at whose end the child waits; the only one for writing.
  HeldChild(pid_t pid, FileDescriptor start) : pid_(pid), start_(std::move(start)) {}
  HeldChild(const HeldChild&) = delete;
  HeldChild& operator=(const HeldChild&) = delete;
  HeldChild(HeldChild&&) = delete;
  HeldChild& operator=(HeldChild&&) = delete;
  ~HeldChild() {
    if (pid_ == 0)
      return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    let_signals_go();
  }

  void let_go() { start_ = FileDescriptor(); }

  /// It is its program now, and its caller waits for its end.
  pid_t hand_over() { return std::exchange(pid_, 0); }

 private:
  pid_t pid_;
  FileDescriptor start_;
};

/// Until the other side has closed the last end for writing.
void wait_for_end(const Pipe& pipe) {
  int nothing = 0;
  read_whole(pipe.reading.number(), nothing);
}

/// Runs in the child. Reports an exec that failed through `report`, which closes by itself
/// otherwise.
[[noreturn]] void become(
    const char* path, char** arguments, char** shell_arguments, char** variables, int report) {
  let_signals_go();
  if (g_children_ignored)
    signal(SIGCHLD, SIG_IGN);
  execve(path, arguments, variables);
  // As execvp does it; a format that binfmt_misc knows has run by now.
  if (errno == ENOEXEC && shell_arguments != nullptr)
    execve(shell_arguments[0], shell_arguments, variables);
  const int error = errno;
  [[maybe_unused]] const ssize_t ignored = write(report, &error, sizeof error);
  _exit(127);
}

/// Characters that end a name in LD_PRELOAD for the dynamic loader.
constexpr const char* kEndsOfNames = " :";

Result<std::string> find_recording_object() {
  if (const char* named = std::getenv("TIDEMARK_PRELOAD"))
    return std::string(named);
  if (std::string object = find_own_object("libtidemark_preload.so"); !object.empty())
    return object;
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return Error{
      ErrorCode::kUsage,
      fmt::format("libtidemark_preload.so is not beside {}: build or install tidemark whole, or "
                  "name it in TIDEMARK_PRELOAD",
                  self.string())};
}

}  // namespace

Result<pid_t> launch(const Launch& what) {
  Pipe failure;
  Pipe start;
  if (!failure.open() || !start.open())
    return Error{ErrorCode::kIo, fmt::format("cannot make a pipe: {}", std::strerror(errno))};
  // Everything is prepared before the fork: the child only makes system calls.
  std::vector<std::string> command = what.command;
  std::vector<std::string> environment = host_environment(own_environment(), what.session);
  std::vector<char*> arguments = exec_arguments(command);
  std::vector<char*> variables = exec_arguments(environment);
  std::vector<std::string> shell_command = {"/bin/sh", what.path};
  shell_command.insert(shell_command.end(), what.command.begin() + 1, what.command.end());
  std::vector<char*> shell_arguments = exec_arguments(shell_command);
  hold_signals();
  learn_of_children();
  const pid_t child = fork();
  if (child < 0) {
    const int error = errno;
    let_signals_go();
    return Error{ErrorCode::kIo, fmt::format("cannot fork: {}", std::strerror(error))};
  }
  if (child == 0) {
    start.writing = FileDescriptor();
    wait_for_end(start);
    become(what.path.c_str(), arguments.data(), what.needs_shell ? shell_arguments.data() : nullptr,
           variables.data(), failure.writing.number());
  }
  HeldChild held(child, std::move(start.writing));
  failure.writing = FileDescriptor();
  if (what.before_exec)
    what.before_exec(child);
  held.let_go();
  int error = 0;
  if (read_whole(failure.reading.number(), error)) {
    return Error{ErrorCode::kUsage,
                 fmt::format("cannot run {}: {}", what.command[0], std::strerror(error))};
  }
  return held.hand_over();
}

Result<SessionVariables> find_objects(bool with_copies) {
  Result<std::string> recording = find_recording_object();
  if (!recording.ok())
    return recording.error();
  if (recording.value().find_first_of(kEndsOfNames) != std::string::npos) {
    return Error{
        ErrorCode::kUsage,
        fmt::format("'{}' has a space or a colon in its name, which ends it in LD_PRELOAD: "
                    "move tidemark, or name it in TIDEMARK_PRELOAD through a symbolic link",
                    recording.value())};
  }
  SessionVariables found;
  found.preload_objects = recording.value();
  std::error_code error;
  const auto folder = std::filesystem::path(recording.value()).parent_path();
  if (with_copies) {
    const auto copies = folder / "libtidemark_copies.so";
    if (!std::filesystem::exists(copies, error)) {
      return Error{ErrorCode::kUsage,
                   fmt::format("libtidemark_copies.so is not beside {}: build or install tidemark "
                               "whole, or record with --no-copies",
                               recording.value())};
    }
    found.preload_objects += ":" + copies.string();
  }
  // The layer is only built where Vulkan's headers are.
  if (std::filesystem::exists(folder / "libtidemark_vulkan.so", error))
    found.vulkan_layers = folder.string();
  return found;
}

SignalForwarding::SignalForwarding(pid_t host, std::atomic<std::uint32_t>& doorbell) {
  g_doorbell.store(&doorbell);
  struct sigaction on_child {};
  on_child.sa_handler = ring_for_child;
  on_child.sa_flags = SA_RESTART | SA_NOCLDSTOP;
  sigaction(SIGCHLD, &on_child, &g_child_before);
  g_host.store(host);
  g_asked_to_stop.store(false);
  for (std::size_t i = 0; i < kForwarded.size(); ++i) {
    struct sigaction action {};
    action.sa_sigaction = forward;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(kForwarded[i], nullptr, &g_before[i]);
    // Ignored before us (nohup): stays so.
    if (g_before[i].sa_handler != SIG_IGN)
      sigaction(kForwarded[i], &action, nullptr);
  }
  let_signals_go();
}

void SignalForwarding::host_has_ended() {
  g_host.store(0);
}

bool SignalForwarding::was_asked_to_stop() const {
  return g_asked_to_stop.load(std::memory_order_relaxed);
}

SignalForwarding::~SignalForwarding() {
  for (std::size_t i = 0; i < kForwarded.size(); ++i)
    sigaction(kForwarded[i], &g_before[i], nullptr);
  sigaction(SIGCHLD, &g_child_before, nullptr);
  g_doorbell.store(nullptr);
  g_host.store(0);
}

}  // namespace tidemark
