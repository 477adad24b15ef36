#include "analyzer/layers/footprint_layers.hpp"

#include "analyzer/layers/layer_match.hpp"
#include "analyzer/layers/line_natives.hpp"
#include "analyzer/query/footprint/footprint_search.hpp"
#include "analyzer/query/footprint/timeline.hpp"
#include "analyzer/query/live/live_spans.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace tidemark::analyzer {

/// What a group holds over one load.
struct LayerCourse {
  std::uint64_t highest = 0;
  std::uint64_t at_peak = 0;
  double kept = 0;  ///< Its average after the peak, as a part of its highest.
};

/// A group that may become a layer.
struct LayerCandidate {
  std::vector<std::uint32_t> keys;   ///< One a load; kNone: it has none.
  std::vector<LayerCourse> courses;  ///< The same.

  [[nodiscard]] const LayerCourse& highest() const {
    return *std::ranges::max_element(courses, {}, &LayerCourse::highest);
  }
};

namespace {

using Candidate = LayerCandidate;
using Course = LayerCourse;

/// Layers are chosen by what they hold at the highest instant of each of this many equal stretches.
constexpr std::size_t kStretches = 32;
/// Whether a layer stays is judged at this many instants, evenly from the peak to the end.
constexpr std::size_t kLooksAfterPeak = 16;
/// A smaller part of a peak is never a layer of its own.
constexpr std::uint64_t kSmallestLayerPart = 100;

/// In order, the peak among them.
std::vector<Instant> telling_instants(const LayeredLoad& load) {
  LoadedTrace& trace = *load.trace;
  const std::uint64_t end_ns = trace.duration_ns() + 1;
  std::vector<Instant> instants{load.peak};
  Timeline timeline(trace);
  const auto borders = even_borders(0, end_ns, kStretches);
  const auto stretches = timeline.columns(borders);
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (const auto at =
            find_footprint(trace, borders[i], borders[i + 1], stretches[i].footprint.maximum)) {
      instants.push_back(*at);
    }
  }
  const std::uint64_t after = end_ns - std::min(end_ns, load.peak.at_ns);
  for (std::size_t i = 0; i < kLooksAfterPeak; ++i) {
    instants.push_back(
        trace.instant_at(load.peak.at_ns + after * (2 * i + 1) / (2 * kLooksAfterPeak)));
  }
  std::ranges::sort(instants, {}, position);
  const auto same = [](const Instant& a, const Instant& b) { return position(a) == position(b); };
  instants.erase(std::unique(instants.begin(), instants.end(), same), instants.end());
  return instants;
}

/// What some groups hold at some instants: rows of changes, then of values.
class HeldTable {
 public:
  explicit HeldTable(std::size_t instants) : instants_(instants) {}

  /// Modulo 2^64: exact wherever the sums fit.
  void add(std::uint32_t group, const LiveSpan& span, std::uint64_t bytes) {
    auto& row = row_of(group);
    row[span.first] += bytes;
    row[span.end] -= bytes;
  }
  void sum_up() {
    for (auto& row : rows_) {
      std::partial_sum(row.begin(), row.end(), row.begin());
    }
  }
  /// Empty for a group that never held anything.
  [[nodiscard]] std::span<const std::uint64_t> row(std::uint32_t group) const {
    return group < rows_.size() ? std::span(rows_[group]) : std::span<const std::uint64_t>();
  }

 private:
  std::vector<std::uint64_t>& row_of(std::uint32_t group) {
    if (group >= rows_.size()) {
      rows_.resize(group + std::size_t{1});
    }
    auto& row = rows_[group];
    row.resize(instants_ + 1);  // The last one: beyond them all.
    return row;
  }

  std::size_t instants_;
  std::vector<std::vector<std::uint64_t>> rows_;
};

