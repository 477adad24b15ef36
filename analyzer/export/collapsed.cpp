#include "analyzer/export/collapsed.hpp"

#include "analyzer/export/stacks/stack_lines.hpp"
#include "analyzer/report/parts/json_document.hpp"

#include <fmt/format.h>

#include <iterator>

namespace tidemark::exports {

std::string collapsed_text(const trace::Definitions& definitions,
                           const StackTable& table,
                           double smallest_share) {
  FrameNames names(definitions, Reading::kFunction);
  std::string text;
  for (const trace::Lane lane : trace::kFootprintLanes) {
    StackTree tree = tree_of_lane(table, lane, names);
    tree.fold(smallest_share);
    for_each_stack_line(
        tree, names, trace::key_of(lane), [&text](const std::string& line, const TreeNode& node) {
          if (node.self.bytes > 0) {
            fmt::format_to(std::back_inserter(text), "{} {}\n", line, node.self.bytes);
          }
        });
  }
  return text;
}

}  // namespace tidemark::exports
