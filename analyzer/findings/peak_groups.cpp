#include "analyzer/findings/peak_groups.hpp"

#include "analyzer/flow/places.hpp"
#include "analyzer/query/lifetimes.hpp"
#include "analyzer/query/live/allocation_set.hpp"
#include "analyzer/query/live/block_lives.hpp"
#include "analyzer/query/stack_sampling.hpp"
#include "analyzer/query/wrapping.hpp"
#include "analyzer/tensors/tensor_sets.hpp"
#include "analyzer/tensors/values_held.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

namespace tidemark::analyzer {
namespace {

constexpr std::size_t kGroups = 3;
constexpr std::size_t kNoGroup = SIZE_MAX;

struct Place {
  PeakGroup group;
  std::vector<trace::StackId> stacks;  ///< The one with most bytes first.
};

/// Places that read the same are combined, such as the instances of a template.
std::vector<Place> largest_places(const LiveSet& live, const LoadedTrace& trace, Places& asking) {
  constexpr std::uint64_t kNotablePart = 100;
  std::map<std::string, Place> by_name;
  std::uint64_t all = 0;
  for (const LiveStack& stack : live.stacks) {  // Most bytes first.
    if (!trace::in_footprint(stack.lane) || stack.bytes == 0) {
      continue;
    }
    Place& place = by_name[asking.text(asking.of(stack.stack))];
    place.group.bytes += stack.bytes;
    place.group.blocks += stack.blocks;
    place.stacks.push_back(stack.stack);
    all += stack.bytes;
  }
  std::vector<Place> places;
  for (auto& [name, place] : by_name) {
    places.push_back(std::move(place));
  }
  std::ranges::stable_sort(places, std::ranges::greater{},
                           [](const Place& place) { return place.group.bytes; });
  places.resize(std::min(places.size(), kGroups));
  while (places.size() > 1 && places.back().group.bytes < all / kNotablePart) {
    places.pop_back();
  }
  std::vector<std::vector<NamedFrame>> stacks;
  for (Place& place : places) {
    place.group.frames = named_stack(trace.definitions(), place.stacks.front());
    stacks.push_back(place.group.frames);
  }
  const std::vector<std::string> names = told_places(stacks);
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i].group.place = names[i];
  }
  return places;
}

/// Follows the allocations of the groups' stacks through the whole trace.
class GroupLives {
 public:
  GroupLives(LoadedTrace& trace, const Instant& peak, std::vector<Place>& places)
      : trace_(trace),
        places_(places),
        group_of_(groups_of(trace, places)),
        at_peak_(trace, peak, places.size(), [this](const trace::Event& event) {
          const std::size_t group = group_of(event);
          return group == kNoGroup ? std::nullopt : std::optional<std::uint32_t>(group);
        }) {}

  void run() {
    for (std::size_t block = 0; block < trace_.blocks().size(); ++block) {
      see(block);
    }
    at_peak_.finish();
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const BlockLives& lives = at_peak_.lives()[i];
      PeakGroup& group = places_[i].group;
      group.peak_without_bytes = static_cast<std::uint64_t>(tracks_.at(i).highest);
      group.first_allocated_ns = std::min(lives.first_allocated_ns, lives.last_allocated_ns);
      group.last_allocated_ns = lives.last_allocated_ns;
      group.last_freed_ns = lives.last_freed_ns;
      group.most_freed_ns = lives.most_freed_ns;
      group.end_blocks = lives.kept_blocks;
      group.end_bytes = lives.kept_bytes;
    }
  }

  // See analyzer::follow.
  void begin(const trace::Event& event) {
    at_peak_.begin(event);
    come(event);
  }
  void end(trace::AllocationNumber allocation, const trace::Event& event) {
    at_peak_.end(allocation, event);
    go(allocation, event.size, event);
  }
  void move(const trace::Event& event) {
    at_peak_.move(event);
    go(event.released, event.released_size, event);
    come(event);
  }
  void resize(trace::AllocationNumber allocation, std::int64_t change, const trace::Event& event) {
    at_peak_.resize(allocation, change, event);
    if (const std::size_t group = group_with(allocation); group != kNoGroup) {
      add(tracks_.at(group), event, change);
    }
  }
  void end_all(const trace::Event& event) {
    for (Track& track : tracks_) {
      if (const auto held = track.by_process.find(process_key(event));
          held != track.by_process.end()) {
        track.bytes = wrapping_difference(track.bytes, held->second);
        track.by_process.erase(held);
      }
    }
  }

 private:
  static constexpr std::uint8_t kNone = UINT8_MAX;

  struct Track {
    AllocationSet ever;
    std::int64_t bytes = 0;                                      // Currently alive.
    std::unordered_map<std::uint64_t, std::int64_t> by_process;  // The same by process and lane.
    std::int64_t highest = 0;  // The highest footprint without them.
  };

  static std::vector<std::uint8_t> groups_of(const LoadedTrace& trace,
                                             const std::vector<Place>& places) {
    std::vector<std::uint8_t> groups(trace.definitions().stacks.size(), kNone);
    for (std::size_t i = 0; i < places.size(); ++i) {
      for (const trace::StackId stack : places[i].stacks) {
        if (trace::index(stack) < groups.size()) {
          groups[trace::index(stack)] = static_cast<std::uint8_t>(i);
        }
      }
    }
    return groups;
  }
  [[nodiscard]] std::size_t group_of(const trace::Event& event) const {
    const std::size_t stack = trace::index(certain_stack(trace_.definitions().session, event));
    return stack < group_of_.size() && group_of_[stack] != kNone && trace::in_footprint(event.lane)
               ? group_of_[stack]
               : kNoGroup;
  }
  [[nodiscard]] std::size_t group_with(trace::AllocationNumber allocation) const {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (tracks_.at(i).ever.contains(allocation)) {
        return i;
      }
    }
    return kNoGroup;
  }
  [[nodiscard]] std::uint64_t process_key(const trace::Event& event) const {
    const auto process = trace_.process_of(event.thread);
    return key_of(process ? trace::index(*process) : UINT32_MAX, event.lane);
  }
  void come(const trace::Event& event) {
    if (const std::size_t group = group_of(event); group != kNoGroup) {
      tracks_.at(group).ever.insert(event.allocation);
      add(tracks_.at(group), event, static_cast<std::int64_t>(event.size));
    }
  }
  void go(trace::AllocationNumber allocation, std::uint64_t bytes, const trace::Event& event) {
    if (const std::size_t group = group_with(allocation); group != kNoGroup) {
      add(tracks_.at(group), event, minus(bytes));
    }
  }
  void add(Track& track, const trace::Event& event, std::int64_t bytes) {
    track.bytes = wrapping_sum(track.bytes, bytes);
    std::int64_t& held = track.by_process[process_key(event)];
    held = wrapping_sum(held, bytes);
  }

  void note(std::uint64_t footprint) {
    for (Track& track : tracks_) {
      const std::int64_t held = is_damaged_ ? 0 : track.bytes;
      track.highest =
          std::max(track.highest, wrapping_difference(static_cast<std::int64_t>(footprint), held));
    }
  }
  void see(std::size_t block) {
    const trace::BlockSummary& summary = trace_.blocks()[block];
    const auto* events = trace_.events(block);
    if (events == nullptr) {
      // What was released in it is not known: from here on nothing is subtracted, so as not to be
      // too low.
      is_damaged_ = true;
      return note(summary.maximum_footprint);
    }
    trace::LaneTotals totals = summary.at_begin;
    note(totals.footprint());
    for (const trace::Event& event : *events) {
      trace::apply(event, totals);
      follow(event, *this);
      note(totals.footprint());
    }
  }

  LoadedTrace& trace_;
  std::vector<Place>& places_;
  std::vector<std::uint8_t> group_of_;  // By StackId.
  LiveBlocks at_peak_;
  std::array<Track, kGroups> tracks_;
  bool is_damaged_ = false;
};

