/// The whole recording in a strip below the timeline, if only a part of it is in view.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/view/timeline/minimap.hpp"

namespace tidemark::gui {

class MinimapPane {
 public:
  /// Adds a row to the current ImGui window; nothing if the whole recording is in view.
  void show(const Desk& desk);

 private:
  void take_pointer(const Desk& desk, const picture::Box& place);

  Grip grip_ = Grip::kBeside;
  double taken_at_ = 0;  // On the axis.
  ViewRange taken_;      // What was in view then.
};

}  // namespace tidemark::gui
