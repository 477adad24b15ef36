#include "collector/drain/drain.hpp"

#include "collector/drain/books/taken_pages.hpp"
#include "collector/drain/thread_marks.hpp"
#include "collector/os/clocks.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <functional>
#include <numeric>
#include <utility>

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tidemark {
namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};
/// Most batches per ring in a pass: an honest writer has no more records older than the pass.
constexpr std::uint64_t kMaxPassBatches = wire::kRingSlots / RingReader::kBatchRecords + 2;

}  // namespace

Drain::Drain(SharedSession& session, trace::TraceWriter& writer, Descendants* family)
    : session_(session),
      clock_(session.control().clock),
      assembler_(session.map(), writer, family),
      dead_owner_(wire::kMaxProcesses, false),
      ring_bytes_(wire::kMaxProcesses, 0) {
  assembler_.set_ahead(this);
  // A short life may have seen no sample.
  assembler_.processes().set_before_end([this](Host& host) {
    note_own_bytes(host);
    assembler_.end_unseen_reads(host);
  });
  assembler_.processes().set_is_read([this](const Host& host) { return is_read(host); });
}

void Drain::add_rings() {
  const wire::ControlBlock& block = session_.control();
  const std::uint32_t used = std::min(block.rings_used.load(std::memory_order_acquire),
                                      session_.blocks() * wire::kRingsPerBlock);
  // Without address space here (ulimit -v) such a ring would never be emptied, so hosts go on
  // unrecorded then.
  if (!session_.map_windows(used, block.processes_used.load(std::memory_order_acquire))) {
    session_.end();
    ++windows_missing_;
  }
  while (rings_.size() < used) {
    const auto index = static_cast<std::uint32_t>(rings_.size());
    if (session_.map().slots(index) == nullptr)
      return;
    rings_.push_back(std::make_unique<Ring>(Ring{RingReader(session_.map(), index), {}}));
  }
}

void Drain::find_deaths() {
  for (const auto& host : assembler_.processes().hosts()) {
    if (host->is_dead())
      continue;
    host->look_for_death();
    dead_owner_[host->slot()] = host->is_dead();
  }
}

/// Before the clock: what an ended thread has written is then older than the pass.
void Drain::find_thread_ends() {
  constexpr std::uint64_t kIntervalNs = 5'000'000;
  /// Looks take at most one part of this many of the time.
  constexpr std::uint64_t kTimeParts = 100;
  if (rings_.size() < 2 || clock_.now_ns() < next_thread_look_ns_)
    return;
  const std::uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  list_watched();
  for (const auto& host : assembler_.processes().hosts()) {
    if (host->is_dead() || host->process() == nullptr)
      continue;
    const auto first = std::ranges::lower_bound(watched_, host->slot(), {}, &Watched::slot);
    const auto last = std::ranges::upper_bound(watched_, host->slot(), {}, &Watched::slot);
    if (last - first > 1)  // the last one's end is its process's
      look_at_threads(*host, {first, last});
  }
  const std::uint64_t cost_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
  next_thread_look_ns_ = clock_.now_ns() + std::max(kIntervalNs, kTimeParts * cost_ns);
}

void Drain::list_watched() {
  watched_.clear();
  for (std::uint32_t i = 0; i < rings_.size(); ++i) {
    const wire::RingHeader& ring = session_.map().ring(i);
    const std::uint32_t owner = ring.owner.load(std::memory_order_acquire);
    const std::uint64_t word = ring.watch_word.load(std::memory_order_relaxed);
    if (word != 0 && owner != wire::kRingFree && assembler_.processes().has_thread(i))
      watched_.push_back({owner - 1, i, word, rings_[i]->reader.reserved()});
  }
  std::ranges::stable_sort(watched_, {}, &Watched::slot);
}

