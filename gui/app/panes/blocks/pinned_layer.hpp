/// The details of the pinned layer of small blocks, beside the timeline and the pane.
#pragma once

#include "gui/app/panes/desk.hpp"

#include <cstddef>
#include <optional>

namespace tidemark::gui {

/// Asks for the blocks in the layers at a trace's peak.
LayerBlocksQuestion layers_at_peak(const Desk& desk, std::size_t side);

class PinnedLayer {
 public:
  /// @param layer index into the question's layers.
  void pin(const LayerBlocksQuestion& question, std::size_t layer) { pinned_ = {question, layer}; }
  void let_go() { pinned_.reset(); }
  [[nodiscard]] bool is_pinned() const { return pinned_.has_value(); }
  [[nodiscard]] bool is(const LayerBlocksQuestion& question, std::size_t layer) const {
    return pinned_ && pinned_->layer == layer && pinned_->question.side == question.side &&
           pinned_->question.layers == question.layers;
  }
  /// The question to ask the pinned layer's trace; none if no layer is pinned.
  [[nodiscard]] std::optional<LayerBlocksQuestion> question() const {
    return pinned_ ? std::optional(pinned_->question) : std::nullopt;
  }

  /// Into the rest of the current ImGui child. A layer must be pinned.
  void show(const Desk& desk);

 private:
  struct Pin {
    LayerBlocksQuestion question;
    std::size_t layer = 0;
  };

  std::optional<Pin> pinned_;
};

}  // namespace tidemark::gui
