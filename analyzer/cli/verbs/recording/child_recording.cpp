#include "analyzer/cli/verbs/recording/child_recording.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tidemark::cli {
namespace {

std::atomic<int> g_signal{0};
std::atomic<pid_t> g_child{0};
std::atomic<bool> g_is_in_background{false};

/// A terminal sends SIGINT to a child in the foreground too; the others reach only whom they were
/// sent to.
void pass_on(int signal) {
  const int saved = errno;
  g_signal = signal;
  if ((signal != SIGINT || g_is_in_background) && g_child > 0) {
    kill(g_child, signal);
  }
  errno = saved;
}

/// Handles the signals that end a program while a child is to be waited for. What was ignored stays
/// ignored.
class SignalsPassedOn {
 public:
  SignalsPassedOn() {
    g_signal = 0;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      sigaction(kSignals.at(i), nullptr, &old_.at(i));
      if (old_.at(i).sa_handler != SIG_IGN) {
        struct sigaction action {};
        action.sa_handler = pass_on;
        sigaction(kSignals.at(i), &action, nullptr);
      }
    }
  }
  ~SignalsPassedOn() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      sigaction(kSignals.at(i), &old_.at(i), nullptr);
    }
  }
  SignalsPassedOn(const SignalsPassedOn&) = delete;
  SignalsPassedOn& operator=(const SignalsPassedOn&) = delete;

 private:
  static constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, 3> old_{};
};

std::vector<std::string> words_of(const RecordOptions& options) {
  std::vector<std::string> words{"tidemark", "record", "-o", options.output};
  if (options.quiet) {
    words.emplace_back("-q");
  }
  const auto add = [&words](const std::string& name, const std::string& value) {
    words.push_back(name);
    words.push_back(value);
  };
  if (options.drop_on_overflow) {
    add("--overflow", "drop");
  }
  if (!options.model.empty()) {
    add("--model", options.model);
  }
  if (options.depth) {
    add("--depth", std::to_string(*options.depth));
  }
  if (options.unwinder != "fast") {
    add("--unwinder", options.unwinder);
  }
  if (!options.stacks_above.empty()) {
    add("--stacks-above", options.stacks_above);
  }
  if (!options.sample.empty()) {
    add("--sample", options.sample);
  }
  if (options.wait_children) {
    words.emplace_back("--wait-children");
  }
  if (options.no_python) {
    words.emplace_back("--no-python");
  }
  if (options.no_copies) {
    words.emplace_back("--no-copies");
  }
  if (options.no_symbol_cache) {
    words.emplace_back("--no-symbol-cache");
  }
  words.emplace_back("--");
  words.insert(words.end(), options.command.begin(), options.command.end());
  return words;
}

/// @return the error number; 0 and the child's id in `child` when it runs.
int start(std::vector<std::string> words, int printed, pid_t& child) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, printed < 0 ? STDERR_FILENO : printed, STDOUT_FILENO);
  const int error =
      posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/// Those that came while the child was being started have reached nobody yet.
int wait_passing_on(pid_t child) {
  g_child = child;
  if (const int early = g_signal; early != 0) {
    pass_on(early);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  g_child = 0;
  return status;
}

}  // namespace

Result<ChildEnd> record_in_child(const RecordOptions& options, int printed) {
  const SignalsPassedOn signals;
  pid_t child = 0;
  if (const int error = start(words_of(options), printed, child); error != 0) {
    return Error{ErrorCode::kIo, std::string("cannot start tidemark again, by /proc/self/exe: ") +
                                     std::strerror(error)};
  }
  const int status = wait_passing_on(child);
  return ChildEnd{.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
                  .interrupted_by = g_signal};
}

void wait_for_background(pid_t child) {
  g_is_in_background = true;
  const SignalsPassedOn signals;
  wait_passing_on(child);
  g_is_in_background = false;
}

}  // namespace tidemark::cli
