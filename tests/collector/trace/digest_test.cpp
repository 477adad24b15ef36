// The digest of a block, against the events of the same block applied one by one.
#include "collector/trace/coding/block_digest.hpp"
#include "tests/collector/trace/plain_model.hpp"
#include "tests/collector/trace/recording.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace tidemark::trace::tests {
namespace {

using Held = std::map<std::uint64_t, std::tuple<std::uint64_t, StackId, ThreadId, Lane>>;

void apply_events(const std::vector<Event>& events, Held& held) {
  const auto come = [&](const Event& event) {
    held[event.allocation] = {event.size, event.stack, event.thread, event.lane};
  };
  for (const Event& event : events) {
    switch (event.kind) {
      case EventKind::kAllocate:
        come(event);
        break;
      case EventKind::kReallocate:
        held.erase(event.released);
        come(event);
        break;
      case EventKind::kRelease:
        held.erase(event.allocation);
        break;
      case EventKind::kReleasePart:
        std::get<0>(held.at(event.allocation)) -= event.size;
        break;
      case EventKind::kGrow:
        std::get<0>(held.at(event.allocation)) += event.size;
        break;
      default:
        break;
    }
  }
}

void apply_digest(const BlockDigest& digest, Held& held) {
  for (const auto& release : digest.releases) {
    if (release.part_bytes == 0)
      held.erase(release.allocation);
    else
      std::get<0>(held.at(release.allocation)) -= static_cast<std::uint64_t>(release.part_bytes);
  }
  for (const auto& survivor : digest.survivors)
    held[survivor.allocation] = {survivor.bytes, survivor.stack, survivor.thread, survivor.lane};
}

std::size_t count_of(const std::vector<Event>& events, bool (*wanted)(const Event&)) {
  std::size_t count = 0;
  for (const Event& event : events)
    count += wanted(event) ? 1U : 0U;
  return count;
}

TEST_CASE("digests tell who holds what as the events do, block by block", "[trace][digest]") {
  const auto seed = GENERATE(range(1U, 9U));
  CAPTURE(seed);
  Recording recording;
  record_at_random(recording, seed, 3'000);
  const auto bytes = recording.finish();
  auto opened = TraceReader::open(bytes);
  REQUIRE(opened.ok());
  TraceReader& reader = opened.value();
  REQUIRE(reader.blocks().size() > 3);

  Held by_events;
  Held by_digests;
  for (std::size_t block = 0; block < reader.blocks().size(); ++block) {
    std::vector<Event> events;
    BlockDigest digest;
    REQUIRE(reader.decode(block, events));
    REQUIRE(reader.digest(block, digest));
    apply_events(events, by_events);
    apply_digest(digest, by_digests);
    REQUIRE(by_digests == by_events);
    CHECK(std::ranges::is_sorted(digest.releases, {}, &BlockDigest::Release::allocation));

    const auto is_heap = [](const Event& event) {
      return event.lane == Lane::kHeap || event.lane == Lane::kDevice;
    };
    CHECK(digest.allocations == count_of(events, [](const Event& event) {
            return is_allocation(event.kind) &&
                   (event.lane == Lane::kHeap || event.lane == Lane::kDevice);
          }));
    CHECK(digest.mappings == count_of(events, [](const Event& event) {
            return is_allocation(event.kind) &&
                   (event.lane == Lane::kAnon || event.lane == Lane::kShared);
          }));
    CHECK(digest.has_others ==
          (count_of(events, [](const Event& event) {
             const bool goes =
                 event.kind == EventKind::kRelease || event.kind == EventKind::kReallocate;
             return (event.kind > EventKind::kReleasePart && event.kind != EventKind::kGrow) ||
                    (is_allocation(event.kind) && event.lane == Lane::kFile) ||
                    ((is_allocation(event.kind) || goes) && event.lane == Lane::kDevice);
           }) != 0));
    CHECK(digest.has_ends == (count_of(events, [](const Event& event) {
                                return event.kind == EventKind::kReleaseAll ||
                                       event.kind == EventKind::kProcessEnd;
                              }) != 0));
    std::uint64_t frees = 0;
    for (const Event& event : events) {
      const bool frees_one =
          event.kind == EventKind::kRelease || event.kind == EventKind::kReallocate;
      frees += frees_one && is_heap(event) ? 1U : 0U;
    }
    CHECK(digest.frees == frees);
  }
}

TEST_CASE("releases that are too far apart to be sorted are all kept", "[trace][digest]") {
  constexpr std::uint64_t kFirst = std::uint64_t{1} << 50;
  DigestBuilder builder(16);
  builder.begin_block(kFirst);
  for (const std::uint64_t allocation : {std::uint64_t{9}, kFirst - 1, std::uint64_t{3}})
    builder.release(Lane::kHeap, allocation);
  const ByteView column = builder.finish();
  BlockDigest digest;
  REQUIRE(decode_digest(column,
                        {.first_allocation = kFirst, .event_count = 10, .threads = 2, .stacks = 8},
                        DigestUse::kAny, digest));
  std::vector<std::uint64_t> released;
  for (const auto& release : digest.releases)
    released.push_back(release.allocation);
  std::ranges::sort(released);
  CHECK(released == std::vector<std::uint64_t>{3, 9, kFirst - 1});
}

/// The column of a block with survivors, releases of older blocks, and parts.
ByteBuffer a_column() {
  DigestBuilder builder(16);
  builder.begin_block(1'000);
  for (std::uint64_t i = 0; i < 6; ++i)
    builder.allocate({.size = 300 * i, .stack = StackId{7}, .thread = ThreadId{1}});
  builder.release(Lane::kHeap, 1'001);
  builder.release(Lane::kHeap, 12);
  builder.release_part(13, 4'096);
  builder.release_part(14, -8'192);
  builder.release_part(1'003, 100);
  const ByteView column = builder.finish();
  return {column.begin(), column.end()};
}

constexpr DigestLimits kLimits{
    .first_allocation = 1'000, .event_count = 10, .threads = 2, .stacks = 8};

TEST_CASE("a digest whose bytes are cut or changed is refused or harmless", "[trace][digest]") {
  const auto column = a_column();
  BlockDigest digest;
  REQUIRE(decode_digest(column, kLimits, DigestUse::kAny, digest));
  REQUIRE(digest.survivors.size() == 5);
  REQUIRE(digest.releases.size() == 3);

  const auto check = [&](ByteView bytes) {
    if (!decode_digest(bytes, kLimits, DigestUse::kAny, digest))
      return;
    CHECK(digest.releases.size() <= kLimits.event_count);
    for (const auto& release : digest.releases)
      CHECK(release.allocation < kLimits.first_allocation);
    for (const auto& survivor : digest.survivors) {
      CHECK(survivor.allocation - kLimits.first_allocation < kLimits.event_count);
      CHECK(index(survivor.thread) < kLimits.threads);
      CHECK(index(survivor.stack) < kLimits.stacks);
    }
  };
  for (std::size_t length = 0; length < column.size(); ++length)
    check(ByteView(column).first(length));
  for (std::size_t bit = 0; bit < column.size() * 8; ++bit) {
    auto changed = column;
    changed[bit / 8] = static_cast<std::uint8_t>(changed[bit / 8] ^ (1U << (bit % 8)));
    check(changed);
  }
}

TEST_CASE("a survivor's stack without a definition is no stack", "[trace][digest]") {
  BlockDigest digest;
  auto limits = kLimits;
  limits.stacks = 3;
  REQUIRE(decode_digest(a_column(), limits, DigestUse::kAny, digest));
  for (const auto& survivor : digest.survivors)
    CHECK(survivor.stack == kNoStack);
}

TEST_CASE("a digest is complete when it accounts for every event", "[trace][digest]") {
  BlockDigest digest;
  CHECK(decode_digest(a_column(), kLimits, DigestUse::kComplete, digest));
  CHECK(digest.survivors.size() == 5);

  DigestBuilder builder(10);
  builder.begin_block(1'000);
  builder.other(EventKind::kRead);
  const ByteView column = builder.finish();
  CHECK(decode_digest(column, kLimits, DigestUse::kAny, digest));
  CHECK(digest.has_others);
  CHECK_FALSE(decode_digest(column, kLimits, DigestUse::kComplete, digest));
}

TEST_CASE("no digest is read from a damaged block", "[trace][digest]") {
  Recording recording;
  recording.allocate(4'096);
  auto bytes = recording.finish();
  const auto intact = TraceReader::open(bytes);
  REQUIRE(intact.ok());
  BlockDigest digest;
  // Whichever bit it is: the digest is the written one, or there is none.
  for (std::size_t at = kFileHeaderBytes; at < bytes.size(); ++at) {
    bytes[at] ^= std::byte{0x10};
    if (auto reader = TraceReader::open(bytes);
        reader.ok() && !reader.value().blocks().empty() && reader.value().digest(0, digest)) {
      CHECK(digest.allocations == 1);
      REQUIRE(digest.survivors.size() == 1);
      CHECK(digest.survivors[0].bytes == 4'096);
    }
    bytes[at] ^= std::byte{0x10};
  }
}

}  // namespace
}  // namespace tidemark::trace::tests
