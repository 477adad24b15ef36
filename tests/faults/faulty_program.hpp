/// A program in which one call can be made to fail, again and again.
#pragma once

#include "tests/faults/fault.hpp"
#include "tests/support/temporary_folder.hpp"

#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

namespace tidemark::faults {

/// How one run ended.
struct Run {
  bool is_late = false;  ///< It was still running at the deadline, and has been killed.
  int status = 0;        ///< 128 + N when signal N ended it.
  std::string out;
  std::string err;
  /// What it left in its folder, by path from there.
  std::map<std::string, std::string> files;
  /// How processes ended that it had left behind, as `status`; waited for.
  std::vector<int> orphans;
  bool has_late_orphan = false;
  std::uint64_t faults = 0;  ///< Times that something was made to fail.
  std::uint64_t bytes_written = 0;
  std::array<std::uint64_t, kCallKinds> calls{};

  [[nodiscard]] std::uint64_t count(Call call) const {
    return calls[static_cast<std::size_t>(call)];
  }
};

/// Started once, it stands in front of its main; each run is a fork of it. Standard output and
/// error are files.
class FaultyProgram {
 public:
  /// @param words the program and its arguments, relative to a folder that each run finds empty but
  /// for `inputs`: files to be copied there, by their path.
  /// @param variables NAME=value for its environment.
  explicit FaultyProgram(std::vector<std::string> words,
                         const std::vector<std::string>& inputs = {},
                         const std::vector<std::string>& variables = {});
  FaultyProgram(const FaultyProgram&) = delete;
  FaultyProgram& operator=(const FaultyProgram&) = delete;
  FaultyProgram(FaultyProgram&&) = delete;
  FaultyProgram& operator=(FaultyProgram&&) = delete;
  ~FaultyProgram();

  /// Runs it to its end, or for ten seconds at most.
  Run run(const Fault& fault);

  [[nodiscard]] const std::string& folder() const { return folder_; }
  /// The command, for people.
  [[nodiscard]] std::string text() const;

 private:
  void start(const std::vector<std::string>& variables);
  void clear_folder() const;
  void collect_orphans(Run& run) const;

  std::vector<std::string> words_;
  std::vector<std::string> inputs_;
  tests::TemporaryFolder base_;  ///< Holds the folder, and the two outputs beside it.
  std::string folder_ = base_.file("work");
  pid_t server_ = -1;
  int orders_ = -1;
  int answers_ = -1;
  int out_ = -1;
  int err_ = -1;
};

}  // namespace tidemark::faults
