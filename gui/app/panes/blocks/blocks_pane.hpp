/// The live blocks over time, of the chosen trace or of both on one axis, and the details of one.
#pragma once

#include "gui/app/panes/blocks/pinned_block.hpp"
#include "gui/app/panes/blocks/pinned_layer.hpp"
#include "gui/app/panes/blocks/shown_blocks.hpp"
#include "gui/app/panes/desk.hpp"
#include "gui/view/blocks/block_partners.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tidemark::gui {

class BlocksPane {
 public:
  /// `wake`: see TraceWorker.
  explicit BlocksPane(std::function<void()> wake) : wake_(std::move(wake)) {}

  /// Into the rest of the current ImGui child.
  void show(const Desk& desk);
  /// True while partners are being found: poll, as `wake` is called just before they are ready.
  [[nodiscard]] bool is_busy() const { return coming_.valid(); }
  /// True if a block or a layer of small blocks is pinned.
  [[nodiscard]] bool has_details(const Desk& desk) const {
    const bool is_here = desk.state.pane == Pane::kBlocks;
    const bool shows_blocks = is_here || desk.state.pane == Pane::kPages;
    return (shows_blocks && desk.state.block.has_value()) || (is_here && layer_.is_pinned());
  }
  /// Unpins the layer.
  void let_layer_go() { layer_.let_go(); }
  /// Pins a block and makes its trace the chosen one.
  void pin(const Desk& desk, std::size_t side, std::uint64_t allocation);
  /// Shows the details of what is pinned. @return a stack to be shown where it holds memory.
  std::optional<StackAt> show_details(const Desk& desk);

 private:
  /// The blocks of one trace, and where they are drawn.
  struct Panel {
    std::size_t side = 0;
    const BlockStack* stack = nullptr;
    std::vector<std::uint64_t> borders;  ///< Times at which the stack's columns begin and end.
    std::vector<picture::StackedColumn> columns;
    std::optional<Hill> hill;
    picture::Box label;  ///< Names the trace; empty if there is only one panel.
    picture::Box plot;
  };
  struct Block {
    std::size_t side = 0;
    std::uint64_t allocation = 0;
    bool operator==(const Block&) const = default;
  };
  /// The blocks of the other trace that correspond to a block.
  struct Partners {
    std::optional<Block> of;
    std::unordered_set<std::uint64_t> allocations;
    std::uint64_t most = 0;  ///< Bytes of the largest one.
  };

  void know(const Desk& desk);
  void pair_in_background(const Desk& desk);
  [[nodiscard]] std::vector<Panel> panels(const Desk& desk, const picture::Box& place);
  static void put_into(const Desk& desk, std::vector<Panel>& panels, const picture::Box& place);
  [[nodiscard]] std::string text_of(const Panel& panel) const;
  void draw(picture::Scene& scene, const Desk& desk, const Panel& panel);
  void label(picture::Scene& scene, const Desk& desk, const Panel& panel) const;
  BlockName name(const Desk& desk, std::size_t side, const LongBlock& block);
  std::vector<BlockArrow> arrows(const Desk& desk, const Panel& panel) const;
  std::function<bool(const LongBlock&)> lit(const Desk& desk, std::size_t side);
  [[nodiscard]] const LongBlock* find(const std::optional<Block>& block) const;
  const Partners& partners_of(const Desk& desk, const Block& block, const LongBlock& one);
  std::string partner_text(const Desk& desk, const Block& block, const LongBlock& one);
  void take_pointer(const Desk& desk, const std::vector<Panel>& panels);
  [[nodiscard]] const LongBlock* block_under(const Panel& panel,
                                             std::size_t column,
                                             std::uint64_t bytes) const;
  void tell_small_blocks(const Desk& desk,
                         const Panel& panel,
                         std::size_t column,
                         std::uint64_t bytes) const;
  void pin_layer(const Desk& desk, const Panel& panel, std::size_t column, std::size_t layer);
  void pin_or_let_go(const Desk& desk, const std::optional<Block>& block);
  static void toolbar(const Desk& desk, const std::string& text);

  std::array<ShownBlocks, 2> shown_;
  PinnedBlock pinned_;
  PinnedLayer layer_;
  const OpenTrace* known_for_ = nullptr;      // The trace with the pinned block.
  std::optional<std::uint64_t> known_block_;  // The one pinned a frame ago.
  std::optional<Block> hovered_;
  std::optional<std::pair<double, double>> clicked_at_;  // Pointer position, until it moves.

  std::function<void()> wake_;
  BlockPartners partners_;
  Partners found_partners_;                                 // Those of the last block pointed at.
  std::array<std::shared_ptr<const BlockList>, 2> paired_;  // What `partners_` is made from.
  std::future<BlockPartners> coming_;
};

}  // namespace tidemark::gui
