/// Starts the root host of a session.
#pragma once

#include "collector/launch/host_environment.hpp"
#include "collector/trace/types/result.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace tidemark {

struct Launch {
  std::vector<std::string> command;  ///< Program as found by inspect_program, then its arguments.
  std::string path;                  ///< File to run; command[0] stays argv[0].
  bool needs_shell = false;  ///< If the kernel does not know the format, /bin/sh runs the file.
  SessionVariables session;
  /// Called with the new process, which waits before its exec until this returns. May be empty. If
  /// it throws, the process has ended when `launch` rethrows.
  std::function<void(pid_t)> before_exec;
};

/// Forks and execs. The host starts with the signal mask and dispositions of this process, in its
/// process group, on its terminal; its environment is host_environment's.
/// On return, the signals that SignalForwarding forwards are blocked, so that none is lost before
/// it exists; it unblocks them. SIGCHLD, if it was ignored, has its default from then on.
/// @return the pid, or kUsage with one sentence when the exec fails.
Result<pid_t> launch(const Launch& what);

/// Our objects: libtidemark_preload.so, which is beside the running command (../lib,
/// ../lib/tidemark) or where TIDEMARK_PRELOAD says; beside it libtidemark_copies.so, and the Vulkan
/// layer where that was built. The session's address is left empty.
/// @return kUsage when one is missing.
Result<SessionVariables> find_objects(bool with_copies);

/// While it lives, signals that somebody sends to this process go on to the host. Those that the
/// terminal sends (Ctrl-C) reach the whole group by themselves and only must not end us. Once the
/// host has ended, each of them, the terminal's too, asks us to stop waiting for its children.
/// The end of a child ends a sleep on `doorbell`, a futex that must outlive this.
class SignalForwarding {
 public:
  SignalForwarding(pid_t host, std::atomic<std::uint32_t>& doorbell);
  ~SignalForwarding();

  /// Call before the host's pid is given back to the kernel: it may belong to another process then.
  void host_has_ended();
  [[nodiscard]] bool was_asked_to_stop() const;
  SignalForwarding(const SignalForwarding&) = delete;
  SignalForwarding& operator=(const SignalForwarding&) = delete;
};

}  // namespace tidemark
