#include "collector/drain/books/contents/fork_book.hpp"

#include "collector/trace/types/definitions.hpp"
#include "collector/trace/types/less.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace tidemark {

using trace::Lane;

namespace {

using trace::less;

/// No page is copied in less time.
constexpr std::uint64_t kFaultNs = 500;
/// A process found to have ended was gone, so it had been waited for: the record of that wait comes
/// within this time.
constexpr std::uint64_t kMaxWaitDelayNs = 10'000'000'000;
/// WrittenOfFork::most_bytes is unknown.
constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

/// Hosts are not trusted: what they say may be anything.
std::uint64_t plus(std::uint64_t one, std::uint64_t other) {
  return one + std::min(other, std::numeric_limits<std::uint64_t>::max() - one);
}

/// Bytes that faults since the last look may have made without being in the trace: what came into
/// the lanes since then is there in full.
std::uint64_t beyond(std::uint64_t faults, std::uint64_t explained) {
  constexpr std::uint64_t kMaxFaults = std::numeric_limits<std::uint64_t>::max() / wire::kPageBytes;
  return less(std::min(faults, kMaxFaults) * wire::kPageBytes, explained);
}

/// The private memory in its lanes.
std::uint64_t counted_in(const Host& host) {
  return host.totals()[Lane::kHeap] + host.totals()[Lane::kAnon];
}

/// Memory of `host` that may have been touched, and that no look has reported yet.
std::uint64_t untold_bytes(const Host& host) {
  std::uint64_t bytes = host.tables.pages.gone.bytes_in({0, ~std::uint64_t{0}});
  for (const UnseenMapping& mapping : host.tables.unseen)
    bytes = plus(bytes, less(mapping.pages.bytes(), mapping.counted_bytes));
  return bytes;
}

/// Everything that `child` can make its own, including writable private file mappings, and what its
/// parent has touched between a look and the fork.
std::uint64_t inheritable_bytes(const Host& parent, const Host& child) {
  std::uint64_t files = 0;
  for (const auto& [begin, mapping] : parent.tables.mappings.all())
    files += mapping.written == Mapping::kNoAllocation ? 0 : mapping.bytes();
  const std::uint64_t own = std::max(counted_in(parent), parent.sampling.last.rss_anon_bytes);
  const std::uint64_t looked_at = parent.tables.fault_counts.back().faults;
  const std::uint64_t touched = beyond(less(child.faults_before_fork(), looked_at), 0);
  const std::uint64_t untold = std::min(touched, untold_bytes(parent));
  return plus(plus(plus(own, untold), files), parent.tables.of_fork.most_bytes);
}

/// The most page faults that it can have had by `until_ns`, from the time since they were counted.
std::uint64_t most_faults(const Host& host, std::uint64_t until_ns) {
  const FaultCount& counted = host.tables.fault_counts.front();
  const std::uint64_t since_ns = std::max(counted.at_ns, host.facts().begin_ns);
  return counted.faults + less(until_ns, since_ns) / kFaultNs;
}

/// Asks the kernel. The count of the last sample is older: everything written since then would
/// count as unseen, even if a look at memory in between has it.
std::uint64_t faults_up_to_now(const Host& host) {
  return std::max(host.tables.fault_counts.front().faults, host.faults().value_or(0));
}

std::uint64_t bytes_of_fork(const Host& host) {
  return host.tables.of_fork.block ? host.tables.of_fork.block->size : 0;
}

/// Null if it has ended. Uses that hosts are sorted by id: a thousand workers that end together are
/// looked up for each other.
Host* living(const HostList& hosts, trace::ProcessId process) {
  const auto found =
      std::ranges::lower_bound(hosts, process, {}, [](const auto& host) { return host->id(); });
  const bool is_it = found != hosts.end() && (*found)->id() == process && !(*found)->has_ended();
  return is_it ? found->get() : nullptr;
}

const Host* parent_of(const Host& host, const HostList& hosts) {
  return living(hosts, trace::ProcessId{host.facts().parent});
}

/// What of `parent`'s writes can be new to a forked process: by so many faults of it up to now.
std::uint64_t beyond_of_parent(const Host& host, const Host& parent, std::uint64_t faults) {
  const WrittenOfFork& state = host.tables.of_fork;
  return beyond(less(faults, state.parent_faults), less(counted_in(parent), state.parent_counted));
}

std::uint64_t beyond_of_own(const Host& host, std::uint64_t faults) {
  const WrittenOfFork& state = host.tables.of_fork;
  return beyond(less(faults, state.faults), less(counted_in(host), state.own_bytes));
}

}  // namespace

