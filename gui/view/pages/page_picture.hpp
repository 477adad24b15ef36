/// The map of pages: row below row, each pixel a run of pages.
#pragma once

#include "analyzer/picture/drawing/shapes.hpp"
#include "gui/view/basics/look.hpp"
#include "gui/view/pages/page_map.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::gui {

/// What a block is called, and its colour.
struct PageName {
  std::string text;
  picture::Colour colour;
};

struct PagePicture {
  const PageMap* map = nullptr;  ///< Borrowed.
  std::function<PageName(std::size_t block)> name;
  std::optional<std::size_t> hovered{};  ///< Index into PageMap::runs.
  std::optional<std::size_t> pinned{};   ///< The block's index: it has an outline.
};

/// How the map's bytes are divided into rows.
class PageRows {
 public:
  PageRows(std::uint64_t total, const picture::Box& place, const Look& look);

  [[nodiscard]] const picture::Box& place() const { return place_; }
  [[nodiscard]] double row_height() const { return height_; }
  [[nodiscard]] std::uint64_t bytes_a_pixel() const;
  /// Where the bytes [begin, end) of the map are: at most three boxes, in order.
  [[nodiscard]] std::vector<picture::Box> boxes(std::uint64_t begin, std::uint64_t end) const;
  /// The byte of the map at a point; none outside the map.
  [[nodiscard]] std::optional<std::uint64_t> byte_at(const picture::Point& point) const;

 private:
  picture::Box place_;
  double height_ = 1;
  std::uint64_t rows_ = 1;
  double bytes_ = 1;  // Per row.
};

/// Index into PageMap::runs of the run with a byte of the map.
std::optional<std::size_t> run_at(const PageMap& map, std::uint64_t byte);

/// Draws what the colours mean and how much there is of each, from the place's upper edge down.
/// @return the height that it takes.
double draw_page_legend(picture::Scene& scene,
                        const PageMap& map,
                        const picture::Box& place,
                        const Look& look);

void draw_pages(picture::Scene& scene,
                const PagePicture& picture,
                const PageRows& rows,
                const Look& look);

}  // namespace tidemark::gui
