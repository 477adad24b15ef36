#include "gui/view/trees/flame_picture.hpp"

#include "analyzer/stacks/stack_text.hpp"
#include "analyzer/text/size_text.hpp"
#include "gui/view/trees/folded_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tidemark::gui {
namespace {

using picture::Box;
using picture::Part;

constexpr double kMinBoxPixels = 3;

double least_row_height(const Look& look) {
  return std::round(look.type.small * 1.75);
}

std::string change_text(const Sides& sides) {
  if (sides.change() == 0) {
    return analyzer::format_size(sides.after) + " unchanged";
  }
  const std::string change = analyzer::format_signed_size(sides.change());
  if (sides.before == 0) {
    return change + " new";
  }
  return sides.after == 0 ? change + " removed" : change;
}

class FlamePainter {
 public:
  FlamePainter(picture::Scene& scene, const FlameInput& input, const Box& place, const Look& look)
      : pen_(scene, look.measure),
        input_(input),
        tree_(*input.tree),
        place_(place),
        look_(look),
        row_(least_row_height(look)),
        found_(input.wanted.empty() ? std::vector<bool>{} : matching_nodes(tree_, input.wanted)) {}

  std::vector<FlameBox> draw() {
    // Rows grow into the room there is, up to two lines of text.
    const double most = std::round(look_.type.small * 3.1);
    row_ = std::clamp(std::floor(place_.height / static_cast<double>(rows())), row_, most);
    double y = place_.y - input_.scrolled;
    for (const std::uint32_t caller : path_to(tree_, input_.focus)) {
      node(caller, {place_.x, y, place_.width, row_}, caller != input_.focus);
      y += row_;
    }
    if (input_.focus == 0) {
      node(0, {place_.x, y, place_.width, row_}, false);
      y += row_;
    }
    const std::uint32_t below = input_.focus == 0 ? common_row(y) : input_.focus;
    children(below, {place_.x, y, place_.width, row_});
    return std::move(boxes_);
  }

 private:
  /// The functions below the root that all stacks pass through: they distinguish nothing and take
  /// up space. Empty if they are few.
  [[nodiscard]] std::vector<std::uint32_t> common_callers() const {
    constexpr std::size_t kMinFoldedCallers = 3;
    std::vector<std::uint32_t> chain;
    for (std::uint32_t node = 0; !tree_.nodes[node].children.empty();) {
      const auto& below = tree_.nodes[node].children;
      node = *std::ranges::max_element(below, {}, [this](std::uint32_t child) {
        return measured(tree_.nodes[child].weight, input_.measure);
      });
      if (!is_everything(node) || tree_.nodes[node].children.empty()) {
        break;
      }
      chain.push_back(node);
    }
    return chain.size() < kMinFoldedCallers ? std::vector<std::uint32_t>() : chain;
  }

  /// Draws one row for all of them. @return the node where the stacks diverge. `y` moves below the
  /// row.
  std::uint32_t common_row(double& y) {
    const auto chain = common_callers();
    if (chain.empty()) {
      return 0;
    }
    const std::string name =
        fmt::format("{} … {} ({} functions)", tree_.nodes[chain.front()].name(),
                    last_parts(tree_.nodes[chain.back()].name()), chain.size());
    const Box box{place_.x, y, place_.width, row_};
    if (is_visible(box)) {
      boxes_.push_back({box, chain.back()});
      const Box inner{box.x, box.y, std::max(box.width - 1, 1.0), box.height - 1};
      pen_.fill(Part::kLane, look_.theme.phases[1], inner);
      label(chain.back(), inner, look_.theme.ink, name);
    }
    y += row_;
    return chain.back();
  }

  /// The number of rows in the picture: nodes too narrow to be drawn need none.
  [[nodiscard]] std::size_t rows() const {
    if (input_.focus != 0) {
      return path_to(tree_, input_.focus).size() + levels_below(input_.focus, place_.width);
    }
    const auto chain = common_callers();
    return chain.empty() ? 1 + levels_below(0, place_.width)
                         : 2 + levels_below(chain.back(), place_.width);
  }