void ForkBook::begin(Host& host, const Host* parent) {
  WrittenOfFork& state = host.tables.of_fork;
  state.family = host.id();
  if (!host.is_forked())
    return;
  if (parent == nullptr) {
    state.most_bytes = kUnknown;
    return;
  }
  state.family = parent->tables.of_fork.family;
  state.most_bytes = parent->has_ended() ? kUnknown : inheritable_bytes(*parent, host);
  state.parent_counted = counted_in(*parent);
  state.parent_faults = host.faults_before_fork();
  for (const FaultCount& count : parent->tables.fault_counts) {
    if (count.at_ns <= host.facts().begin_ns)
      state.parent_faults = std::max(state.parent_faults, count.faults);
  }
}

bool ForkBook::are_of_one_family(const Host& one, const Host& other) {
  return one.tables.of_fork.family == other.tables.of_fork.family;
}

bool ForkBook::is_look_due(const Host& host) const {
  constexpr std::uint64_t kManyBytes = std::uint64_t{4} << 20U;
  constexpr std::uint64_t kNotablePart = 16;
  if (!host.is_forked())
    return false;
  const Host* const parent = parent_of(host, hosts_);
  std::uint64_t unseen = beyond_of_own(host, host.tables.fault_counts.front().faults);
  if (parent != nullptr)
    unseen =
        plus(unseen, beyond_of_parent(host, *parent, parent->tables.fault_counts.front().faults));
  unseen = std::min(unseen, less(host.tables.of_fork.most_bytes, bytes_of_fork(host)));
  return host.tables.of_fork.has_been_left ||
         unseen > std::max(kManyBytes, host.sampling.last.rss_anon_bytes / kNotablePart);
}

ForkBook::Look ForkBook::begin_look(const Host& host) const {
  const Host* const parent = parent_of(host, hosts_);
  return {.process = host.id(),
          .at_ns = sink_.this_moment_ns(),
          .faults = faults_up_to_now(host),
          .parent_faults = parent != nullptr ? faults_up_to_now(*parent) : 0};
}

bool ForkBook::is_told_by(const Host& host, const Look& look) {
  constexpr std::uint64_t kMaxFaults = kWorthSaying / wire::kPageBytes;
  return !host.is_forked() || faults_up_to_now(host) <= look.faults + kMaxFaults;
}

Host* ForkBook::find(trace::ProcessId process) const {
  return living(hosts_, process);
}

/// Memory that several have in common is attributed to the oldest of them. When it moves from one
/// to another, it is taken from the first before it is added to the second, so it is never in both.
void ForkBook::note(std::span<const Look> looks) {
  std::map<trace::ProcessId, Host*> forked;
  for (const Look& look : looks) {
    if (Host* const host = find(look.process); host != nullptr && host->is_forked())
      forked.emplace(look.process, host);
  }
  std::set<trace::ProcessId> told;
  std::vector<std::pair<Host*, std::uint64_t>> grown;
  for (const auto& [process, host] : forked) {
    const trace::ProcessId family = host->tables.of_fork.family;
    const std::uint64_t common = told.insert(family).second ? common_bytes(looks, family) : 0;
    const auto look = std::ranges::find(looks, process, &Look::process);
    const std::uint64_t own = less(look->memory.own_anon_bytes, look->of_tidemark_bytes);
    const std::uint64_t bytes =
        settled(*host, *look, less(own, counted_in(*host) - bytes_of_fork(*host)) + common);
    if (bytes > bytes_of_fork(*host))
      grown.emplace_back(host, bytes);
    else
      resize(*host, bytes);
    note_look(*host, *look, own + common);
  }
  for (const auto& [host, bytes] : grown)
    resize(*host, bytes);
}

/// Memory that processes of a family share but none of them has in its lanes: the program that they
/// were forked from has freed it, or has ended.
///
/// The kernel divides a shared page among its processes, so the sum of all parts is what they
/// share. Subtracted are what the program still has, and what forked processes have asked for
/// themselves and share with their own forks: both are in lanes.
std::uint64_t ForkBook::common_bytes(std::span<const Look> looks, trace::ProcessId family) const {
  std::uint64_t shared = 0;
  std::uint64_t counted = 0;
  const Host* const program = find(family);
  bool is_program_known = program == nullptr;
  for (const Look& look : looks) {
    const Host* const host = find(look.process);
    if (host == nullptr || host->tables.of_fork.family != family)
      continue;
    const MemoryRollup& memory = look.memory;
    shared += less(memory.pss_anon_bytes, memory.own_anon_at_most_bytes);
    is_program_known = is_program_known || host == program;
    if (host == program)
      counted += less(memory.anon_bytes, memory.own_anon_bytes);
    else if (host->tables.of_fork.most_bytes == kUnknown)
      return 0;
    else
      counted += less(counted_in(*host) - bytes_of_fork(*host), memory.own_anon_bytes);
  }
  return is_program_known ? less(shared, counted) : 0;
}

