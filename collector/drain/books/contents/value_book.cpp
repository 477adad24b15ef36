#include "collector/drain/books/contents/value_book.hpp"

#include "collector/os/clocks.hpp"
#include "collector/process/process_bytes.hpp"
#include "preload/wire/session.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tidemark {

using weights::BlockSample;

namespace {

constexpr std::uint64_t kFirstPauseNs = 10'000'000;
/// Blocks that were filled long ago may be overwritten with weights, as by load_state_dict.
constexpr std::uint64_t kMaxPauseNs = 320'000'000;
constexpr std::uint64_t kMaxLoadingPauseNs = 40'000'000;
constexpr std::uint64_t kLoadingNs = 2'000'000'000;  ///< Behind the last use of such a file.
/// For this long after its last use a file is taken to be still read. What comes then is new; what
/// was there before changes once all is read: then a pause is a part of the time since.
constexpr std::uint64_t kReadingNs = 5'000'000;
constexpr std::uint64_t kAgeParts = 8;
constexpr std::uint64_t kMinValuePauseNs = 4'000'000;  ///< While loading; else kFirstPauseNs.
/// What looks may cost of the host's time so far: in the end, while files are
/// read, and before.
constexpr std::uint64_t kValueTimeParts = 200;
constexpr std::uint64_t kReadingTimeParts = 300;
constexpr std::uint64_t kIdleTimeParts = 400;
constexpr std::uint64_t kBurstParts = 20;  ///< And of the time since the last look.
/// The time for looks that a program begins with.
constexpr std::uint64_t kCreditNs = 300'000'000;
constexpr std::uint64_t kMaxValueLookNs = 1'000'000;  ///< What is left is due at the next look.
constexpr std::size_t kBlocksAtOnce = 32;
/// If a peak is higher by this part, its blocks are looked into at once: a program may do its next
/// step in place.
constexpr std::uint64_t kNotablePeakPart = 16;

// Hosts that look themselves send as many bytes.
static_assert(wire::kFirstValueBytes == BlockSample::kFirstBytes);
static_assert(wire::kInnerValueBytes == BlockSample::kInnerBytes);
static_assert([] {
  for (std::uint64_t size = ValueBook::kLarge; size < ValueBook::kLarge + 200; ++size) {
    if (wire::values_place(size) != BlockSample::inner_place(size))
      return false;
  }
  return true;
}());

/// The first bytes of a block, as far as their page goes, and those further
/// inside.
struct Pieces {
  std::uint64_t address = 0;
  BlockSample* sample = nullptr;

