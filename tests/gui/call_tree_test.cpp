#include "gui/view/trees/call_tree.hpp"

#include "analyzer/layers/layer_keys.hpp"
#include "analyzer/query/footprint/peak.hpp"
#include "gui/view/session/what_if.hpp"
#include "gui/view/trees/comparison.hpp"
#include "gui/view/trees/difference_tree.hpp"
#include "gui/view/trees/flame_picture.hpp"
#include "gui/view/trees/folded_tree.hpp"
#include "gui/view/trees/tree_rows.hpp"
#include "tests/analyzer/picture/scenes.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

using namespace tidemark;
using gui::CallTree;
using gui::TreeOrder;

namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;

gui::NamedStacks at_peak(void (*append)(tests::TraceBuilder&)) {
  tests::TraceBuilder builder;
  append(builder);
  auto trace = builder.open();
  const auto live = analyzer::live_set_at(trace, analyzer::find_peak(trace).at);
  return gui::named_stacks(live, trace.definitions());
}

const gui::TreeNode& child(const CallTree& tree, const gui::TreeNode& node, std::size_t i) {
  return tree.nodes[node.children[i]];
}

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

TEST_CASE("the tree of a difference is the rows of its table, and adds up", "[gui]") {
  const bool is_real = GENERATE(false, true);
  const auto before =
      is_real ? at_peak(tests::append_naive_load) : at_peak([](tests::TraceBuilder& builder) {
        builder.allocate(900, builder.stack({"malloc", "read_blob", "load", "main"}));
        builder.allocate(500, builder.stack({"malloc", "new_tensor", "load", "main"}));
      });
  const auto after =
      is_real ? at_peak(tests::append_streamed_load) : at_peak([](tests::TraceBuilder& builder) {
        builder.allocate(600, builder.stack({"malloc", "new_tensor", "load", "main"}));
        builder.allocate(70, builder.stack({"malloc", "only_after", "stream", "main"}));
      });
  const auto rows = gui::compare(before, after);
  const auto order = GENERATE(TreeOrder::kTopDown, TreeOrder::kBottomUp);

  const auto [tree, sides] = gui::difference_tree(rows, order);

  CHECK(sides[0].before == before.total.bytes);
  CHECK(sides[0].after == after.total.bytes);
  for (const gui::TreeNode& node : tree.nodes) {
    std::uint64_t below = 0;
    for (const std::uint32_t one : node.children) {
      below += tree.nodes[one].weight.bytes;
    }
    CHECK((node.children.empty() || below <= node.weight.bytes));
  }
  std::uint64_t width = 0;
  for (const gui::ComparisonRow& row : rows) {
    CAPTURE(row.name());
    width += std::max(row.before_bytes, row.after_bytes);
    // Each row has its path, on which nothing is narrower or changes less than it.
    CHECK(std::ranges::any_of(tree.nodes, [&](const gui::TreeNode& node) {
      return node.name() == row.name() &&
             node.weight.bytes >= std::max(row.before_bytes, row.after_bytes);
    }));
  }
  CHECK(tree.root().weight.bytes == width);
}

TEST_CASE("a stack that was matched is one path in the tree of a difference", "[gui]") {
  const auto before = at_peak([](tests::TraceBuilder& builder) {
    builder.allocate(900, builder.stack({"malloc", "read_blob", "load", "main"}));
    builder.allocate(500, builder.stack({"malloc", "new_tensor<int>", "load", "main"}));
  });
  const auto after = at_peak([](tests::TraceBuilder& builder) {
    builder.allocate(600, builder.stack({"malloc", "new_tensor<long>", "load", "main"}));
    builder.allocate(70, builder.stack({"malloc", "only_after", "stream", "main"}));
  });

  const auto [tree, sides] =
      gui::difference_tree(gui::compare(before, after), TreeOrder::kBottomUp);

  // As the table has them: what went, what was matched, what came.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
  for (const std::uint32_t one : tree.root().children) {
    found.emplace_back(sides[one].before, sides[one].after);
  }
  CHECK(found ==
        std::vector<std::pair<std::uint64_t, std::uint64_t>>{{900, 0}, {500, 600}, {0, 70}});
}

