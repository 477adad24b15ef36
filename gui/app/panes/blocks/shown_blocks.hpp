/// The blocks of one trace as the pane draws them: stacked, named and coloured.
#pragma once

#include "analyzer/tensors/block_contents.hpp"
#include "gui/app/panes/desk.hpp"
#include "gui/view/blocks/block_layers.hpp"
#include "gui/view/blocks/block_picture.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark::gui {

class ShownBlocks {
 public:
  struct AskedBy {
    std::string function;
    std::string file;  ///< Its source; the module where that is unknown.
  };

  /// Asks for the blocks of the trace, and forgets those of another one.
  void know(const Desk& desk, std::size_t side);
  /// Null until they are known.
  [[nodiscard]] const std::shared_ptr<const BlockList>& list() const { return list_; }
  [[nodiscard]] const analyzer::BlockContents& contents() const { return *contents_; }

  /// Stacks the blocks again only if an input changed. The list must be known. `alone`: see
  /// stack_blocks.
  const BlockStack& stack(std::vector<std::uint64_t> borders,
                          std::uint64_t smallest,
                          std::optional<std::uint64_t> alone);
  /// The hill above the last stack. None unless the timeline is layered by who asked and the layers
  /// are known; none if something is taken away.
  std::optional<Hill> hill(const Desk& desk,
                           const std::vector<picture::StackedColumn>& columns,
                           std::size_t columns_wide);
  /// @param namesake gives the colour, so that a stack has one colour before and after; null: who
  /// asked for the block does.
  BlockName name(const Desk& desk, const LongBlock& block, const AskedBy* namesake);
  const AskedBy& asked_by(const Desk& desk, trace::StackId stack);
  /// What the block holds, in words; empty: not known.
  const std::string& content_of(const Desk& desk, const LongBlock& block);

 private:
  /// The inputs of a BlockStack.
  struct Stacked {
    std::shared_ptr<const BlockList> list;
    std::vector<std::uint64_t> borders;
    std::uint64_t smallest = 0;
    std::optional<std::uint64_t> alone;
    bool operator==(const Stacked&) const = default;
  };

  /// The timeline's layers; null: none.
  BlockLayers* layers(const Desk& desk);
  picture::Colour colour_of_block(const Desk& desk, const AskedBy& asked, const LongBlock& block);
  picture::Colour layer_colour(const Desk& desk, const AskedBy& asked, const LongBlock& block);
  void choose_shades();

  std::size_t side_ = 0;
  const OpenTrace* trace_ = nullptr;  // What follows is of this trace.
  std::shared_ptr<const BlockList> list_;
  Stacked stacked_;  // What `stack_` was made from.
  BlockStack stack_;
  std::unordered_map<std::uint32_t, AskedBy> names_;              // By StackId.
  std::unordered_map<std::uint64_t, std::uint8_t> shades_;        // By allocation.
  std::unordered_map<std::uint64_t, std::string> content_texts_;  // By allocation.
  std::optional<analyzer::BlockContents> contents_;
  std::optional<BlockLayers> layers_;
  analyzer::LayerGrouping layers_by_ = analyzer::LayerGrouping::kLane;
  std::vector<picture::Colour> layer_colours_;  // In the current theme.
  bool is_dark_ = false;
};

}  // namespace tidemark::gui
