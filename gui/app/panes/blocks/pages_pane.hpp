/// What the address space is used for at the chosen instant.
#pragma once

#include "gui/app/panes/blocks/shown_blocks.hpp"
#include "gui/app/panes/desk.hpp"
#include "gui/view/pages/page_map.hpp"
#include "gui/view/pages/page_picture.hpp"

#include <cstddef>
#include <memory>
#include <optional>

namespace tidemark::gui {

class PagesPane {
 public:
  /// Into the rest of the current ImGui child.
  void show(const Desk& desk);

 private:
  const PageMap& map(const Desk& desk, const std::shared_ptr<const Holders>& holders);
  void head(const Desk& desk);
  void take_pointer(const Desk& desk, const PageRows& rows);
  void tell(const Desk& desk, const PageRun& run) const;
  [[nodiscard]] std::optional<std::size_t> pinned(const Desk& desk) const;

  ShownBlocks shown_;
  std::shared_ptr<const BlockList> mapped_;    // What `map_` was made from.
  std::shared_ptr<const Holders> mapped_for_;  // The same.
  PageMap map_;
  std::optional<std::size_t> hovered_;  // Index into the map's runs.
};

}  // namespace tidemark::gui