TEST_CASE("modules of two packages are two functions of a difference", "[gui]") {
  const auto before = at_peak([](tests::TraceBuilder& builder) {
    builder.allocate(900, builder.stack({"malloc", "<module> torch/__init__.py:5", "main a.py:1"}));
    builder.allocate(500, builder.stack({"malloc", "<module> numpy/__init__.py:5", "main a.py:2"}));
  });
  const auto after = at_peak([](tests::TraceBuilder& builder) {
    builder.allocate(800, builder.stack({"malloc", "<module> torch/__init__.py:6", "main a.py:1"}));
    builder.allocate(700, builder.stack({"malloc", "<module> numpy/__init__.py:7", "main a.py:2"}));
  });
  const auto order = GENERATE(TreeOrder::kTopDown, TreeOrder::kBottomUp);

  const auto [tree, sides] = gui::difference_tree(gui::compare(before, after), order);

  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> modules;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (tree.nodes[i].name() == "<module>") {
      modules[tree.nodes[i].alone()] = {sides[i].before, sides[i].after};
      CHECK("<module> (" + tree.nodes[i].place() + ")" == tree.nodes[i].alone());
    }
  }
  CHECK(modules == decltype(modules){{"<module> (torch/__init__.py:6)", {900, 800}},
                                     {"<module> (numpy/__init__.py:7)", {500, 700}}});
}

TEST_CASE("boxes of a difference stay within their row", "[gui]") {
  const auto before = at_peak([](tests::TraceBuilder& builder) {
    builder.allocate(500, builder.stack({"malloc", "new_tensor", "load", "main"}));
  });
  const auto after = at_peak([](tests::TraceBuilder& builder) {
    builder.allocate(600, builder.stack({"malloc", "new_tensor", "stream", "main"}));
  });
  const auto difference = gui::difference_tree(gui::compare(before, after), TreeOrder::kBottomUp);
  const picture::Type type = gui::screen_type(1);
  const picture::MeasureText measure = tests::wide_letters();
  const gui::Look look{picture::light_theme(), type, measure};
  picture::Scene scene;
  scene.width = 800;
  scene.height = 300;

  const auto boxes = gui::draw_flame(
      scene, {.tree = &difference.tree, .wanted = {}, .hovered = {}, .sides = &difference.sides},
      {0, 0, 800, 300}, look);

  CHECK(boxes.size() == difference.tree.nodes.size());
  for (const gui::FlameBox& one : boxes) {
    CHECK(one.box.right() <= 800.01);
  }
  tests::check_readable(scene);
}

TEST_CASE("a difference shows the branch that only the smaller side has", "[gui]") {
  const auto before = at_peak([](tests::TraceBuilder& builder) {
    builder.allocate(512, builder.stack({"malloc", "grow", "read_blob", "load", "main"}));
  });
  const auto after = at_peak([](tests::TraceBuilder& builder) {
    builder.allocate(256, builder.stack({"malloc", "new_tensor", "stream", "main"}));
  });
  const auto difference = gui::difference_tree(gui::compare(before, after), TreeOrder::kTopDown);
  const picture::Type type = gui::screen_type(1);
  const picture::MeasureText measure = tests::wide_letters();
  const gui::Look look{picture::light_theme(), type, measure};
  picture::Scene scene;

  const auto boxes = gui::draw_flame(
      scene, {.tree = &difference.tree, .wanted = {}, .hovered = {}, .sides = &difference.sides},
      {0, 0, 800, 300}, look);

  for (const char* name : {"load", "stream", "new_tensor"}) {
    CAPTURE(name);
    CHECK(std::ranges::any_of(boxes, [&](const gui::FlameBox& box) {
      return difference.tree.nodes[box.node].name() == name;
    }));
  }
}

