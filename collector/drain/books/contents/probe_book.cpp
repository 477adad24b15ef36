#include "collector/drain/books/contents/probe_book.hpp"

#include "collector/drain/books/contents/origin_book.hpp"
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
constexpr std::uint64_t kBusyNs = 2'000'000'000;       ///< Behind the last use of such a file.
constexpr std::uint64_t kTimeParts = 100;              ///< What looks may cost of the host's time,
constexpr std::uint64_t kPauseParts = 20;              ///< and of the time since the look before.
constexpr std::uint64_t kHeadStartNs = 3'000'000'000;  ///< Of time: a program begins with so much.
constexpr std::uint64_t kRisenPart = 16;
constexpr std::uint64_t kPieceBytes = std::uint64_t{64} << 20U;
constexpr std::size_t kAtOnce = 1024;
constexpr std::size_t kMaxPeriods = 4;
/// Where in each step the place is: not where runtimes have the tables of a stretch of memory.
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
    if (mapping.kind == Mapping::Kind::kAnon && !mapping.is_break &&
        mapping.allocation != Mapping::kNoAllocation && mapping.bytes() >= ProbeBook::kLargeMapping)
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

/// What stands there was seen to come: nothing is to be learned of it.
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
    probes.bytes += end - begin;
    for (std::uint64_t at = begin / probes.step * probes.step + kWithinStep;
         at + sizeof(weights::Probe) <= end; at += probes.step) {
      if (at >= begin && !is_of_file(content, at - area.base))
        probes.seen.push_back({.address = at,
                               .allocation = area.allocation,
                               .begin = at - area.base,
                               .is_mapped = area.is_mapped});
    }
  }
}

