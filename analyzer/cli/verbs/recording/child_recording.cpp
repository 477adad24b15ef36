#include "analyzer/cli/verbs/recording/child_recording.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace tidemark::cli {
namespace {

std::atomic<int> g_signal{0};
std::atomic<int> g_unsent{0};  ///< One that the child should have, and has not yet.
std::atomic<pid_t> g_child{0};
std::atomic<bool> g_is_in_background{false};

/// Sends what has come to the child, if it is there, and once: a handler may interrupt this, also
/// in another thread.
void send_on() {
  const pid_t child = g_child;
  if (child == 0) {
    return;
  }
  if (const int signal = g_unsent.exchange(0); signal != 0) {
    kill(child, signal);
  }
}

/// A terminal sends SIGINT to a child in the foreground too; the others reach only whom they were
/// sent to.
void pass_on(int signal) {
  const int saved = errno;
  g_signal = signal;
  if (signal != SIGINT || g_is_in_background) {
    g_unsent = signal;
    send_on();
  }
  errno = saved;
}

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

/// Sends the signals that came while the child was being started. None goes out once it has ended,
/// as its id may be another process's after it was waited for.
std::optional<int> wait_passing_on(const analyzer::ChildProcesses& children, pid_t child) {
  g_child = child;
  send_on();
  wait_for_end(children, child);
  g_child = 0;
  return wait_for(children, child);
}

}  // namespace

SignalsPassedOn::SignalsPassedOn() {
  g_signal = 0;
  g_unsent = 0;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals.at(i), nullptr, &old_.at(i));
    if (old_.at(i).sa_handler != SIG_IGN) {
      struct sigaction action {};
      action.sa_handler = pass_on;
      sigaction(kSignals.at(i), &action, nullptr);
    }
  }
}

SignalsPassedOn::~SignalsPassedOn() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals.at(i), &old_.at(i), nullptr);
  }
}

int SignalsPassedOn::received() const {
  return g_signal;
}

Result<int> record_in_child(const SignalsPassedOn& /*signals*/,
                            const analyzer::ChildProcesses& children,
                            const RecordOptions& options,
                            int printed) {
  const auto child = children.start({.path = "/proc/self/exe",
                                     .words = words_of(options),
                                     .output = printed < 0 ? STDERR_FILENO : printed});
  if (!child) {
    return Error{ErrorCode::kIo, std::string("cannot start tidemark again, by /proc/self/exe: ") +
                                     std::strerror(errno)};
  }
  const auto status = wait_passing_on(children, *child);
  if (!status) {
    return Error{ErrorCode::kIo, "how tidemark record ended is not known"};
  }
  return WIFSIGNALED(*status) ? 128 + WTERMSIG(*status) : WEXITSTATUS(*status);
}

void wait_for_background(const analyzer::ChildProcesses& children, pid_t window) {
  g_is_in_background = true;
  const SignalsPassedOn signals;
  wait_passing_on(children, window);
  g_is_in_background = false;
}

}  // namespace tidemark::cli