TEST_CASE("what changed in a function itself has a box beside those it calls", "[gui]") {
  const auto before = at_peak([](tests::TraceBuilder& builder) {
    builder.allocate(900, builder.stack({"malloc", "load", "main"}));
    builder.allocate(500, builder.stack({"malloc", "new_tensor", "load", "main"}));
  });
  const auto after = at_peak([](tests::TraceBuilder& builder) {
    builder.allocate(500, builder.stack({"malloc", "new_tensor", "load", "main"}));
    builder.allocate(300, builder.stack({"malloc", "map_file", "stream", "main"}));
  });
  const auto difference = gui::difference_tree(gui::compare(before, after), TreeOrder::kTopDown);
  const picture::Type type = gui::screen_type(1);
  const picture::MeasureText measure = tests::wide_letters();
  const gui::Look look{picture::light_theme(), type, measure};
  picture::Scene scene;
  gui::draw_flame(
      scene, {.tree = &difference.tree, .wanted = {}, .hovered = {}, .sides = &difference.sides},
      {0, 0, 1600, 300}, look);

  std::vector<std::string> texts;
  for (const auto& item : scene.items) {
    if (const auto* const label = std::get_if<picture::Label>(&item)) {
      texts.push_back(label->text);
    }
  }
  for (const char* text : {"(itself)", "-900 B removed", "+300 B new", "500 B unchanged"}) {
    CAPTURE(text);
    CHECK(std::ranges::find(texts, text) != texts.end());
  }
}

TEST_CASE("from the callers, main is below the root and start-up code is not there", "[gui]") {
  const CallTree tree = build_tree(at_peak(tests::append_naive_load), TreeOrder::kTopDown);

  CHECK(child(tree, tree.root(), 0).name() == "main");
  CHECK(child(tree, tree.root(), 0).place() == "loader.cpp:102");
}

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

