/// What a running process calls itself.
#pragma once

#include <cstddef>
#include <string>

#include <sys/types.h>

namespace tidemark {

constexpr std::size_t kCommandBytes = 4096;

/// Its arguments, joined by spaces and cut after kCommandBytes. Empty when it is gone, a zombie, or
/// has none.
std::string read_command(pid_t pid);

/// The path of its program, even if that file was deleted since. Empty if the process is gone or
/// access is denied.
std::string read_executable(pid_t pid);

}  // namespace tidemark
