/// What the footprint is made of, instant by instant: its largest parts as layers that add up.
#pragma once

#include "analyzer/layers/footprint_layer.hpp"
#include "analyzer/layers/layer_keys.hpp"
#include "analyzer/query/live/load_without.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tidemark::analyzer {

/// An instant at which layers are requested, and the footprint at it.
struct LayerPoint {
  Instant at;
  std::uint64_t footprint = 0;
};

/// The first point in [begin_ns, end_ns) with the given footprint; if a damaged block hides it, the
/// point at the begin. Its time is within the range, though the event before it may be much
/// earlier.
LayerPoint layer_point(LoadedTrace& trace,
                       std::uint64_t begin_ns,
                       std::uint64_t end_ns,
                       std::uint64_t footprint);

struct LayerCandidate;
struct LayerCourse;

/// Makes layers add up to a footprint, which they do unless events are hidden: reduces the largest,
/// or increases the first.
void add_up_to(std::span<std::uint64_t> layers, std::uint64_t footprint);

/// The layers of one load, or of two compared loads, which share layers for matching groups. Groups
/// become layers by the most that each holds at some instants, including the peaks.
///
/// Memory: a few hundred bytes for each function (tensor layer, module ...) that there is, and what
/// visit_live_spans takes.
class FootprintLayers {
 public:
  static constexpr std::size_t kMaxLayers = 7;  ///< As many as people can tell apart by colour.

  /// @param loads one or two; all stays borrowed.
  FootprintLayers(const std::vector<LayeredLoad>& loads,
                  LayerGrouping grouping,
                  std::size_t most = kMaxLayers);
  /// One for each of the groupings, in their order: the traces are walked through once for all.
  static std::vector<FootprintLayers> by_each(const std::vector<LayeredLoad>& loads,
                                              std::span<const LayerGrouping> groupings,
                                              std::size_t most = kMaxLayers);
  ~FootprintLayers();
  FootprintLayers(FootprintLayers&&) noexcept;
  FootprintLayers& operator=(FootprintLayers&&) noexcept;
  FootprintLayers(const FootprintLayers&) = delete;
  FootprintLayers& operator=(const FootprintLayers&) = delete;

  [[nodiscard]] LayerGrouping grouping() const { return grouping_; }
  /// From the bottom up: the rests, layers that stay, layers that go; in both the largest first.
  /// Only a group that somewhere holds a hundredth of a peak is a layer of its own.
  [[nodiscard]] const std::vector<FootprintLayer>& layers() const { return layers_; }

  /// The bytes of each layer at each point, point after point, in any order. Exact; in a damaged
  /// trace cut down to the footprint, or the first rest filled up to it. One pass over the trace
  /// for each kMaxSpanInstants.
  /// @param without counts only what this leaves; null: everything.
  [[nodiscard]] std::vector<std::uint64_t> at(std::size_t load,
                                              std::span<const LayerPoint> points,
                                              const LoadWithout* without = nullptr) const;
  /// The same of each of several of the same loads, in their order: one pass serves all.
  [[nodiscard]] static std::vector<std::vector<std::uint64_t>> at_each(
      std::span<const FootprintLayers> all,
      std::size_t load,
      std::span<const LayerPoint> points,
      const LoadWithout* without = nullptr);

 private:
  /// Without layers yet.
  struct Unchosen {};
  FootprintLayers(Unchosen, const std::vector<LayeredLoad>& loads, LayerGrouping grouping);

  /// @param courses of each load, by key.
  [[nodiscard]] std::vector<LayerCandidate> candidates(
      const std::vector<std::vector<LayerCourse>>& courses) const;
  /// `points` in order of their positions, no position twice.
  [[nodiscard]] static std::vector<std::vector<std::uint64_t>> at_sorted(
      std::span<const FootprintLayers> all,
      std::size_t load,
      std::span<const LayerPoint> points,
      const LoadWithout* without);
  void choose(std::vector<LayerCandidate> all, std::size_t most);
  void add_rests(const LayerCandidate& none, bool are_some_left_over);
  void add_layer(const LayerCandidate& candidate, bool stays);

  std::vector<LayeredLoad> loads_;
  LayerGrouping grouping_;
  std::vector<std::unique_ptr<LayerKeys>> keys_;      // By load.
  std::vector<std::vector<std::uint32_t>> layer_of_;  // By load and key.
  std::uint32_t others_ = 0;                          // The layer of keys that have none.
  std::vector<FootprintLayer> layers_;
};

}  // namespace tidemark::analyzer
