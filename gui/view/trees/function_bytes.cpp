#include "gui/view/trees/function_bytes.hpp"

#include "analyzer/stacks/alike/interned_frames.hpp"
#include "gui/view/trees/call_tree.hpp"

#include <map>
#include <span>
#include <utility>

namespace tidemark::gui {
namespace {

/// The children of each node, as far as they can be reached from the root.
class StackTree {
 public:
  explicit StackTree(const std::vector<trace::StackNode>& nodes)
      : first_(nodes.size()), next_(nodes.size()) {
    for (std::size_t i = nodes.size(); i-- > 1;) {
      const std::size_t parent = trace::index(nodes[i].parent);
      if (parent < nodes.size()) {
        next_[i] = std::exchange(first_[parent], static_cast<std::uint32_t>(i));
      }
    }
  }

  /// This and the next: 0 if there is none.
  [[nodiscard]] std::uint32_t first_child(std::uint32_t node) const { return first_[node]; }
  [[nodiscard]] std::uint32_t next_sibling(std::uint32_t node) const { return next_[node]; }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> next_;
};

/// Bytes of the stacks that end at each node.
std::vector<std::uint64_t> bytes_by_node(const NamedStacks& stacks, std::size_t nodes) {
  std::vector<std::uint64_t> bytes(nodes);
  for (const WeightedStack& stack : stacks.stacks) {
    for (const CalledStack& called : stack.called) {
      for (std::size_t i = 0; i < called.recorded.size(); ++i) {
        if (const std::size_t node = trace::index(called.recorded[i]); node < nodes) {
          bytes[node] += called.recorded_bytes[i];
        }
      }
    }
  }
  return bytes;
}

}  // namespace

FunctionBytes::FunctionBytes(const trace::Definitions& definitions) {
  constexpr std::uint32_t kUnknown = UINT32_MAX;
  analyzer::InternedFrames table(analyzer::Reading::kModule);
  analyzer::RecordedFrames frames(definitions, table);
  std::vector<std::uint32_t> function_of;  // By id in the table.
  std::map<std::pair<std::string, std::string>, std::uint32_t> known;
  begins_.reserve(definitions.frames.size() + 1);
  begins_.push_back(0);
  for (std::uint32_t i = 0; i < definitions.frames.size(); ++i) {
    for (const std::uint32_t id : frames.of(trace::FrameId{i})) {
      function_of.resize(table.size(), kUnknown);
      if (function_of[id] == kUnknown) {
        const auto [entry, is_new] =
            known.try_emplace({analyzer::short_name(table[id]), place_text(table[id])},
                              static_cast<std::uint32_t>(functions_.size()));
        if (is_new) {
          functions_.push_back(entry->first);
        }
        function_of[id] = entry->second;
      }
      ids_.push_back(function_of[id]);
    }
    begins_.push_back(ids_.size());
  }
}

std::vector<std::uint64_t> FunctionBytes::held(const NamedStacks& stacks,
                                               const trace::Definitions& definitions) const {
  std::vector<std::uint64_t> held(functions_.size());
  const auto& nodes = definitions.stacks;
  if (nodes.empty()) {
    return held;
  }
  const StackTree tree(nodes);
  std::vector<std::uint64_t> bytes = bytes_by_node(stacks, nodes.size());
  std::vector<std::uint32_t> open(functions_.size());  // How often each function is on the path.
  const auto functions_of = [&](std::uint32_t node) {
    const std::size_t frame = trace::index(nodes[node].frame);
    return frame + 1 < begins_.size()
               ? std::span(ids_).subspan(begins_[frame], begins_[frame + 1] - begins_[frame])
               : std::span<const std::uint32_t>();
  };
  std::vector<std::uint32_t> path;
  std::uint32_t next = tree.first_child(0);
  while (next != 0 || !path.empty()) {
    if (next != 0) {
      for (const std::uint32_t function : functions_of(next)) {
        ++open[function];
      }
      path.push_back(next);
      next = tree.first_child(next);
      continue;
    }
    // Its bytes now include everything below it.
    const std::uint32_t node = path.back();
    path.pop_back();
    for (const std::uint32_t function : functions_of(node)) {
      held[function] += --open[function] == 0 ? bytes[node] : 0;
    }
    bytes[path.empty() ? 0 : path.back()] += bytes[node];
    next = tree.next_sibling(node);
  }
  return held;
}

}  // namespace tidemark::gui
