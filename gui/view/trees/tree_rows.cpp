#include "gui/view/trees/tree_rows.hpp"

#include <utility>

namespace tidemark::gui {
namespace {

/// More rows than anyone would scroll through.
constexpr std::size_t kMaxRows = 100'000;

class RowWalk {
 public:
  RowWalk(const CallTree& tree,
          Measure measure,
          const std::set<std::uint32_t>& open,
          const std::string& wanted)
      : tree_(tree), measure_(measure), open_(open), wanted_(wanted) {
    if (!wanted.empty()) {
      found_ = matching_nodes(tree, wanted);
    }
  }

  void below(std::uint32_t parent, std::size_t depth, bool parent_matches) {
    for (const std::uint32_t child : children_by(tree_, parent, measure_)) {
      if (rows_.size() >= kMaxRows) {
        return;
      }
      visit(child, depth, parent_matches);
    }
  }

  std::vector<TreeRow> take() { return std::move(rows_); }

 private:
  void visit(std::uint32_t node, std::size_t depth, bool parent_matches) {
    const bool leads_to_match = !found_.empty() && found_[node];
    if (!found_.empty() && !leads_to_match && !parent_matches) {
      return;
    }
    const bool is_match = parent_matches || (leads_to_match && matches(tree_.nodes[node], wanted_));
    const bool is_open = open_.contains(node) || (leads_to_match && !is_match);
    rows_.push_back({node, depth, !tree_.nodes[node].children.empty(), is_open});
    if (is_open) {
      below(node, depth + 1, is_match);
    }
  }

  const CallTree& tree_;
  const Measure measure_;
  const std::set<std::uint32_t>& open_;
  const std::string& wanted_;
  std::vector<bool> found_;
  std::vector<TreeRow> rows_;
};

}  // namespace

std::vector<TreeRow> tree_rows(const CallTree& tree,
                               Measure measure,
                               const std::set<std::uint32_t>& open,
                               const std::string& wanted) {
  RowWalk walk(tree, measure, open, wanted);
  walk.below(0, 0, false);
  return walk.take();
}

}  // namespace tidemark::gui
