/// The whole recording in a strip, with the part that is in view as a handle.
#pragma once

#include "analyzer/picture/stacked_columns.hpp"
#include "gui/view/basics/look.hpp"
#include "gui/view/basics/view_range.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::gui {

struct MinimapInput {
  /// Of each trace, over the whole axis, one a pixel. Borrowed.
  std::span<const std::vector<picture::StackedColumn>> traces;
  std::uint64_t highest = 1;  ///< Bytes at the upper edge.
  ViewRange range;            ///< In view.
  std::vector<double> notes;  ///< Where on the axis there are some.
};

void draw_minimap(picture::Scene& scene,
                  const MinimapInput& input,
                  const picture::Box& place,
                  const Look& look);

/// What of the handle the pointer takes.
enum class Grip : std::uint8_t { kBeside, kBegin, kEnd, kMiddle };

/// `at`: a place on the axis. `reach`: how far, in shares of the axis, an edge can be taken from.
/// Of a handle with little between its edges, the middle third stays to be taken.
Grip grip_at(const ViewRange& range, double at, double reach);

/// The range once what was taken has moved `by` a share of the axis: an edge alone, or all of it.
/// No range gets narrower than `narrowest`, and none leaves the axis.
ViewRange pulled(const ViewRange& range, Grip grip, double by, double narrowest);

}  // namespace tidemark::gui
