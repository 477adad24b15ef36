#include "gui/view/trees/flame_picture.hpp"

#include "tests/analyzer/picture/scenes.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/gui/trees.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace tidemark;
using gui::CallTree;
using gui::TreeOrder;
using tests::at_peak;

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

TEST_CASE("the flame graph of what was given back begins with what gave back most", "[gui]") {
  gui::NamedStacks stacks;
  stacks.frames.resize(2);
  stacks.frames[0].name.function = "takes_note";
  stacks.frames[1].name.function = "frees_matrix";
  const std::vector<gui::Weight> weights{{.bytes = 900, .blocks = 1, .given_back = 100},
                                         {.given_back = 700, .given_back_blocks = 1}};
  for (std::uint32_t i = 0; i < 2; ++i) {
    stacks.stacks.push_back(
        {.weight = weights[i],
         .frames = {i},
         .called = {{.recorded = {}, .recorded_bytes = {}, .weight = weights[i], .frames = {}}}});
    stacks.total.add(weights[i]);
  }
  const CallTree tree = build_tree(stacks, TreeOrder::kBottomUp);
  const picture::Type type = gui::screen_type(1);
  const picture::MeasureText measure = tests::wide_letters();
  const gui::Look look{picture::light_theme(), type, measure};
  picture::Scene scene{.width = 1000, .height = 400, .background = {}, .items = {}};
  gui::FlameInput input;
  input.tree = &tree;
  input.measure = gui::Measure::kGivenBack;

  const auto boxes = gui::draw_flame(scene, input, {0, 0, 800, 380}, look);

  REQUIRE(boxes.size() == 3);
  CHECK(tree.nodes[boxes[1].node].name() == "frees_matrix");
  CHECK(boxes[1].box.x == Approx(0));
  CHECK(boxes[1].box.width == Approx(700));
  CHECK(tree.nodes[boxes[2].node].name() == "takes_note");
  CHECK(boxes[2].box.right() == Approx(800));
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
