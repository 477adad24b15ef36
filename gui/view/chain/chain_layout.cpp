#include "gui/view/chain/chain_layout.hpp"

#include "analyzer/text/size_text.hpp"
#include "gui/view/basics/line_breaks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

namespace tidemark::gui {
namespace {

using analyzer::Chain;
using analyzer::ChainEdge;

void choose(const Chain& chain, ChainLayout& layout) {
  std::vector<bool> is_chosen(chain.nodes.size());
  for (const ChainEdge& edge : chain.edges) {
    if (chain.is_shown(edge)) {
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

/// The height that a box's text needs, and its bytes.
struct Need {
  double least = 0;
  double bytes = 0;
  [[nodiscard]] double height(double unit) const { return std::max(least, unit * bytes); }
};

/// The most pixels per byte with which a column has room: boxes too low for their text get the
/// height that it needs, and the others share the rest.
double unit_of(std::vector<Need> column, double room) {
  // In the order in which boxes become too low as the scale shrinks: each leaves the sharing, until
  // one need not.
  std::ranges::sort(column, std::ranges::greater(), [](const Need& need) {
    return need.bytes > 0 ? need.least / need.bytes : std::numeric_limits<double>::infinity();
  });
  double bytes = std::accumulate(column.begin(), column.end(), 0.0,
                                 [](double sum, const Need& need) { return sum + need.bytes; });
  for (const Need& need : column) {
    const double unit = bytes > 0 ? std::max(room, 0.0) / bytes : 0;
    if (unit * need.bytes >= need.least) {
      return unit;
    }
    room -= need.least;
    bytes -= need.bytes;
  }
  return room < 0 ? 0 : std::numeric_limits<double>::max();  // Else none of them has bytes.
}

std::vector<std::string> lines_of(const std::string& text, double room, const Look& look) {
  const std::string broken = broken_at_spaces(text, room, [&](const std::string& line) {
    return look.measure(line, look.type.small, false);
  });
  std::vector<std::string> lines(1);
  for (const char c : broken) {
    c == '\n' ? static_cast<void>(lines.emplace_back()) : lines.back().push_back(c);
  }
  return lines;
}

/// Sets the lines of all boxes, or of none if one column has no room for them.
void find_unfollowed(const Chain& chain,
                     double height,
                     double lowest,
                     double box_width,
                     const Look& look,
                     ChainLayout& layout) {
  layout.unfollowed.resize(chain.nodes.size());
  bool has_room = true;
  for (const auto& column : layout.columns) {
    double least = static_cast<double>(column.size()) * lowest;
    for (const std::size_t node : column) {
      if (chain.has_rest(node)) {
        layout.unfollowed[node] =
            lines_of(unfollowed_text(chain.nodes[node]), box_width - 2 * chain_padding(look), look);
      }
      least += static_cast<double>(layout.unfollowed[node].size()) * chain_line_height(look);
    }
    has_room = has_room && least <= height;
  }
  if (!has_room) {
    layout.unfollowed.assign(chain.nodes.size(), {});
  }
}

/// Wide enough for a band's text in two lines, as far as boxes keep room for a size in full.
double band_width(double pitch, const Look& look) {
  const double size = look.measure("1023.9 MiB", look.type.small, false);
  const double least = look.px(12);
  return std::clamp(pitch - size - look.px(12), least, std::max(size + look.px(8), least));
}

}  // namespace

std::string unfollowed_text(const analyzer::ChainNode& node) {
  return node.unfollowed_bytes == 0
             ? std::string()
             : fmt::format("{} of it: {}", analyzer::format_size(node.unfollowed_bytes),
                           analyzer::kUnfollowedWords);
}

ChainLayout lay_out_chain(const Chain& chain, const picture::Box& place, const Look& look) {
  const double lowest = 5.4 * look.type.small;
  const double gap = look.px(6);
  ChainLayout layout;
  layout.boxes.resize(chain.nodes.size());
  choose(chain, layout);
  const auto count = static_cast<double>(layout.columns.size());
  const double band = band_width(place.width / count, look);
  const double width = (place.width - (count - 1) * band) / count;
  find_unfollowed(chain, place.height, lowest + gap, width, look, layout);
  const auto least_height = [&](std::size_t node) {
    return lowest + static_cast<double>(layout.unfollowed[node].size()) * chain_line_height(look);
  };
  const auto need = [&](std::size_t node) {
    return Need{least_height(node), static_cast<double>(chain.nodes[node].bytes)};
  };
  double unit = std::numeric_limits<double>::max();  // Pixels a byte.
  for (const auto& column : layout.columns) {
    std::vector<Need> needs(column.size());
    std::ranges::transform(column, needs.begin(), need);
    unit = std::min(
        unit, unit_of(std::move(needs), place.height - gap * static_cast<double>(column.size())));
  }
  for (std::size_t depth = 0; depth < layout.columns.size(); ++depth) {
    double y = place.y;
    for (const std::size_t node : layout.columns[depth]) {
      const double height = need(node).height(unit);
      layout.boxes[node] = {place.x + static_cast<double>(depth) * (width + band), y, width,
                            height};
      y += height + gap;
    }
  }
  return layout;
}

}  // namespace tidemark::gui
