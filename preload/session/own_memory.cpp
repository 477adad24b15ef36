#include "preload/session/own_memory.hpp"

#include "preload/session/process.hpp"
#include "preload/session/thread_state.hpp"

#include <atomic>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

// The linker's: this object in memory.
extern "C" const char __ehdr_start[] __attribute__((visibility("hidden")));
extern "C" const char _end[] __attribute__((visibility("hidden")));

namespace tidemark::preload {
namespace {

AddressRange range_at(const void* base, std::uint64_t bytes) {
  const auto begin = reinterpret_cast<std::uint64_t>(base);
  return base == nullptr ? AddressRange{} : AddressRange{begin, begin + bytes};
}

constinit std::atomic<std::uint64_t> g_noted_begin = 0;
constinit std::atomic<std::uint64_t> g_noted_end = 0;

/// Keeps the lowest of the ranges that overlap what is asked for.
class Search {
 public:
  explicit Search(const AddressRange& wanted) : wanted_(wanted) {}

  void see(const AddressRange& own) {
    const AddressRange part{own.begin > wanted_.begin ? own.begin : wanted_.begin,
                            own.end < wanted_.end ? own.end : wanted_.end};
    if (!part.is_empty() && (found_.is_empty() || part.begin < found_.begin))
      found_ = part;
  }
  [[nodiscard]] const AddressRange& found() const { return found_; }

 private:
  AddressRange wanted_;
  AddressRange found_;
};

/// A forked child has its parent's pointers and not its windows, until it is attached itself.
void see_stack_table(Search& search) {
  if (g_process->attached.load(std::memory_order_acquire) != ProcessState::kAttachedHere)
    return;
  search.see(range_at(g_small_table.base, wire::kSmallStackTableBytes));
  const wire::StackTable* table = g_stack_table.load(std::memory_order_acquire);
  if (table != nullptr && table->max_nodes == wire::kMaxStackNodes)
    search.see(range_at(table->base, wire::kStackTableBytes));
}

void see_threads(Search& search) {
  constexpr int kMaxLooks = 64;
  const ThreadState* state = g_process->thread_states.load(std::memory_order_acquire);
  for (int i = 0; state != nullptr && i < kMaxLooks; ++i, state = state->next_state) {
    search.see(range_at(state, wire::round_to_page(sizeof(ThreadState))));
    search.see(range_at(state->slots, wire::kRingBytes));
  }
}

}  // namespace

void note_own(const AddressRange& range) {
  g_noted_end.store(range.end, std::memory_order_relaxed);
  g_noted_begin.store(range.begin, std::memory_order_release);
}

AddressRange find_own(const AddressRange& range) {
  if (g_attachment.load(std::memory_order_acquire) != Attachment::kAttached)
    return {};
  Search search(range);
  search.see({reinterpret_cast<std::uint64_t>(__ehdr_start) / wire::kPageBytes * wire::kPageBytes,
              wire::round_to_page(reinterpret_cast<std::uint64_t>(_end))});
  search.see(range_at(g_session.base, wire::kControlBytes));
  search.see(range_at(g_process, wire::round_to_page(sizeof(ProcessState))));
  const std::uint64_t noted = g_noted_begin.load(std::memory_order_acquire);
  search.see({noted, wire::round_to_page(g_noted_end.load(std::memory_order_relaxed))});
  see_stack_table(search);
  see_threads(search);
  return search.found();
}

}  // namespace tidemark::preload
