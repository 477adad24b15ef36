#include "gui/view/trees/difference_tree.hpp"

#include "analyzer/query/footprint/peak.hpp"
#include "gui/view/trees/comparison.hpp"
#include "gui/view/trees/flame_picture.hpp"
#include "gui/view/trees/folded_tree.hpp"
#include "tests/analyzer/picture/scenes.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/gui/trees.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

using namespace tidemark;
using gui::CallTree;
using gui::TreeOrder;
using tests::at_peak;
using tests::child;

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
    std::uint64_t calls = 0;
    for (const gui::ComparedCall& call : row.called) {
      calls += std::max(call.before_bytes, call.after_bytes);
    }
    width += order == TreeOrder::kTopDown ? calls : std::max(row.before_bytes, row.after_bytes);
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

TEST_CASE("below a line of Python a difference shows what it called in either load", "[gui]") {
  // Just inside a line of Python stands its evaluator, which is left out.
  const auto before = at_peak([](tests::TraceBuilder& builder) {
    builder.allocate(900, builder.stack({"malloc", "old_empty", "astype", "eval", "load a.py:4"}));
    builder.allocate(500, builder.stack({"malloc", "array_copy", "eval", "load a.py:4"}));
  });
  const auto after = at_peak([](tests::TraceBuilder& builder) {
    builder.allocate(800, builder.stack({"malloc", "new_empty", "astype", "eval", "load a.py:6"}));
    builder.allocate(600, builder.stack({"malloc", "array_copy", "eval", "load a.py:6"}));
  });

  const auto rows = gui::compare(before, after);
  const auto [tree, sides] = gui::difference_tree(rows, TreeOrder::kTopDown);

  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> found;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    found[tree.nodes[i].name()] = {sides[i].before, sides[i].after};
  }
  CHECK(found == decltype(found){{"all", {1400, 1400}},
                                 {"load", {1400, 1400}},
                                 {"astype", {900, 800}},
                                 {"old_empty", {900, 0}},
                                 {"new_empty", {0, 800}},
                                 {"array_copy", {500, 600}}});
  // What one load called and what the other did stand beside each other.
  CHECK(tree.root().weight.bytes == 900 + 800 + 600);
  // The table has the line, and the graph of who asked begins with it.
  CHECK(rows.size() == 1);
  CHECK(gui::difference_tree(rows, TreeOrder::kBottomUp).tree.nodes.size() == 2);
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
