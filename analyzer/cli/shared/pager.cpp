#include "analyzer/cli/shared/pager.hpp"

#include "analyzer/cli/shared/shell_words.hpp"
#include "analyzer/io/child_processes.hpp"
#include "collector/trace/output/write_all.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tidemark::cli {
namespace {

bool g_is_unwanted = false;

/// None if the screen's height is not known.
std::optional<std::size_t> screen_lines() {
  winsize size{};
  const bool is_known = isatty(STDOUT_FILENO) == 1 &&
                        ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row != 0;
  return is_known ? std::optional<std::size_t>(size.ws_row) : std::nullopt;
}

bool is_longer_than_the_screen(const std::string& text) {
  const auto lines = screen_lines();
  // The shell's prompt takes one.
  return lines && static_cast<std::size_t>(std::ranges::count(text, '\n')) >= *lines;
}

/// As a person would type it; empty if no pager is wanted.
std::string pager_command() {
  const char* const own = std::getenv("TIDEMARK_PAGER");
  const char* const wanted = own != nullptr ? own : std::getenv("PAGER");
  if (wanted == nullptr) {
    return "less -FRX";
  }
  return std::string_view(wanted) == "cat" ? std::string() : wanted;
}

/// A signal that this process does not take while this lives.
class IgnoredSignal {
 public:
  explicit IgnoredSignal(int number) : number_(number), before_(std::signal(number, SIG_IGN)) {}
  IgnoredSignal(const IgnoredSignal&) = delete;
  IgnoredSignal& operator=(const IgnoredSignal&) = delete;
  IgnoredSignal(IgnoredSignal&&) = delete;
  IgnoredSignal& operator=(IgnoredSignal&&) = delete;
  ~IgnoredSignal() { std::signal(number_, before_); }

 private:
  int number_;
  void (*before_)(int);
};

/// False if a shell reports that there is no such program, or if it is not known how it ended.
bool was_there(std::optional<int> status) {
  constexpr int kNotExecutable = 126;
  constexpr int kNotFound = 127;
  return status && (!WIFEXITED(*status) ||
                    (WEXITSTATUS(*status) != kNotExecutable && WEXITSTATUS(*status) != kNotFound));
}

}  // namespace

void do_without_pager() {
  g_is_unwanted = true;
}

bool show_in_pager(const std::string& text) {
  if (g_is_unwanted || !is_longer_than_the_screen(text)) {
    return false;
  }
  const auto words = words_of_command(pager_command());
  std::array<int, 2> ends{-1, -1};
  if (!words.ok() || pipe2(ends.data(), O_CLOEXEC) != 0) {
    return false;
  }
  // Keys are the pager's while it runs, and it may be left before it has read everything.
  const IgnoredSignal interrupt(SIGINT);
  const IgnoredSignal quit(SIGQUIT);
  const IgnoredSignal broken_pipe(SIGPIPE);
  // What git sets for its pagers: colours are shown as colours, and a short text needs no key.
  setenv("LESS", "FRX", 0);
  setenv("LV", "-c", 0);
  const analyzer::ChildProcesses children;
  const auto pager = children.start({.path = words.value().front(),
                                     .words = words.value(),
                                     .input = ends[0],
                                     .heeds = {SIGINT, SIGQUIT, SIGPIPE}});
  close(ends[0]);
  if (pager) {
    trace::write_all(ends[1], text.data(), text.size());  // As far as it is read.
  }
  close(ends[1]);
  return pager && was_there(wait_for(children, *pager));
}

}  // namespace tidemark::cli
