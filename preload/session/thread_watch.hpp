/// How a thread's end is noticed: by the kernel, at its very last moment.
///
/// Every thread has a list of robust futexes. When the thread is gone, the kernel goes through it
/// and marks each word that holds the thread's number (robust-futexes in the kernel's
/// documentation; set_robust_list(2)). libc keeps that list for robust mutexes; an entry of ours
/// looks like one that is never unlocked. Nothing of libc's is used up or called: no
/// pthread_key_t, no destructor, no memory.
#pragma once

#include "preload/wire/session.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tidemark::preload {

/// Laid out as the parts of glibc's pthread_mutex_t that the list is about (x86-64, since 2.5).
/// Must stay where it is for as long as its thread lives. All zeros: of no thread.
struct ThreadWatch {
  /// The thread's number (tid) while it lives; then wire::kOwnerDied in its place.
  std::atomic<std::uint32_t> word;
  std::uint32_t unused[5];
  void* previous;  ///< libc's and the kernel's from here on.
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
/// @return false where the thread has no list of that layout, or is changing it at this moment:
/// then `word` only says whose it is.
bool watch_this_thread(ThreadWatch& watch, std::uint32_t tid);

}  // namespace tidemark::preload
