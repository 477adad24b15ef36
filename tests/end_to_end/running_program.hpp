/// Programs that a test starts, watches and ends.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace tidemark::tests {

/// Longest that anything in these tests may take; reached only when something hangs.
constexpr std::chrono::seconds kDeadline{120};

struct Command {
  std::vector<std::string> words;
  std::vector<std::string>
      environment;                    ///< NAME=VALUE, added to this process's; NAME alone removes.
  std::string input;                  ///< What stdin holds.
  bool is_interactive = false;        ///< Stdin and stdout are pipes: write_line, read_line.
  std::string folder;                 ///< To run in; empty: this process's.
  std::function<void()> before_exec;  ///< In the child; system calls only.
};

/// How a program ended and what it said.
struct Outcome {
  int status = 0;  ///< Exit status, or 128 + N for signal N.
  std::string out;
  std::string err;
};

/// One program from its start to its end, in a process group of its own. What it says goes to files
/// `prefix`.out and `prefix`.err, which stay when a test fails. Destroyed while running, it is
/// killed with its group.
class RunningProgram {
 public:
  RunningProgram(const Command& command, const std::string& prefix);
  ~RunningProgram();
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;
  RunningProgram(RunningProgram&&) = delete;
  RunningProgram& operator=(RunningProgram&&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Next line of an interactive program's stdout, without its end. Throws at the deadline and at
  /// the end.
  std::string read_line();
  void write_line(const std::string& text) const;
  void signal(int number) const;
  /// Waits for its end, and closes its stdin before.
  Outcome wait();

 private:
  void kill_group() const;

  std::string prefix_;
  pid_t pid_ = -1;
  int to_stdin_ = -1;
  int from_stdout_ = -1;
  std::string read_;  ///< Read from stdout so far, and not yet given out.
  std::string given_;
  bool has_ended_ = false;
};

/// Runs it to its end.
Outcome run(const Command& command, const std::string& prefix);

/// True as soon as `condition` is; false at the deadline.
bool wait_until(const std::function<bool()>& condition);

/// Waits until a recorder has slept and woken so often, from now on, that each kind of look at its
/// host has come: of a host that waits for input, say. On a quiet machine that takes 0.2 s.
/// @return false at the deadline.
bool wait_for_looks(const RunningProgram& recorder);

std::string read_text(const std::string& path);

}  // namespace tidemark::tests