  [[nodiscard]] std::size_t bytes() const { return sample->first_count + sample->inner.size(); }
  [[nodiscard]] std::array<iovec, 2> places() const {
    return {iovec{reinterpret_cast<void*>(address), sample->first_count},
            iovec{reinterpret_cast<void*>(address + sample->inner_at), sample->inner.size()}};
  }
  void take(std::span<const std::byte> bytes) const {
    std::copy_n(bytes.begin(), sample->first_count, sample->first.begin());
    std::copy_n(bytes.begin() + sample->first_count, sample->inner.size(), sample->inner.begin());
  }
};

/// @return how many of them were copied: up to the first that cannot be.
std::size_t copy_values(pid_t pid, std::span<const Pieces> blocks) {
  std::array<iovec, 2 * kBlocksAtOnce> places;
  std::array<std::byte, kBlocksAtOnce*(BlockSample::kFirstBytes + BlockSample::kInnerBytes)> bytes;
  for (std::size_t i = 0; i < blocks.size(); ++i)
    std::ranges::copy(blocks[i].places(), places.begin() + static_cast<std::ptrdiff_t>(2 * i));
  const std::size_t got = copy_from_process(pid, {places.data(), 2 * blocks.size()}, bytes);
  std::size_t at = 0;
  std::size_t count = 0;
  for (; count < blocks.size() && at + blocks[count].bytes() <= got; ++count) {
    blocks[count].take(std::span(bytes).subspan(at));
    at += blocks[count].bytes();
  }
  return count;
}

/// The longest time that a block is left alone, at this age of the last use of a weight file:
/// shorter for a large one, since peaks are made of them.
std::uint64_t longest_pause_ns(std::uint64_t age_ns, std::uint64_t size) {
  if (age_ns >= kLoadingNs)
    return kMaxPauseNs;
  const std::uint64_t least_ns =
      age_ns < kReadingNs ? kMaxLoadingPauseNs
                          : std::clamp(age_ns / kAgeParts, kFirstPauseNs, kMaxLoadingPauseNs);
  if (size >= 4 * ValueBook::kLarge)
    return least_ns;
  return size >= ValueBook::kLarge ? 2 * least_ns : 4 * least_ns;
}

/// A look would only see what came from a file, which is known already.
/// @param begin where in the allocation it looks.
bool is_of_file(const Host& host, const LargeBlocks::Block& block, std::uint64_t begin) {
  const FileExtents* content = host.tables.origins.find(block.allocation);
  return content != nullptr && !content->is_reused() && !content->in(begin, 1).empty() &&
         !content->in(begin + BlockSample::inner_place(block.size), 1).empty();
}

/// What looks have found so far of mappings that are not all in memory yet.
std::unordered_map<trace::AllocationNumber, std::uint64_t> counted_of_unseen(const Host& host) {
  std::unordered_map<trace::AllocationNumber, std::uint64_t> counted;
  for (const UnseenMapping& mapping : host.tables.unseen) {
    if (mapping.is_counted)
      counted[mapping.allocation] = mapping.counted_bytes;
  }
  return counted;
}

/// An object that is mapped from its middle on shows no beginning.
bool may_be_array(const Mapping& mapping) {
  return mapping.may_hold_arrays() &&
         (mapping.kind != Mapping::Kind::kShared || mapping.base == mapping.begin);
}

/// What this process has not touched of shared memory may be there for another one.
bool is_shared(const Host& host, std::uint64_t address) {
  const Mapping* const mapping = host.tables.mappings.find(address);
  return mapping != nullptr && mapping->kind == Mapping::Kind::kShared;
}

/// Mappings with holes by now, or that were opened in several pieces, and so are no single array.
std::unordered_set<trace::AllocationNumber> mapped_in_parts(const MappingTable& mappings) {
  std::unordered_set<trace::AllocationNumber> cut;
  std::unordered_set<trace::AllocationNumber> in_parts;
  for (const auto& [begin, mapping] : mappings.all()) {
    if (!mapping.whole && may_be_array(mapping) && !cut.insert(mapping.allocation).second)
      in_parts.insert(mapping.allocation);
  }
  return in_parts;
}

/// Zeros, or another number of up to eight bytes again and again: an array is filled with one
/// before its values come.
bool is_one_number(const BlockSample& sample) {
  constexpr std::size_t kNumberBytes = sizeof(std::uint64_t);
  return std::equal(sample.inner.begin() + kNumberBytes, sample.inner.end(), sample.inner.begin());
}

/// Since the look before, by a notable part.
bool is_peak_higher(const Host& host) {
  const std::uint64_t before = host.tables.values.peak_bytes;
  return host.facts().peak.footprint() > before + before / kNotablePeakPart + ValueBook::kLarge;
}

}  // namespace

/// Since the last use of such a file; of one that was never used, or long ago,
/// more than kLoadingNs.
std::uint64_t ValueBook::loading_age_ns(const HostValues& values) const {
  return values.last_use_ns == 0 ? kLoadingNs : sink_.now_ns() - values.last_use_ns;
}

