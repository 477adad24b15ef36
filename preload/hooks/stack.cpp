#include "preload/hooks/stack.hpp"

#include "preload/hooks/modules.hpp"
#include "preload/hooks/python_code.hpp"
#include "preload/os/glibc_versions.hpp"
#include "preload/os/seccomp.hpp"
#include "preload/os/sys.hpp"
#include "preload/session/process.hpp"
#include "preload/session/record.hpp"
#include "preload/session/thread.hpp"
#include "preload/unwind/full_unwinder.hpp"
#include "preload/unwind/modules.hpp"
#include "preload/unwind/own_stack.hpp"
#include "preload/unwind/rules/cfi.hpp"

#include <errno.h>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {
namespace {

// libunwind.h: int unw_backtrace(void**, int). Not linked: an object that needs libunwind puts its
// _Unwind_* functions in front of libgcc's for every C++ throw in the host.
using Backtrace = int (*)(void**, int);
constinit Backtrace g_libunwind_backtrace = nullptr;

/// Hides errno values of libunwind's system calls from the host.
class ErrnoKept {
 public:
  ErrnoKept() : before_(errno) {}
  ~ErrnoKept() { errno = before_; }
  ErrnoKept(const ErrnoKept&) = delete;
  ErrnoKept& operator=(const ErrnoKept&) = delete;

 private:
  int before_;
};

/// Waits while the collector empties the stack table. @return the table's generation; odd only if
/// the collector is gone.
std::uint32_t wait_for_generation() {
  constexpr long kPauseNs = 1'000'000;
  std::atomic<std::uint32_t>& generation = process_slot().stack_generation;
  std::uint32_t seen = generation.load(std::memory_order_acquire);
  while (seen % 2 != 0 && !detach_if_abandoned()) {
    wait_on(&generation, seen, kPauseNs);
    seen = generation.load(std::memory_order_acquire);
  }
  return seen;
}

/// Made of the current state, never while the table is being emptied: nodes found then would pass
/// for ones of the generation before.
unwind::WalkContext make_context() {
  unwind::WalkContext context;
  context.generation = wait_for_generation();
  context.interner = unwind::StackInterner(*g_stack_table.load(std::memory_order_acquire));
  context.epoch = g_module_epoch.load(std::memory_order_acquire);
  context.root = context.interner.intern(wire::kNoNode, wire::kRootMark | context.epoch);
  const std::uint32_t limit = control().depth_limit;
  context.depth_limit =
      limit == 0 || limit > unwind::kMaxUnwindDepth ? unwind::kMaxUnwindDepth : limit;
  context.on_module = announce_module;
  context.tell_code = tell_code;
  return context;
}

void announce_modules(ThreadState& thread, const std::uint64_t* addresses, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    unwind::Module module;
    if (unwind::find_module(addresses[i], module))
      announce_module(module, thread.context.epoch);
  }
}

/// The innermost `total` frames at `first`; more of them were out of reach where `cut`.
unwind::Capture intern_found(ThreadState& thread,
                             const void* const* first,
                             std::uint32_t total,
                             bool cut) {
  const auto* addresses = reinterpret_cast<const std::uint64_t*>(first);
  announce_modules(thread, addresses, total);
  const std::uint32_t limit = thread.context.depth_limit;
  const std::uint32_t kept = total < limit ? total : limit;
  return unwind::Walker::intern_all(addresses, kept, cut || kept < total, thread.context);
}

/// For programs that keep rbp as frame pointer in all of their code. Ends silently where rbp no
/// longer leads up the stack: code without frame pointers cannot be recognised.
unwind::Capture capture_by_frame_pointers(ThreadState& thread, const unwind::FrameState& caller) {
  unwind::FrameState state = caller;
  std::uint32_t count = 0;
  bool goes_on = true;
  while (goes_on && count < unwind::kMaxUnwindDepth) {
    thread.found[count++] = reinterpret_cast<void*>(state.pc);
    goes_on = unwind::step_by_frame_pointer(state);
  }
  return intern_found(thread, thread.found, count, goes_on);
}

/// Our own frames come first in libunwind's list; the caller's is found by its return address.
unwind::Capture capture_by_libunwind(ThreadState& thread, const unwind::FrameState& caller) {
  int count = 0;
  {
    const ReentrancyGuard internal(thread);
    const ErrnoKept errno_kept;
    count = g_libunwind_backtrace(thread.found, static_cast<int>(unwind::kMaxUnwindDepth));
  }
  const auto total = static_cast<std::uint32_t>(count > 0 ? count : 0);
  std::uint32_t first = 0;
  while (first < total && reinterpret_cast<std::uint64_t>(thread.found[first]) != caller.pc)
    ++first;
  if (first == total)
    return {};
  return intern_found(thread, thread.found + first, total - first,
                      total == unwind::kMaxUnwindDepth);
}

