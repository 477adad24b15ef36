#include "gui/view/chain_layout.hpp"

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

}  // namespace

ChainLayout lay_out_chain(const Chain& chain, const plot::Box& place, const Look& look) {
  constexpr double kBoxShare = 0.65;  // Bands need room for what they say.
  const double lowest = 4.2 * look.type.small;
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
  const double pitch = place.width / (static_cast<double>(layout.columns.size()) - 1 + kBoxShare);
  for (std::size_t depth = 0; depth < layout.columns.size(); ++depth) {
    double y = place.y;
    for (const std::size_t node : layout.columns[depth]) {
      const double height = lowest + unit * static_cast<double>(chain.nodes[node].bytes);
      layout.boxes[node] = {place.x + static_cast<double>(depth) * pitch, y, pitch * kBoxShare,
                            height};
      y += height + gap;
    }
  }
  return layout;
}

}  // namespace tidemark::gui