/// A mark tells that a thread is gone only until another thread takes over its ring, which at once
/// writes into it.
void Drain::look_at_threads(const Host& host, std::span<const Watched> threads) {
  std::array<std::uint64_t, kMaxMarks> addresses{};
  std::array<std::uint32_t, kMaxMarks> words{};
  for (; !threads.empty(); threads = threads.subspan(std::min(threads.size(), kMaxMarks))) {
    const std::size_t count = std::min(threads.size(), kMaxMarks);
    for (std::size_t i = 0; i < count; ++i)
      addresses[i] = threads[i].word;
    const std::size_t read =
        read_thread_marks(host.process()->pid(), {addresses.data(), count}, {words.data(), count});
    for (std::size_t i = 0; i < read; ++i) {
      const Watched& thread = threads[i];
      if (words[i] != wire::kOwnerDied || rings_[thread.ring]->reader.reserved() != thread.reserved)
        continue;
      ended_.push_back(thread);
    }
  }
}

/// All that was written before the pass is merged.
void Drain::tell_thread_ends() {
  for (const Watched& thread : ended_) {
    const Ring& ring = *rings_[thread.ring];
    if (ring.is_merged() && ring.reader.position() == thread.reserved)
      assembler_.processes().end_thread(thread.ring, clock_.looked_ns());
  }
  ended_.clear();
}

bool Drain::is_owner_dead(std::uint32_t owner) const {
  return owner != wire::kRingFree && owner <= wire::kMaxProcesses && dead_owner_[owner - 1];
}

std::uint64_t Drain::time_of_next(const Ring& ring) const {
  return clock_.to_ticks(ring.next->time);
}

/// Readers are copied: what they look at is read again in its turn.
PageRanges Drain::taken_pages(const Host& host) const {
  PageRanges taken;
  RingBatch batch;
  for (std::uint32_t i = 0; i < rings_.size(); ++i) {
    if (session_.map().ring(i).owner.load(std::memory_order_acquire) != host.slot() + 1)
      continue;
    const Ring& ring = *rings_[i];
    add_taken_pages({ring.next, ring.end}, taken);
    RingReader ahead = ring.reader;
    bool is_finished = false;
    for (std::uint64_t n = 0; n < kMaxPassBatches && !is_finished; ++n) {
      batch.clear();
      is_finished = ahead.read(batch, 0, true);
      add_taken_pages(batch.records, taken);
    }
  }
  return taken;
}

/// First step of a pass: all rings. @return time up to which all of them are known.
std::uint64_t Drain::read_rings(std::uint64_t until) {
  unfinished_.resize(rings_.size());
  std::iota(unfinished_.begin(), unfinished_.end(), 0);
  for (std::uint32_t i = 0; i < rings_.size(); ++i) {
    rings_[i]->batches = 0;
    rings_[i]->final = is_owner_dead(session_.map().ring(i).owner.load(std::memory_order_acquire));
  }
  return read_unfinished(until);
}

/// Reads a batch of each ring whose last one is merged. What was read to its end is unfinished no
/// longer.
/// @return time up to which all rings are known.
std::uint64_t Drain::read_unfinished(std::uint64_t until) {
  const auto cpu = static_cast<std::uint32_t>(sched_getcpu() + 1);
  session_.control().collector_cpu.store(cpu, std::memory_order_relaxed);
  std::uint64_t known = kNever;
  std::erase_if(unfinished_, [&](std::uint32_t i) {
    Ring& ring = *rings_[i];
    bool is_finished = false;
    if (ring.is_merged()) {
      ring.batch.clear();
      is_finished =
          ring.reader.read(ring.batch, until, ring.final) || ++ring.batches == kMaxPassBatches;
      ring.next = ring.batch.records.data();
      ring.end = ring.next + ring.batch.records.size();
      // The batch is a copy: its writer goes on while it is taken in. A wake costs as much as many
      // records, so it is for the space of a batch at least.
      ring.reader.release();
      if (ring.reader.space() >= RingReader::kBatchRecords)
        ring.reader.wake_writer_unless_on(cpu);
      if (!ring.is_merged()) {
        active_.push_back({time_of_next(ring), i});
        std::ranges::push_heap(active_, std::ranges::greater{});
      }
    }
    if (!is_finished) {
      // The next one's, where times of one ring are out of order: so at least that one is taken.
      const std::uint64_t last = clock_.to_ticks(ring.batch.records.back().time);
      known = std::min(known, std::max(last, time_of_next(ring)));
    }
    return is_finished;
  });
  return known;
}