/// True if the walk recorded in `thread.walking` was left by longjmp: its frame is gone. On any
/// other stack this cannot be told, and the walk is assumed to be suspended.
bool is_walk_abandoned(const ThreadState& thread, std::uint64_t sp) {
  const std::uint64_t end = unwind::own_stack_end(sp);
  return end != 0 && end == unwind::own_stack_end(thread.walking) && sp > thread.walking;
}

/// Called when the walker has reached a rule that it does not support.
[[gnu::noinline]] unwind::Capture capture_with_fallback(ThreadState& thread,
                                                        const unwind::FrameState& caller,
                                                        const unwind::Capture& capture) {
  auto* addresses = reinterpret_cast<std::uint64_t*>(thread.found);
  const unwind::FullCapture full =
      unwind::capture_fully(caller, addresses, thread.found_at, unwind::kMaxUnwindDepth);
  if (full.count == 0)
    return capture;
  process_slot().unwind_fallbacks.fetch_add(1, std::memory_order_relaxed);
  announce_modules(thread, addresses, full.count);
  return thread.walker.intern_found(addresses, thread.found_at, full.count, full.truncated,
                                    thread.context);
}

/// Our own unwinder: the walker, or the full one if that cannot go on. Inlined, as each function
/// between malloc and the walk saves all registers again.
[[gnu::always_inline]] inline unwind::Capture capture_fast(ThreadState& thread,
                                                           const unwind::FrameState& caller) {
  const unwind::Capture capture = thread.walker.capture(caller, thread.context);
  if (!capture.needs_fallback) [[likely]]
    return capture;
  return capture_with_fallback(thread, caller, capture);
}

enum class Comparison : std::uint8_t {
  kSame,
  kEndsEarly,  ///< Equal until libunwind's ends in code without tables.
  kDifferent,
};

/// Skips Python frames, which libunwind does not know.
std::uint32_t native_node(const wire::StackNode* nodes, std::uint32_t node) {
  while (wire::is_python_frame(nodes[node].address))
    node = nodes[node].parent();
  return node;
}

/// True for a return address into code covered by unwind tables.
bool has_unwind_row(std::uint64_t address) {
  unwind::Module module;
  unwind::UnwindRow row;
  return unwind::find_module(address, module) &&
         unwind::find_row(module.tables, address - 1, row) != unwind::RowFound::kNotCovered;
}

bool is_end_mark(std::uint64_t address) {
  return address >> 56 == wire::kRootMark >> 56 || address >> 56 == wire::kTruncatedMark >> 56;
}

/// Compares native frames only. Addresses, not node ids: two threads that intern a stack at the
/// same moment may get two nodes for it.
Comparison compare(std::uint32_t ours, std::uint32_t reference) {
  const wire::StackNode* nodes = g_stack_table.load(std::memory_order_acquire)->nodes();
  std::uint64_t last = 0;
  ours = native_node(nodes, ours);
  while (ours != reference && nodes[ours].address == nodes[reference].address) {
    last = nodes[ours].address;
    ours = native_node(nodes, nodes[ours].parent());
    reference = nodes[reference].parent();
  }
  if (ours == reference)
    return Comparison::kSame;
  return last != 0 && is_end_mark(nodes[reference].address) && !has_unwind_row(last)
             ? Comparison::kEndsEarly
             : Comparison::kDifferent;
}

[[gnu::noinline]] unwind::Capture capture_and_compare(ThreadState& thread,
                                                      const unwind::FrameState& caller) {
  const unwind::Capture ours = capture_fast(thread, caller);
  if (g_libunwind_backtrace == nullptr)
    return ours;
  const unwind::Capture reference = capture_by_libunwind(thread, caller);
  if (ours.truncated && reference.truncated)  // libunwind's limit counts our own frames, too
    return ours;
  control().stacks_compared.fetch_add(1, std::memory_order_relaxed);
  switch (compare(ours.node, reference.node)) {
    case Comparison::kSame:
      break;
    case Comparison::kEndsEarly:
      control().stacks_ended_early.fetch_add(1, std::memory_order_relaxed);
      break;
    case Comparison::kDifferent:
      control().stacks_different.fetch_add(1, std::memory_order_relaxed);
  }
  return ours;
}

[[gnu::noinline]] unwind::Capture capture_another_way(ThreadState& thread,
                                                      const unwind::FrameState& caller) {
  switch (control().unwinder) {
    case wire::Unwinder::kLibunwind:
      if (g_libunwind_backtrace != nullptr)
        return capture_by_libunwind(thread, caller);
      break;
    case wire::Unwinder::kFramePointer:
      return capture_by_frame_pointers(thread, caller);
    case wire::Unwinder::kCheck:
      return capture_and_compare(thread, caller);
    case wire::Unwinder::kFast:
    case wire::Unwinder::kNone:
      break;
  }
  return capture_fast(thread, caller);
}

