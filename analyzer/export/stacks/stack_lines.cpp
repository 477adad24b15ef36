#include "analyzer/export/stacks/stack_lines.hpp"

#include "analyzer/text/shown_text.hpp"

#include <algorithm>
#include <vector>

namespace tidemark::exports {
namespace {

std::string joinable(const std::string& function) {
  std::string name = analyzer::shown_text(function);
  std::ranges::replace(name, ';', ':');
  return name;
}

}  // namespace

void for_each_stack_line(
    const StackTree& tree,
    const FrameNames& names,
    const std::string& begin,
    const std::function<void(const std::string& line, const TreeNode& node)>& visit) {
  std::string line = begin;
  std::vector<std::size_t> ends{begin.size()};  // By depth: where the line of that node ends.
  for (const std::uint32_t id : tree.depth_first()) {
    const TreeNode& node = tree.nodes()[id];
    ends.resize(node.depth);
    line.resize(ends.back());
    line += (line.empty() ? "" : ";") + joinable(names[node.name].function);
    ends.push_back(line.size());
    if (node.self != StackValues{}) {
      visit(line, node);
    }
  }
}

}  // namespace tidemark::exports
