/// The kernel's marks of ended threads, which lie in the memory of their process: see
/// preload/session/thread_watch.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <sys/types.h>

namespace tidemark {

/// At a time.
constexpr std::size_t kMaxMarks = 256;

/// Reads the words at `addresses`, kMaxMarks at most, of process `pid`.
/// @param words as many as `addresses`.
/// @return how many were read, from the first on: fewer where one is not mapped; none where the
/// process may not be looked into (another user's, not dumpable, Yama) or is gone.
std::size_t read_thread_marks(pid_t pid,
                              std::span<const std::uint64_t> addresses,
                              std::span<std::uint32_t> words);

}  // namespace tidemark
