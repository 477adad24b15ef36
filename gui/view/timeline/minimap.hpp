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
  /// By trace: its columns over the whole axis, one per pixel. Borrowed.
  std::span<const std::vector<picture::StackedColumn>> traces;
  std::uint64_t highest = 1;  ///< Bytes at the upper edge.
  ViewRange range;            ///< In view.
  std::vector<double> notes;  ///< Their places on the axis.
};

void draw_minimap(picture::Scene& scene,
                  const MinimapInput& input,
                  const picture::Box& place,
                  const Look& look);

/// The part of the handle that the pointer takes hold of.
enum class Grip : std::uint8_t { kBeside, kBegin, kEnd, kMiddle };

/// `at`: a place on the axis. `reach`: from how far, in shares of the axis, an edge can be taken.
/// The middle third of a narrow handle still takes the whole handle.
Grip grip_at(const ViewRange& range, double at, double reach);

/// The range after the part taken, an edge or the whole, has moved `by` a share of the axis. Never
/// narrower than `narrowest`, and always on the axis.
ViewRange pulled(const ViewRange& range, Grip grip, double by, double narrowest);

}  // namespace tidemark::gui
