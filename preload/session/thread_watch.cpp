#include "preload/session/thread_watch.hpp"

#include "preload/os/sys.hpp"

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {
namespace {

/// linux/futex.h: struct robust_list_head. An entry is the address of a `next`; its lowest bit says
/// that a futex inherits priority.
struct RobustListHead {
  void* first;
  long word_from_entry;
  void* pending;  ///< An entry that is on its way in or out.
};

RobustListHead* list_of_this_thread() {
  RobustListHead* head = nullptr;
  std::size_t length = 0;
  if (sys::call(SYS_get_robust_list, 0, sys::as_long(&head), sys::as_long(&length)) != 0 ||
      length != sizeof(RobustListHead))
    return nullptr;
  return head;  // null in the child of a bare clone
}

/// The word before a `next` is the `previous` of its entry; the head has one, too.
void** previous_of(void* entry) {
  const auto at = reinterpret_cast<std::uintptr_t>(entry) & ~std::uintptr_t{1};
  return reinterpret_cast<void**>(at) - 1;
}

}  // namespace

bool watch_this_thread(ThreadWatch& watch, std::uint32_t tid) {
  watch.word.store(tid, std::memory_order_release);
  RobustListHead* head = list_of_this_thread();
  // `pending` is set if a handler interrupted libc in the middle of a change.
  if (head == nullptr || head->word_from_entry != kWordFromNext || head->pending != nullptr)
    return false;
  watch.next = head->first;
  watch.previous = &head->first;
  *previous_of(head->first) = &watch.next;
  // The kernel follows `next` only: the entry must be complete before it is linked.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  head->first = &watch.next;
  return true;
}

}  // namespace tidemark::preload
