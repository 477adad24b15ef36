#include "analyzer/cli/verbs/recording/view_command.hpp"

#include "analyzer/cli/shared/terminal.hpp"
#include "analyzer/cli/verbs/recording/live_view.hpp"
#include "collector/os/exec_arguments.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include <unistd.h>

namespace tidemark::cli {
namespace {

/// Empty when there is none: the window is a package of its own.
std::string find_window() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto window = self.parent_path() / "tidemark-gui";
  return ::access(window.c_str(), X_OK) == 0 ? window.string() : std::string();
}

std::vector<std::string> words_for(const ViewCommand& command,
                                   const std::string& window,
                                   const std::vector<std::string>& traces) {
  std::vector<std::string> words{window};
  const auto add = [&words](const char* option, const std::string& value) {
    if (!value.empty()) {
      words.insert(words.end(), {option, value});
    }
  };
  add("--screenshot", command.screenshot);
  add("--size", command.size);
  add("--by", command.by);
  add("--pane", command.pane);
  add("--state", command.state);
  add("--model", command.model);
  add("--frames", command.frames);
  add("--theme", command.theme);
  words.emplace_back("--");  // A file's name may begin with a dash.
  words.insert(words.end(), traces.begin(), traces.end());
  return words;
}

bool has_display() {
  const auto is_set = [](const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  return is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
}

int record_and_show(const ViewCommand& command, const std::string& window) {
  if (!has_display()) {
    return fail({ErrorCode::kUsage,
                 "there is no display to open a window on, so nothing was run: tidemark record "
                 "needs none"});
  }
  RecordOptions recording;
  recording.command = command.program;
  recording.model = command.model;
  recording.output =
      command.output.empty() ? default_output(command.program.front()) : command.output;
  return record_and_view(
      recording, [&](const std::string& trace) { return words_for(command, window, {trace}); });
}

}  // namespace

int run(const ViewCommand& command) {
  const std::string window = find_window();
  if (window.empty() && ::access("/proc/self/exe", F_OK) != 0) {
    return fail({ErrorCode::kUsage,
                 "there is no /proc here, by which this command finds the window's: mount it"});
  }
  if (window.empty()) {
    return fail(
        {ErrorCode::kUsage,
         "the window is not installed: install the package tidemark-gui, or run the tidemark that "
         "./dev build leaves in build/bin; tidemark report --format html and plot need no window"});
  }
  if (command.records) {
    return record_and_show(command, window);
  }
  std::vector<std::string> traces{command.file};
  if (!command.other.empty()) {
    traces.push_back(command.other);
  }
  std::vector<std::string> words = words_for(command, window, traces);
  ::execv(window.c_str(), exec_arguments(words).data());
  return fail({ErrorCode::kIo, window + " cannot be started: " + std::strerror(errno)});
}

}  // namespace tidemark::cli