/// How much of `bytes` may count now: what counts already or the last look has seen, and what came
/// by page faults since, which is in no record. What came without faults was left by other
/// processes: it may still be in one of their lanes until the records of this moment are read.
std::uint64_t ForkBook::settled(Host& host, const Look& look, std::uint64_t bytes) const {
  WrittenOfFork& state = host.tables.of_fork;
  const bool is_left_since = state.has_been_left && state.seen_ns > look.at_ns;
  const bool are_records_read = sink_.now_ns() >= state.seen_ns && !is_left_since;
  const std::uint64_t before =
      std::max(bytes_of_fork(host), are_records_read ? state.seen_bytes : 0);
  std::uint64_t faults = less(look.faults, state.faults);
  if (parent_of(host, hosts_) != nullptr)
    faults += less(look.parent_faults, state.parent_faults);
  if (!is_left_since) {
    state.seen_bytes = bytes;
    state.seen_ns = look.at_ns;
    state.has_been_left = false;
  }
  return std::min(bytes, plus(before, beyond(faults, 0)));
}

void ForkBook::resize(Host& host, std::uint64_t bytes) {
  WrittenOfFork& state = host.tables.of_fork;
  if (state.block && bytes != state.block->size) {
    sink_.emit_resize(host, host.first_thread(), Lane::kAnon, state.block->allocation,
                      static_cast<std::int64_t>(bytes - state.block->size));
    state.block->size = bytes;
  } else if (!state.block && bytes >= kWorthSaying) {
    trace::Event event;
    event.kind = trace::EventKind::kAllocate;
    event.lane = Lane::kAnon;
    event.size = bytes;
    event.stack = host.tables.stacks.named_stack(trace::kWrittenOfForkName);
    event.at_ns = sink_.now_ns();
    event.thread = host.first_thread();
    state.block = LiveBlock{sink_.emit_growth(host, event), bytes};
  }
}

void ForkBook::note_look(Host& host, const Look& look, std::uint64_t own_bytes) {
  WrittenOfFork& state = host.tables.of_fork;
  ++state.looks;
  state.own_bytes = own_bytes;
  state.faults = look.faults;
  if (const Host* const parent = parent_of(host, hosts_)) {
    state.parent_faults = look.parent_faults;
    state.parent_counted = counted_in(*parent);
  }
}

/// Notes what the processes alive beside `host` have unseen. Asks the kernel unless they are too
/// many, since processes with one task mostly end together. One that is gone as well is settled
/// later.
void ForkBook::look_beside(const Host& host, Unwaited& ended) const {
  constexpr std::size_t kMaxAsked = 64;
  std::size_t asked = 0;
  for (const auto& other : hosts_) {
    if (other.get() == &host || !other->is_forked() || other->has_ended())
      continue;
    const bool is_asked = ++asked <= kMaxAsked;
    const auto faults = is_asked ? other->faults() : std::nullopt;
    if (is_asked && !faults && (other->process() != nullptr || other->is_dead())) {
      ended.gone_beside.push_back(other->id());
      continue;
    }
    std::uint64_t unseen =
        beyond_of_own(*other, faults.value_or(other->tables.fault_counts.front().faults));
    // What a parent writes to is one copy that its forked processes share.
    const Host* const parent = parent_of(*other, hosts_);
    if (parent != nullptr && other->facts().parent != host.facts().parent)
      unseen = plus(unseen,
                    beyond_of_parent(*other, *parent, parent->tables.fault_counts.front().faults));
    const std::uint64_t most = less(other->tables.of_fork.most_bytes, bytes_of_fork(*other));
    if (const std::uint64_t bytes = if_worth_saying(std::min(unseen, most)); bytes != 0)
      ended.beside.push_back({other->id(), other->tables.of_fork.looks, bytes});
  }
}

void ForkBook::end(Host& host) {
  leave_to_others(host);
  if (host.is_forked())
    note_end(host);
}

/// Memory that it shared with others now belongs to them, and is in no lane of its own any more.
void ForkBook::leave_to_others(const Host& host) {
  for (const auto& other : hosts_) {
    if (other.get() == &host || other->has_ended() || !other->is_forked() ||
        !are_of_one_family(host, *other))
      continue;
    WrittenOfFork& state = other->tables.of_fork;
    state.seen_bytes = kUnknown;
    state.seen_ns = sink_.now_ns();
    state.has_been_left = true;
  }
}

