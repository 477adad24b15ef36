/// The live blocks over time, and what is known of one of them.
#pragma once

#include "analyzer/tensors/block_contents.hpp"
#include "gui/app/panes/desk.hpp"
#include "gui/view/blocks/block_details.hpp"
#include "gui/view/blocks/block_layers.hpp"
#include "gui/view/blocks/block_picture.hpp"

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark::gui {

class BlocksPane {
 public:
  /// Into the rest of the current ImGui child.
  void show(const Desk& desk);
  /// True where a block is pinned.
  [[nodiscard]] static bool has_details(const Desk& desk) {
    return desk.state.pane == Pane::kBlocks && desk.state.block.has_value();
  }
  /// Of the pinned block, the same. @return the stack that shall be shown where it holds memory.
  std::optional<StackAt> show_details(const Desk& desk);

 private:
  struct AskedBy {
    std::string function;
    std::string file;  ///< Its source; the module where that is unknown.
  };

  /// What a stack was made from.
  struct Stacked {
    std::shared_ptr<const BlockList> list;
    std::vector<std::uint64_t> borders;
    std::uint64_t smallest = 0;
    bool operator==(const Stacked&) const = default;
  };

  /// Made anew only where anything of it changed.
  const BlockStack& stack(Stacked wanted);
  const AskedBy& asked_by(const Desk& desk, trace::StackId stack);
  void know(const Desk& desk);
  /// What the timeline is layered by, of the chosen trace; null: nothing.
  BlockLayers* layers(const Desk& desk);
  std::optional<Hill> hill(const Desk& desk,
                           const BlockList& list,
                           const BlockStack& stack,
                           const std::vector<picture::StackedColumn>& columns,
                           std::size_t columns_wide);
  BlockName name(const Desk& desk, const LongBlock& block);
  const std::string& content_of(const Desk& desk, const LongBlock& block);
  picture::Colour colour_of_block(const Desk& desk,
                                  const AskedBy& asked_by,
                                  const LongBlock& block);
  void picture(const Desk& desk, const std::shared_ptr<const BlockList>& list);
  void take_pointer(const Desk& desk,
                    const BlockList& list,
                    const BlockStack& stack,
                    const picture::Box& place);
  std::optional<StackAt> buttons(const Desk& desk, const BlockStory& story);
  void words(const Desk& desk) const;
  void tell(const Desk& desk, const BlockList& list, const BlockShape& shape) const;
  static void tell_tensors(const Desk& desk, const std::vector<analyzer::TensorPart>& parts);
  void toolbar(const Desk& desk, const BlockList& list, const BlockStack& stack, bool has_hill);

  Stacked stacked_;  // What `stack_` was made from.
  BlockStack stack_;
  const OpenTrace* named_for_ = nullptr;
  std::optional<std::uint64_t> known_block_;          // That is pinned, a frame ago.
  std::unordered_map<std::uint32_t, AskedBy> names_;  // By StackId.
  std::optional<BlockLayers> layers_;
  analyzer::LayerGrouping layers_by_ = analyzer::LayerGrouping::kLane;
  std::optional<analyzer::BlockContents> contents_;
  std::unordered_map<std::uint64_t, std::string> content_texts_;  // By allocation.
  std::optional<std::uint64_t> hovered_;
  std::shared_ptr<const BlockStory> told_;  // What `details_` was made from.
  BlockDetails details_;
  bool lights_stack_ = false;
};

}  // namespace tidemark::gui
