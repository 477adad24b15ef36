#include "collector/drain/books/value_book.hpp"

#include "collector/os/clocks.hpp"
#include "collector/process/process_bytes.hpp"
#include "preload/wire/session.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <unordered_set>
#include <utility>

namespace tidemark {

using weights::BlockSample;

namespace {

constexpr std::uint64_t kFirstPauseNs = 10'000'000;
constexpr std::uint64_t kValueTimeParts = 200;
constexpr std::uint64_t kMaxValueLookNs =
    1'000'000;  ///< What is left then is due at the next look.

/// All pages that [begin, end) lies in.
bool are_there(const PageMap& map, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t first = begin / wire::kPageBytes * wire::kPageBytes;
  const std::uint64_t last = wire::round_to_page(end);
  const auto present = map.present(first, last);
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

/// Mostly zeros: nothing has been written there so far.
bool are_all_alike(const BlockSample& sample) {
  return std::ranges::count(sample.inner, sample.inner.front()) == std::ssize(sample.inner);
}

}  // namespace

void ValueBook::look(Host& host) {
  HostValues& values = host.tables.values;
  const std::uint64_t now_ns = sink_.now_ns();
  if (host.process() == nullptr)
    return;
  believe_seen(host);
  if (now_ns < values.next_look_ns)
    return;
  const std::uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  std::vector<Wanted> due;
  std::unordered_map<trace::AllocationNumber, HostValues::Turn> turns;
  host.tables.large.visit_all([&](std::uint64_t address, const LargeBlocks::Block& block) {
    if (block.is_window)
      return;
    const auto known = values.turns.find(block.allocation);
    const HostValues::Turn turn =
        known == values.turns.end() ? HostValues::Turn{now_ns, kFirstPauseNs} : known->second;
    turns.emplace(block.allocation, turn);
    if (now_ns >= turn.next_ns)
      due.push_back({address, block.size, block.allocation});
  });
  values.turns = std::move(turns);
  if (!due.empty()) {
    const PageMap map(host.process()->pid());
    for (const Wanted& block : due) {
      if (clock_ns(CLOCK_THREAD_CPUTIME_ID) >= began_ns + kMaxValueLookNs)
        break;
      look_into(host, map, block);
    }
  }
  const std::uint64_t cost_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
  values.next_look_ns = now_ns + std::max(kFirstPauseNs, kValueTimeParts * cost_ns);
}

void ValueBook::end(Host& host) {
  believe_seen(host);
  host.tables.values = {};
}

/// What the look before has seen, of blocks that are still there: one that the host had freed by
/// then, without our knowing, was another block's memory already.
void ValueBook::believe_seen(Host& host) {
  HostValues& values = host.tables.values;
  if (values.seen.empty())
    return;
  std::unordered_set<trace::AllocationNumber> alive;
  host.tables.large.visit_all(
      [&](std::uint64_t, const LargeBlocks::Block& block) { alive.insert(block.allocation); });
  for (const BlockSample& sample : values.seen) {
    if (alive.contains(sample.allocation))
      keep(sample, values);
  }
  values.seen.clear();
}

void ValueBook::keep(const BlockSample& sample, HostValues& values) {
  const auto known = samples_.find(sample.allocation);
  if (known == samples_.end()) {
    if (samples_.size() < kMaxSamples)
      samples_.emplace(sample.allocation, sample);
  } else if (known->second.first != sample.first || known->second.inner != sample.inner ||
             known->second.size != sample.size) {
    known->second = sample;
    values.turns[sample.allocation] = {sink_.now_ns(), kFirstPauseNs};
  }
}

/// A block that is being filled tells nothing; one that is emptied stays what it was.
void ValueBook::look_into(Host& host, const PageMap& map, const Wanted& block) {
  HostValues::Turn& turn = host.tables.values.turns[block.allocation];
  turn.next_ns = sink_.now_ns() + turn.pause_ns;
  turn.pause_ns *= 2;
  BlockSample sample;
  sample.allocation = block.allocation;
  sample.size = block.size;
  sample.at_ns = sink_.now_ns();
  sample.inner_at = BlockSample::inner_place(block.size);
  const std::uint64_t inner = block.address + sample.inner_at;
  if (are_there(map, block.address, block.address + 1) &&
      are_there(map, inner, inner + sample.inner.size()) &&
      copy_values(host.process()->pid(), block.address, sample) && !are_all_alike(sample))
    host.tables.values.seen.push_back(sample);
}

void ValueBook::tell(const weights::ValueIndex& index) {
  if (index.is_empty())
    return;
  std::vector<trace::ValueMatch> matches;
  for (const auto& [allocation, sample] : samples_) {
    if (const auto match = index.find(sample))
      matches.push_back(*match);
  }
  std::ranges::sort(matches, {}, &trace::ValueMatch::allocation);
  for (const trace::ValueMatch& match : matches)
    sink_.writer().add_match(match);
}

}  // namespace tidemark
