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

/// The path of its program, also when that file has been deleted since. Empty when it is gone or
/// may not be looked into.
std::string read_executable(pid_t pid);

}  // namespace tidemark
