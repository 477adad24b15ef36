#include "preload/session/process.hpp"

#include "preload/os/seccomp.hpp"
#include "preload/os/sys.hpp"
#include "preload/session/clock.hpp"
#include "preload/session/session_file.hpp"
#include "preload/session/thread_state.hpp"

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {

constinit std::atomic<Attachment> g_attachment{Attachment::kUnknown};
constinit wire::SessionMap g_session{};
constinit ProcessState* g_process = nullptr;
constinit wire::StackTable g_small_table{};
constinit std::atomic<const wire::StackTable*> g_stack_table{nullptr};
constinit std::atomic<std::uint32_t> g_module_epoch{1};

namespace {

// Beside the small one, which a thread may still use while others use this.
constinit wire::StackTable g_large_table{};
// Not wiped by a fork: a child sees its parent's claim here until it has its own.
constinit wire::ProcessClaim g_last_claim{};
// A later bare clone finds the value of the last fork, which is too small: then it may be credited
// with more of its parent's writes than it shares.
constinit std::atomic<std::uint64_t> g_faults_before_fork{0};

bool map_stack_table(std::uint32_t process) {
  std::byte* base = map_window(wire::stack_table_offset(process), wire::kSmallStackTableBytes);
  if (base == nullptr)
    return false;
  g_small_table = wire::StackTable::small(base);
  g_stack_table.store(&g_small_table, std::memory_order_release);
  return true;
}

bool map_private_state() {
  std::byte* state = sys::map(sizeof(ProcessState), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
  // Without wipe-on-fork (Linux before 4.14) a forked child would write into its parent's rings.
  if (state == nullptr || sys::advise(state, sizeof(ProcessState), MADV_WIPEONFORK) != 0)
    return false;
  g_process = reinterpret_cast<ProcessState*>(state);
  return true;
}

constexpr std::uint32_t kWiped = 0;  ///< ProcessState::attached after a fork.

/// @return kNone once this process has a slot.
wire::Refusal claim_slot(wire::Origin origin) {
  if (!may(kMayAttach))
    return wire::Refusal::kForbidden;
  for (std::uint32_t i = 0; i < control().blocks; ++i) {
    wire::ProcessSlot& slot = g_session.process(i);
    auto expected = wire::ProcessState::kFree;
    // The plain load keeps the cache line shared: in a fork storm all children pass here.
    if (slot.state.load(std::memory_order_relaxed) != wire::ProcessState::kFree ||
        !slot.state.compare_exchange_strong(expected, wire::ProcessState::kAlive))
      continue;
    if (!map_stack_table(i)) {
      slot.state.store(wire::ProcessState::kFree);
      return wire::Refusal::kNoMemory;
    }
    slot.pid = sys::process_id();
    slot.parent_pid = sys::parent_id();
    slot.origin = origin;
    slot.identity = may(kMayAskIdentity) ? sys::process_identity() : 0;
    slot.private_bytes.store(sizeof(ProcessState), std::memory_order_relaxed);
    slot.state_address = reinterpret_cast<std::uintptr_t>(g_process);
    slot.state_bytes = sizeof(ProcessState);
    slot.thread_state_bytes = sizeof(ThreadState);
    slot.bytes_being_read.store(0, std::memory_order_relaxed);
    slot.code_table_address.store(0, std::memory_order_relaxed);
    slot.idle_rings.store(0, std::memory_order_relaxed);
    slot.rings.store(0, std::memory_order_relaxed);
    slot.forked_from = g_last_claim;
    slot.faults_before_fork = g_faults_before_fork.exchange(0, std::memory_order_relaxed);
    g_last_claim = {i, slot.generation.fetch_add(1, std::memory_order_relaxed) + 1};
    slot.published.store(1, std::memory_order_release);
    g_process->slot = i;
    g_process->attached.store(ProcessState::kAttachedHere, std::memory_order_release);
    std::uint32_t used = control().processes_used.load();
    while (used <= i && !control().processes_used.compare_exchange_weak(used, i + 1)) {
    }
    return wire::Refusal::kNone;
  }
  return wire::Refusal::kNoPlace;
}

bool find_session() {
  g_session = map_session();
  if (g_session.base == nullptr)
    return false;
  set_clock(control().clock);
  return map_private_state();
}

/// A program too short of memory for the session needs what it has. The collector sees from outside
/// that it is not recorded, and why.
void give_everything_back() {
  g_attachment.store(Attachment::kDetached, std::memory_order_release);
  sys::unmap(g_session.base, wire::kControlBytes);
  // The process's state stays mapped (a few pages), since another thread may be about to look up a
  // descriptor in it.
  g_session = {};
  g_process = nullptr;
}

/// After a fork `*g_process` is wiped; the first thread to come here attaches for all.
bool attach_here(wire::Origin origin) {
  std::uint32_t seen = kWiped;
  if (g_process->attached.compare_exchange_strong(seen, ProcessState::kAttaching)) {
    if (detach_if_abandoned())
      return false;
    const wire::Refusal refusal = claim_slot(origin);
    if (refusal == wire::Refusal::kNone)
      return true;
    if (refusal == wire::Refusal::kNoMemory && origin == wire::Origin::kStarted) {
      give_everything_back();
      return false;
    }
    control().processes_refused.of(refusal).fetch_add(1);
    g_process->attached.store(ProcessState::kRefused, std::memory_order_release);
    return false;
  }
  while (seen == ProcessState::kAttaching && g_attachment.load() != Attachment::kDetached)
    seen = g_process->attached.load(std::memory_order_acquire);
  return seen == ProcessState::kAttachedHere;
}

}  // namespace

void note_faults_before_fork() {
  if (g_attachment.load(std::memory_order_acquire) == Attachment::kAttached && may(kMayAskUsage))
    g_faults_before_fork.store(sys::page_faults(RUSAGE_SELF), std::memory_order_relaxed);
}

bool is_vfork_child() {
  // A forked child that has not attached yet has the slot's number wiped.
  return g_process != nullptr && may(kMayAttach) &&
         g_process->attached.load(std::memory_order_relaxed) == ProcessState::kAttachedHere &&
         sys::process_id() != process_slot().pid;
}

bool is_attached_despite_filter() {
  std::uint32_t seen = kWiped;
  if (g_process->attached.compare_exchange_strong(seen, ProcessState::kRefused))
    control().processes_refused.of(wire::Refusal::kForbidden).fetch_add(1);
  return seen == ProcessState::kAttachedHere;
}

bool ensure_attached() {
  switch (g_attachment.load(std::memory_order_acquire)) {
    case Attachment::kDetached:
      return false;
    case Attachment::kAttached:
      return attach_here(wire::Origin::kForked);
    case Attachment::kUnknown:
      break;
  }
  if (!find_session()) {
    g_attachment.store(Attachment::kDetached, std::memory_order_release);
    return false;
  }
  g_attachment.store(Attachment::kAttached, std::memory_order_release);
  return attach_here(wire::Origin::kStarted);
}

bool enlarge_stack_table() {
  const wire::StackTable* table = g_stack_table.load(std::memory_order_acquire);
  if (table->max_nodes == wire::kMaxStackNodes || !may(kMayMap))
    return false;
  const sys::SignalBlock no_signals;  // a handler may leave by longjmp
  bool expected = false;
  if (!g_process->enlarging.compare_exchange_strong(expected, true))
    return false;  // another thread is doing it, or there was no memory: the table counts as full
  std::byte* base = map_window(wire::stack_table_offset(g_process->slot), wire::kStackTableBytes);
  if (base == nullptr)
    return false;
  g_large_table = wire::StackTable::large(base);
  g_stack_table.store(&g_large_table, std::memory_order_release);
  // The kernel counts a shared page once per mapping, so the small window's pages are dropped. A
  // thread that still uses that window reads the same data.
  sys::advise(g_small_table.base, wire::kSmallStackTableBytes, MADV_DONTNEED);
  g_process->enlarging.store(false);
  return true;
}

bool detach_if_abandoned() {
  wire::ControlBlock& block = control();
  const auto* lock_word = reinterpret_cast<const std::atomic<std::uint32_t>*>(block.collector_lock);
  const bool dead = (lock_word->load(std::memory_order_acquire) & wire::kOwnerDied) != 0;
  if (dead)
    block.ended.store(1);
  if (block.ended.load() == 0)
    return false;
  g_attachment.store(Attachment::kDetached, std::memory_order_release);
  return true;
}

}  // namespace tidemark::preload
