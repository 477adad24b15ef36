/// Programs that were started and have not recorded anything yet.
#pragma once

#include "collector/family/descendants.hpp"
#include "collector/family/judging/end_watch.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <sys/types.h>

namespace tidemark {

/// The numbers that identify a process: on this machine, and in its pid namespace.
struct ProcessNumbers {
  static constexpr std::uint64_t kUnknownNamespace = HostSearch::kUnknownNamespace;

  std::uint32_t pid = 0;            ///< On this machine; 0: not known.
  std::uint32_t own_pid = 0;        ///< In the namespace.
  std::uint64_t pid_namespace = 0;  ///< 0: ours, as far as is known.
  std::uint64_t identity = 0;       ///< wire::ProcessSlot::identity; 0: not known.
};

/// Compares identities, else pids on this machine, else pids in their namespaces: the first that
/// both have.
bool may_be_same(const ProcessNumbers& one, const ProcessNumbers& other);

/// Each is awaited until a process with its numbers records something, its exec fails, or too much
/// time passes.
class AwaitedPrograms {
 public:
  struct Program {
    ProcessNumbers numbers;
    std::uint64_t at_ns = 0;          ///< When it was started.
    std::uint64_t seen_since_ns = 0;  ///< A program seen with that pid after this time is this one.
    EndWatch end = {};
  };

  /// A child was started as a program.
  /// @param known processes of the session so far, including the latest with the child's pid: the
  /// child may have appeared before its parent's record of it.
  void child_started(const ProcessNumbers& child,
                     std::uint64_t at_ns,
                     std::span<const trace::Process> known);
  /// A process called exec at `at_ns`, and its old image is gone.
  void image_left(const ProcessNumbers& process, std::uint64_t at_ns);
  /// A process that was started as a program has recorded something.
  void arrived(const ProcessNumbers& process);
  void exec_failed(std::uint32_t own_pid, std::uint64_t pid_namespace);
  /// Checks whether programs with a known pid have ended, as EndWatch does.
  void look_for_ends(const std::function<std::uint64_t()>& now,
                     const std::function<bool(pid_t)>& is_gone);
  /// Removes and returns those started before `before_ns`.
  [[nodiscard]] std::vector<Program> take_started_before(std::uint64_t before_ns);

 private:
  std::vector<Program> programs_;
};

}  // namespace tidemark
