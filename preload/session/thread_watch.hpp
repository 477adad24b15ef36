/// Notices a thread's end through the kernel, at the thread's very last moment.
///
/// Every thread has a list of robust futexes. When the thread exits, the kernel walks the list and
/// marks each word that holds the thread's number (robust-futexes in the kernel's documentation;
/// set_robust_list(2)). libc keeps that list for robust mutexes; our entry looks like a mutex that
/// is never unlocked. It uses none of libc's resources: no pthread_key_t, no destructor, no memory.
#pragma once

#include "preload/wire/session.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tidemark::preload {

/// Has the layout of those parts of glibc's pthread_mutex_t that the list uses (x86-64, since 2.5).
/// Must not move while its thread lives. All zeros: unused.
struct ThreadWatch {
  /// The tid while the thread lives; then wire::kOwnerDied in its place.
  std::atomic<std::uint32_t> word;
  std::uint32_t unused[5];
  void* previous;  ///< From here on read by libc and the kernel.
  void* next;

  [[nodiscard]] bool has_ended() const {
    return (word.load(std::memory_order_acquire) & wire::kOwnerDied) != 0;
  }
};
constexpr std::ptrdiff_t kWordFromNext = -32;
static_assert(static_cast<std::ptrdiff_t>(offsetof(ThreadWatch, word)) -
                      static_cast<std::ptrdiff_t>(offsetof(ThreadWatch, next)) ==
                  kWordFromNext,
              "as glibc's, whose list has one distance for all entries");

/// Puts `watch` into the calling thread's list. Signals must be blocked.
/// @return false if the thread has no list of that layout, or is changing it at this moment: then
/// `word` only holds the tid.
bool watch_this_thread(ThreadWatch& watch, std::uint32_t tid);

}  // namespace tidemark::preload
