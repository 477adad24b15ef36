#include "gui/view/blocks/block_hill.hpp"

#include "analyzer/text/size_text.hpp"
#include "gui/view/timeline/axis_ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace tidemark::gui {

Hill hill_of(const picture::Bands& bands,
             const std::vector<analyzer::FootprintLayer>& layers,
             const BlockStack& stack,
             const std::vector<picture::StackedColumn>& columns,
             const std::function<std::size_t(std::size_t block)>& layer_of) {
  constexpr std::size_t kNameCharacters = 40;
  Hill hill{.bands = bands, .names = analyzer::fitted_texts(layers, kNameCharacters)};
  const std::size_t count = bands.size();
  const std::size_t shown = std::min(columns.size(), stack.heights.size());
  // Differences between columns, modulo 2^64; one more column than shown.
  std::vector<std::uint64_t> blocks((shown + 1) * count);
  for (const BlockShape& shape : stack.shapes) {
    const std::size_t layer = layer_of(shape.block);
    for (const BlockRun& run : shape.runs) {
      blocks[std::min(run.begin, shown) * count + layer] += run.bytes;
      blocks[std::min(run.end, shown) * count + layer] -= run.bytes;
    }
  }
  for (std::size_t i = count; i < blocks.size(); ++i) {
    blocks[i] += blocks[i - count];
  }
  hill.bands.highest.resize(shown * count);
  for (std::size_t c = 0; c < shown; ++c) {
    const auto column = std::span(hill.bands.highest).subspan(c * count, count);
    for (std::size_t layer = 0; layer < count; ++layer) {
      column[layer] -= std::min(column[layer], blocks[c * count + layer]);
    }
    const std::uint64_t footprint = columns[c].highest.footprint();
    analyzer::add_up_to(column, footprint - std::min(footprint, stack.heights[c]));
  }
  return hill;
}

std::optional<HillPart> hill_part_at(const Hill& hill,
                                     const BlockStack& stack,
                                     std::size_t column,
                                     std::uint64_t bytes) {
  const std::size_t bands = hill.bands.size();
  if (column >= stack.heights.size() || (column + 1) * bands > hill.bands.highest.size()) {
    return std::nullopt;
  }
  std::uint64_t top = stack.heights[column];
  for (std::size_t band = 0; bytes >= top && band < bands; ++band) {
    const std::uint64_t own = hill.bands.highest[column * bands + band];
    top += own;
    if (bytes < top) {
      return HillPart{band, own};
    }
  }
  return std::nullopt;
}

std::vector<std::string> small_blocks_words(std::uint64_t bytes,
                                            std::pair<std::uint64_t, std::uint64_t> span_ns,
                                            std::uint64_t blocks_ns) {
  const std::uint64_t begin = span_ns.first;
  const std::uint64_t end = span_ns.second;
  // More decimals than needed to distinguish the ends.
  const std::uint64_t step = std::max<std::uint64_t>((end - std::min(begin, end)) / 10, 1);
  const auto time = [&](std::uint64_t ns) { return precise_time(ns, step, end); };
  return {fmt::format("{} of the highest footprint between {} and {}", analyzer::format_size(bytes),
                      time(begin), time(end)),
          fmt::format("in blocks too small to be drawn one by one; those drawn are those at {}",
                      time(blocks_ns))};
}

}  // namespace tidemark::gui
