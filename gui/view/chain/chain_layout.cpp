#include "gui/view/chain/chain_layout.hpp"

#include <algorithm>
#include <numeric>

namespace tidemark::gui {
namespace {

using analyzer::Chain;
using analyzer::ChainEdge;

void choose(const Chain& chain, ChainLayout& layout) {
  std::vector<bool> is_chosen(chain.nodes.size());
  for (const ChainEdge& edge : chain.edges) {
    const bool is_way_back = chain.nodes[edge.to].depth <= chain.nodes[edge.from].depth;
    if (!is_way_back && edge.bytes >= chain.nodes.front().bytes / 100) {
      layout.steps.push_back(&edge);
      is_chosen[edge.from] = is_chosen[edge.to] = true;
    }
  }
  for (std::size_t node = 0; node < chain.nodes.size(); ++node) {
    if (is_chosen[node]) {
      const std::size_t depth = chain.nodes[node].depth;
      layout.columns.resize(std::max(layout.columns.size(), depth + 1));
      layout.columns[depth].push_back(node);
    }
  }
}

double bytes_of(const Chain& chain, const std::vector<std::size_t>& column) {
  return std::accumulate(column.begin(), column.end(), 0.0, [&](double sum, std::size_t node) {
    return sum + static_cast<double>(chain.nodes[node].bytes);
  });
}

/// Room for what a band says in two lines, but no more than boxes can spare, whose sizes are never
/// cut for it.
double band_width(double pitch, const Look& look) {
  const double size = look.measure("1023.9 MiB", look.type.small, false);
  const double least = look.px(12);
  return std::clamp(pitch - size - look.px(12), least, std::max(size + look.px(8), least));
}

}  // namespace

ChainLayout lay_out_chain(const Chain& chain, const picture::Box& place, const Look& look) {
  const double lowest = 5.4 * look.type.small;
  const double gap = look.px(6);
  ChainLayout layout;
  layout.boxes.resize(chain.nodes.size());
  choose(chain, layout);
  double unit = 1e300;  // Pixels a byte.
  for (const auto& column : layout.columns) {
    const auto count = static_cast<double>(column.size());
    const double room = std::max(place.height - count * (lowest + gap), 0.0);
    unit = std::min(unit, room / std::max(bytes_of(chain, column), 1.0));
  }
  const auto count = static_cast<double>(layout.columns.size());
  const double band = band_width(place.width / count, look);
  const double width = (place.width - (count - 1) * band) / count;
  for (std::size_t depth = 0; depth < layout.columns.size(); ++depth) {
    double y = place.y;
    for (const std::size_t node : layout.columns[depth]) {
      const double height = lowest + unit * static_cast<double>(chain.nodes[node].bytes);
      layout.boxes[node] = {place.x + static_cast<double>(depth) * (width + band), y, width,
                            height};
      y += height + gap;
    }
  }
  return layout;
}

}  // namespace tidemark::gui
