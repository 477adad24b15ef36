#include "analyzer/cli/verbs/recording/live_view.hpp"

#include "analyzer/cli/shared/terminal.hpp"
#include "analyzer/cli/verbs/recording/child_recording.hpp"
#include "analyzer/query/loaded_trace.hpp"
#include "collector/trace/types/unfinished.hpp"

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tidemark::cli {
namespace {

/// Tells a file from the one that had its name before.
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

/// A window of its own process group: what the terminal's Ctrl-C ends is the program alone.
/// @return 0 when it could not be started, which was said.
pid_t start_window(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t window = 0;
  const int error =
      posix_spawn(&window, arguments.front(), nullptr, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    say(words.front() + " cannot be started: " + std::strerror(error));
    return 0;
  }
  return window;
}

/// Opens the window on a trace that is being written, once there is enough of it to be read.
class GrowingTrace {
 public:
  GrowingTrace(std::string path, const WindowWords& words)
      : path_(std::move(path)),
        words_(words),
        old_(stamp_of(path_)),
        watch_([this](const std::stop_token& stop) { wait(stop); }) {}

  /// The recording is over. @return the window, or 0 where none was opened.
  pid_t stop() {
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
        window_ = start_window(words_(path_));
        return;
      }
      stopped.wait_for(lock, stop, kPeriod, [] { return false; });
    }
  }

  std::string path_;
  const WindowWords& words_;
  std::optional<FileStamp> old_;  // What an earlier recording left there.
  pid_t window_ = 0;
  std::jthread watch_;  // Last: it uses the others.
};

}  // namespace

int record_and_view(const RecordOptions& options, const WindowWords& window) {
  const auto old = stamp_of(options.output);
  GrowingTrace growing(trace::unfinished_name(options.output), window);
  const auto end = record_in_child(options, STDOUT_FILENO);
  pid_t shown = growing.stop();
  if (!end.ok()) {
    return fail(end.error());
  }
  const auto whole = stamp_of(options.output);
  if (shown == 0 && whole && whole != old) {
    shown = start_window(window(options.output));
  }
  if (shown != 0) {
    wait_for_background(shown);
  }
  return end.value().status;
}

}  // namespace tidemark::cli
