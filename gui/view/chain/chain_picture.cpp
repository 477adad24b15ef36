#include "gui/view/chain/chain_picture.hpp"

#include "analyzer/text/size_text.hpp"
#include "gui/view/chain/chain_layout.hpp"
#include "gui/view/trees/call_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::gui {
namespace {

using analyzer::Chain;
using analyzer::ChainEdge;
using analyzer::ChainNode;
using picture::Box;
using picture::Part;

const char* verb_of(ChainEdge::Kind kind) {
  switch (kind) {
    case ChainEdge::Kind::kRead:
      return "read";
    case ChainEdge::Kind::kMap:
      return "mapped";
    case ChainEdge::Kind::kCopy:
      break;
  }
  return "copied";
}

std::string more_files_text(const ChainNode& node) {
  return fmt::format("and {} more", analyzer::format_count(node.file_count - 1));
}

std::string name_of(const ChainNode& node) {
  if (node.kind != ChainNode::Kind::kFile) {
    return node.frames.empty() ? "(no stack)"
                               : analyzer::short_name(node.frames[node.telling_frame]);
  }
  const std::string base = analyzer::telling_file_name(node.name);
  return node.file_count > 1 ? base + ' ' + more_files_text(node) : base;
}

std::string place_of(const ChainNode& node) {
  return node.frames.empty() ? "" : place_text(node.frames[node.telling_frame]);
}

/// Empty for a file.
std::string count_of(const ChainNode& node) {
  if (node.kind == ChainNode::Kind::kFile) {
    return {};
  }
  const char* const what = node.kind == ChainNode::Kind::kMapping ? "mapping" : "block";
  return fmt::format("in {} {}{}", analyzer::format_count(node.blocks), what,
                     node.blocks == 1 ? "" : "s");
}

/// In one line where it fits, else in two.
std::vector<std::string> amount_lines(const ChainNode& node, const auto& fits) {
  const std::string size = analyzer::format_size(node.bytes);
  const std::string count = count_of(node);
  if (count.empty()) {
    return {size};
  }
  const std::string line = size + ' ' + count;
  return fits(line) ? std::vector{line} : std::vector{size, count};
}

class ChainPainter {
 public:
  ChainPainter(picture::Scene& scene,
               const Chain& chain,
               const Box& place,
               const Look& look,
               const LayerColours& colours)
      : pen_(scene, look.measure),
        chain_(chain),
        look_(look),
        colours_(colours),
        layout_(lay_out_chain(chain, place, look)),
        sent_(chain.nodes.size()),
        received_(chain.nodes.size()) {}

  std::vector<ChainBox> draw(std::optional<std::size_t> hovered) {
    for (const ChainEdge* const edge : layout_.steps) {
      band(*edge);
    }
    std::vector<ChainBox> found;
    for (const auto& column : layout_.columns) {
      for (const std::size_t node : column) {
        box(node, hovered == node);
        found.push_back({layout_.boxes[node], node});
      }
    }
    return found;
  }

 private:
  /// The share of a box's edge that one band takes. Blocks that are refilled again and again pass
  /// on more than they hold.
  template <typename End>
  [[nodiscard]] double share_of(const ChainEdge& edge, End end) const {
    auto all = static_cast<double>(chain_.nodes[edge.*end].bytes);
    double passed = 0;
    for (const ChainEdge* const step : layout_.steps) {
      passed += step->*end == edge.*end ? static_cast<double>(step->bytes) : 0.0;
    }
    return static_cast<double>(edge.bytes) / std::max({all, passed, 1.0});
  }

  void band(const ChainEdge& edge) {
    const Box& from = layout_.boxes[edge.from];
    const Box& to = layout_.boxes[edge.to];
    const double left = from.height * share_of(edge, &ChainEdge::from);
    const double right = to.height * share_of(edge, &ChainEdge::to);
    const double top_left = from.y + sent_[edge.from];
    const double top_right = to.y + received_[edge.to];
    sent_[edge.from] += left;
    received_[edge.to] += right;
    pen_.fill(Part::kDifference, picture::faded(colour(edge.to), 0.35),
              {{from.right(), top_left},
               {to.x, top_right},
               {to.x, top_right + right},
               {from.right(), top_left + left}});
    band_label(edge,
               {from.right(), (top_left + top_right) / 2, to.x - from.right(), (left + right) / 2});
  }

  void band_label(const ChainEdge& edge, const Box& box) {
    const picture::TextLook text{look_.type.small, look_.theme.ink};
    const double room = box.width - look_.px(6);
    const double x = box.x + box.width / 2;
    const double middle = box.y + box.height / 2;
    const std::string size = analyzer::format_size(edge.bytes);
    const std::string line = fmt::format("{} {}", verb_of(edge.kind), size);
    if (pen_.width_of(text, line) <= room) {
      pen_.text(text, picture::Anchor::kMiddle,
                {x, picture::middle_baseline(middle, middle, text.size)}, line, room);
      return;
    }
    if (pen_.width_of(text, size) > room) {
      return;
    }
    const double up = text.size * 0.6;
    pen_.text(text, picture::Anchor::kMiddle,
              {x, picture::middle_baseline(middle - up, middle - up, text.size)},
              verb_of(edge.kind), room);
    pen_.text(text, picture::Anchor::kMiddle,
              {x, picture::middle_baseline(middle + up, middle + up, text.size)}, size, room);
  }