  [[nodiscard]] std::size_t levels_below(std::uint32_t parent, double width) const {
    const auto all = static_cast<double>(std::max<std::uint64_t>(width_of(parent), 1));
    std::size_t most = 0;
    for (const std::uint32_t child : tree_.nodes[parent].children) {
      const double part =
          static_cast<double>(measured(tree_.nodes[child].weight, input_.measure)) / all * width;
      if (part >= kMinBoxPixels) {
        most = std::max(most, 1 + levels_below(child, part));
      }
    }
    return most;
  }

  /// In a difference the larger side counts, and each side may have all its bytes in a branch of
  /// its own: so a node must also be nearly everything that is below its caller.
  [[nodiscard]] bool is_everything(std::uint32_t index) const {
    const TreeNode& node = tree_.nodes[index];
    return is_nearly(node, measured(tree_.root().weight, input_.measure)) &&
           is_nearly(node, width_of(node.parent));
  }

  [[nodiscard]] bool is_nearly(const TreeNode& node, std::uint64_t all) const {
    constexpr double kNearlyAllShare = 0.98;
    return static_cast<double>(measured(node.weight, input_.measure)) >=
           kNearlyAllShare * static_cast<double>(all);
  }

  void children(std::uint32_t parent, const Box& row) {
    const std::uint64_t all = width_of(parent);
    if (all == 0 || row.y >= place_.bottom()) {
      return;
    }
    const double bytes_a_pixel = static_cast<double>(all) / row.width;
    double x = row.x;
    double folded = static_cast<double>(bytes_below(parent)) / bytes_a_pixel;
    for (const std::uint32_t child :
         children_by(tree_, parent, input_.measure, kMinBoxPixels * bytes_a_pixel)) {
      const auto bytes = static_cast<double>(measured(tree_.nodes[child].weight, input_.measure));
      const double width = bytes / bytes_a_pixel;
      node(child, {x, row.y, width, row_}, false);
      children(child, {x, row.y + row_, width, row_});
      x += width;
      folded -= width;
    }
    if (folded >= 1 && is_visible(row)) {
      pen_.fill(Part::kGrid, look_.theme.grid, Box{x, row.y, folded - 0.5, row_ - 1});
    }
  }

  [[nodiscard]] std::uint64_t bytes_below(std::uint32_t node) const {
    std::uint64_t below = 0;
    for (const std::uint32_t child : tree_.nodes[node].children) {
      below += measured(tree_.nodes[child].weight, input_.measure);
    }
    return below;
  }

  /// The bytes that a node's full width stands for: its own, or those below it if they are more.
  [[nodiscard]] std::uint64_t width_of(std::uint32_t node) const {
    return std::max(bytes_below(node), measured(tree_.nodes[node].weight, input_.measure));
  }

  [[nodiscard]] bool is_visible(const Box& row) const {
    return row.y >= place_.y - 0.5 && row.bottom() <= place_.bottom() + 0.5;
  }

  [[nodiscard]] picture::Colour colour(std::uint32_t index, bool is_context) const {
    const TreeNode& node = tree_.nodes[index];
    // Colours begin where the stacks diverge.
    if (index == 0 || is_context || (is_everything(index) && !node.children.empty())) {
      return look_.theme.phases[1];
    }
    const picture::Colour plain = input_.sides == nullptr
                                      ? colour_of_function(node)
                                      : colour_of_change((*input_.sides)[index]);
    const bool stands_back = !found_.empty() && !matches(node, input_.wanted);
    return stands_back ? picture::mixed(plain, look_.theme.background, 0.25) : plain;
  }

  [[nodiscard]] picture::Colour colour_of_function(const TreeNode& node) const {
    const auto own =
        input_.colours == nullptr ? std::nullopt : input_.colours->of(node.name(), node.place());
    return own ? *own : colour_of(number_of(node.name()), look_.dark);
  }

  /// Grey if nothing changed, full if one side has nothing.
  [[nodiscard]] picture::Colour colour_of_change(const Sides& sides) const {
    constexpr double kFullest = 0.75;  // Ink stays readable on it.
    const auto larger =
        static_cast<double>(std::max<std::uint64_t>(std::max(sides.before, sides.after), 1));
    const double share = static_cast<double>(sides.change()) / larger;
    return picture::mixed(share > 0 ? look_.theme.more : look_.theme.less, look_.theme.phases[0],
                          kFullest * std::abs(share));
  }