/// Calls `visit(span)` for each span in which what is left of a block stays the same.
template <typename Visit>
void visit_left(const LoadWithout* without,
                const LoadedTrace& trace,
                std::span<const Instant> instants,
                const LiveSpan& span,
                const Visit& visit) {
  if (without == nullptr || !without->touches(span.allocation.allocation)) {
    return visit(span);
  }
  const auto events_at = [&](const Instant& instant) { return trace.ordinal(instant); };
  const std::span<const Instant> passed = instants.first(span.end);
  for (std::size_t first = span.first; first < span.end;) {
    const trace::EventOrdinal events = events_at(instants[first]);
    const std::uint64_t left = without->left_of(span.allocation, span.bytes, events);
    const trace::EventOrdinal change = without->next_change(span.allocation.allocation, events);
    const auto next = std::ranges::lower_bound(passed.subspan(first + 1), change, {}, events_at);
    const std::size_t end =
        first + 1 + static_cast<std::size_t>(next - passed.subspan(first + 1).begin());
    if (left > 0) {
      visit(LiveSpan{span.allocation, left, first, end});
    }
    first = end;
  }
}

/// One way to divide what is held.
struct Division {
  LayerKeys& keys;
  const std::vector<std::uint32_t>* group_of = nullptr;  ///< By key; null: each is a group.
  std::uint32_t others = 0;                              ///< The group of keys that came later.

  [[nodiscard]] std::uint32_t group(std::uint32_t key) const {
    return group_of == nullptr ? key : key < group_of->size() ? (*group_of)[key] : others;
  }
};

/// A table for each division, from one walk.
std::vector<HeldTable> held_at(const LayeredLoad& load,
                               std::span<const Division> divisions,
                               std::span<const Instant> instants,
                               const LoadWithout* without = nullptr) {
  std::vector<HeldTable> tables(divisions.size(), HeldTable(instants.size()));
  const auto count = [&](const LiveSpan& span) {
    for (std::size_t i = 0; i < divisions.size(); ++i) {
      divisions[i].keys.split(span.allocation, span.bytes,
                              [&](std::uint32_t key, std::uint64_t bytes) {
                                tables[i].add(divisions[i].group(key), span, bytes);
                              });
    }
  };
  visit_live_spans(*load.trace, instants, [&](const LiveSpan& span) {
    if (trace::in_footprint(span.allocation.lane)) {
      visit_left(without, *load.trace, instants, span, count);
    }
  });
  for (HeldTable& table : tables) {
    table.sum_up();
  }
  return tables;
}

/// How many of the instants after the peak come before the program gives everything back at its
/// end: up to the last time at which the footprint is at least half of its average.
std::size_t end_of_use(LoadedTrace& trace, std::span<const Instant> instants, const Instant& peak) {
  std::vector<std::uint64_t> footprints;
  for (const Instant& instant : instants) {
    if (position(instant) > position(peak)) {
      footprints.push_back(trace.totals_at(instant).value_or(trace::LaneTotals{}).footprint());
    }
  }
  double sum = 0;
  for (const std::uint64_t footprint : footprints) {
    sum += static_cast<double>(footprint);
  }
  const double average = sum / static_cast<double>(std::max<std::size_t>(footprints.size(), 1));
  std::size_t end = footprints.size();
  while (end > 0 && static_cast<double>(footprints[end - 1]) < average / 2) {
    --end;
  }
  return end;
}

/// @param end see end_of_use.
Course course_of(std::span<const std::uint64_t> row,
                 std::span<const Instant> instants,
                 const Instant& peak,
                 std::size_t end) {
  Course course;
  double after = 0;
  std::size_t looks = 0;
  for (std::size_t i = 0; i < instants.size() && !row.empty(); ++i) {
    course.highest = std::max(course.highest, row[i]);
    if (position(instants[i]) == position(peak)) {
      course.at_peak = row[i];
    } else if (position(instants[i]) > position(peak) && looks < end) {
      after += static_cast<double>(row[i]);
      ++looks;
    }
  }
  const double most = static_cast<double>(course.highest) * static_cast<double>(looks);
  course.kept = most > 0 ? after / most : 0;
  return course;
}