void ForkBook::note_end(Host& host) {
  const WrittenOfFork& state = host.tables.of_fork;
  Unwaited ended;
  ended.numbers = host.numbers();
  ended.process = host.id();
  ended.end_ns = sink_.now_ns();
  ended.faults_before = plus(state.faults, host.waited_faults());
  ended.most_faults = plus(most_faults(host, host.execs() ? host.exec_at_ns() : sink_.now_ns()),
                           host.waited_faults());
  ended.explained = less(counted_in(host), state.own_bytes);
  ended.most_bytes = less(state.most_bytes, bytes_of_fork(host));
  if (const Host* const parent = parent_of(host, hosts_)) {
    const std::uint64_t now = parent->faults().value_or(parent->tables.fault_counts.front().faults);
    ended.of_parent_bytes = beyond_of_parent(host, *parent, now);
  }
  ended.own_bytes = host.totals().footprint();
  ended.looks = state.looks;
  look_beside(host, ended);
  if (const auto faults = host.faults())
    settle(ended, plus(*faults, host.waited_faults()));
  else if (!host.execs() && unwaited_.size() < kMaxUnwaited)
    unwaited_.push_back(ended);
  else  // what a wait tells is with those of the program that it has become
    settle(ended, ended.most_faults);
}

void ForkBook::note_last_faults(const ProcessNumbers& numbers, std::uint64_t faults) {
  if (faults == 0)
    return;
  for (const auto& host : hosts_) {
    if (!host->has_ended() && may_be_same(numbers, host->numbers())) {
      host->set_last_faults(less(faults, host->waited_faults()));
      return;
    }
  }
  // After that time, the pid may belong to another process.
  const auto first = std::ranges::find_if(unwaited_, [&](const Unwaited& one) {
    return sink_.now_ns() <= one.end_ns + kMaxWaitDelayNs;
  });
  const std::vector<Unwaited> late(unwaited_.begin(), first);
  unwaited_.erase(unwaited_.begin(), first);
  for (const Unwaited& one : late)
    settle(one, one.most_faults);
  const auto ended = std::ranges::find_if(
      unwaited_, [&](const Unwaited& one) { return may_be_same(numbers, one.numbers); });
  if (ended == unwaited_.end())
    return;
  settle(*ended, faults);
  unwaited_.erase(ended);
}

void ForkBook::end_recording() {
  for (const Unwaited& ended : unwaited_)
    settle(ended, ended.most_faults);
  unwaited_.clear();
}

/// @param faults including those of children that it has waited for, as a wait reports them.
void ForkBook::settle(const Unwaited& ended, std::uint64_t faults) {
  const std::uint64_t unseen = if_worth_saying(std::min(
      plus(beyond(less(faults, ended.faults_before), ended.explained), ended.of_parent_bytes),
      ended.most_bytes));
  for (Unwaited& other : unwaited_)
    note_lost(other.beside, ended, unseen);
  for (Settled& other : settled_) {
    if (note_lost(other.beside, ended, unseen))
      written_unseen_bytes_ = std::max(written_unseen_bytes_, lost_with(other));
  }
  if (settled_.size() == kMaxSettled)
    settled_.pop_front();
  settled_.push_back({ended.process, ended.gone_beside, unseen, ended.own_bytes, ended.beside});
  written_unseen_bytes_ = std::max(written_unseen_bytes_, lost_with(settled_.back()));
}

/// @return whether `lost` was among `beside`, and no look since has found what it had.
bool ForkBook::note_lost(std::vector<Beside>& beside, const Unwaited& lost, std::uint64_t bytes) {
  const auto found = std::ranges::lower_bound(beside, lost.process, {}, &Beside::process);
  if (found == beside.end() || found->process != lost.process || found->looks != lost.looks)
    return false;
  found->bytes = std::min(found->bytes, bytes);
  found->is_lost = true;
  return true;
}

/// How much a peak at the end of a process may lack: everything unseen of it, and of others that
/// end unseen, too. What looks find soon afterwards in other processes comes too late for this
/// peak, but counts in a later one, which lacks the ended process; so it adds no more than that
/// process had.
std::uint64_t ForkBook::lost_with(const Settled& ended) const {
  std::uint64_t lost = ended.bytes;
  std::uint64_t found_late = 0;
  for (const Beside& other : ended.beside) {
    std::uint64_t& sum = other.is_lost ? lost : found_late;
    sum = plus(sum, other.bytes);
  }
  for (const Settled& other : settled_) {
    const bool is_together =
        &other != &ended && (std::ranges::binary_search(ended.gone_beside, other.process) ||
                             std::ranges::binary_search(other.gone_beside, ended.process));
    lost = is_together ? plus(lost, other.bytes) : lost;
  }
  return plus(lost, std::min(found_late, ended.own_bytes));
}

}  // namespace tidemark