/// From where the round is on, until its end, or that of the time or the places for one look.
void add_all_places(const Host& host, std::uint64_t end_ns, HostProbes& probes) {
  probes.looked_at.end = ~std::uint64_t{0};
  const auto areas = areas_of(host);
  if (areas.empty()) {
    probes.next = 0;
    return;
  }
  const PageMap map(host.process()->pid());
  for (const Area& area : areas) {
    for (PageRange piece{std::max(area.range.begin, probes.next), 0}; piece.begin < area.range.end;
         piece.begin = piece.end) {
      piece.end = std::min(area.range.end, piece.begin + kPieceBytes);
      add_places(host, map, area, piece, probes);
      if (clock_ns(CLOCK_THREAD_CPUTIME_ID) >= end_ns ||
          probes.seen.size() >= ProbeBook::kMaxPlaces) {
        probes.looked_at.end = probes.next = piece.end;
        return;
      }
    }
  }
  probes.next = 0;
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

/// A place of a mapping whose bytes are those of a file.
struct Known {
  const Place* place = nullptr;
  weights::PartSearch::Place in_file;
  std::uint64_t at_ns = 0;
  std::uint64_t from_ns = 0;
  std::uint64_t until_ns = 0;

  [[nodiscard]] std::uint64_t begin() const { return place->begin; }
  /// The same for all places of one array: the last one is where in the allocation the file would
  /// begin, modulo 2^64.
  [[nodiscard]] auto array() const {
    return std::tuple(place->allocation, in_file.file, in_file.conversion.type,
                      in_file.conversion.file_type,
                      place->begin - in_file.offset * in_file.times());
  }
};

/// @param in_file where its bytes are: of several that one which goes on with what is known of the
/// allocation so far.
void note(const Place& place,
          const Period& period,
          std::span<const weights::PartSearch::Place> in_file,
          std::vector<Known>& found) {
  constexpr std::ptrdiff_t kMaxBack = 64;
  if (in_file.empty())
    return;
  Known known{&place, in_file.front(), period.at_ns, period.from_ns,
              period.has_ended ? period.last_ns : trace::ValueMatch::kNever};
  const auto before = found.end() - std::min(kMaxBack, std::ssize(found));
  for (const auto& candidate : in_file) {
    known.in_file = candidate;
    const auto goes_on = [&](const Known& it) { return it.array() == known.array(); };
    const auto last = std::find_if(before, found.end(), goes_on);
    if (last == found.end())
      continue;
    // What was overwritten in between is there again.
    const auto same = std::find_if(
        last, found.end(), [&](const Known& it) { return it.place == &place && goes_on(it); });
    if (same != found.end())
      same->until_ns = known.until_ns;
    else
      found.push_back(known);
    return;
  }
  known.in_file = in_file.front();
  found.push_back(known);
}

/// Neighbouring places of one array that held it at one time.
struct Stretch {
  Known first;
  Known last;
  std::uint64_t at_ns = 0;
  std::uint64_t from_ns = 0;
  std::uint64_t until_ns = 0;

  explicit Stretch(const Known& known)
      : first(known),
        last(known),
        at_ns(known.at_ns),
        from_ns(known.from_ns),
        until_ns(known.until_ns) {}

  [[nodiscard]] bool goes_on_with(const Known& next, std::uint64_t step) const {
    // Zeros, and what is everywhere in the file, tell nothing.
    constexpr std::uint64_t kMaxSteps = 4;
    return next.array() == last.array() && next.begin() - last.begin() <= kMaxSteps * step &&
           next.from_ns <= until_ns && from_ns <= next.until_ns;
  }
  void add(const Known& next) {
    last = next;
    at_ns = std::max(at_ns, next.at_ns);
    from_ns = std::max(from_ns, next.from_ns);
    until_ns = std::min(until_ns, next.until_ns);
  }
  /// What lies in front of the first place and behind the last one is of the array up to where a
  /// tensor, or the file, begins or ends within a step; else half a step.
  [[nodiscard]] trace::PackedMatch match(const weights::PlainFile& file, std::uint64_t step) const {
    const std::uint64_t times = first.in_file.times();
    const std::uint64_t around = step / times;
    const std::uint64_t begin = file.border_before(first.in_file.offset, around)
                                    .value_or(first.in_file.offset - around / 2);
    const std::uint64_t last_end = last.in_file.offset + sizeof(weights::Probe) / times;
    const std::uint64_t end = file.border_behind(last_end, around).value_or(last_end + around / 2);
    const std::uint64_t before = std::min((first.in_file.offset - begin) * times, first.begin());
    return {.allocation = first.place->allocation,
            .file = file.id,
            .offset = first.in_file.offset - before / times,
            .distance = 0,
            .at_ns = at_ns,
            .from_ns = from_ns,
            .until_ns = until_ns,
            .type = std::string(first.in_file.conversion.type),
            .file_type = std::string(first.in_file.conversion.file_type),
            .begin = first.begin() - before,
            .bytes = last.begin() - first.begin() + before + (end - last.in_file.offset) * times};
  }
};

/// @param found in order of their arrays, and of their places in these.
std::vector<Stretch> stretches_of(std::span<const Known> found, std::uint64_t step) {
  std::vector<Stretch> stretches;
  for (const Known& it : found) {
    if (!stretches.empty() && stretches.back().goes_on_with(it, step))
      stretches.back().add(it);
    else
      stretches.emplace_back(it);
  }
  return stretches;
}

}  // namespace

bool ProbeBook::is_due(const Host& host) const {
  const HostProbes& probes = host.tables.probes;
  const std::uint64_t now_ns = sink_.now_ns();
  const std::uint64_t used_ns = host.tables.values.last_use_ns;
  if (host.process() == nullptr || used_ns == 0)
    return false;
  const std::uint64_t peak = host.facts().peak.footprint();
  const bool is_higher = peak > probes.peak_bytes + probes.peak_bytes / kRisenPart;
  const bool is_loading = now_ns - used_ns < kBusyNs;
  const bool is_urgent = is_loading || is_higher || probes.next != 0;
  const std::uint64_t pause_ns =
      std::max(is_urgent ? kPauseNs : kIdlePauseNs, kPauseParts * probes.cost_ns);
  return now_ns >= probes.looked_ns + pause_ns &&
         now_ns + kHeadStartNs >= host.facts().begin_ns + kTimeParts * probes.spent_ns;
}

