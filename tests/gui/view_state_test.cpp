#include "gui/view/session/view_state.hpp"

#include "analyzer/diff/diff_rows.hpp"
#include "analyzer/picture/headline.hpp"
#include "tests/support/catch.hpp"

#include <array>

using namespace tidemark;
using gui::ViewState;

TEST_CASE("a saved view is read back as it was", "[gui]") {
  ViewState state;
  state.range = {0.25, 0.375};
  state.align = picture::Align::kBytes;
  state.overlaid = true;
  state.cursor = 0.3;
  state.selection = gui::ViewRange{0.26, 0.3};
  state.pane = gui::Pane::kBlocks;
  state.side = 1;
  state.order = gui::TreeOrder::kByFile;
  state.flame_from_callers = false;
  state.folds_recursion = true;
  state.block_colour = gui::BlockColour::kSize;
  state.wanted = "load \"x\"";
  state.unticked = {
      {.kind = gui::Unticked::Kind::kStacks,
       .side = 1,
       .number = 0,
       .stacks = {3, 7},
       .text = "load (a.cpp:1)",
       .bytes = 12},
      {.kind = gui::Unticked::Kind::kBlock, .number = 99, .resized = {100, 104}, .text = "a block"},
      {.number = 2, .text = "two copies"}};
  state.height = 0.25;
  state.usage = analyzer::UsageGrouping::kThread;
  state.usage_by_function = true;
  state.timeline = 0.3;
  state.dark = true;

  const auto read = gui::parse_state(gui::state_json(state));

  REQUIRE(read.ok());
  CHECK(read.value() == state);
}

TEST_CASE("a tab is counted among those that are shown", "[gui]") {
  for (std::size_t tab = 0; tab < gui::kPanes; ++tab) {
    CHECK(gui::pane_at(tab, true) == static_cast<gui::Pane>(tab));
  }
  CHECK_FALSE(gui::pane_at(gui::kPanes, true).has_value());
  CHECK(gui::pane_at(0, false) == gui::Pane::kHolders);
  CHECK(gui::pane_at(1, false) == gui::Pane::kBlocks);
  CHECK(gui::pane_at(5, false) == gui::Pane::kPages);
  CHECK_FALSE(gui::pane_at(6, false).has_value());
}

TEST_CASE("a view from elsewhere is brought into its limits", "[gui]") {
  const auto read = gui::parse_state(
      R"({"range": [0.9, 0.1], "timeline": 7, "side": 12, "pane": "none", "cursor": "x",
          "selection": [-1, 5], "search": 3, "new": {}})");

  REQUIRE(read.ok());
  CHECK(read.value().range == gui::ViewRange{});
  CHECK(read.value().timeline == std::optional(0.85));
  CHECK(read.value().side == 1);
  CHECK(read.value().pane == gui::Pane::kHolders);
  CHECK(read.value().usage == analyzer::UsageGrouping::kTemporary);
  CHECK_FALSE(read.value().cursor.has_value());
  CHECK_FALSE(read.value().selection.has_value());
}

TEST_CASE("what is no view is refused in one sentence", "[gui]") {
  const auto* const text = GENERATE("", "[]", "{", "null", "7");

  const auto read = gui::parse_state(text);

  REQUIRE_FALSE(read.ok());
  CHECK(read.error().code == ErrorCode::kUsage);
  CHECK(read.error().message == "the state is no JSON object; save one from the window");
}

TEST_CASE("panes are known by the words that saved views use", "[gui]") {
  CHECK(gui::pane_named("activity") == gui::Pane::kActivity);
  CHECK_FALSE(gui::pane_named("threads").has_value());
  CHECK_FALSE(gui::pane_named("").has_value());
}

TEST_CASE("other traces keep how things are shown, and nothing of where", "[gui]") {
  gui::ViewState state;
  state.range = {0.2, 0.3};
  state.cursor = 0.25;
  state.selection = gui::ViewRange{0.2, 0.25};
  state.wanted = "load";
  state.side = 1;
  state.pane = gui::Pane::kBlocks;
  state.block_colour = gui::BlockColour::kThread;
  state.dark = true;
  gui::ViewState kept;
  kept.pane = gui::Pane::kBlocks;
  kept.block_colour = gui::BlockColour::kThread;
  kept.dark = true;
  CHECK(gui::for_other_traces(state) == kept);
}

TEST_CASE("timeline and panes both have room at any scale, and what was chosen holds", "[gui]") {
  const auto traces = GENERATE(std::size_t{1}, std::size_t{2});
  const auto scale = GENERATE(1.0, 1.5, 2.0, 3.0);
  const auto height = GENERATE(120.0, 300.0, 430.0, 700.0, 1500.0);
  CAPTURE(traces, scale, height);
  gui::ViewState state;

  const gui::Split split = split_height(state, traces, height, scale);

  CHECK(split.all >= height);
  CHECK(split.all - split.timeline >= 128 * scale);
  CHECK(split.timeline >= (traces == 2 ? 128 : 74) * scale);
  if (height > 450 * scale) {
    CHECK(split.all == height);
    CHECK(split.timeline == Approx(height * gui::timeline_share(state, traces)));
  }
  // A person may want less of the panes, but not none of them.
  state.timeline = 0.85;
  const gui::Split large = split_height(state, traces, height, scale);
  CHECK(large.all - large.timeline >= 90 * scale);
  CHECK(large.timeline >= std::min(0.85 * height, height - 90 * scale) - 1e-9);
}

TEST_CASE("the timeline takes more where two traces stand apart, until its share is chosen",
          "[gui]") {
  gui::ViewState state;

  CHECK(gui::timeline_share(state, 1) == 0.5);
  CHECK(gui::timeline_share(state, 2) > 0.5);
  state.overlaid = true;
  CHECK(gui::timeline_share(state, 2) == 0.5);
  state.timeline = 0.3;
  CHECK(gui::timeline_share(state, 2) == 0.3);
}

TEST_CASE("the headline has resident memory that is far above the peak", "[gui]") {
  picture::Subject subject;
  subject.peak_bytes = 100 << 20;
  subject.model_bytes = 50 << 20;
  subject.resident.push_back({.at_ns = 5, .anon_bytes = 130 << 20});
  const std::array one{subject};
  CHECK(picture::resident_text(one).empty());
  subject.resident.push_back({.at_ns = 7, .anon_bytes = 140 << 20});
  CHECK(picture::resident_text(std::array{subject}) == "RSS (sampled) up to 140.0 MiB = 2.80 × W");
  CHECK(picture::resident_text(std::array{one[0], subject}) ==
        "RSS (sampled) up to 130.0 MiB → 140.0 MiB");
  picture::Subject unknown = subject;
  unknown.resident.clear();
  CHECK(picture::resident_text(std::array{unknown, subject}).empty());
  CHECK(picture::resident_text(std::array{subject, unknown}).empty());
  CHECK(picture::resident_text(std::array{unknown}).empty());
}

TEST_CASE("that two loads are of other weights is said as a diff says it", "[gui]") {
  CHECK(analyzer::models_warning(100 << 20, (100 << 20) + 4096).empty());
  CHECK(analyzer::models_warning(100 << 20, 160 << 20) ==
        "The models differ: W is 100.0 MiB before and 160.0 MiB after.");
  CHECK(analyzer::models_warning(0, 0).empty());
  CHECK(analyzer::models_warning(0, 1 << 20) == "No model is known before: W is 1.00 MiB after.");
  CHECK(analyzer::models_warning(1 << 20, 0) == "No model is known after: W is 1.00 MiB before.");
}
