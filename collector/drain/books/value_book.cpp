#include "collector/drain/books/value_book.hpp"

#include "collector/os/clocks.hpp"
#include "collector/process/process_bytes.hpp"
#include "preload/wire/session.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <map>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace tidemark {

using weights::BlockSample;

namespace {

constexpr std::uint64_t kFirstPauseNs = 10'000'000;
/// What was filled long ago may be overwritten with weights, as load_state_dict does it.
constexpr std::uint64_t kMaxPauseNs = 320'000'000;
constexpr std::uint64_t kMaxLoadingPauseNs = 40'000'000;
constexpr std::uint64_t kLoadingNs = 2'000'000'000;  ///< Behind the last use of such a file.
constexpr std::uint64_t kValueTimeParts = 200;
constexpr std::uint64_t kMaxValueLookNs = 1'000'000;  ///< What is left is due at the next look.

/// All pages that [begin, end) lies in.
bool are_in_memory(const PageMap& map, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t first = begin / wire::kPageBytes * wire::kPageBytes;
  const std::uint64_t last = wire::round_to_page(end);
  const auto present = map.present(first, last, PageMap::Which::kInMemory);
  return present.size() == 1 && present[0].begin == first && present[0].end == last;
}

/// The first bytes, as far as their page goes, and those further inside.
bool copy_values(pid_t pid, std::uint64_t address, BlockSample& sample) {
  const std::uint64_t left_of_page = wire::kPageBytes - address % wire::kPageBytes;
  sample.first_count =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(sample.first.size(), left_of_page));
  const std::array pieces{
      iovec{reinterpret_cast<void*>(address), sample.first_count},
      iovec{reinterpret_cast<void*>(address + sample.inner_at), sample.inner.size()}};
  std::array<std::byte, BlockSample::kFirstBytes + BlockSample::kInnerBytes> bytes;
  if (copy_from_process(pid, pieces, bytes) != sample.first_count + sample.inner.size())
    return false;
  std::copy_n(bytes.begin(), sample.first_count, sample.first.begin());
  std::copy_n(bytes.begin() + sample.first_count, sample.inner.size(), sample.inner.begin());
  return true;
}

/// Zeros, or another byte again and again.
bool is_one_byte(const BlockSample& sample) {
  return std::ranges::count(sample.inner, sample.inner.front()) == std::ssize(sample.inner);
}

bool are_same(const BlockSample& one, const BlockSample& other) {
  return one.first == other.first && one.inner == other.inner && one.size == other.size;
}

/// For a block of `size` beside `kept` others.
bool has_room(std::size_t kept, std::uint64_t size) {
  return kept < (size < ValueBook::kLarge ? ValueBook::kMaxBlocks / 2 : ValueBook::kMaxBlocks);
}

}  // namespace

void ValueBook::look(Host& host) {
  HostValues& values = host.tables.values;
  if (host.process() == nullptr)
    return;
  believe_seen(host);
  if (sink_.now_ns() < values.next_look_ns)
    return;
  const std::uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  look_into_all(host, began_ns + kMaxValueLookNs);
  const std::uint64_t cost_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
  values.next_look_ns = sink_.now_ns() + std::max(kFirstPauseNs, kValueTimeParts * cost_ns);
}

/// Those first that were looked into least, and of these the ones that wait longest.
void ValueBook::look_into_all(Host& host, std::uint64_t end_ns) {
  struct Due {
    HostValues::Turn turn;
    std::uint64_t address = 0;
    LargeBlocks::Block block;
  };
  HostValues& values = host.tables.values;
  const std::uint64_t now_ns = sink_.now_ns();
  const std::uint64_t longest_ns =
      now_ns < values.loading_until_ns ? kMaxLoadingPauseNs : kMaxPauseNs;
  std::vector<Due> due;
  std::unordered_map<trace::AllocationNumber, HostValues::Turn> turns;
  host.tables.large.visit_all([&](std::uint64_t address, const LargeBlocks::Block& block) {
    if (block.is_window)
      return;
    const auto known = values.turns.find(block.allocation);
    HostValues::Turn turn =
        known == values.turns.end() ? HostValues::Turn{now_ns, kFirstPauseNs} : known->second;
    turn.next_ns = std::min(turn.next_ns, now_ns + longest_ns);
    turns.emplace(block.allocation, turn);
    if (now_ns >= turn.next_ns)
      due.push_back({turn, address, block});
  });
  values.turns = std::move(turns);
  if (due.empty())
    return;
  std::ranges::sort(due, {}, [](const Due& it) {
    return std::tuple(it.turn.pause_ns, it.turn.next_ns, it.address);
  });
  const pid_t pid = host.process()->pid();
  const PageMap map(pid);
  for (const Due& it : due) {
    // Not by the wall's clock: a recorder that was displaced would look into nothing.
    if (clock_ns(CLOCK_THREAD_CPUTIME_ID) >= end_ns)
      break;
    BlockSample sample;
    sample.allocation = it.block.allocation;
    sample.size = it.block.size;
    sample.at_ns = now_ns;
    values.seen.push_back(look_into(pid, map, it.address, sample));
    values.turns[it.block.allocation] = {now_ns + it.turn.pause_ns,
                                         std::min(2 * it.turn.pause_ns, longest_ns)};
  }
}

