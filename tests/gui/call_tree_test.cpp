#include "gui/view/trees/call_tree.hpp"

#include "analyzer/query/footprint/peak.hpp"
#include "analyzer/stacks/alike/comparable_frame.hpp"
#include "gui/view/session/what_if.hpp"
#include "gui/view/trees/tree_rows.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/gui/trees.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <string>
#include <vector>

using namespace tidemark;
using gui::CallTree;
using gui::Measure;
using gui::TreeOrder;
using tests::at_peak;
using tests::child;

namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;

/// The child of `node` that reads so, by its whole name and place.
std::uint32_t child_that_reads(const CallTree& tree,
                               std::uint32_t node,
                               const std::string& full,
                               const std::string& place) {
  const auto& children = tree.nodes[node].children;
  const auto found = std::ranges::find_if(children, [&](std::uint32_t each) {
    return tree.nodes[each].full() == full && tree.nodes[each].place() == place;
  });
  REQUIRE(found != children.end());
  return *found;
}

/// The node at which a stack ends, one level a frame.
std::uint32_t end_of(const CallTree& tree,
                     TreeOrder order,
                     const gui::NamedStacks& stacks,
                     const gui::WeightedStack& stack,
                     const gui::CalledStack& called) {
  auto frames = stack.frames;
  if (order == TreeOrder::kTopDown) {
    frames.insert(frames.begin(), called.frames.begin(), called.frames.end());
  }
  REQUIRE_FALSE(frames.empty());
  std::uint32_t node = 0;
  const analyzer::NamedFrame& asking = stacks.frames[frames.front()].name;
  const std::string module = asking.module.empty() ? analyzer::module_text(asking) : asking.module;
  if (order == TreeOrder::kByModule) {
    node = child_that_reads(tree, node, module, "");
  } else if (order == TreeOrder::kByFile) {
    node = child_that_reads(tree, node, asking.file.empty() ? module : asking.file, "");
  } else if (order == TreeOrder::kTopDown) {
    std::ranges::reverse(frames);
  }
  for (const std::uint32_t frame : frames) {
    const analyzer::NamedFrame& named = stacks.frames[frame].name;
    node = child_that_reads(tree, node, named.function, gui::place_text(named));
  }
  return node;
}

}  // namespace

TEST_CASE("every node has the bytes below it and of the stacks that end there", "[gui]") {
  // One more stack ends where others go on, whatever the order: a leaf has no children to compare.
  const auto stacks = at_peak([](tests::TraceBuilder& builder) {
    builder.allocate(700, builder.stack({"malloc", "grow", "main"}));
    builder.allocate(90, builder.stack({"malloc", "grow", "grow", "main"}));
    builder.allocate(5, builder.stack({"malloc", "grow"}));
    builder.allocate(
        40, builder.stack({"malloc", "array_new", "astype", "evaluate", "load load.py:2"}));
    builder.allocate(60, builder.stack({"malloc", "array_new", "evaluate", "load load.py:2"}));
    builder.allocate(3, builder.stack({"malloc", "evaluate", "load load.py:2"}));
    tests::append_naive_load(builder);
  });
  const auto order =
      GENERATE(TreeOrder::kTopDown, TreeOrder::kBottomUp, TreeOrder::kByModule, TreeOrder::kByFile);

  const CallTree tree = build_tree(stacks, order);

  CHECK(tree.root().weight == stacks.total);
  std::vector<gui::Weight> wanted(tree.nodes.size());
  for (const gui::WeightedStack& stack : stacks.stacks) {
    for (const gui::CalledStack& called : stack.called) {
      wanted[end_of(tree, order, stacks, stack, called)].add(called.weight);
    }
  }
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const gui::TreeNode& node = tree.nodes[i];
    for (const std::uint32_t each : node.children) {
      wanted[i].add(tree.nodes[each].weight);
    }
    CAPTURE(node.name());
    CHECK(node.weight == wanted[i]);
  }
}