  /// The colour that the flame graph gives the same function.
  [[nodiscard]] picture::Colour colour(std::size_t node) const {
    const ChainNode& one = chain_.nodes[node];
    if (one.kind != ChainNode::Kind::kBlocks) {
      return look_.theme.phases[1];
    }
    if (!one.frames.empty()) {
      const analyzer::NamedFrame& frame = one.frames[analyzer::asking_frame(one.frames)];
      if (const auto own = colours_.of(analyzer::short_name(frame), place_text(frame))) {
        return *own;
      }
    }
    return colour_of(number_of(name_of(one)), look_.dark);
  }

  void box(std::size_t node, bool is_hovered) {
    const Box& box = layout_.boxes[node];
    pen_.fill(Part::kLane, colour(node), box);
    if (is_hovered) {
      pen_.stroke(Part::kLegend, look_.theme.ink, look_.px(1.5),
                  {{box.x, box.y},
                   {box.right(), box.y},
                   {box.right(), box.bottom()},
                   {box.x, box.bottom()},
                   {box.x, box.y}});
    }
    lines(node, box, picture::ink_on(colour(node)));
  }

  /// The end of the name, as much as fits: a function's own name tells more than its namespaces.
  [[nodiscard]] std::string fitting_name(const picture::TextLook& text,
                                         const std::string& full,
                                         double room) const {
    for (const std::string& name : {full, last_parts(full)}) {
      if (pen_.width_of(text, name) <= room) {
        return name;
      }
    }
    // A method's name says nothing without its type.
    const auto last = full.find('<') == std::string::npos ? full.rfind("::") : std::string::npos;
    return last == std::string::npos ? last_parts(full) : full.substr(last + 2);
  }

  void lines(std::size_t index, const Box& box, const picture::Colour& ink) {
    const ChainNode& node = chain_.nodes[index];
    const picture::TextLook bold{look_.type.small, ink, true};
    const picture::TextLook plain{look_.type.small, ink};
    const double pad = chain_padding(look_);
    const double room = box.width - 2 * pad;
    const double pitch = chain_line_height(look_);
    picture::Point at{box.x + pad, box.y + pitch};
    const auto fits = [&](const std::string& line) { return pen_.width_of(plain, line) <= room; };
    auto below = amount_lines(node, fits);
    std::string name = name_of(node);
    if (node.file_count > 1 && pen_.width_of(bold, name) > room) {
      // The number of files is cut last.
      name = analyzer::telling_file_name(node.name);
      below.insert(below.begin(), more_files_text(node));
    }
    pen_.text(bold, picture::Anchor::kLeft, at, fitting_name(bold, name, room), room);
    if (std::string place = place_of(node); !place.empty()) {
      below.push_back(std::move(place));
    }
    const auto& unfollowed = layout_.unfollowed[index];
    below.insert(below.end(), unfollowed.begin(), unfollowed.end());
    for (const std::string& line : below) {
      at.y += pitch;
      pen_.text(plain, picture::Anchor::kLeft, at, line, room);
    }
  }

  picture::Pen pen_;
  const Chain& chain_;
  const Look& look_;
  const LayerColours& colours_;
  ChainLayout layout_;
  std::vector<double> sent_;      // By node: pixels of the right edge in use.
  std::vector<double> received_;  // The same for the left edge.
};

}  // namespace

std::vector<ChainBox> draw_chain(picture::Scene& scene,
                                 const Chain& chain,
                                 std::optional<std::size_t> hovered,
                                 const Box& place,
                                 const Look& look,
                                 const LayerColours& colours) {
  return ChainPainter(scene, chain, place, look, colours).draw(hovered);
}

std::optional<std::size_t> chain_node_at(const std::vector<ChainBox>& boxes, picture::Point at) {
  const auto found = std::ranges::find_if(boxes, [at](const ChainBox& one) {
    return at.x >= one.box.x && at.x < one.box.right() && at.y >= one.box.y &&
           at.y < one.box.bottom();
  });
  return found == boxes.end() ? std::nullopt : std::optional(found->node);
}

std::string chain_node_text(const Chain& chain, std::size_t node) {
  const ChainNode& one = chain.nodes[node];
  std::string text = one.name;
  if (one.kind != ChainNode::Kind::kFile) {
    text += fmt::format("\n{} alive at the peak", analyzer::format_size(one.peak_bytes));
  }
  for (const ChainEdge& edge : chain.edges) {
    const std::string size = analyzer::format_size(edge.bytes);
    if (edge.to == node) {
      text +=
          fmt::format("\n{} {} from {}", size, verb_of(edge.kind), name_of(chain.nodes[edge.from]));
    } else if (edge.from == node) {
      text +=
          fmt::format("\n{} {} into {}", size, verb_of(edge.kind), name_of(chain.nodes[edge.to]));
    }
  }
  const std::string unfollowed = unfollowed_text(one);
  return unfollowed.empty() ? text : text + '\n' + unfollowed;
}

std::uint64_t arrival_ns(const Chain& chain, std::size_t node) {
  const bool is_file = chain.nodes[node].kind == ChainNode::Kind::kFile;
  std::optional<std::uint64_t> at;
  for (const ChainEdge& edge : chain.edges) {
    if (is_file && edge.from == node) {
      at = std::min(at.value_or(edge.first_ns), edge.first_ns);
    } else if (!is_file && edge.to == node) {
      at = std::max(at.value_or(edge.last_ns), edge.last_ns);
    }
  }
  return at.value_or(0);
}

}  // namespace tidemark::gui
