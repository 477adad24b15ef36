/// What all panes of the window work with.
#pragma once

#include "gui/app/fonts.hpp"
#include "gui/view/look.hpp"
#include "gui/view/session.hpp"
#include "gui/view/view_state.hpp"

#include <string>

namespace tidemark::gui {

/// All stays borrowed for one frame.
struct Desk {
  Session& session;
  ViewState& state;
  Glide& glide;
  const Look& look;
  const Fonts& fonts;

  /// The trace whose details are shown.
  [[nodiscard]] OpenTrace& chosen() const { return session.trace(state.side); }
};

}  // namespace tidemark::gui
