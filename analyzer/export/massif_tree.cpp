#include "analyzer/export/massif_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tidemark::exports {
namespace {

constexpr std::uint64_t kThresholdDivisor = 100;
constexpr std::uint32_t kDeepest = kDeepestAsking;

std::string file_name(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

std::uint64_t address_of(const trace::Definitions& definitions, const TreeNode& node) {
  const std::size_t id = trace::index(node.frame);
  if (!node.has_frame || id >= definitions.frames.size()) {
    return 0;
  }
  const trace::Frame& frame = definitions.frames[id];
  const std::size_t module = trace::index(frame.module);
  return frame.offset +
         (module < definitions.modules.size() ? definitions.modules[module].base : 0);
}

std::string place_of(const analyzer::NamedFrame& name) {
  if (name.line != 0) {
    return fmt::format("{}:{}", file_name(name.file), name.line);
  }
  return name.module.empty() ? "in ???" : "in " + name.module;
}

class TreeText {
 public:
  TreeText(const StackTree& tree, const FrameNames& names, std::uint64_t total_bytes)
      : tree_(tree), names_(names), total_bytes_(total_bytes) {}

  std::string take() {
    append_children_of(0, total_bytes_,
                       "(heap allocation functions) malloc/new/new[], --alloc-fns, etc.");
    return std::move(text_);
  }

 private:
  /// A node's line, then its children's. Not deeper than kDeepest, so that recursion may be.
  void append_children_of(std::uint32_t id, std::uint64_t bytes, const std::string& label) {
    const TreeNode& node = tree_.nodes()[id];
    const bool is_cut = node.depth >= kDeepest;
    const auto& children = node.children;
    const auto folded =
        is_cut ? children.begin() : std::ranges::find_if(children, [this](std::uint32_t child) {
          return tree_.nodes()[child].total.bytes * kThresholdDivisor < total_bytes_;
        });
    const bool folds = !is_cut && folded != children.end();
    append_line(node.depth, folded - children.begin() + (folds ? 1 : 0), bytes, label);
    std::for_each(children.begin(), folded, [this](std::uint32_t child) {
      const TreeNode& below = tree_.nodes()[child];
      append_children_of(child, below.total.bytes, label_of(below));
    });
    if (folds) {
      append_folded(node.depth + 1, folded, children.end());
    }
  }

  void append_line(std::uint32_t depth,
                   std::ptrdiff_t children,
                   std::uint64_t bytes,
                   const std::string& label) {
    fmt::format_to(std::back_inserter(text_), "{:{}}n{}: {} {}\n", "", depth, children, bytes,
                   label);
  }

  template <typename Iterator>
  void append_folded(std::uint32_t depth, Iterator begin, Iterator end) {
    std::uint64_t bytes = 0;
    std::for_each(begin, end, [this, &bytes](std::uint32_t child) {
      bytes += tree_.nodes()[child].total.bytes;
    });
    const auto places = end - begin;
    append_line(depth, 0, bytes,
                fmt::format("in {} place{} below massif's threshold (1.00%)", places,
                            places == 1 ? "," : "s, all"));
  }

  [[nodiscard]] std::string label_of(const TreeNode& node) const {
    const analyzer::NamedFrame& name = names_[node.name];
    return fmt::format("0x{:X}: {} ({})", address_of(names_.definitions(), node),
                       name.named ? one_line(name.function) : "???", one_line(place_of(name)));
  }

  const StackTree& tree_;
  const FrameNames& names_;
  std::uint64_t total_bytes_;
  std::string text_;
};

}  // namespace

std::string massif_tree(const StackTable& table, std::uint64_t total_bytes, FrameNames& names) {
  StackTree tree(names, Order::kAskingFirst);
  for (const StackRow& row : table.rows) {
    if (is_footprint(row.lane)) {
      tree.add(row);
    }
  }
  tree.finish();
  return TreeText(tree, names, total_bytes).take();
}

}  // namespace tidemark::exports
