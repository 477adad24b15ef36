/// Trees of what a small load holds at its peak.
#pragma once

#include "analyzer/query/footprint/peak.hpp"
#include "gui/view/trees/call_tree.hpp"
#include "tests/analyzer/trace_builder.hpp"

#include <cstddef>

namespace tidemark::tests {

/// What is alive at the peak of a load that `append` makes.
inline gui::NamedStacks at_peak(void (*append)(TraceBuilder&)) {
  TraceBuilder builder;
  append(builder);
  auto trace = builder.open();
  const auto live = analyzer::live_set_at(trace, analyzer::find_peak(trace).at);
  return gui::named_stacks(live, trace.definitions());
}

/// The child of a node that is the i-th largest.
inline const gui::TreeNode& child(const gui::CallTree& tree,
                                  const gui::TreeNode& node,
                                  std::size_t i) {
  return tree.nodes[node.children[i]];
}

}  // namespace tidemark::tests