void ProbeBook::look(Host& host, std::uint64_t max_ns) {
  HostProbes& probes = host.tables.probes;
  const std::uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  believe_seen(host);
  probes.looked_ns = sink_.now_ns();
  if (probes.next == 0) {
    probes.before_ns = std::exchange(probes.round_ns, probes.looked_ns);
    probes.step = step_for(std::exchange(probes.bytes, 0));
    probes.peak_bytes = host.facts().peak.footprint();
    step_ = std::max(step_, probes.step);
  }
  probes.looked_at.begin = probes.next;
  add_all_places(host, began_ns + max_ns, probes);
  read_all(host.process()->pid(), probes.seen);
  probes.cost_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
  probes.spent_ns += probes.cost_ns;
}

void ProbeBook::end(Host& host) {
  believe_seen(host);
  for (auto& [address, place] : host.tables.probes.places)
    places_.push_back(std::move(place));
  host.tables.probes = {};
}

/// What the look before has seen in mappings that are still there: one that the host had unmapped
/// by then, without our knowing, was another one already.
void ProbeBook::believe_seen(Host& host) {
  HostProbes& probes = host.tables.probes;
  for (const Seen& seen : std::exchange(probes.seen, {})) {
    if (place_at(host, seen.address).allocation == seen.allocation &&
        weights::WordPlaces::tell_apart(seen.bytes))
      keep(probes, seen);
  }
  for (auto& [address, place] : probes.places) {
    Period& last = place.periods.back();
    const bool was_looked_at = probes.looked_at.begin <= address &&
                               address < probes.looked_at.end && is_of_step(address, probes.step);
    if (was_looked_at && last.last_ns < probes.looked_ns)
      last.has_ended = true;
  }
}

void ProbeBook::keep(HostProbes& probes, const Seen& seen) {
  // What is asked of malloc stands there for what comes into it later; the pages of a mapping count
  // from when they are touched.
  std::uint64_t from_ns = seen.is_mapped ? probes.before_ns : 0;
  const auto known = probes.places.find(seen.address);
  if (known != probes.places.end() && known->second.allocation == seen.allocation) {
    Period& last = known->second.periods.back();
    if (last.bytes == seen.bytes && !last.has_ended) {
      last.last_ns = probes.looked_ns;
      return;
    }
    last.has_ended = true;
    from_ns = last.last_ns;
  }
  if (kept_ >= kMaxKept)
    return;
  ++kept_;
  if (known != probes.places.end() && known->second.allocation != seen.allocation)
    places_.push_back(std::exchange(known->second, {}));
  Place& place = probes.places[seen.address];
  place.allocation = seen.allocation;
  place.begin = seen.begin;
  const Period next{.bytes = seen.bytes,
                    .at_ns = probes.looked_ns,
                    .from_ns = from_ns,
                    .last_ns = probes.looked_ns};
  // What it held last is what it is for.
  if (place.periods.size() < kMaxPeriods)
    place.periods.push_back(next);
  else
    place.periods.back() = next;
}

void ProbeBook::want_in(weights::PartSearch& search) const {
  for (const Place& place : places_) {
    for (const Period& period : place.periods)
      search.want(period.bytes);
  }
}

void ProbeBook::tell(const weights::PartSearch& search,
                     std::span<const weights::PlainFile> files,
                     const std::unordered_set<trace::AllocationNumber>& whole) {
  std::erase_if(places_, [&](const Place& place) { return whole.contains(place.allocation); });
  std::ranges::sort(places_, {},
                    [](const Place& place) { return std::tuple(place.allocation, place.begin); });
  std::vector<Known> found;
  for (const Place& place : places_) {
    for (const Period& period : place.periods)
      note(place, period, search.find(period.bytes), found);
  }
  std::ranges::sort(found, {},
                    [](const Known& it) { return std::tuple(it.array(), it.begin(), it.at_ns); });
  for (const Stretch& stretch : stretches_of(found, step_))
    sink_.writer().add_packed(stretch.match(files[stretch.first.in_file.file], step_));
}

}  // namespace tidemark