/// For each division, courses by its keys.
std::vector<std::vector<Course>> courses_of(const LayeredLoad& load,
                                            std::span<const Division> divisions) {
  const auto instants = telling_instants(load);
  const auto tables = held_at(load, divisions, instants);
  const std::size_t end = end_of_use(*load.trace, instants, load.peak);
  std::vector<std::vector<Course>> all(divisions.size());
  for (std::size_t i = 0; i < divisions.size(); ++i) {
    for (std::uint32_t key = 0; key < divisions[i].keys.size(); ++key) {
      all[i].push_back(course_of(tables[i].row(key), instants, load.peak, end));
    }
  }
  return all;
}

bool joins_rests(LayerGrouping grouping) {
  return grouping == LayerGrouping::kFunction || grouping == LayerGrouping::kModule ||
         grouping == LayerGrouping::kLane;
}

/// What the layers hold at each of the points.
void add_points(const HeldTable& held,
                std::size_t layers,
                std::span<const LayerPoint> points,
                std::vector<std::uint64_t>& bytes) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t first = bytes.size();
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      const auto row = held.row(layer);
      bytes.push_back(row.empty() ? 0 : row[i]);
    }
    add_up_to(std::span(bytes).subspan(first), points[i].footprint);
  }
}

/// Puts the largest first. @return how many of them are layers of their own.
std::size_t rank(std::vector<Candidate>& all, std::uint64_t peak, std::size_t most) {
  std::ranges::stable_sort(all, std::ranges::greater{},
                           [](const Candidate& c) { return c.highest().highest; });
  const std::uint64_t least = std::max<std::uint64_t>(peak / kSmallestLayerPart, 1);
  const auto too_small = std::ranges::find_if(
      all, [least](const Candidate& c) { return c.highest().highest < least; });
  return std::min(static_cast<std::size_t>(too_small - all.begin()), most);
}

/// See FootprintLayer::stays.
class StayTest {
 public:
  explicit StayTest(std::span<const Candidate> all) {
    // Relative to what stays longest: if a program gives everything back at its end, nothing stays.
    for (const Candidate& candidate : all) {
      longest_ = std::max(longest_, candidate.highest().kept);
    }
  }
  bool operator()(const Candidate& candidate) const {
    const auto& courses = candidate.courses;
    const bool is_gone = courses.back().highest * 2 < courses.front().highest;
    return !is_gone && candidate.highest().kept * 2 >= longest_;
  }

 private:
  double longest_ = 0;
};

}  // namespace

LayerPoint layer_point(LoadedTrace& trace,
                       std::uint64_t begin_ns,
                       std::uint64_t end_ns,
                       std::uint64_t footprint) {
  const auto found = find_footprint(trace, begin_ns, end_ns, footprint);
  Instant at = found ? *found : trace.instant_at(begin_ns);
  at.at_ns = std::max(at.at_ns, begin_ns);
  return {at, footprint};
}

void add_up_to(std::span<std::uint64_t> layers, std::uint64_t footprint) {
  std::uint64_t sum = std::accumulate(layers.begin(), layers.end(), std::uint64_t{0});
  while (sum > footprint) {
    std::uint64_t& largest = *std::ranges::max_element(layers);
    const std::uint64_t cut = std::min(largest, sum - footprint);
    largest -= cut;
    sum -= cut;
  }
  layers.front() += footprint - sum;
}

FootprintLayers::FootprintLayers(Unchosen,
                                 const std::vector<LayeredLoad>& loads,
                                 LayerGrouping grouping)
    : loads_(loads), grouping_(grouping) {
  const std::set<std::string> split = split_natives(loads_);
  for (const LayeredLoad& load : loads_) {
    keys_.push_back(make_layer_keys(load, grouping, split));
  }
}

