#include "collector/drain/books/contents/probe_book.hpp"

#include "collector/drain/books/contents/origin_book.hpp"
#include "collector/drain/books/contents/probe_stretches.hpp"
#include "collector/os/clocks.hpp"
#include "collector/process/process_bytes.hpp"
#include "preload/wire/session.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <optional>
#include <tuple>
#include <utility>

namespace tidemark {
namespace {

using Seen = HostProbes::Seen;
using Place = HostProbes::Place;
using Period = HostProbes::Period;

constexpr std::uint64_t kPauseNs = 20'000'000;
constexpr std::uint64_t kIdlePauseNs = 320'000'000;
constexpr std::uint64_t kBusyNs = 2'000'000'000;  ///< Behind the last use of such a file.
/// Looks take a hundredth of the host's time at most, as if it had run for so much longer; and a
/// twentieth of the time since the look before.
constexpr std::uint64_t kTimeParts = 100;
constexpr std::uint64_t kHeadStartNs = 3'000'000'000;
constexpr std::uint64_t kPauseParts = 20;
constexpr std::uint64_t kRisenPart = 16;  ///< The footprint has risen by so much.
constexpr std::uint64_t kPieceBytes = std::uint64_t{64} << 20U;
constexpr std::size_t kAtOnce = 1024;
constexpr std::size_t kMaxPeriods = 4;
/// The place's offset in each step: not where runtimes keep the tables of a stretch of memory.
constexpr std::uint64_t kWithinStep =
    ProbeBook::kStep * 37 / 100 / sizeof(weights::Probe) * sizeof(weights::Probe);

/// A mapping, or a block, that may have arrays anywhere in it.
struct Area {
  trace::AllocationNumber allocation = 0;
  std::uint64_t base = 0;  ///< The address of the allocation's first byte.
  PageRange range;
  bool is_mapped = false;
};

/// By their addresses.
std::vector<Area> areas_of(const Host& host) {
  std::vector<Area> areas;
  for (const auto& [begin, mapping] : host.tables.mappings.all()) {
    if (mapping.may_hold_arrays() && !mapping.is_break &&
        mapping.bytes() >= ProbeBook::kLargeMapping)
      areas.push_back({mapping.allocation, mapping.base, {begin, mapping.end}, true});
  }
  host.tables.large.visit_all([&](std::uint64_t address, const LargeBlocks::Block& block) {
    if (!block.is_window && block.size >= ProbeBook::kFreshBlock)
      areas.push_back({block.allocation, address, {address, address + block.size}});
  });
  std::ranges::sort(areas, {}, [](const Area& area) { return area.range.begin; });
  return areas;
}

/// Whether a place is looked at where one in `step` bytes is.
bool is_of_step(std::uint64_t address, std::uint64_t step) {
  return address / ProbeBook::kStep % (step / ProbeBook::kStep) == 0;
}

std::uint64_t step_for(std::uint64_t bytes) {
  std::uint64_t step = ProbeBook::kStep;
  while (bytes / step > ProbeBook::kMaxPlaces)
    step *= 2;
  return step;
}

/// Whether the bytes there were seen to come from a file, so that a look would show nothing new.
bool is_of_file(const FileExtents* content, std::uint64_t begin) {
  return content != nullptr && !content->is_reused() && !content->in(begin, 1).empty();
}

/// Adds the places of `piece`, a part of an area, that are in memory; nothing is read yet.
void add_places(const Host& host,
                const PageMap& map,
                const Area& area,
                const PageRange& piece,
                HostProbes& probes) {
  const FileExtents* const content = host.tables.origins.find(area.allocation);
  for (const PageRange& in_memory :
       map.present(piece.begin / wire::kPageBytes * wire::kPageBytes,
                   wire::round_to_page(piece.end), PageMap::Which::kInMemory)) {
    const std::uint64_t begin = std::max(in_memory.begin, piece.begin);
    const std::uint64_t end = std::min(in_memory.end, piece.end);
    probes.round.met_bytes += end - begin;
    for (std::uint64_t at = begin / probes.round.step * probes.round.step + kWithinStep;
         at + sizeof(weights::Probe) <= end; at += probes.round.step) {
      if (at >= begin && !is_of_file(content, at - area.base))
        probes.look.seen.push_back({.address = at,
                                    .allocation = area.allocation,
                                    .begin = at - area.base,
                                    .is_mapped = area.is_mapped});
    }
  }
}

/// Continues the round until its end, or until the time or the places for one look are used up.
void add_all_places(const Host& host, std::uint64_t end_ns, HostProbes& probes) {
  probes.look.range.end = ~std::uint64_t{0};
  const auto areas = areas_of(host);
  if (areas.empty()) {
    probes.round.next = 0;
    return;
  }
  const PageMap map(host.process()->pid());
  for (const Area& area : areas) {
    for (PageRange piece{std::max(area.range.begin, probes.round.next), 0};
         piece.begin < area.range.end; piece.begin = piece.end) {
      piece.end = std::min(area.range.end, piece.begin + kPieceBytes);
      add_places(host, map, area, piece, probes);
      if (clock_ns(CLOCK_THREAD_CPUTIME_ID) >= end_ns ||
          probes.look.seen.size() >= ProbeBook::kMaxPlaces) {
        probes.look.range.end = probes.round.next = piece.end;
        return;
      }
    }
  }
  probes.round.next = 0;
}

/// Leaves out what cannot be read.
void read_all(pid_t pid, std::vector<Seen>& seen) {
  std::vector<iovec> pieces;
  std::vector<std::byte> bytes(kAtOnce * sizeof(weights::Probe));
  std::vector<Seen> read;
  std::size_t done = 0;
  while (done < seen.size()) {
    pieces.clear();
    for (std::size_t i = done; i < std::min(seen.size(), done + kAtOnce); ++i)
      pieces.push_back({reinterpret_cast<void*>(seen[i].address), sizeof(weights::Probe)});
    const std::size_t got = copy_from_process(pid, pieces, bytes) / sizeof(weights::Probe);
    for (std::size_t i = 0; i < got; ++i) {
      Seen& it = read.emplace_back(seen[done + i]);
      std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(i * sizeof(weights::Probe)),
                  sizeof(weights::Probe), it.bytes.begin());
    }
    done += got < pieces.size() ? got + 1 : got;
  }
  seen = std::move(read);
}

}  // namespace

