/// What all panes of the window share.
#pragma once

#include "gui/app/platform/fonts.hpp"
#include "gui/view/basics/look.hpp"
#include "gui/view/basics/source_excerpts.hpp"
#include "gui/view/session/notes.hpp"
#include "gui/view/session/session.hpp"
#include "gui/view/session/view_state.hpp"
#include "gui/view/session/what_if.hpp"
#include "gui/view/trees/layer_colours.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::gui {

/// A request for the picture of the pane below, taken while the pane is drawn.
struct PaneWish {
  bool is_wanted = false;
  std::optional<picture::Scene> taken;  ///< None if the pane is a table or text.
};

/// A stack at an instant, to go from a finding or a block to who holds its memory.
struct StackAt {
  std::uint64_t at_ns = 0;                    ///< In the chosen trace.
  std::vector<analyzer::NamedFrame> frames;   ///< Innermost first; empty: none.
  std::optional<std::uint64_t> else_at_ns{};  ///< To use if it holds nothing at `at_ns`.
};

/// All stays borrowed for one frame.
struct Desk {
  Session& session;
  ViewState& state;
  Glide& glide;
  const Look& look;
  const Fonts& fonts;
  PaneWish& wish;
  const LayerColours& colours;  ///< Colours of functions in the timeline.
  SourceExcerpts& sources;
  const std::array<Notes, 2>& notes;  ///< By trace.

  /// The trace whose details are shown.
  [[nodiscard]] OpenTrace& chosen() const { return session.trace(state.side); }
};

}  // namespace tidemark::gui
