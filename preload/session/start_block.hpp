/// What the kernel put on the stack for a new program image: its arguments and its environment.
#pragma once

#include <cstdint>

// Exported by ld.so. Valid from the first instruction on, long before libc knows `environ`.
extern "C" void* __libc_stack_end;  // NOLINT(bugprone-reserved-identifier): glibc's name

namespace tidemark::preload {

/// Its first word is argc; the arguments and the environment follow, each list ended by a null. A
/// host may later overwrite the strings, as programs that set their process title do.
inline const std::uint64_t* start_block() {
  return static_cast<const std::uint64_t*>(__libc_stack_end);
}
inline std::uint64_t start_argument_count() {
  return start_block()[0];
}
inline const char* const* start_arguments() {
  return reinterpret_cast<const char* const*>(start_block() + 1);
}
inline const char* const* start_environment() {
  return start_arguments() + start_argument_count() + 1;
}

}  // namespace tidemark::preload
