/// The kernel's marks of ended threads, which lie in the memory of their process: see
/// preload/session/thread_watch.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <sys/types.h>

namespace tidemark {

/// Most marks per call.
constexpr std::size_t kMaxMarks = 256;

/// Reads the words at `addresses`, at most kMaxMarks, of process `pid`.
/// @param words as many as `addresses`.
/// @return how many were read, from the first on: fewer if one is not mapped, none if the process
/// is gone or must not be read (another user's, not dumpable, Yama).
std::size_t read_thread_marks(pid_t pid,
                              std::span<const std::uint64_t> addresses,
                              std::span<std::uint32_t> words);

}  // namespace tidemark