TEST_CASE("who asked comes first, without what only passes requests on", "[gui]") {
  const CallTree tree = build_tree(at_peak(tests::append_naive_load), TreeOrder::kBottomUp);

  const gui::TreeNode& first = child(tree, tree.root(), 0);
  const gui::TreeNode& second = child(tree, tree.root(), 1);

  CHECK(first.weight.bytes >= second.weight.bytes);
  std::vector<std::string> names{first.name(), second.name()};
  std::ranges::sort(names);
  CHECK(names == std::vector<std::string>{"read_whole_file", "tvm::runtime::NDArray::Empty"});
  CHECK(first.weight.bytes / kGiB == 5);
}

TEST_CASE("by module, lines of Python are in their package or in the program's own file", "[gui]") {
  auto stacks = at_peak([](tests::TraceBuilder& builder) {
    builder.allocate(700, builder.stack({"malloc", "<module> load.py:2"}));
    builder.allocate(
        500, builder.stack({"malloc", "load /usr/lib/python3/dist-packages/torch/serial.py:12"}));
  });
  for (auto& frame : stacks.frames) {
    frame.name.is_python = frame.name.file.ends_with(".py");
    frame.name.module = frame.name.is_python ? "" : frame.name.module;
  }
  const CallTree tree = build_tree(stacks, TreeOrder::kByModule);
  REQUIRE(tree.root().children.size() == 2);
  CHECK(child(tree, tree.root(), 0).name() == "load.py");
  CHECK(child(tree, tree.root(), 1).name() == "torch");
}

TEST_CASE("from the callers down a line of Python goes on to what it called", "[gui]") {
  const auto stacks = at_peak([](tests::TraceBuilder& builder) {
    builder.allocate(
        40, builder.stack({"malloc", "array_new", "astype", "evaluate", "load load.py:2"}));
    builder.allocate(
        60, builder.stack({"malloc", "array_new", "frombuffer", "evaluate", "load load.py:2"}));
  });
  REQUIRE(stacks.stacks.size() == 1);

  const CallTree down = build_tree(stacks, TreeOrder::kTopDown);
  const gui::TreeNode& line = child(down, down.root(), 0);
  CHECK(line.name() == "load");
  CHECK(line.weight.bytes == 100);
  REQUIRE(line.children.size() == 2);
  CHECK(child(down, line, 0).name() == "frombuffer");
  CHECK(child(down, child(down, line, 0), 0).name() == "array_new");
  CHECK(child(down, line, 1).name() == "astype");
  // The stacks of each are told apart, as they are unticked.
  CHECK(stacks_through(down, stacks, line.children[0]).size() == 1);
  CHECK(stacks_through(down, stacks, line.children[0]) !=
        stacks_through(down, stacks, line.children[1]));
  CHECK(stacks_through(down, stacks, down.root().children[0]).size() == 2);

  const CallTree up = build_tree(stacks, TreeOrder::kBottomUp);
  REQUIRE(up.root().children.size() == 1);
  CHECK(child(up, up.root(), 0).name() == "load");
  CHECK(child(up, up.root(), 0).children.empty());
}

TEST_CASE("a whole stack is found again in every order", "[gui]") {
  const auto order =
      GENERATE(TreeOrder::kTopDown, TreeOrder::kBottomUp, TreeOrder::kByModule, TreeOrder::kByFile);
  const std::string outermost = GENERATE("main", "main main.py:3");
  tests::TraceBuilder builder;
  const auto wanted = builder.stack({"malloc", "read_tensor", "load", "evaluate", outermost});
  builder.allocate(100, wanted);
  builder.allocate(900, builder.stack({"malloc", "read_tensor", "check", "other"}));
  auto trace = builder.open();
  const auto live = analyzer::live_set_at(trace, analyzer::find_peak(trace).at);
  const CallTree tree = build_tree(gui::named_stacks(live, trace.definitions()), order);

  const auto path = gui::path_of(tree, order, analyzer::named_stack(trace.definitions(), wanted));

  const bool is_whole = outermost == "main" || order == TreeOrder::kTopDown;
  REQUIRE(path.size() >= (is_whole ? 3 : 1));
  const gui::TreeNode& last = tree.nodes[path.back()];
  CHECK(last.weight.bytes == 100);
  CHECK(last.children.empty());
  CHECK(path == gui::path_to(tree, path.back()));
}

