#include "collector/drain/sampler.hpp"

#include "collector/drain/hosts/heap_pages.hpp"
#include "collector/drain/own_pages.hpp"
#include "collector/os/clocks.hpp"
#include "collector/process/page_map.hpp"
#include "collector/process/process_io.hpp"

#include <algorithm>
#include <ctime>
#include <optional>
#include <utility>

namespace tidemark {
namespace {

constexpr std::uint64_t kTimeParts = 10;
/// The longest step: the records of hosts wait meanwhile, and so does a host whose ring is full.
constexpr std::uint64_t kStepNs = 2'000'000;

std::uint64_t thread_ns() {
  return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

std::uint64_t less(std::uint64_t from, std::uint64_t what) {
  return from > what ? from - what : 0;
}

}  // namespace

void Sampler::sample_if_due(std::uint64_t interval_ns) {
  if (round_.empty()) {
    if (drain_.pass_ns() - last_ns_ < std::max(interval_ns, kTimeParts * cost_ns_))
      return;
    begin_round();
  }
  const std::uint64_t began_ns = thread_ns();
  std::uint64_t spent_ns = 0;
  while (!round_.empty() && spent_ns < kStepNs) {
    if (Host* const host = host_of(round_.back()); host != nullptr && may_have_changed(*host))
      look_at(*host);
    round_.pop_back();
    spent_ns = thread_ns() - began_ns;
  }
  round_cost_ns_ += spent_ns;
  if (round_.empty())
    end_round();
}

void Sampler::sample() {
  begin_round();
  for (const auto& host : drain_.assembler().processes().hosts())
    look_at(*host);
  round_.clear();
  end_round();
}

/// Hosts that were never looked at come first.
void Sampler::begin_round() {
  last_ns_ = drain_.pass_ns();
  round_cost_ns_ = 0;
  round_.clear();
  together_.clear();
  shares_.clear();
  are_shares_due_ = last_ns_ >= next_share_look_ns_ ||
                    (are_shares_old_ && last_ns_ >= next_hurried_share_look_ns_);
  are_shares_old_ = are_shares_old_ && !are_shares_due_;
  for (const auto& host : drain_.assembler().processes().hosts()) {
    round_.push_back(host->id());
    are_shares_due_ = are_shares_due_ || is_new_in_family(*host);
  }
  std::ranges::reverse(round_);
  std::stable_partition(round_.begin(), round_.end(), [&](trace::ProcessId id) {
    const Host* const host = host_of(id);
    return host != nullptr && host->sampling.last.at_ns != 0;
  });
}

void Sampler::end_round() {
  if (!together_.empty()) {
    const std::uint64_t began_ns = thread_ns();
    sample_families();
    round_cost_ns_ += thread_ns() - began_ns;
  }
  drain_.assembler().look_at_shared(drain_.pass_ns());
  cost_ns_ = round_cost_ns_;
}

Host* Sampler::host_of(trace::ProcessId id) const {
  for (const auto& host : drain_.assembler().processes().hosts()) {
    if (host->id() == id)
      return host.get();
  }
  return nullptr;
}

void Sampler::look_at(Host& host) {
  if (host.has_ended())
    return;
  if (host.memory() == nullptr) {
    note_gone(host, drain_.now_ns());
    return;
  }
  if (host.memory()->is_same_image())
    drain_.assembler().look_at_pages(host, drain_.pass_ns());
  if (host.process() == nullptr || (!host.is_forked() && !shares_pages(host))) {
    host.sampling.shared_excess.reset();
    sample(host, drain_.now_ns());
    return;
  }
  if (are_shares_due_)
    look_at_share(host);
  else
    are_shares_old_ = are_shares_old_ || drain_.assembler().forks().is_look_due(host);
  together_.push_back(host.id());
}

/// True for every process that shares pages: its part changes when another one writes.
bool Sampler::may_have_changed(Host& host) const {
  const bool is_alone = host.process() != nullptr && !host.is_forked() && !shares_pages(host);
  return !is_alone ||
         host.sampling.run_at_sample.is_look_due(host.process()->cpu_ns(), drain_.now_ns());
}

void Sampler::look_at_new_mappings_if_due() {
  constexpr std::uint64_t kPauseNs = 5'000'000;
  constexpr std::uint64_t kLookParts = 20;
  if (drain_.pass_ns() < next_new_look_ns_)
    return;
  const std::uint64_t began_ns = thread_ns();
  for (const auto& host : drain_.assembler().processes().hosts()) {
    if (host->has_ended() || host->memory() == nullptr)
      continue;
    const auto cpu_ns = host->process() != nullptr ? host->process()->cpu_ns() : std::nullopt;
    if (host->sampling.run_at_mappings.is_look_due(cpu_ns, drain_.now_ns()))
      look_at_new_mappings(*host);
  }
  const std::uint64_t cost_ns = thread_ns() - began_ns;
  next_new_look_ns_ = drain_.pass_ns() + std::max(kPauseNs, kLookParts * cost_ns);
}

void Sampler::look_at_new_mappings(Host& host) {
  constexpr std::uint64_t kWorthSampling = std::uint64_t{1} << 20U;
  const std::uint64_t before = host.totals()[trace::Lane::kAnon];
  drain_.assembler().look_at_new_mappings(host, drain_.pass_ns());
  // What a look has found is resident, and may be gone before any sample shows it.
  if (host.totals()[trace::Lane::kAnon] >= before + kWorthSampling && !host.is_forked() &&
      !shares_pages(host))
    sample(host, drain_.now_ns());
}

void Sampler::look_at_values_if_due() {
  Assembler& assembler = drain_.assembler();
  look_in_turns(
      value_turns_,
      [&](const Host& host) { return assembler.are_values_due(host, drain_.pass_ns()); },
      [&](Host& host) { assembler.look_at_values(host, drain_.now_ns()); });
}

void Sampler::look_at_parts_if_due() {
  Assembler& assembler = drain_.assembler();
  look_in_turns(
      part_turns_,
      [&](const Host& host) {
        return !assembler.are_values_due(host, drain_.pass_ns()) && assembler.are_parts_due(host);
      },
      [&](Host& host) { assembler.look_at_parts(host); });
}

template <typename IsDue, typename Look>
void Sampler::look_in_turns(Turns& turns, const IsDue& is_due, const Look& look) {
  if (drain_.pass_ns() < turns.next_ns)
    return;
  const auto& hosts = drain_.assembler().processes().hosts();
  std::optional<std::uint64_t> began_ns;  // The first look that is due.
  std::uint64_t spent_ns = 0;
  for (std::size_t i = 0; i < hosts.size() && spent_ns < kStepNs; ++i) {
    Host& host = *hosts[++turns.last % hosts.size()];
    if (host.has_ended() || host.memory() == nullptr || !is_due(host))
      continue;
    began_ns = began_ns ? *began_ns : thread_ns();
    if (host.memory()->is_same_image())
      look(host);
    spent_ns = thread_ns() - *began_ns;
  }
  turns.next_ns = drain_.pass_ns() + kTimeParts * spent_ns;
}

/// With its parent, or with one that it has forked: until they write to them, both have the same
/// pages, which must not count twice.
bool Sampler::shares_pages(const Host& host) const {
  const auto is_family = [&](const std::unique_ptr<Host>& other) {
    return other.get() != &host && !other->has_ended() && other->process() != nullptr &&
           ForkBook::are_of_one_family(host, *other);
  };
  return std::ranges::any_of(drain_.assembler().processes().hosts(), is_family);
}

/// Forked since the last look at shares: what it shares with others still counts in these alone.
bool Sampler::is_new_in_family(Host& host) const {
  return !host.has_ended() && host.is_forked() && host.memory() != nullptr &&
         host.process() != nullptr && !host.sampling.shared_excess;
}

/// Expensive: the kernel walks all pages to compute a process's part of them.
void Sampler::look_at_share(Host& host) {
  const std::uint64_t began_ns = thread_ns();
  const ForkBook& forks = drain_.assembler().forks();
  ForkBook::Look look = forks.begin_look(host);
  auto seen = host.memory()->read();
  auto rollup = read_memory_rollup(host.process()->pid());
  if (!ForkBook::is_told_by(
          host, look)) {  // The kernel walks longer than it takes to write much, at times.
    look = forks.begin_look(host);
    seen = host.memory()->read();
    rollup = read_memory_rollup(host.process()->pid());
  }
  if (seen)
    host.sampling.shared_excess = MemorySample{};
  if (seen && rollup) {
    host.sampling.shared_excess =
        MemorySample{less(seen->rss_anon_bytes, rollup->pss_anon_bytes),
                     less(seen->rss_file_bytes, rollup->pss_file_bytes),
                     less(seen->rss_shmem_bytes, rollup->pss_shmem_bytes), 0};
    look.memory = *rollup;
    look.of_tidemark_bytes = own_private_bytes(host, drain_.now_ns());
    shares_.push_back(look);
  } else {
    host.tables.of_fork.has_been_left = false;  // no look will say
  }
  share_cost_ns_ += thread_ns() - began_ns;
}

/// The kernel divides a shared page among its processes, so their parts only add up if all were
/// looked at with no fork or end in between: they are recorded as of one time. The looks take a
/// fiftieth of the time, and a tenth while processes write to what they share.
void Sampler::sample_families() {
  constexpr std::uint64_t kPauseNs = 20'000'000;
  constexpr std::uint64_t kShareParts = 50;
  constexpr std::uint64_t kHurriedPauseNs = 4'000'000;
  constexpr std::uint64_t kHurriedShareParts = 10;
  const std::uint64_t at_ns = drain_.now_ns();
  if (are_shares_due_ && !together_.empty()) {
    const std::uint64_t each_ns = std::exchange(share_cost_ns_, 0) / together_.size();
    drain_.assembler().forks().note(shares_);
    next_share_look_ns_ = at_ns + std::max(kPauseNs, kShareParts * each_ns);
    next_hurried_share_look_ns_ = at_ns + std::max(kHurriedPauseNs, kHurriedShareParts * each_ns);
  }
  for (const trace::ProcessId id : together_) {
    if (Host* const host = host_of(id);
        host != nullptr && !host->has_ended() && host->memory() != nullptr)
      sample(*host, at_ns);
  }
  together_.clear();
}

/// Looks ever more rarely, counted from the begin and from whatever makes a ring likely: the
/// opening of a file that may be a model, a ring's mapping. A program that reads by a ring mostly
/// makes it then; one that stays is also met later. Takes at most a hundredth of the time, as a
/// process may have thousands of descriptors.
void Sampler::look_for_ring(Host& host, std::uint64_t at_ns) {
  constexpr std::uint64_t kMaxPauseNs = 500'000'000;
  constexpr std::uint64_t kLookParts = 100;
  constexpr std::uint32_t kUsed = wire::ProcessSlot::kRingsUsed;
  wire::ProcessSlot& slot = session_.process(host.slot());
  HostSampling::RingLooks& looks = host.sampling.rings;
  const std::uint64_t since_ns = std::max(host.facts().begin_ns, looks.expected_ns);
  const std::uint64_t pause_ns =
      std::max(std::min(less(looks.last_ns, since_ns), kMaxPauseNs), kLookParts * looks.cost_ns);
  if (at_ns < looks.last_ns + pause_ns || host.process() == nullptr || slot.idle_rings == kUsed)
    return;
  const std::uint64_t began_ns = thread_ns();
  const RingsOfProcess rings = rings_of(host.process()->pid());
  looks.last_ns = at_ns;
  looks.cost_ns = thread_ns() - began_ns;
  if (rings == RingsOfProcess())
    return;
  slot.rings.fetch_or(wire::ProcessSlot::kSeenRing);
  slot.idle_rings = rings.used != 0 ? kUsed : std::max(slot.idle_rings.load(), rings.idle);
}

/// Looks at the heap if notably more is resident than was requested, measured as in the check of
/// the peak. The reason is mostly freed memory that stayed; only its pages distinguish it from
/// unseen memory.
void Sampler::look_at_heap(Host& host, const trace::Sample& sample) {
  // Looks take a hundredth of the host's time so far, with some credit at first. That is spent on
  // ever longer pauses: else a program that grows fast would have it spent before it is at its
  // peak.
  constexpr std::uint64_t kLookParts = 100;
  constexpr std::uint64_t kPauseParts = 20;
  constexpr std::uint64_t kCreditNs = 300'000'000;
  const auto& totals = host.totals();
  const std::uint64_t requested = totals[trace::Lane::kHeap] + totals[trace::Lane::kAnon];
  HostSampling::HeapLooks& looks = host.sampling.heap_looks;
  const bool is_due = looks.marks.is_look_due(sample.rss_anon_bytes, requested);
  if (!is_due || host.process() == nullptr || sample.at_ns < looks.next_ns || host.is_forked() ||
      shares_pages(host))
    return;
  if (host.sampling.last.at_ns != sample.at_ns)
    write(host, sample);  // With each look stands a sample, also where nothing else has changed.
  const std::uint64_t began_ns = thread_ns();
  const PageMap pages(host.process()->pid());
  const std::vector<MemoryArea> areas = parse_memory_areas(host.memory()->read_maps());
  const std::uint64_t bytes =
      resident_heap_bytes(areas, host.tables.heap, host.tables.mappings, pages);
  // Checked afterwards: another image's memory is not this one's.
  if (bytes != 0 && host.memory()->is_same_image()) {
    writer_.add_heap_look({.process = host.id(),
                           .at_ns = sample.at_ns,
                           .bytes = bytes,
                           .blocks = host.tables.heap.size()});
    looks.marks.note_look(sample.rss_anon_bytes, requested);
  }
  looks.spent_ns += thread_ns() - began_ns;
  const std::uint64_t paid_ns = host.facts().begin_ns + kLookParts * looks.spent_ns;
  looks.next_ns = std::max(sample.at_ns + kPauseParts * looks.spent_ns, less(paid_ns, kCreditNs));
}

/// Looks ever more rarely, as its tables fill early. If its pages may not be looked at, everything
/// mapped counts.
std::uint64_t Sampler::own_private_bytes(Host& host, std::uint64_t at_ns) {
  constexpr std::uint64_t kMaxPauseNs = 500'000'000;
  constexpr std::uint64_t kLookParts = 50;
  HostSampling& sampling = host.sampling;
  if (at_ns >= sampling.next_own_look_ns && host.process() != nullptr) {
    const std::uint64_t began_ns = thread_ns();
    const auto seen = own_pages(session_, host.slot(), PageMap(host.process()->pid()));
    // Checked afterwards: the pages of an image that came meanwhile are not its own.
    if (seen && host.memory()->is_same_image())
      sampling.own_private_bytes = seen;
    const std::uint64_t cost_ns = thread_ns() - began_ns;
    const std::uint64_t age = at_ns - std::min(at_ns, host.facts().begin_ns);
    sampling.next_own_look_ns = at_ns + std::max(std::min(age, kMaxPauseNs), kLookParts * cost_ns);
  }
  return sampling.own_private_bytes.value_or(
      session_.process(host.slot()).private_bytes.load(std::memory_order_relaxed));
}

/// An image that is gone has no memory any more, but its end is seen only later. Without this, the
/// pages that it shared would meanwhile count in its last sample and in those of the others.
void Sampler::note_gone(Host& host, std::uint64_t at_ns) {
  trace::Sample gone = host.sampling.last;
  if (gone.at_ns == 0)
    return;
  gone.at_ns = at_ns;
  gone.rss_anon_bytes = gone.rss_file_bytes = gone.rss_shmem_bytes = gone.own_bytes = 0;
  write_if_changed(host, gone);
}

void Sampler::sample(Host& host, std::uint64_t at_ns) {
  look_for_ring(host, at_ns);
  auto seen = host.memory()->read();
  if (!seen) {
    // Else the kernel has no answer at the moment.
    host.look_at_image();
    if (host.memory() == nullptr)
      note_gone(host, at_ns);
    return;
  }
  if (const auto& excess = host.sampling.shared_excess) {
    seen->rss_anon_bytes = less(seen->rss_anon_bytes, excess->rss_anon_bytes);
    seen->rss_file_bytes = less(seen->rss_file_bytes, excess->rss_file_bytes);
    seen->rss_shmem_bytes = less(seen->rss_shmem_bytes, excess->rss_shmem_bytes);
  }
  // The kernel takes these pages before it runs short of any others, as it does with page cache.
  seen->rss_anon_bytes = less(seen->rss_anon_bytes, host.sampling.lazily_freed_bytes);
  const std::uint64_t own_private = own_private_bytes(host, at_ns);
  // Not all that we count as touched need be mapped by this host; never more than it has.
  const std::uint64_t own_shared = std::min(drain_.shared_bytes(host), seen->rss_shmem_bytes);
  trace::Sample sample;
  sample.at_ns = at_ns;
  sample.process = host.id();
  sample.rss_anon_bytes = less(seen->rss_anon_bytes, own_private);
  sample.rss_file_bytes = seen->rss_file_bytes;
  sample.rss_shmem_bytes = less(seen->rss_shmem_bytes, own_shared);
  sample.own_bytes = own_private + own_shared;
  sample.high_water_bytes = seen->high_water_bytes;
  host.note_own_bytes(sample.own_bytes);
  host.note_kernel_peak(seen->high_water_bytes);
  write_if_changed(host, sample);
  look_at_heap(host, sample);
}

void Sampler::write_if_changed(Host& host, const trace::Sample& sample) {
  if (sample.rss_anon_bytes != host.sampling.last.rss_anon_bytes ||
      sample.rss_file_bytes != host.sampling.last.rss_file_bytes ||
      sample.rss_shmem_bytes != host.sampling.last.rss_shmem_bytes || host.sampling.last.at_ns == 0)
    write(host, sample);
}

void Sampler::write(Host& host, const trace::Sample& sample) {
  writer_.append(sample);
  host.sampling.last = sample;
}

}  // namespace tidemark