bool ValueBook::is_due(const Host& host) const {
  const HostValues& values = host.tables.values;
  const std::uint64_t now_ns = sink_.now_ns();
  const std::uint64_t age_ns = loading_age_ns(values);
  const bool is_loading = age_ns < kLoadingNs;
  const std::uint64_t least_ns =
      is_loading || is_peak_higher(host) ? kMinValuePauseNs : kFirstPauseNs;
  const std::uint64_t pause_ns = std::max(least_ns, kBurstParts * values.cost_ns);
  const std::uint64_t parts = age_ns < kReadingNs ? kReadingTimeParts
                              : is_loading        ? kValueTimeParts
                                                  : kIdleTimeParts;
  return host.process() != nullptr && now_ns >= values.looked_ns + pause_ns &&
         now_ns + kCreditNs >= host.facts().begin_ns + parts * values.spent_ns;
}

void ValueBook::look(Host& host, std::uint64_t now_ns) {
  if (!is_due(host))
    return;
  HostValues& values = host.tables.values;
  const std::uint64_t ahead_ns = now_ns - clock_ns(CLOCK_MONOTONIC);  // Modulo 2^64.
  const std::uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  believe_seen(host);
  values.looked_ns = sink_.now_ns();
  if (is_peak_higher(host)) {
    values.risen_ns = values.looked_ns;
    values.peak_bytes = host.facts().peak.footprint();
  }
  look_into_all(host, began_ns + kMaxValueLookNs);
  if (host.has_gone_meanwhile())
    values.seen.clear();
  values.cost_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
  values.spent_ns += values.cost_ns;
  for (HostValues::Seen& seen : values.seen)
    seen.until_ns = clock_ns(CLOCK_MONOTONIC) + ahead_ns;
}

/// Lists the current mappings, including the rest of one whose ends were unmapped, as allocators do
/// to align their blocks. What is known of a mapping is kept as long as it exists.
void ValueBook::list_mapped(Host& host) {
  constexpr std::size_t kMaxMapped = 4096;
  HostValues& values = host.tables.values;
  const auto unseen = counted_of_unseen(host);
  const auto in_parts = mapped_in_parts(host.tables.mappings);
  std::unordered_map<trace::AllocationNumber, HostValues::Mapped> there;
  for (const auto& [begin, mapping] : host.tables.mappings.all()) {
    if (!may_be_array(mapping) || mapping.bytes() < kArena || there.size() >= kMaxMapped ||
        (!mapping.whole && in_parts.contains(mapping.allocation)))
      continue;
    const auto counted = unseen.find(mapping.allocation);
    const std::uint64_t present =
        counted != unseen.end()
            ? counted->second
            : mapping.bytes() - host.tables.pages.gone.bytes_in({begin, mapping.end});
    if (present < kArena)
      continue;
    const auto known = values.mapped.find(mapping.allocation);
    HostValues::Mapped& mapped = there[mapping.allocation];
    if (known != values.mapped.end())
      mapped = known->second;
    else
      mapped.was_before_load = values.last_use_ns == 0;
    mapped.is_arena = present < kLargeMapping;
    mapped.address = begin + kMappingEnds;
    mapped.block.size = present - 2 * kMappingEnds;
    mapped.block.allocation = mapping.allocation;
  }
  values.mapped = std::move(there);
}

