#include "collector/drain/books/contents/join_book.hpp"

#include "collector/process/process_bytes.hpp"
#include "collector/weights/word_places.hpp"

#include <algorithm>
#include <optional>
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

/// As far as its first page goes.
std::span<const std::byte> seen_of(const BlockSample& sample) {
  return std::span(sample.first).first(sample.first_count);
}

/// By what is behind any header that it may have.
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

bool JoinBook::look(const Host& host, const PageMap& map, HostValues::Seen& whole) {
  const BlockSample& sample = whole.sample;
  const auto beginnings = beginnings_.find(trace::index(host.id()));
  if (whole.is_mapped || !whole.has_values || sample.size < kLeastWhole ||
      beginnings == beginnings_.end() || !tells_apart(sample))
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
  note_try(tries_[sample.allocation], sample.at_ns);
  whole.joined = std::move(found.parts);
  return found.state == JoinedState::kNotTold;
}

/// The next one comes after a third of the time since the first.
void JoinBook::note_try(Tries& tries, std::uint64_t at_ns) {
  constexpr std::uint64_t kLeastPauseNs = 8'000'000;
  constexpr std::uint64_t kPauseParts = 3;
  tries.first_ns = tries.count == 0 ? at_ns : tries.first_ns;
  tries.next_ns = at_ns + std::max(kLeastPauseNs, (at_ns - tries.first_ns) / kPauseParts);
  ++tries.count;
}

void JoinBook::believe(const HostValues::Seen& whole) {
  if (whole.joined.empty() || told_.size() + whole.joined.size() > kMaxTold)
    return;
  told_.insert(told_.end(), whole.joined.begin(), whole.joined.end());
  tries_[whole.sample.allocation].count = kMaxTries;
}

}  // namespace tidemark