/// @param sample of which block, and when; it is filled.
HostValues::Seen ValueBook::look_into(pid_t pid,
                                      const PageMap& map,
                                      std::uint64_t address,
                                      BlockSample sample) {
  sample.inner_at = BlockSample::inner_place(sample.size);
  const std::uint64_t inner = address + sample.inner_at;
  const bool has_values = are_in_memory(map, address, address + 1) &&
                          are_in_memory(map, inner, inner + sample.inner.size()) &&
                          copy_values(pid, address, sample) && !is_one_byte(sample);
  return {address, has_values, sample};
}

void ValueBook::expect_weights(Host& host) const {
  host.tables.values.loading_until_ns = sink_.now_ns() + kLoadingNs;
}

void ValueBook::end(Host& host) {
  believe_seen(host);
  host.tables.values = {};
}

/// What the look before has seen, of blocks that are still there: one that the host had freed by
/// then, without our knowing, was another block's memory already.
void ValueBook::believe_seen(Host& host) {
  HostValues& values = host.tables.values;
  for (const HostValues::Seen& seen : values.seen) {
    const auto block = host.tables.large.find(seen.address);
    if (block && block->begin == seen.address && block->allocation == seen.sample.allocation)
      keep(seen, values);
  }
  values.seen.clear();
}

void ValueBook::keep(const HostValues::Seen& seen, HostValues& values) {
  const BlockSample& sample = seen.sample;
  const auto known = histories_.find(sample.allocation);
  if (!seen.has_values) {
    if (known == histories_.end())
      return keep_empty(sample);
    known->second.periods.back().has_ended = true;
    known->second.other_ns = sample.at_ns;
    return;
  }
  if (known == histories_.end()) {
    if (!has_room(histories_.size(), sample.size)) {
      has_refused_ = true;
      return;
    }
    histories_[sample.allocation].periods.push_back({sample, 0, sample.at_ns});
    empties_.erase(sample.allocation);
    return;
  }
  History& history = known->second;
  Period& last = history.periods.back();
  if (are_same(last.sample, sample) && !last.has_ended) {
    last.last_ns = sample.at_ns;
    return;
  }
  last.has_ended = true;
  if (history.periods.size() < History::kMaxPeriods)
    history.periods.push_back({sample, std::max(last.last_ns, history.other_ns), sample.at_ns});
  else
    history.other_ns = sample.at_ns;
  // It changes: not too rarely from now on.
  values.turns[sample.allocation] = {sink_.now_ns(), kFirstPauseNs};
}

void ValueBook::keep_empty(const BlockSample& sample) {
  if (empties_.contains(sample.allocation) || has_room(empties_.size(), sample.size))
    empties_[sample.allocation] = {sample.size, sample.at_ns};
  else
    has_refused_ = true;
}

void ValueBook::tell(weights::ValueIndex& index) {
  if (index.is_empty())
    return;
  std::vector<trace::ValueMatch> matches;
  for (const auto& [allocation, history] : histories_) {
    for (const Period& period : history.periods) {
      if (auto match = index.find(period.sample)) {
        match->from_ns = period.from_ns;
        match->until_ns = period.has_ended ? period.last_ns : trace::ValueMatch::kNever;
        matches.push_back(*match);
      }
    }
  }
  std::ranges::sort(matches, {}, [](const trace::ValueMatch& match) {
    return std::tuple(match.allocation, match.at_ns);
  });
  for (const trace::ValueMatch& match : matches)
    sink_.writer().add_match(match);
  tell_mismatches(matches);
}

void ValueBook::tell_mismatches(std::span<const trace::ValueMatch> matches) {
  std::unordered_set<std::uint64_t> sizes;
  for (const trace::ValueMatch& match : matches) {
    matching_.insert(match.allocation);
    sizes.insert(histories_.at(match.allocation).periods.front().sample.size);
  }
  std::map<trace::AllocationNumber, std::uint64_t> mismatches;
  for (const auto& [allocation, history] : histories_) {
    const Period& last = history.periods.back();
    if (!matching_.contains(allocation) && sizes.contains(last.sample.size))
      mismatches[allocation] = std::max(last.last_ns, history.other_ns);
  }
  for (const auto& [allocation, empty] : empties_) {
    if (sizes.contains(empty.size))
      mismatches[allocation] = empty.last_ns;
  }
  for (const auto& [allocation, at_ns] : mismatches)
    sink_.writer().add_mismatch({allocation, at_ns});
}

void ValueBook::tell_packed(std::span<const weights::PlainFile> files) {
  std::vector<const History*> histories;
  for (const auto& [allocation, history] : histories_) {
    if (!matching_.contains(allocation) && history.periods.front().sample.size >= kLarge)
      histories.push_back(&history);
  }
  if (histories.empty() || files.empty())
    return;
  std::ranges::sort(histories, std::ranges::greater{}, [](const History* history) {
    const BlockSample& sample = history->periods.front().sample;
    return std::tuple(sample.size, sample.allocation);
  });
  weights::OrderSearch search;
  for (const History* history : histories) {
    for (const Period& period : history->periods)
      search.want(period.sample);
  }
  for (const weights::PlainFile& file : files)
    search.read(file);
  std::map<std::tuple<trace::AllocationNumber, std::uint64_t>, trace::PackedMatch> found;
  for (const History* history : histories) {
    for (const Period& period : history->periods) {
      if (auto packed = search.find(period.sample)) {
        packed->from_ns = period.from_ns;
        packed->until_ns = period.has_ended ? period.last_ns : trace::ValueMatch::kNever;
        found.emplace(std::tuple(packed->allocation, packed->at_ns), *packed);
      }
    }
  }
  for (const auto& [when, packed] : found)
    sink_.writer().add_packed(packed);
}

}  // namespace tidemark