/// The blocks that have waited longest, relative to their pauses.
std::vector<ValueBook::Due> ValueBook::due_blocks(Host& host) const {
  const std::uint64_t now_ns = sink_.now_ns();
  const std::uint64_t age_ns = loading_age_ns(host.tables.values);
  const std::uint64_t risen_ns = host.tables.values.risen_ns;
  std::vector<Due> due;
  const auto consider = [&](std::uint64_t address, LargeBlocks::Block& block, bool is_mapped,
                            std::uint64_t longest_ns) {
    const std::uint64_t waited_ns = now_ns - block.looked_ns;
    const bool is_urgent = block.looked_ns < risen_ns && block.size >= 4 * kLarge;
    if (block.is_window || (!is_urgent && waited_ns < std::min(block.pause_ns, longest_ns)) ||
        (waited_ns < kMaxPauseNs && is_of_file(host, block, is_mapped ? kMappingEnds : 0)))
      return;
    due.push_back({address, &block, is_mapped, longest_ns});
  };
  host.tables.large.visit_all([&](std::uint64_t address, LargeBlocks::Block& block) {
    consider(address, block, false, longest_pause_ns(age_ns, block.size));
  });
  for (auto& [allocation, mapped] : host.tables.values.mapped) {
    if (!mapped.is_arena)
      consider(mapped.address, mapped.block, true, longest_pause_ns(age_ns, mapped.block.size));
    else if (!mapped.was_before_load)
      consider(mapped.address, mapped.block, true, kMaxPauseNs);
  }
  std::ranges::sort(due, std::ranges::greater{}, [now_ns](const Due& it) {
    const std::uint64_t waited_ns = now_ns - it.block->looked_ns;
    return std::tuple(16 * waited_ns / std::max(it.block->pause_ns, std::uint64_t{1}),
                      it.block->size, it.address);
  });
  return due;
}

void ValueBook::look_into_all(Host& host, std::uint64_t end_ns) {
  list_mapped(host);
  const auto due = due_blocks(host);
  host.tables.large.watch_looked(sink_.now_ns());
  if (due.empty())
    return;
  const PageMap map(host.process()->pid());
  for (std::span<const Due> left(due); !left.empty();
       left = left.subspan(std::min(left.size(), kBlocksAtOnce))) {
    // By CPU time: by the wall clock, a recorder that was displaced would look into nothing.
    if (clock_ns(CLOCK_THREAD_CPUTIME_ID) >= end_ns)
      break;
    look_into(host, map, left.first(std::min(left.size(), kBlocksAtOnce)));
  }
}

/// @param blocks kBlocksAtOnce at most.
void ValueBook::look_into(Host& host, const PageMap& map, std::span<const Due> blocks) {
  HostValues& values = host.tables.values;
  const pid_t pid = host.process()->pid();
  const std::size_t first = values.seen.size();
  for (const Due& it : blocks) {
    HostValues::Seen seen;
    seen.address = it.address;
    seen.is_mapped = it.is_mapped;
    seen.sample.allocation = it.block->allocation;
    seen.sample.size = it.block->size;
    seen.sample.at_ns = sink_.now_ns();
    seen.sample.inner_at = BlockSample::inner_place(it.block->size);
    seen.sample.first_count = static_cast<std::uint32_t>(std::min<std::uint64_t>(
        BlockSample::kFirstBytes, wire::kPageBytes - it.address % wire::kPageBytes));
    const std::uint64_t inner = it.address + seen.sample.inner_at;
    seen.has_values = map.are_in_memory(it.address, it.address + 1) &&
                      map.are_in_memory(inner, inner + seen.sample.inner.size());
    if (seen.has_values || !it.is_mapped || !is_shared(host, it.address))
      values.seen.push_back(seen);
    it.block->looked_ns = sink_.now_ns();
    it.block->pause_ns = std::min(std::max(2 * it.block->pause_ns, kFirstPauseNs), it.longest_ns);
  }
  std::vector<Pieces> pieces;
  std::vector<HostValues::Seen*> there;
  for (HostValues::Seen& seen : std::span(values.seen).subspan(first)) {
    if (seen.has_values) {
      there.push_back(&seen);
      pieces.push_back({seen.address, &seen.sample});
    }
  }
  // Skips a block that cannot be copied and goes on with those after it.
  for (std::size_t done = 0; done < pieces.size(); ++done) {
    done += copy_values(pid, std::span(pieces).subspan(done));
    if (done < pieces.size())
      there[done]->has_values = false;
  }
  for (HostValues::Seen* seen : there) {
    seen->has_values = seen->has_values && !is_one_number(seen->sample);
    if (joins_.look(host, map, *seen))
      host.tables.large.look_soon(seen->address, seen->sample.allocation);
  }
}

void ValueBook::expect_weights(Host& host) const {
  host.tables.values.last_use_ns = sink_.now_ns();
}