bool ProbeBook::is_due(const Host& host) const {
  const HostProbes& probes = host.tables.probes;
  const std::uint64_t now_ns = sink_.now_ns();
  const std::uint64_t used_ns = host.tables.values.last_use_ns;
  if (host.process() == nullptr || used_ns == 0)
    return false;
  const std::uint64_t peak = host.facts().peak.footprint();
  const bool is_higher = peak > probes.round.peak_bytes + probes.round.peak_bytes / kRisenPart;
  const bool is_loading = now_ns - used_ns < kBusyNs;
  const bool is_urgent = is_loading || is_higher || probes.round.next != 0;
  const std::uint64_t pause_ns =
      std::max(is_urgent ? kPauseNs : kIdlePauseNs, kPauseParts * probes.look.cost_ns);
  return now_ns >= probes.look.at_ns + pause_ns &&
         now_ns + kHeadStartNs >= host.facts().begin_ns + kTimeParts * probes.spent_ns;
}

void ProbeBook::look(Host& host, std::uint64_t max_ns) {
  HostProbes& probes = host.tables.probes;
  const std::uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  believe_seen(host);
  probes.look.at_ns = sink_.now_ns();
  if (probes.round.next == 0) {
    probes.round.before_ns = std::exchange(probes.round.began_ns, probes.look.at_ns);
    probes.round.step = step_for(std::exchange(probes.round.met_bytes, 0));
    probes.round.peak_bytes = host.facts().peak.footprint();
  }
  probes.look.range.begin = probes.round.next;
  add_all_places(host, began_ns + max_ns, probes);
  read_all(host.process()->pid(), probes.look.seen);
  if (host.has_gone_meanwhile()) {
    probes.look.seen.clear();
    probes.look.range = {};
  }
  probes.look.cost_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
  probes.spent_ns += probes.look.cost_ns;
}