/// @param until no other ring has a record before it.
inline void Drain::take(std::uint32_t index, Ring& ring, std::uint64_t until) {
  if (HeapBook::is_run_kind(ring.next->kind)) {
    const std::size_t run = assembler_.add_heap_run(index, {ring.next, ring.end}, clock_, until);
    ring.next += run;
    records_taken_ += run;
    if (run != 0)
      return;
  }
  const RawRecord& record = *ring.next++;
  const std::span payload(ring.batch.payload.data() + record.payload_at, record.payload_bytes);
  assembler_.add(index, record, payload, clock_.to_ns(record.time), {ring.next, ring.end});
  ++records_taken_;
}

/// One thread's records come in runs: takes from the earliest ring until another one is earlier.
void Drain::merge(std::uint64_t cut) {
  while (!active_.empty() && active_.front().time <= cut) {
    const std::uint32_t index = active_.front().ring;
    Ring& ring = *rings_[index];
    std::uint64_t until = cut;
    for (std::size_t i = 1; i < std::min<std::size_t>(active_.size(), 3); ++i)
      until = std::min(until, active_[i].time);
    std::uint64_t next = 0;
    do {
      take(index, ring, until);
      next = ring.is_merged() ? kNever : time_of_next(ring);
    } while (!ring.is_merged() && (until == kNever || next <= until));
    if (ring.is_merged()) {
      active_.front() = active_.back();
      active_.pop_back();
    } else {
      active_.front().time = next;
    }
    settle_first();
  }
}

/// The first of the heap may be later than others: they come before it.
void Drain::settle_first() {
  std::size_t at = 0;
  for (std::size_t child = 1; child < active_.size(); child = 2 * at + 1) {
    if (child + 1 < active_.size() && active_[child + 1] < active_[child])
      ++child;
    if (active_[at] < active_[child])
      return;
    std::swap(active_[at], active_[child]);
    at = child;
  }
}

std::size_t Drain::pass() {
  const std::uint64_t taken_before = records_taken_;
  bell_ = session_.control().doorbell.load();
  are_ring_bytes_known_ = false;
  find_deaths();  // before the clock: what a dead host wrote is then surely in its rings
  find_thread_ends();
  const std::uint64_t until = clock_.look();
  add_rings();
  merge(read_rings(until));
  while (!unfinished_.empty())
    merge(read_unfinished(until));
  tell_thread_ends();
  wake_all_writers();
  empty_full_tables();
  end_dead_hosts();
  trim_idle_rings();
  return records_taken_ - taken_before;
}

/// Everything that was there when the pass began is read, so threads that waited then have space
/// now. Those that wait on our own core are only woken now: earlier, they would have taken the core
/// from us, filled their rings and waited again, with all others. A thread that has filled its ring
/// meanwhile waits once more.
void Drain::wake_all_writers() {
  session_.control().space_wanted.store(0);
  for (const auto& ring : rings_)
    ring->reader.wake_writer();
}

/// Gives hosts whose stack table is full an empty one. They wait for it meanwhile.
void Drain::empty_full_tables() {
  for (const auto& host : assembler_.processes().hosts()) {
    wire::ProcessSlot& slot = session_.map().process(host->slot());
    const std::uint32_t generation = slot.stack_generation.load();
    const wire::StackTable table = session_.map().stack_table(host->slot());
    const std::uint32_t nodes = table.base != nullptr ? table.header().node_count.load() : 0;
    // Only a full one: a host's word alone must not keep us busy.
    if (host->has_ended() || slot.wanted_generation.load() != generation + 2 ||
        nodes < wire::kSmallStackNodes - 1)
      continue;
    // First, so that no thread takes a stack of this generation any more: one might enlarge the
    // table and go on in it, and its stacks would be in no table that was read.
    slot.stack_generation.store(generation + 1);
    host->tables.stacks.change_generation(generation + 2, table.header().node_count.load());
    session_.discard(wire::stack_table_offset(host->slot()), wire::kStackTableBytes);
    slot.stack_generation.store(generation + 2);
    syscall(SYS_futex, &slot.stack_generation, FUTEX_WAKE, 1 << 30, nullptr, nullptr, 0);
  }
}