FootprintLayers::FootprintLayers(const std::vector<LayeredLoad>& loads,
                                 LayerGrouping grouping,
                                 std::size_t most)
    : FootprintLayers(std::move(by_each(loads, std::span(&grouping, 1), most).front())) {}

std::vector<FootprintLayers> FootprintLayers::by_each(const std::vector<LayeredLoad>& loads,
                                                      std::span<const LayerGrouping> groupings,
                                                      std::size_t most) {
  std::vector<FootprintLayers> all;
  for (const LayerGrouping grouping : groupings) {
    all.push_back(FootprintLayers(Unchosen{}, loads, grouping));
  }
  std::vector<std::vector<std::vector<Course>>> courses(all.size());  // By grouping, load and key.
  for (std::size_t load = 0; load < loads.size(); ++load) {
    std::vector<Division> divisions;
    for (const FootprintLayers& layers : all) {
      divisions.push_back({.keys = *layers.keys_[load]});
    }
    auto of_load = courses_of(loads[load], divisions);
    for (std::size_t i = 0; i < all.size(); ++i) {
      courses[i].push_back(std::move(of_load[i]));
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].choose(all[i].candidates(courses[i]), most);
  }
  return all;
}

FootprintLayers::~FootprintLayers() = default;
FootprintLayers::FootprintLayers(FootprintLayers&&) noexcept = default;
FootprintLayers& FootprintLayers::operator=(FootprintLayers&&) noexcept = default;

/// The first is of what is in no group.
std::vector<Candidate> FootprintLayers::candidates(
    const std::vector<std::vector<Course>>& courses) const {
  std::vector<Candidate> all;
  if (loads_.size() == 1) {
    for (std::uint32_t key = 0; key < keys_[0]->size(); ++key) {
      all.push_back({{key}, {courses[0][key]}});
    }
    return all;
  }
  all.push_back({{0, 0}, {courses[0][0], courses[1][0]}});
  for (const auto& [one, other] : match_layers(*keys_[0], *keys_[1])) {
    all.push_back({{one, other},
                   {one == LayerKeys::kNone ? Course{} : courses[0][one],
                    other == LayerKeys::kNone ? Course{} : courses[1][other]}});
  }
  return all;
}

/// From the first rest up: the layers, and in the rests what is in none of them.
void FootprintLayers::choose(std::vector<Candidate> all, std::size_t most) {
  const Candidate none = all.front();
  all.erase(all.begin());
  std::uint64_t peak = 0;
  for (const LayeredLoad& load : loads_) {
    peak = std::max(peak, load.peak_bytes);
  }
  const std::size_t count = rank(all, peak, most);
  const auto chosen = std::span(all).first(count);
  const auto left_over = std::span(all).subspan(count);
  add_rests(none, !left_over.empty());
  const StayTest stays(chosen);
  std::stable_partition(chosen.begin(), chosen.end(), stays);
  for (const Candidate& candidate : chosen) {
    add_layer(candidate, stays(candidate));
  }
  for (const Candidate& candidate : left_over) {
    for (std::size_t load = 0; load < loads_.size(); ++load) {
      layers_[others_].at_peak[load] += candidate.courses[load].at_peak;
    }
  }
}

/// Adds rests for what is in no group and for what is left over: two layers, or one if they are
/// much the same.
void FootprintLayers::add_rests(const Candidate& none, bool are_some_left_over) {
  const std::string others = "other " + std::string(layers_words(grouping_));
  const bool is_one = joins_rests(grouping_);
  // If a model's tensors are not known, it is also unknown what is not a weight.
  const bool are_none_known =
      grouping_ == LayerGrouping::kTensor && std::ranges::all_of(keys_, [](const auto& keys) {
        return keys->size() == 1;  // LayerKeys::kNone.
      });
  const std::string none_text =
      are_none_known ? "tensors not known" : std::string(no_layer_words(grouping_));
  FootprintLayer rest{.text = is_one ? others : none_text, .is_rest = true};
  for (const Course& course : none.courses) {
    rest.at_peak.push_back(course.at_peak);
  }
  layers_.push_back(std::move(rest));
  if (!is_one && are_some_left_over) {
    others_ = 1;
    layers_.push_back({.text = others, .is_rest = true});
    layers_.back().at_peak.resize(loads_.size());
  }
  for (std::size_t load = 0; load < loads_.size(); ++load) {
    layer_of_.emplace_back(keys_[load]->size(), others_);
    layer_of_.back()[LayerKeys::kNone] = 0;
  }
}