void ProbeBook::end(Host& host) {
  believe_seen(host);
  for (auto& [address, place] : host.tables.probes.places)
    places_.push_back(std::move(place));
  host.tables.probes = {};
}

/// Confirms what the previous look saw in blocks and mappings that are still there. What the host
/// had released by then, unknown to us, may have been something else already.
void ProbeBook::believe_seen(Host& host) {
  HostProbes& probes = host.tables.probes;
  for (const Seen& seen : std::exchange(probes.look.seen, {})) {
    const bool is_there = place_at(host, seen.address).allocation == seen.allocation;
    if (is_there && !extend_period(probes, seen) && weights::WordPlaces::tell_apart(seen.bytes))
      begin_period(probes, seen);
  }
  for (auto& [address, place] : probes.places) {
    Period& last = place.periods.back();
    const bool was_looked_at = probes.look.range.begin <= address &&
                               address < probes.look.range.end &&
                               is_of_step(address, probes.round.step);
    if (was_looked_at && last.last_ns < probes.look.at_ns)
      last.has_ended = true;
    last.is_left = !is_of_step(address, probes.round.step);
  }
}

/// @return whether the place holds what it held.
bool ProbeBook::extend_period(HostProbes& probes, const Seen& seen) {
  const auto known = probes.places.find(seen.address);
  if (known == probes.places.end() || known->second.allocation != seen.allocation)
    return false;
  Period& last = known->second.periods.back();
  if (last.bytes != seen.bytes || last.has_ended)
    return false;
  last.last_ns = probes.look.at_ns;
  return true;
}

void ProbeBook::begin_period(HostProbes& probes, const Seen& seen) {
  const auto known = probes.places.find(seen.address);
  const bool is_new = known == probes.places.end() || known->second.allocation != seen.allocation;
  if (is_new && kept_ >= kMaxKept)
    return;
  if (is_new && known != probes.places.end())
    places_.push_back(std::exchange(known->second, {}));
  Place& place = probes.places[seen.address];
  place.allocation = seen.allocation;
  place.begin = seen.begin;
  // A heap block exists for what comes into it later; the pages of a mapping count from when they
  // are touched.
  std::uint64_t from_ns = seen.is_mapped ? probes.round.before_ns : 0;
  if (!is_new) {
    place.periods.back().has_ended = true;
    from_ns = place.periods.back().last_ns;
  }
  const Period next{.bytes = seen.bytes,
                    .step = probes.round.step,
                    .at_ns = probes.look.at_ns,
                    .from_ns = from_ns,
                    .last_ns = probes.look.at_ns};
  // The last content is the one that matters.
  if (is_new || (place.periods.size() < kMaxPeriods && kept_ < kMaxKept)) {
    place.periods.push_back(next);
    ++kept_;
  } else {
    place.periods.back() = next;
  }
}

void ProbeBook::want_in(weights::PartSearch& search) const {
  for (const Place& place : places_) {
    for (const Period& period : place.periods)
      search.want(period.bytes);
  }
}

std::vector<trace::PackedMatch> ProbeBook::take_parts(
    const weights::PartSearch& search,
    std::span<const weights::PlainFile> files,
    const std::unordered_set<trace::AllocationNumber>& whole) {
  std::erase_if(places_, [&](const Place& place) { return whole.contains(place.allocation); });
  std::ranges::sort(places_, {},
                    [](const Place& place) { return std::tuple(place.allocation, place.begin); });
  ProbeStretches stretches;
  for (const Place& place : places_) {
    for (const Period& period : place.periods)
      stretches.add({.allocation = place.allocation,
                     .begin = place.begin,
                     .step = period.step,
                     .at_ns = period.at_ns,
                     .from_ns = period.from_ns,
                     .last_ns = period.last_ns,
                     .has_ended = period.has_ended,
                     .is_left = period.is_left},
                    search.find(period.bytes));
  }
  places_.clear();
  return stretches.take(files);
}

}  // namespace tidemark