TEST_CASE("recursion of two traces is folded with what changed in it", "[gui]") {
  const auto load = [](std::uint64_t leaf) {
    tests::TraceBuilder builder;
    builder.allocate(leaf, builder.stack({"malloc", "leaf", "visit", "visit", "visit", "main"}));
    builder.allocate(7, builder.stack({"malloc", "visit", "visit", "main"}));
    auto trace = builder.open();
    return gui::named_stacks(analyzer::live_set_at(trace, analyzer::find_peak(trace).at),
                             trace.definitions());
  };
  const auto rows = gui::compare(load(100), load(40));
  const auto whole = gui::difference_tree(rows, TreeOrder::kTopDown);

  const gui::FoldedDifference difference = gui::fold_recursion(whole);

  const CallTree& tree = difference.folded.tree;
  REQUIRE(difference.sides.size() == tree.nodes.size());
  CHECK(difference.sides[0].before == 107);
  CHECK(difference.sides[0].after == 47);
  const gui::TreeNode& main = child(tree, tree.root(), 0);
  REQUIRE(main.children.size() == 1);
  const std::uint32_t visit = main.children[0];
  CHECK(tree.nodes[visit].name() == "visit");
  CHECK(difference.folded.times[visit] == 3);
  CHECK(difference.sides[visit].before == 107);
  CHECK(difference.sides[visit].after == 47);
  for (const std::uint32_t below : tree.nodes[visit].children) {
    const bool is_leaf = tree.nodes[below].name() == "leaf";
    CHECK(difference.sides[below].before == (is_leaf ? 100 : 7));
    CHECK(difference.sides[below].after == (is_leaf ? 40 : 7));
  }
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

TEST_CASE("a search leaves only what leads to a match", "[gui]") {
  const CallTree tree = build_tree(at_peak(tests::append_naive_load), TreeOrder::kTopDown);

  const auto rows = gui::tree_rows(tree, {}, "LOAD_TENSOR");

  REQUIRE_FALSE(rows.empty());
  CHECK(tree.nodes[rows.back().node].name() == "load_tensor");
  CHECK(std::ranges::none_of(
      rows, [&](const auto& row) { return tree.nodes[row.node].name() == "read_whole_file"; }));
  CHECK(gui::tree_rows(tree, {}, "no such function").empty());
}

TEST_CASE("folded, a table has the first level alone", "[gui]") {
  const CallTree tree = build_tree(at_peak(tests::append_naive_load), TreeOrder::kBottomUp);

  const auto folded = gui::tree_rows(tree, {}, "");
  const auto open = gui::tree_rows(tree, {tree.root().children[0]}, "");

  CHECK(folded.size() == tree.root().children.size());
  CHECK(open.size() > folded.size());
  CHECK(open[1].depth == 1);
}

TEST_CASE("boxes of the flame graph are as wide as their bytes and lie within their caller",
          "[gui]") {
  const CallTree tree = build_tree(at_peak(tests::append_naive_load), TreeOrder::kTopDown);
  const picture::Type type = gui::screen_type(1);
  const picture::MeasureText measure = tests::wide_letters();
  const gui::Look look{picture::light_theme(), type, measure};
  picture::Scene scene;
  scene.width = 1000;
  scene.height = 400;
  gui::FlameInput input;
  input.tree = &tree;
  const picture::Box place{10, 10, 980, 380};

  const auto boxes = gui::draw_flame(scene, input, place, look);

  tests::check_readable(scene);
  const auto all = static_cast<double>(tree.root().weight.bytes);
  for (const auto& [box, node] : boxes) {
    CAPTURE(tree.nodes[node].name());
    CHECK(box.width == Approx(static_cast<double>(tree.nodes[node].weight.bytes) / all * 980));
    const auto caller = std::ranges::find(boxes, tree.nodes[node].parent, &gui::FlameBox::node);
    REQUIRE(caller != boxes.end());
    CHECK(box.x >= caller->box.x - 0.01);
    CHECK(box.right() <= caller->box.right() + 0.01);
  }
  const picture::Box& last = boxes.back().box;
  CHECK(gui::node_at(boxes, {last.x + 1, last.y + 1}) == boxes.back().node);
  CHECK_FALSE(gui::node_at(boxes, {5, 5}).has_value());
}

TEST_CASE("a module of Python has its file in the flame graph, where it has no line of its own",
          "[gui]") {
  const auto stacks = at_peak([](tests::TraceBuilder& builder) {
    builder.allocate(600, builder.stack({"malloc", "<module> train.py:12", "main train.py:40"}));
  });
  const CallTree tree = build_tree(stacks, TreeOrder::kTopDown);
  const picture::Type type = gui::screen_type(1);
  const picture::MeasureText measure = tests::wide_letters();
  const gui::Look look{picture::light_theme(), type, measure};
  picture::Scene low{.width = 1000, .height = 80, .background = {}, .items = {}};
  picture::Scene high{.width = 1000, .height = 400, .background = {}, .items = {}};
  gui::FlameInput input;
  input.tree = &tree;

  gui::draw_flame(low, input, {0, 0, 1000, 80}, look);
  gui::draw_flame(high, input, {0, 0, 1000, 400}, look);

  CHECK(tests::has_label(low, "<module> (train.py:12)"));
  CHECK_FALSE(tests::has_label(high, "<module> (train.py:12)"));
  CHECK(tests::has_label(high, "<module>"));
  CHECK(tests::has_label(high, "train.py:12"));
}

TEST_CASE("names that begin alike are told apart where a box of the flame graph has little room",
          "[gui]") {
  const auto stacks = at_peak([](tests::TraceBuilder& builder) {
    for (const char* const name : {"load_attention_projections", "load_attention_embeddings"}) {
      builder.allocate(
          600, builder.stack({"malloc", std::string("acme::weights::Loader::") + name, "main"}));
    }
  });
  const CallTree tree = build_tree(stacks, TreeOrder::kTopDown);
  const picture::Type type = gui::screen_type(1);
  const picture::MeasureText measure = tests::wide_letters();
  const gui::Look look{picture::light_theme(), type, measure};
  picture::Scene scene{.width = 400, .height = 100, .background = {}, .items = {}};
  gui::FlameInput input;
  input.tree = &tree;

  gui::draw_flame(scene, input, {0, 0, 400, 100}, look);

  std::vector<std::string> cut;
  for (const picture::Label& label : tests::labels_of(scene)) {
    if (label.text.find("…") != std::string::npos) {
      cut.push_back(label.text);
    }
  }
  REQUIRE(cut.size() == 2);
  CHECK(cut[0].starts_with("load_att"));
  CHECK(cut[0] != cut[1]);
}

TEST_CASE("where a box of the flame graph has room for few letters, its name's beginning is left",
          "[gui]") {
  const auto stacks = at_peak([](tests::TraceBuilder& builder) {
    for (const char* const name : {"run", "read_attention"}) {
      builder.allocate(500, builder.stack({"malloc", std::string("acme::io::") + name, "main"}));
    }
  });
  const CallTree tree = build_tree(stacks, TreeOrder::kTopDown);
  const picture::Type type = gui::screen_type(1);
  const picture::MeasureText measure = tests::wide_letters();
  const gui::Look look{picture::light_theme(), type, measure};
  gui::FlameInput input;
  input.tree = &tree;
  const double letter = measure("m", type.small, false);
  const auto labels_with_room_for = [&](double letters) {
    const double width = 2 * (letters * letter + 2 * look.px(5) + 1.5);
    picture::Scene scene{.width = width, .height = 100, .background = {}, .items = {}};
    gui::draw_flame(scene, input, {0, 0, width, 100}, look);
    std::set<std::string> labels;
    for (const picture::Label& label : tests::labels_of(scene)) {
      labels.insert(label.text);
    }
    return labels;
  };

  const auto six = labels_with_room_for(6);
  CHECK(six.contains("read_…"));
  CHECK(six.contains("run"));
  const auto three = labels_with_room_for(3);
  CHECK(three.contains("run"));
  CHECK(std::ranges::none_of(three, [](const auto& text) { return text.starts_with("re"); }));
}

TEST_CASE("copied as text, a tree has one line a function", "[gui]") {
  const CallTree tree = build_tree(at_peak(tests::append_naive_load), TreeOrder::kBottomUp);

  const std::string text = gui::tree_text(tree, 1000);

  CHECK(static_cast<std::size_t>(std::ranges::count(text, '\n')) == tree.nodes.size());
  CHECK(text.find("5368709120\t1\tread_whole_file\tloader.cpp:40") != std::string::npos);
}

TEST_CASE("the difference of two traces has every byte of both in one row", "[gui]") {
  const auto before = at_peak(tests::append_naive_load);
  const auto after = at_peak(tests::append_streamed_load);

  const auto rows = gui::compare(before, after);

  std::uint64_t before_bytes = 0;
  std::uint64_t after_bytes = 0;
  for (const auto& row : rows) {
    before_bytes += row.before_bytes;
    after_bytes += row.after_bytes;
  }
  CHECK(before_bytes == before.total.bytes);
  CHECK(after_bytes == after.total.bytes);
  CHECK(std::ranges::is_sorted(rows, std::ranges::greater{},
                               [](const auto& row) { return std::abs(row.change()); }));
}

TEST_CASE("a trace compared with itself has no difference", "[gui]") {
  const auto stacks = at_peak(tests::append_naive_load);

  for (const auto& row : gui::compare(stacks, stacks)) {
    CHECK(row.change() == 0);
  }
  CHECK_FALSE(gui::compare(stacks, stacks).empty());
}
