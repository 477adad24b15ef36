/// The details of the pinned block, beside the timeline and the pane.
#pragma once

#include "analyzer/tensors/block_contents.hpp"
#include "gui/app/panes/desk.hpp"
#include "gui/view/blocks/details/block_details.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace tidemark::gui {

class PinnedBlock {
 public:
  /// Shows the chosen trace's pinned block in the rest of the current ImGui child. @return a stack
  /// to be shown where it holds memory.
  std::optional<StackAt> show(const Desk& desk, const analyzer::BlockContents& contents);
  /// Remembers at which instant a block was clicked on; shown while this block is pinned.
  void clicked(std::uint64_t allocation, std::uint64_t at_ns) { clicked_ = {allocation, at_ns}; }
  /// True if the blocks of its stack are to stand out.
  [[nodiscard]] bool lights_stack() const { return lights_stack_; }

 private:
  struct Click {
    std::uint64_t allocation = 0;
    std::uint64_t at_ns = 0;
  };

  std::optional<StackAt> buttons(const Desk& desk, const BlockStory& story);
  void words(const Desk& desk) const;
  void tensor_words() const;
  void resize_words(const Desk& desk) const;
  void stack_words(const Desk& desk) const;

  std::shared_ptr<const BlockStory> told_;  // What `details_` was made from.
  BlockDetails details_;
  bool lights_stack_ = false;
  std::optional<Click> clicked_;
};

}  // namespace tidemark::gui