  void node(std::uint32_t index, const Box& box, bool is_context) {
    if (!is_visible(box)) {
      return;
    }
    boxes_.push_back({box, index});
    const Box inner{box.x, box.y, std::max(box.width - 1, 1.0), box.height - 1};
    const picture::Colour fill = colour(index, is_context);
    pen_.fill(Part::kLane, fill, inner);
    if (input_.hovered == index) {
      pen_.stroke(Part::kLegend, look_.theme.ink, look_.px(1.5),
                  {{inner.x, inner.y},
                   {inner.right(), inner.y},
                   {inner.right(), inner.bottom()},
                   {inner.x, inner.bottom()},
                   {inner.x, inner.y}});
    }
    label(index, inner, picture::ink_on(fill));
  }

  /// With the size on the right if it fits beside the name, and in a high row the place below.
  /// `folded`: the name of several functions in one row.
  void label(std::uint32_t index,
             const Box& box,
             const picture::Colour& ink,
             const std::string& folded = {}) {
    const picture::TextLook text{look_.type.small, ink};
    const double pad = look_.px(5);
    const double room = box.width - 2 * pad;
    const std::string& place = tree_.nodes[index].place();
    const bool has_place = box.height >= 2.6 * text.size && !place.empty() && index != 0 &&
                           pen_.width_of(text, place) <= room;
    const TreeNode& node = tree_.nodes[index];
    const std::string& full = !folded.empty() ? folded : has_place ? node.name() : node.alone();
    const double line = has_place ? box.y + box.height / 2 : box.bottom();
    const double baseline = picture::middle_baseline(box.y, line, text.size);
    const std::string size = size_of(index);
    const double size_width = pen_.width_of(text, size);
    const std::string times = input_.times == nullptr ? "" : times_text((*input_.times)[index]);
    const bool fits = pen_.width_of(text, full + times) + size_width + 2 * pad <= room;
    const std::string name = (fits ? full : last_parts(full)) + times;
    const bool has_both = pen_.width_of(text, name) + size_width + 2 * pad <= room;
    if (has_both) {
      pen_.text(text, picture::Anchor::kRight, {box.right() - pad, baseline}, size);
    }
    pen_.text(text, picture::Anchor::kLeft, {box.x + pad, baseline}, name, room,
              analyzer::fit_function);
    if (has_place) {
      const picture::TextLook faint{text.size, picture::faded(ink, 0.7)};
      pen_.text(faint, picture::Anchor::kLeft,
                {box.x + pad, picture::middle_baseline(line, box.bottom(), text.size)}, place,
                room);
    }
  }

  [[nodiscard]] std::string size_of(std::uint32_t index) const {
    if (input_.sides != nullptr) {
      return change_text((*input_.sides)[index]);
    }
    const std::uint64_t bytes = measured(tree_.nodes[index].weight, input_.measure);
    if (input_.model_bytes == 0) {
      return analyzer::format_size(bytes);
    }
    return fmt::format("{} = {:.2f} × W", analyzer::format_size(bytes),
                       static_cast<double>(bytes) / static_cast<double>(input_.model_bytes));
  }

  picture::Pen pen_;
  const FlameInput& input_;
  const CallTree& tree_;
  const Box& place_;
  const Look& look_;
  double row_;
  std::vector<bool> found_;
  std::vector<FlameBox> boxes_;
};

}  // namespace

std::vector<FlameBox> draw_flame(picture::Scene& scene,
                                 const FlameInput& input,
                                 const Box& place,
                                 const Look& look) {
  return FlamePainter(scene, input, place, look).draw();
}

double flame_height(const CallTree& tree, const Look& look) {
  return least_row_height(look) * (static_cast<double>(tree.depth) + 1);
}

std::optional<std::uint32_t> node_at(const std::vector<FlameBox>& boxes, picture::Point at) {
  for (const FlameBox& one : boxes) {
    if (at.x >= one.box.x && at.x < one.box.right() && at.y >= one.box.y &&
        at.y < one.box.bottom()) {
      return one.node;
    }
  }
  return std::nullopt;
}

}  // namespace tidemark::gui
