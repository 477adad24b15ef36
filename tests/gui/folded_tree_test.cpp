#include "gui/view/trees/folded_tree.hpp"

#include "analyzer/query/footprint/peak.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/gui/trees.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

using namespace tidemark;
using gui::CallTree;
using gui::TreeOrder;
using tests::at_peak;
using tests::child;

TEST_CASE("recursion is folded to one node of a function in a row, with every byte", "[gui]") {
  tests::TraceBuilder builder;
  builder.allocate(100, builder.stack({"malloc", "leaf", "visit", "visit", "visit", "main"}));
  builder.allocate(30, builder.stack({"malloc", "leaf", "visit", "main"}));
  builder.allocate(7, builder.stack({"malloc", "visit", "visit", "main"}));
  builder.allocate(5, builder.stack({"malloc", "leaf", "visit", "other", "visit", "main"}));
  auto trace = builder.open();
  const auto stacks = gui::named_stacks(analyzer::live_set_at(trace, analyzer::find_peak(trace).at),
                                        trace.definitions());
  const CallTree whole = build_tree(stacks, TreeOrder::kTopDown);

  const gui::FoldedTree folded = gui::fold_recursion(whole);

  CHECK(whole.depth == 5);
  CHECK(folded.tree.depth == 5);
  CHECK(folded.tree.root().weight == whole.root().weight);
  const gui::TreeNode& main = child(folded.tree, folded.tree.root(), 0);
  REQUIRE(main.children.size() == 1);
  const std::uint32_t visit_number = main.children[0];
  const gui::TreeNode& visit = folded.tree.nodes[visit_number];
  CHECK(visit.name() == "visit");
  CHECK(visit.weight.bytes == 142);
  CHECK(visit.weight.blocks == 4);
  CHECK(folded.times[visit_number] == 3);
  CHECK(gui::times_text(3) == " ×3");
  CHECK(gui::times_text(1).empty());
  // What was below each of them is added up.
  REQUIRE(visit.children.size() == 2);
  CHECK(child(folded.tree, visit, 0).name() == "leaf");
  CHECK(child(folded.tree, visit, 0).weight.bytes == 130);
  // Through another function it is another one.
  CHECK(child(folded.tree, visit, 1).name() == "other");
  CHECK(folded.times[child(folded.tree, visit, 1).children[0]] == 1);
  // Every stack ends, and every path leads, where it did.
  REQUIRE(folded.tree.ends.size() == whole.ends.size());
  for (std::size_t i = 0; i < whole.ends.size(); ++i) {
    const std::uint32_t end = folded.tree.ends[i];
    CHECK(folded.tree.nodes[end].name() == whole.nodes[whole.ends[i]].name());
    CHECK(folded.path(path_to(whole, whole.ends[i])) == path_to(folded.tree, end));
  }
  CHECK(stacks_through(folded.tree, stacks, visit_number).size() == 4);
}

TEST_CASE("each byte stays where it was as recursion is folded, in every order", "[gui]") {
  const auto stacks = at_peak(tests::append_naive_load);
  for (std::size_t order = 0; order < gui::kTreeOrders; ++order) {
    const CallTree whole = build_tree(stacks, static_cast<TreeOrder>(order));
    const gui::FoldedTree folded = gui::fold_recursion(whole);
    for (std::uint32_t i = 0; i < folded.tree.nodes.size(); ++i) {
      const gui::TreeNode& node = folded.tree.nodes[i];
      std::uint64_t bytes = 0;
      auto end = folded.tree.ends.begin();
      for (const gui::WeightedStack& stack : stacks.stacks) {
        for (const gui::CalledStack& called : stack.called) {
          const auto path = path_to(folded.tree, *end++);
          const bool is_on = i == 0 || std::ranges::find(path, i) != path.end();
          bytes += is_on ? called.weight.bytes : 0;
        }
      }
      CHECK(node.weight.bytes == bytes);
    }
  }
}