void Drain::end_dead_hosts() {
  for (const auto& host : assembler_.processes().hosts()) {
    if (!host->is_dead() || host->has_ended())
      continue;
    // The image that did the exec is not the one that died.
    if (host->execs())
      assembler_.processes().exec_left(*host, clock_.looked_ns());
    else
      assembler_.processes().end(*host, clock_.looked_ns());
  }
  assembler_.processes().remove_hosts([&](const Host& host) {
    // An image that an exec replaced has ended in this very pass; its rings were read to the end.
    dead_owner_[host.slot()] = true;
    for (std::uint32_t i = 0; i < rings_.size(); ++i) {
      if (session_.map().ring(i).owner.load() == host.slot() + 1 && rings_[i]->reader.has_unread())
        return false;
    }
    free_rings_of(host.slot() + 1);
    free_slot(host);
    return true;
  });
}

bool Drain::is_read(const Host& host) const {
  // A host may have written any number there.
  const std::uint32_t used = std::min(session_.control().rings_used.load(), wire::kMaxRings);
  for (std::uint32_t i = 0; i < used; ++i) {
    if (session_.map().ring(i).owner.load() != host.slot() + 1)
      continue;
    // A ring that is not here yet was claimed in this pass.
    if (i >= rings_.size() || !rings_[i]->is_merged() || rings_[i]->reader.has_unread())
      return false;
  }
  return true;
}

void Drain::note_own_bytes(Host& host) {
  const std::uint64_t mapped = session_.map().process(host.slot()).private_bytes.load();
  host.note_own_bytes(shared_bytes(host) + host.sampling.own_private_bytes.value_or(mapped));
}

void Drain::free_rings_of(std::uint32_t owner) {
  for (std::uint32_t i = 0; i < rings_.size(); ++i) {
    wire::RingHeader& ring = session_.map().ring(i);
    if (ring.owner.load() != owner)
      continue;
    ring.writer_waits.store(0);
    ring.watch_word.store(0);
    ring.state_address.store(0);
    ring.owner.store(wire::kRingFree);
  }
}

void Drain::free_slot(const Host& host) {
  wire::ProcessSlot& slot = session_.map().process(host.slot());
  session_.discard(wire::stack_table_offset(host.slot()), wire::kStackTableBytes);
  stacks_truncated_ += slot.stacks_truncated.load();
  bytes_read_ += slot.bytes_read.exchange(0);
  rings_unseen_ += slot.has_unseen_rings() ? 1U : 0U;
  slot.rings.store(0);
  slot.published.store(0);
  slot.stacks_truncated.store(0);
  slot.unwind_fallbacks.store(0);
  slot.stack_generation.store(0);
  slot.wanted_generation.store(0);
  dead_owner_[host.slot()] = false;
  slot.state.store(wire::ProcessState::kFree);
}

void Drain::trim_idle_rings() {
  constexpr std::uint64_t kIntervalNs = 1'000'000'000;
  if (clock_.looked_ns() < next_trim_ns_)
    return;
  next_trim_ns_ = clock_.looked_ns() + kIntervalNs;
  for (std::uint32_t i = 0; i < rings_.size(); ++i) {
    wire::RingHeader& ring = session_.map().ring(i);
    std::uint32_t expected = wire::kRingFree;
    const bool is_free = ring.owner.load() == wire::kRingFree && !rings_[i]->reader.has_unread();
    // Free for a whole interval, and claimed by us for the moment, so that no thread starts on it.
    if (is_free && rings_[i]->was_free &&
        ring.owner.compare_exchange_strong(expected, wire::kRingTrimmed)) {
      session_.discard(wire::ring_offset(i), wire::kRingBytes);
      ring.owner.store(wire::kRingFree);
    }
    rings_[i]->was_free = is_free;
  }
}

