#include "analyzer/cli/verbs/recording/live_view.hpp"

#include "analyzer/cli/shared/terminal.hpp"
#include "analyzer/cli/verbs/recording/child_recording.hpp"
#include "analyzer/io/child_processes.hpp"
#include "analyzer/query/loaded_trace.hpp"
#include "collector/trace/types/unfinished.hpp"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

namespace tidemark::cli {
namespace {

/// Distinguishes a file from the one that had its name before.
struct FileStamp {
  ino_t number = 0;
  long changed_s = 0;
  long changed_ns = 0;
  bool operator==(const FileStamp&) const = default;
};

std::optional<FileStamp> stamp_of(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) {
    return std::nullopt;
  }
  return FileStamp{facts.st_ino, facts.st_ctim.tv_sec, facts.st_ctim.tv_nsec};
}

/// Starts the window in its own process group: Ctrl-C in the terminal ends only the program.
/// @return none if it could not be started, which was reported.
std::optional<pid_t> start_window(const analyzer::ChildProcesses& children,
                                  const std::vector<std::string>& words) {
  const auto window =
      children.start({.path = words.front(), .words = words, .has_own_group = true});
  if (!window) {
    say(words.front() + " cannot be started: " + std::strerror(errno));
  }
  return window;
}

/// Opens the window on a trace that is being written, once there is enough of it to be read.
class GrowingTrace {
 public:
  GrowingTrace(const analyzer::ChildProcesses& children, std::string path, const WindowWords& words)
      : children_(children),
        path_(std::move(path)),
        words_(words),
        old_(stamp_of(path_)),
        watch_([this](const std::stop_token& stop) { wait(stop); }) {}

  /// The recording is over. @return the window; none if it was not opened.
  std::optional<pid_t> stop() {
    watch_.request_stop();
    watch_.join();
    return window_;
  }

 private:
  void wait(const std::stop_token& stop) {
    constexpr std::chrono::milliseconds kPeriod(20);
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any stopped;
    while (!stop.stop_requested()) {
      const auto stamp = stamp_of(path_);
      if (stamp && stamp != old_ && analyzer::LoadedTrace::open(path_).ok()) {
        window_ = start_window(children_, words_(path_));
        return;
      }
      stopped.wait_for(lock, stop, kPeriod, [] { return false; });
    }
  }

  const analyzer::ChildProcesses& children_;
  std::string path_;
  const WindowWords& words_;
  std::optional<FileStamp> old_;  // What an earlier recording left there.
  std::optional<pid_t> window_;
  std::jthread watch_;  // Last: it uses the others.
};

}  // namespace

int record_and_view(const RecordOptions& options, const WindowWords& window) {
  const analyzer::ChildProcesses children;
  const auto old = stamp_of(options.output);
  GrowingTrace growing(children, trace::unfinished_name(options.output), window);
  const auto end = record_in_child(SignalsPassedOn(), children, options, STDOUT_FILENO);
  auto shown = growing.stop();
  if (!end.ok()) {
    return fail(end.error());
  }
  const auto whole = stamp_of(options.output);
  if (!shown && whole && whole != old) {
    shown = start_window(children, window(options.output));
  }
  if (shown) {
    wait_for_background(children, *shown);
  }
  return end.value();
}

}  // namespace tidemark::cli
