/// An exit status as people read it: 128 + N is the end by signal N.
#pragma once

#include <string>

namespace tidemark::analyzer {

/// `SIGKILL` for 137; empty for the program's own status. Real-time signals have no name, and count
/// as the program's own status.
std::string ending_signal(int exit_status);

/// `SIGKILL (Killed)`; else as `ending_signal`.
std::string ending_signal_described(int exit_status);

/// `137 (SIGKILL)`, `3`.
std::string exit_status_text(int exit_status);

}  // namespace tidemark::analyzer