void Drain::sleep(std::uint64_t timeout_ns) {
  wire::ControlBlock& block = session_.control();
  block.collector_sleeps.store(1);
  const timespec timeout{static_cast<time_t>(timeout_ns / 1'000'000'000),
                         static_cast<long>(timeout_ns % 1'000'000'000)};
  syscall(SYS_futex, &block.doorbell, FUTEX_WAIT, bell_, &timeout, nullptr, 0);
  block.collector_sleeps.store(0);
}

std::uint64_t Drain::blocked_ns() const {
  double ticks = 0;
  for (std::uint32_t i = 0; i < rings_.size(); ++i)
    ticks += static_cast<double>(
        __atomic_load_n(&session_.map().ring(i).blocked_ticks, __ATOMIC_RELAXED));
  return static_cast<std::uint64_t>(ticks * clock_.ns_per_tick());
}

std::uint64_t Drain::dropped() const {
  std::uint64_t total = 0;
  for (std::uint32_t i = 0; i < rings_.size(); ++i)
    total += session_.map().ring(i).dropped_total.load(std::memory_order_relaxed);
  return total;
}

/// Looking at a slot that was never used would allocate a page for it.
std::uint32_t Drain::processes_used() const {
  return std::min(session_.control().processes_used.load(), wire::kMaxProcesses);
}

std::uint64_t Drain::stacks_truncated() const {
  std::uint64_t total = stacks_truncated_;
  for (std::uint32_t i = 0; i < processes_used(); ++i)
    total += session_.map().process(i).stacks_truncated.load();
  return total;
}

std::uint64_t Drain::bytes_read() const {
  std::uint64_t total = bytes_read_;
  for (std::uint32_t i = 0; i < processes_used(); ++i)
    total += session_.map().process(i).bytes_read.load();
  return total;
}

std::uint64_t Drain::rings_unseen() const {
  std::uint64_t total = rings_unseen_;
  for (std::uint32_t i = 0; i < processes_used(); ++i)
    total += session_.map().process(i).has_unseen_rings() ? 1U : 0U;
  return total;
}

/// For all hosts at once: going through the rings for each host would take hosts times rings.
void Drain::add_up_rings() {
  std::ranges::fill(ring_bytes_, 0);
  for (std::uint32_t i = 0; i < rings_.size(); ++i) {
    const wire::RingHeader& ring = session_.map().ring(i);
    const std::uint32_t owner = ring.owner.load(std::memory_order_relaxed);
    if (owner != wire::kRingFree && owner <= wire::kMaxProcesses)
      ring_bytes_[owner - 1] += std::min(
          ring.read_position.load() * wire::kSlotBytes + wire::kPageBytes, wire::kRingBytes);
  }
  are_ring_bytes_known_ = true;
}

std::uint64_t Drain::shared_bytes(const Host& host) {
  if (!are_ring_bytes_known_)
    add_up_rings();
  std::uint64_t bytes = wire::kPageBytes + ring_bytes_[host.slot()];
  const wire::StackTable table = session_.map().stack_table(host.slot());
  if (table.base == nullptr)
    return bytes;
  const wire::StackTableHeader& stacks = table.header();
  const std::uint64_t nodes = std::min(stacks.node_count.load(), wire::kMaxStackNodes);
  bytes += wire::round_to_page(nodes * sizeof(wire::StackNode));
  for (std::uint32_t level = 0; level < wire::kIndexLevels; ++level) {
    // Entries are scattered: each touches a page of its own until all pages are touched.
    const std::uint64_t used = stacks.level_used[level].load();
    bytes += std::min<std::uint64_t>(used * wire::kPageBytes,
                                     wire::index_slots(level) * sizeof(std::uint32_t));
  }
  return bytes;
}

}  // namespace tidemark