/// The group of each stack, in `places`.
std::unordered_map<std::uint32_t, std::size_t> groups_by_stack(const std::vector<Place>& places) {
  std::unordered_map<std::uint32_t, std::size_t> group_of;
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (const trace::StackId stack : places[i].stacks) {
      group_of.emplace(trace::index(stack), i);
    }
  }
  return group_of;
}

/// Adds the bytes of the model that were seen to go into the large blocks alive at the peak.
void add_model_bytes(const LoadedTrace& trace,
                     const Peak& peak,
                     const FlowIndex& flow,
                     bool copies_recorded,
                     std::vector<Place>& places) {
  const trace::EventOrdinal ordinal = trace.ordinal(peak.at);
  const auto group_of = groups_by_stack(places);
  for (Place& place : places) {
    place.group.read_bytes = place.group.copied_bytes = 0;
  }
  for (const BlockLife& life : flow.lives()) {
    const auto group = group_of.find(trace::index(life.stack));
    if (group != group_of.end() && !life.is_mapping && life.is_alive_after(ordinal)) {
      *places[group->second].group.read_bytes += life.read_bytes;
      *places[group->second].group.copied_bytes += life.copied_in_bytes;
    }
  }
  for (Place& place : places) {
    // If copies are not recorded, no read is shown with the block that it went into.
    if (!copies_recorded && *place.group.read_bytes + *place.group.copied_bytes == 0) {
      place.group.read_bytes = place.group.copied_bytes = std::nullopt;
    }
  }
}

/// Adds what blocks hold whose bytes were not seen to come, then or soon after, since that is why
/// they were there.
void add_values(const LoadedTrace& trace,
                const LoadFacts& load,
                const FlowIndex& flow,
                std::vector<Place>& places) {
  const trace::Definitions& definitions = trace.definitions();
  const std::uint64_t peak_ns = load.peak.at.at_ns;
  BlockContents contents(
      definitions,
      {.since_ns = peak_ns, .at_ns = peak_ns, .until_ns = made_at_once_until_ns(load)});
  contents.add_parts(peak_ns);
  const trace::EventOrdinal ordinal = trace.ordinal(load.peak.at);
  const auto group_of = groups_by_stack(places);
  std::vector<ValuesHeld> held(places.size());
  for (std::uint32_t i = 0; i < flow.lives().size(); ++i) {
    const BlockLife& life = flow.lives()[i];
    const auto group = group_of.find(trace::index(life.stack));
    if (group != group_of.end() && !life.is_mapping && !life.holds_model() &&
        life.is_alive_after(ordinal)) {
      held[group->second].add(contents, life.allocation, flow.size_after(i, ordinal - 1));
    }
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i].group.values_held = held[i].text(definitions, "it");
  }
}

}  // namespace

std::vector<PeakGroup> largest_groups(LoadedTrace& trace,
                                      const LoadFacts& load,
                                      Places& asking,
                                      const FlowIndex* flow) {
  std::vector<Place> places =
      largest_places(certain_live_set_at(trace, load.peak.at), trace, asking);
  GroupLives(trace, load.peak.at, places).run();
  if (flow != nullptr) {
    add_model_bytes(trace, load.peak, *flow, load.session.copies_recorded, places);
    add_values(trace, load, *flow, places);
  }
  std::vector<PeakGroup> groups;
  groups.reserve(places.size());
  for (Place& place : places) {
    groups.push_back(std::move(place.group));
  }
  return groups;
}

}  // namespace tidemark::analyzer