void FootprintLayers::add_layer(const Candidate& candidate, bool stays) {
  const auto layer = static_cast<std::uint32_t>(layers_.size());
  FootprintLayer added;
  added.stays = stays;
  for (std::size_t load = 0; load < loads_.size(); ++load) {
    const std::uint32_t key = candidate.keys[load];
    added.at_peak.push_back(candidate.courses[load].at_peak);
    added.own_texts.emplace_back(key == LayerKeys::kNone ? "" : (*keys_[load])[key].text);
    if (key == LayerKeys::kNone) {
      continue;
    }
    layer_of_[load][key] = layer;
    // If two loads differ in the line, the later one's is the one that can be looked up.
    added.text = (*keys_[load])[key].text;
    added.frame = (*keys_[load])[key].frame;
    added.native = (*keys_[load])[key].native;
  }
  layers_.push_back(std::move(added));
}

std::vector<std::uint64_t> FootprintLayers::at(std::size_t load,
                                               std::span<const LayerPoint> points,
                                               const LoadWithout* without) const {
  return std::move(at_each(std::span(this, 1), load, points, without).front());
}

std::vector<std::vector<std::uint64_t>> FootprintLayers::at_each(
    std::span<const FootprintLayers> all,
    std::size_t load,
    std::span<const LayerPoint> points,
    const LoadWithout* without) {
  const auto position_of = [](const LayerPoint& point) { return position(point.at); };
  // Points beside each other often share an instant.
  std::vector<LayerPoint> sorted(points.begin(), points.end());
  std::ranges::sort(sorted, {}, position_of);
  const auto same = [&](const auto& a, const auto& b) { return position_of(a) == position_of(b); };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());
  const auto known = at_sorted(all, load, sorted, without);

  std::vector<std::vector<std::uint64_t>> bytes(all.size());
  for (const LayerPoint& point : points) {
    const auto found = std::ranges::lower_bound(sorted, position_of(point), {}, position_of);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto layers = static_cast<std::ptrdiff_t>(all[i].layers_.size());
      const auto first = known[i].begin() + (found - sorted.begin()) * layers;
      bytes[i].insert(bytes[i].end(), first, first + layers);
    }
  }
  return bytes;
}

std::vector<std::vector<std::uint64_t>> FootprintLayers::at_sorted(
    std::span<const FootprintLayers> all,
    std::size_t load,
    std::span<const LayerPoint> points,
    const LoadWithout* without) {
  std::vector<Division> divisions;
  for (const FootprintLayers& layers : all) {
    divisions.push_back({.keys = *layers.keys_[load],
                         .group_of = &layers.layer_of_[load],
                         .others = layers.others_});
  }
  std::vector<std::vector<std::uint64_t>> bytes(all.size());
  while (!points.empty() && !all.empty()) {
    const auto some = points.first(std::min(points.size(), kMaxSpanInstants));
    points = points.subspan(some.size());
    std::vector<Instant> instants;
    for (const LayerPoint& point : some) {
      instants.push_back(point.at);
    }
    const auto tables = held_at(all.front().loads_[load], divisions, instants, without);
    for (std::size_t i = 0; i < all.size(); ++i) {
      add_points(tables[i], all[i].layers_.size(), some, bytes[i]);
    }
  }
  return bytes;
}

}  // namespace tidemark::analyzer