void ValueBook::end(Host& host) {
  believe_seen(host);
  host.tables.values = {};
  probes_.end(host);
  joins_.end(host);
}

/// Believes what the last look has seen of blocks that are still there, or that went after it. The
/// memory of a block that the host had freed by then, without our knowing, was another block's
/// already.
void ValueBook::believe_seen(Host& host) {
  for (const HostValues::Seen& seen : std::exchange(host.tables.values.seen, {})) {
    const Mapping* const mapping =
        seen.is_mapped ? host.tables.mappings.find(seen.address) : nullptr;
    const bool was_there =
        seen.is_mapped
            ? mapping != nullptr && mapping->allocation == seen.sample.allocation
            : host.tables.large.was_there(seen.address, seen.sample.allocation, seen.until_ns);
    if (was_there)
      believe(seen, host);
  }
}

void ValueBook::believe(const HostValues::Seen& seen, Host& host) {
  keep(seen, host);
  joins_.believe(seen);
}

/// The same for one block whose release comes next: a look that ended before now has seen it.
void ValueBook::believe_seen_of(trace::AllocationNumber allocation, Host& host) {
  auto& all = host.tables.values.seen;
  const auto seen = std::ranges::find_if(all, [allocation](const HostValues::Seen& it) {
    return !it.is_mapped && it.sample.allocation == allocation;
  });
  if (seen == all.end())
    return;
  if (seen->until_ns <= sink_.now_ns())
    believe(*seen, host);
  all.erase(seen);
}

void ValueBook::see(const Source& source, const wire::LastValues& said, const Behind& behind) {
  Host& host = *source.host;
  const auto block = host.tables.large.find(said.address);
  if (!block || block->begin != said.address || said.first_bytes > BlockSample::kFirstBytes ||
      behind.payload.size() < std::uint64_t{said.first_bytes} + said.inner_bytes)
    return;
  HostValues::Seen seen;
  seen.address = said.address;
  BlockSample& sample = seen.sample;
  sample.allocation = block->allocation;
  sample.size = block->size;
  sample.at_ns = sink_.now_ns();
  sample.first_count = said.first_bytes;
  sample.inner_at = BlockSample::inner_place(block->size);
  const std::uint64_t in_payload = sample.inner_at - said.inner_at;
  if (sample.inner_at < said.inner_at || in_payload + sample.inner.size() > said.inner_bytes)
    return;
  const auto first = behind.payload.first(said.first_bytes);
  std::ranges::copy(first, sample.first.begin());
  std::ranges::copy(behind.payload.subspan(said.first_bytes + in_payload, sample.inner.size()),
                    sample.inner.begin());
  seen.has_values = !is_one_number(sample);
  believe_seen_of(sample.allocation, host);
  keep(seen, host);
}

void ValueBook::keep(const HostValues::Seen& seen, Host& host) {
  using News = SeenValues::News;
  const BlockSample& sample = seen.sample;
  if (!seen.has_values)
    return seen_.keep_empty(sample);
  const News news = seen_.keep(host.id(), seen.address, sample);
  if (news == News::kFirst || news == News::kOther)
    joins_.note_beginning(host, seen);
  if (news != News::kOther && news != News::kReplaced)
    return;
  // It changes: look less rarely from now on.
  const auto mapped = host.tables.values.mapped.find(sample.allocation);
  if (seen.is_mapped && mapped != host.tables.values.mapped.end() && !mapped->second.is_arena)
    mapped->second.block.pause_ns = 0;
  host.tables.large.look_soon(seen.address, sample.allocation);
}

void ValueBook::tell(const UsedWeights& used) {
  ValueMatches matches(seen_, sink_);
  matches.tell_tensors(used.index);
  matches.tell_packed(used.plain, probes_);
  if (used.has_loaded)
    matches.tell_alike();
  matches.tell_joined(joins_.told());
  has_told_all_ = matches.is_complete();
}

}  // namespace tidemark
