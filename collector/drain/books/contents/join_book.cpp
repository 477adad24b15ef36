#include "collector/drain/books/contents/join_book.hpp"

#include "collector/process/process_bytes.hpp"
#include "collector/weights/searches/word_places.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace tidemark {
namespace {

using weights::BlockSample;

std::optional<std::uint64_t> size_of(const Host& host, const BeginningBlock& block) {
  const auto found = host.tables.large.find(block.address);
  return found && found->allocation == block.allocation ? std::optional(found->size) : std::nullopt;
}

JoinedMemory memory_of(const Host& host, const PageMap& map) {
  const pid_t pid = host.process()->pid();
  return {.read =
              [&map, pid](std::uint64_t address, std::span<std::byte> into) {
                const iovec piece{reinterpret_cast<void*>(address), into.size()};
                return map.are_in_memory(address, address + into.size()) &&
                       copy_from_process(pid, {&piece, 1}, into) == into.size();
              },
          .size_of = [&host](const BeginningBlock& block) { return size_of(host, block); }};
}

/// The bytes seen from its begin, at most to the end of its first page.
std::span<const std::byte> seen_of(const BlockSample& sample) {
  return std::span(sample.first).first(sample.first_count);
}

std::size_t hash_of(std::span<const std::byte> bytes) {
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// Words of the block from `begin` on, up to a window. @return whether they could be read.
bool note_window(NearWords& words,
                 const BeginningBlock& block,
                 std::uint64_t begin,
                 const JoinedMemory& memory) {
  std::array<std::byte, NearWords::kWindowBytes> bytes;
  if (begin >= block.size)
    return false;
  const auto window = std::span(bytes).first(std::min(bytes.size(), block.size - begin));
  if (!memory.read(block.address + begin, window))
    return false;
  words.add(block, begin, window);
  return true;
}

/// Blocks next to this one in a larger block were often allocated right after it: looks at these
/// soon.
void look_soon_behind(Host& host, trace::AllocationNumber allocation) {
  constexpr std::size_t kNext = 8;
  std::map<trace::AllocationNumber, std::uint64_t> next;
  host.tables.large.visit_all([&](std::uint64_t address, const LargeBlocks::Block& block) {
    if (block.allocation <= allocation || block.size < JoinBook::kMinHeldBytes)
      return;
    next.emplace(block.allocation, address);
    if (next.size() > kNext)
      next.erase(std::prev(next.end()));
  });
  for (const auto& [number, address] : next)
    host.tables.large.look_soon(address, number);
}

/// Judges the bytes after any header that it may have.
bool tells_apart(const BlockSample& sample) {
  constexpr std::size_t kEnough = 64;
  return sample.first_count >= BlockBeginnings::kKeyAt + kEnough &&
         weights::WordPlaces::tell_apart(seen_of(sample).subspan(BlockBeginnings::kKeyAt, kEnough));
}

}  // namespace

void JoinBook::note_beginning(const Host& host, const HostValues::Seen& seen) {
  if (seen.is_mapped || !tells_apart(seen.sample))
    return;
  BlockBeginnings& beginnings = beginnings_[trace::index(host.id())];
  if (beginnings.is_to_be_swept())
    beginnings.sweep(
        [&host](const BeginningBlock& block) { return size_of(host, block).has_value(); });
  beginnings.add({seen.sample.allocation, seen.address, seen.sample.size}, seen_of(seen.sample));
}

bool JoinBook::look(Host& host, const PageMap& map, HostValues::Seen& seen) {
  if (seen.is_mapped || !seen.has_values)
    return false;
  note_words(host, map, seen);
  if (!tells_apart(seen.sample))
    return false;
  if (look_for_parts(host, map, seen))
    return true;
  return seen.joined.empty() && look_for_larger(host, map, seen);
}

bool JoinBook::look_for_parts(const Host& host, const PageMap& map, HostValues::Seen& whole) {
  const BlockSample& sample = whole.sample;
  const auto beginnings = beginnings_.find(trace::index(host.id()));
  if (sample.size < kMinWholeBytes || beginnings == beginnings_.end())
    return false;
  const auto tried = tries_.find(sample.allocation);
  if (tried != tries_.end() &&
      (tried->second.count >= kMaxTries || sample.at_ns < tried->second.next_ns))
    return tried->second.count < kMaxTries;
  JoinedBlocks found = find_joined_blocks({.block = {sample.allocation, whole.address, sample.size},
                                           .first = seen_of(sample),
                                           .at_ns = sample.at_ns},
                                          beginnings->second, memory_of(host, map));
  if (!found.has_read)
    return false;
  if (tries_.size() >= kMaxTried)
    tries_.clear();
  tries_[sample.allocation].note(sample.at_ns, kPauseParts);
  whole.joined = std::move(found.parts);
  return found.state == JoinedState::kNotTold;
}

bool JoinBook::look_for_larger(Host& host, const PageMap& map, HostValues::Seen& seen) {
  const BlockSample& sample = seen.sample;
  const auto near = near_.find(trace::index(host.id()));
  if (sample.size < kMinHeldBytes || sample.first_count < BlockSample::kFirstBytes ||
      near == near_.end())
    return false;
  const auto known = held_.find(sample.allocation);
  Held held = known == held_.end() ? Held() : known->second;
  if (held.tries.count >= kMaxHeldTries)
    return false;
  if (sample.at_ns < held.tries.next_ns)
    return held.begun.has_value();
  const JoinedMemory memory = memory_of(host, map);
  if (!search_larger(seen, near->second.words, memory, held))
    return false;
  held.tries.note(sample.at_ns, kHeldPauseParts);
  if (held_.size() >= kMaxTried)
    held_.clear();
  held_[sample.allocation] = held;
  if (seen.joined.empty())
    return held.begun.has_value();
  // What else the larger one holds may begin behind that.
  const trace::Joined& joined = seen.joined.front();
  note_window(near->second.words, held.begun->larger, joined.begin + joined.bytes, memory);
  look_soon_behind(host, sample.allocation);
  return false;
}

/// If the block's begin was found before, first checks whether it is complete by now, which works
/// even if the larger block has gone since. @return whether anything was read.
bool JoinBook::search_larger(HostValues::Seen& seen,
                             const NearWords& words,
                             const JoinedMemory& memory,
                             Held& held) {
  const BlockSample& sample = seen.sample;
  const auto take = [&](const std::optional<ShiftedValues>& begun) {
    if (!begun || !holds_shifted_values(seen.address, *begun, memory))
      return false;
    seen.joined = {begun->joined};
    seen.joined.front().at_ns = sample.at_ns;
    return true;
  };
  if (take(held.begun))
    return true;
  const ShiftedSearch search =
      find_shifted_values({.block = {sample.allocation, seen.address, sample.size},
                           .first = seen_of(sample),
                           .at_ns = sample.at_ns},
                          words, memory);
  const bool has_read = held.begun.has_value() || search.has_read;
  if (search.begun)
    held.begun = search.begun;
  take(search.begun);
  return has_read;
}

/// Notes the words near the begin of a block that may hold others, whenever that begin is new.
void JoinBook::note_words(const Host& host, const PageMap& map, const HostValues::Seen& larger) {
  const BlockSample& sample = larger.sample;
  if (sample.size < kMinLargerBytes || sample.first_count < BlockSample::kFirstBytes)
    return;
  Near& near = near_[trace::index(host.id())];
  // Without the header, which may be a reference count.
  const std::size_t beginning = hash_of(seen_of(sample).subspan(BlockBeginnings::kKeyAt));
  const auto known = near.noted.find(sample.allocation);
  if ((known != near.noted.end() && known->second == beginning) || !make_room(near, host))
    return;
  if (note_window(near.words, {sample.allocation, larger.address, sample.size}, 0,
                  memory_of(host, map)))
    near.noted[sample.allocation] = beginning;
}

/// If too many blocks stay, the first ones are kept, and sweeps for gone blocks become rare.
bool JoinBook::make_room(Near& near, const Host& host) {
  constexpr std::size_t kSweptAfter = 64;
  if (near.noted.size() >= kMaxTried)
    near.noted.clear();
  if (near.words.is_full() && near.refused++ % kSweptAfter == 0)
    near.words.sweep(
        [&host](const BeginningBlock& block) { return size_of(host, block).has_value(); });
  return !near.words.is_full();
}

void JoinBook::Tries::note(std::uint64_t at_ns, std::uint64_t pause_parts) {
  constexpr std::uint64_t kMinPauseNs = 8'000'000;
  first_ns = count == 0 ? at_ns : first_ns;
  next_ns = at_ns + std::max(kMinPauseNs, (at_ns - first_ns) / pause_parts);
  ++count;
}

void JoinBook::believe(const HostValues::Seen& seen) {
  if (seen.joined.empty() || told_.size() + seen.joined.size() > kMaxTold)
    return;
  told_.insert(told_.end(), seen.joined.begin(), seen.joined.end());
  const trace::AllocationNumber allocation = seen.sample.allocation;
  if (seen.joined.front().of == allocation)
    tries_[allocation].count = kMaxTries;
  else
    held_[allocation].tries.count = kMaxHeldTries;
}

void JoinBook::end(const Host& host) {
  beginnings_.erase(trace::index(host.id()));
  near_.erase(trace::index(host.id()));
}

}  // namespace tidemark
