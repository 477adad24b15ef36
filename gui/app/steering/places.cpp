#include "gui/app/steering/places.hpp"

#include "gui/app/steering/navigation.hpp"

#include <algorithm>

namespace tidemark::gui {

Arrival go_to(const Desk& desk, const Place& place) {
  ViewState& state = desk.state;
  state.side = place.side;
  const auto x_of = [&](std::uint64_t ns) { return desk.session.x_of(place.side, ns); };
  if (place.kind == Place::Kind::kNote) {
    look_at(desk, x_of(place.span_ns->first));
    return {};
  }
  if (place.span_ns) {
    const double begin = x_of(place.span_ns->first);
    const double end = x_of(place.span_ns->second);
    const double margin = std::max((end - begin) * 0.05, 0.02);
    desk.glide.go_to(kept_on_axis({begin - margin, end + margin}));
  }
  switch (place.kind) {
    case Place::Kind::kNote:
      break;
    case Place::Kind::kFunction:
      state.wanted = place.name;
      return {Pane::kHolders, {}};
    case Place::Kind::kTensor:
      state.block = place.block;
      if (!place.block) {
        return {Pane::kBlocks, Message{"no block is known to hold " + place.name}};
      }
      return {Pane::kBlocks, {}};
    case Place::Kind::kFile:
    case Place::Kind::kThread:
      return {Pane::kActivity, {}};
    case Place::Kind::kPhase:
      // What was allocated, freed and kept in it.
      state.selection = ViewRange{x_of(place.span_ns->first), x_of(place.span_ns->second)};
      return {Pane::kHolders, {}};
  }
  return {};
}

}  // namespace tidemark::gui