TEST_CASE("a stack that holds nothing then is told from one that shares its callers", "[gui]") {
  tests::TraceBuilder builder;
  const auto gone = builder.stack({"malloc", "decode", "load", "main"});
  const auto kept = builder.stack({"malloc", "decode", "check", "main"});
  builder.release(builder.allocate(100, gone));
  builder.allocate(900, kept);
  auto trace = builder.open();
  const auto live = analyzer::live_set_at(trace, analyzer::find_peak(trace).at);
  const CallTree tree =
      build_tree(gui::named_stacks(live, trace.definitions()), TreeOrder::kBottomUp);

  CHECK(gui::has_stack(tree, analyzer::named_stack(trace.definitions(), kept)));
  CHECK_FALSE(gui::has_stack(tree, analyzer::named_stack(trace.definitions(), gone)));
}

TEST_CASE("from the callers, main is below the root and start-up code is not there", "[gui]") {
  const CallTree tree = build_tree(at_peak(tests::append_naive_load), TreeOrder::kTopDown);

  CHECK(child(tree, tree.root(), 0).name() == "main");
  CHECK(child(tree, tree.root(), 0).place() == "loader.cpp:102");
}

TEST_CASE("a row is known by the stacks that pass through it, as it was when it was unticked",
          "[gui]") {
  tests::TraceBuilder builder;
  builder.allocate(100, builder.stack({"malloc", "leaf", "visit", "main"}));
  builder.allocate(30, builder.stack({"malloc", "leaf", "other", "main"}));
  builder.allocate(7, builder.stack({"malloc", "visit", "main"}));
  auto trace = builder.open();
  const auto stacks = gui::named_stacks(analyzer::live_set_at(trace, analyzer::find_peak(trace).at),
                                        trace.definitions());
  for (std::size_t order = 0; order < gui::kTreeOrders; ++order) {
    const CallTree tree = build_tree(stacks, static_cast<TreeOrder>(order));
    for (std::uint32_t node = 1; node < tree.nodes.size(); ++node) {
      CAPTURE(order, node);
      const auto through = gui::unticked_stacks(0, stacks_through(tree, stacks, node), "", 0);
      const auto found = nodes_of(tree, stacks, through.stacks);
      CHECK(std::ranges::find(found, node) != found.end());
      for (const std::uint32_t other : found) {
        CHECK(gui::unticked_stacks(0, stacks_through(tree, stacks, other), "", 0).stacks ==
              through.stacks);
      }
      // With another stack it is none, and without one.
      auto more = through.stacks;
      more.push_back(1000);
      CHECK(nodes_of(tree, stacks, more).empty());
    }
    CHECK(nodes_of(tree, stacks, {}).empty());
  }
}

TEST_CASE("a search leaves only what leads to a match", "[gui]") {
  const CallTree tree = build_tree(at_peak(tests::append_naive_load), TreeOrder::kTopDown);

  const auto rows = gui::tree_rows(tree, Measure::kBytes, {}, "LOAD_TENSOR");

  REQUIRE_FALSE(rows.empty());
  CHECK(tree.nodes[rows.back().node].name() == "load_tensor");
  CHECK(std::ranges::none_of(
      rows, [&](const auto& row) { return tree.nodes[row.node].name() == "read_whole_file"; }));
  CHECK(gui::tree_rows(tree, Measure::kBytes, {}, "no such function").empty());
}

TEST_CASE("folded, a table has the first level alone", "[gui]") {
  const CallTree tree = build_tree(at_peak(tests::append_naive_load), TreeOrder::kBottomUp);

  const auto folded = gui::tree_rows(tree, Measure::kBytes, {}, "");
  const auto open = gui::tree_rows(tree, Measure::kBytes, {tree.root().children[0]}, "");

  CHECK(folded.size() == tree.root().children.size());
  CHECK(open.size() > folded.size());
  CHECK(open[1].depth == 1);
}

TEST_CASE("copied as text, a tree has one line a function", "[gui]") {
  const CallTree tree = build_tree(at_peak(tests::append_naive_load), TreeOrder::kBottomUp);

  const std::string text = gui::tree_text(tree, Measure::kBytes, 1000);

  CHECK(static_cast<std::size_t>(std::ranges::count(text, '\n')) == tree.nodes.size());
  CHECK(text.find("5368709120\t1\tread_whole_file\tloader.cpp:40") != std::string::npos);
}
