/// The verbs of the end-to-end tests.
#pragma once

#include "tests/end_to_end/recording.hpp"
#include "tests/end_to_end/running_program.hpp"
#include "tests/support/sizes.hpp"
#include "tests/support/temporary_folder.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace tidemark::tests {

using Words = std::vector<std::string>;

/// A work folder and what can be run in it. The folder stays when the test fails, and the commands
/// to repeat its steps are printed.
class EndToEnd {
 public:
  EndToEnd();
  ~EndToEnd();
  EndToEnd(const EndToEnd&) = delete;
  EndToEnd& operator=(const EndToEnd&) = delete;
  EndToEnd(EndToEnd&&) = delete;
  EndToEnd& operator=(EndToEnd&&) = delete;

  /// `path` in the work folder.
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.file(name); }
  /// A program of hosts/, with arguments.
  [[nodiscard]] static Words host(const std::string& name, const Words& arguments = {});
  /// A library that was built beside the hosts.
  [[nodiscard]] static std::string library(const std::string& name);
  /// Makes a file of `bytes` bytes in the work folder. @return its path.
  [[nodiscard]] std::string a_file_of(std::size_t bytes, const std::string& name) const;
  [[nodiscard]] std::string a_file_with(const std::string& text, const std::string& name) const;

  /// Runs a program without tidemark.
  Outcome run_alone(const Command& command);
  Outcome run_alone(const Words& words) { return run_alone(Command{words, {}, {}, false, {}, {}}); }
  /// Records it, quietly, and reads the trace.
  Recording record(const Command& command);
  Recording record(const Words& words) { return record(Command{words, {}, {}, false, {}, {}}); }
  /// Runs it without and with tidemark and checks that nobody could tell the difference by its
  /// output and its end.
  Recording record_unchanged(const Command& command);
  Recording record_unchanged(const Words& words) {
    return record_unchanged(Command{words, {}, {}, false, {}, {}});
  }
  /// Starts a recording and returns at once. Its trace is `trace()`.
  std::unique_ptr<RunningProgram> start_recording(Command command);
  [[nodiscard]] std::string trace() const { return path("host.tmk"); }

  /// `tidemark WORDS`.
  Outcome tidemark(const Words& words);
  nlohmann::json report(const std::string& trace);

  /// Path of tidemark: this build's, or an installed one's in TIDEMARK_UNDER_TEST.
  static std::string command();

 private:
  std::string next_prefix(const std::string& kind, const Command& command);
  [[nodiscard]] Command recorded(Command command, const std::string& trace) const;

  TemporaryFolder folder_;
  std::string repeat_;  ///< Shell lines of every step so far.
  int steps_ = 0;
};

/// A safetensors file of 16 tensors, `bytes` of float32 each.
std::string sixteen_tensors(std::uint64_t bytes = kMiB);

/// The part after the last "/".
std::string base_name(const std::string& path);

}  // namespace tidemark::tests
