/// All that is known of the block that was clicked on, beside the timeline and the pane.
#pragma once

#include "analyzer/tensors/block_contents.hpp"
#include "gui/app/panes/desk.hpp"
#include "gui/view/blocks/block_details.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace tidemark::gui {

class PinnedBlock {
 public:
  /// Of the chosen trace, into the rest of the current ImGui child. @return the stack that shall be
  /// shown where it holds memory.
  std::optional<StackAt> show(const Desk& desk, const analyzer::BlockContents& contents);
  /// At which instant a block was clicked on: said as long as it is the pinned one.
  void clicked(std::uint64_t allocation, std::uint64_t at_ns) { clicked_ = {allocation, at_ns}; }
  /// True where the blocks of its stack stand out.
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