[[gnu::always_inline]] inline unwind::Capture walk(ThreadState& thread,
                                                   const unwind::FrameState& caller) {
  thread.walking = caller.sp;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const unwind::Capture taken = control().unwinder == wire::Unwinder::kFast
                                    ? capture_fast(thread, caller)
                                    : capture_another_way(thread, caller);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  thread.walking = 0;
  return taken;
}

/// True when the table was emptied since the context was made: what a walk found in it then may be
/// half old and half new.
bool is_emptied(const unwind::WalkContext& context) {
  return process_slot().stack_generation.load(std::memory_order_acquire) != context.generation;
}

bool is_out_of_date(const unwind::WalkContext& context) {
  return context.epoch != g_module_epoch.load(std::memory_order_relaxed) || is_emptied(context);
}

/// The table is full: asks the collector to empty it, and waits. The collector reads all nodes
/// first, so that records on their way keep their stacks.
void wait_for_empty_table(const unwind::WalkContext& context) {
  constexpr long kPauseNs = 10'000'000;
  wire::ProcessSlot& slot = process_slot();
  while (slot.stack_generation.load() == context.generation && !detach_if_abandoned()) {
    slot.wanted_generation.store(context.generation + 2);
    wake_collector();
    wait_on(&slot.stack_generation, context.generation, kPauseNs);
  }
}

/// True when another thread has enlarged the table meanwhile.
bool has_larger_table(const unwind::WalkContext& context) {
  return g_stack_table.load(std::memory_order_acquire)->max_nodes >
         context.interner.table().max_nodes;
}

/// After a walk for which the table was full, or during which it was emptied.
[[gnu::noinline]] unwind::Capture take_again(ThreadState& thread,
                                             const unwind::FrameState& caller) {
  constexpr int kTries = 3;  // many threads may fill a fresh table before one comes to its turn
  for (int i = 0; i < kTries; ++i) {
    if (!is_emptied(thread.context) && !enlarge_stack_table() && !has_larger_table(thread.context))
      wait_for_empty_table(thread.context);
    thread.context = make_context();
    const unwind::Capture taken = walk(thread, caller);
    if (taken.node != wire::kNoNode && !is_emptied(thread.context))
      return taken;
  }
  return {wire::kNoNode, true, false};
}

void count_truncated(const unwind::Capture& taken) {
  if (taken.truncated) [[unlikely]]
    process_slot().stacks_truncated.fetch_add(1, std::memory_order_relaxed);
}

/// For a handler that interrupted a walk. That walk goes on afterwards: nothing that it uses
/// changes.
[[gnu::noinline]] std::uint32_t take_nested_stack(const unwind::FrameState& caller) {
  const unwind::WalkContext context = make_context();
  unwind::Capture taken = unwind::Walker::capture_plain(caller, context);
  if (taken.node == wire::kNoNode || is_emptied(context))
    taken = {wire::kNoNode, true, false};
  count_truncated(taken);
  return wire::name_stack(context.generation, taken.node);
}

[[gnu::noinline]] void renew_context(ThreadState& thread) {
  thread.context = make_context();
}

}  // namespace

std::uint32_t capture_stack(ThreadState& thread, const unwind::FrameState& caller) {
  if (control().unwinder == wire::Unwinder::kNone) [[unlikely]]
    return wire::kNoNode;
  if (thread.walking != 0 && !is_walk_abandoned(thread, caller.sp)) [[unlikely]]
    return take_nested_stack(caller);
  if (is_out_of_date(thread.context)) [[unlikely]]
    renew_context(thread);
  unwind::Capture taken = walk(thread, caller);
  if (taken.node == wire::kNoNode || is_emptied(thread.context)) [[unlikely]]
    taken = take_again(thread, caller);
  count_truncated(taken);
  return wire::name_stack(thread.context.generation, taken.node);
}

std::uint32_t capture_stack_of_small(ThreadState& thread,
                                     std::uint64_t bytes,
                                     const unwind::FrameState& caller) {
  if (!thread.sampler.is_on())
    return wire::kNoNode;
  return thread.sampler.takes(bytes) ? capture_stack(thread, caller) : wire::kUnsampledStack;
}

void load_libunwind() {
  if (g_attachment.load() != Attachment::kAttached || g_libunwind_backtrace != nullptr)
    return;
  if (control().unwinder != wire::Unwinder::kLibunwind &&
      control().unwinder != wire::Unwinder::kCheck)
    return;
  ThreadState* thread = current_thread();
  if (thread == nullptr)
    return;
  const ReentrancyGuard internal(*thread);
  const ErrnoKept errno_kept;
  void* const library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr && dlsym != nullptr)
    g_libunwind_backtrace = reinterpret_cast<Backtrace>(dlsym(library, "unw_backtrace"));
}

}  // namespace tidemark::preload
