// A block that somebody clicks on.
#include "analyzer/picture/drawing/theme.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/gui/window_at_work.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <vector>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

/// Where the blocks of a colour are, in the lower half.
Area blocks_in(const Picture& picture, std::uint32_t colour) {
  Picture lower = picture;
  for (int y = 0; y < picture.height / 2; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      lower.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) +
                   static_cast<std::size_t>(x)] = 0;
    }
  }
  return box_of(lower, colour);
}

/// Once blocks are half as wide as the window, which they are when their pane has been drawn.
Picture look_at_blocks(const WindowAtWork& window, std::uint32_t colour) {
  return window.look_when(
      [&](const Picture& one) { return blocks_in(one, colour).across.size() > one.width / 2; });
}

/// Of the first row of so many switches in the lower half, that at `index` from the left.
Area switch_in(const Picture& picture, std::size_t count, std::size_t index) {
  constexpr int kMinWidthPixels = 30;
  constexpr int kHeightPixels = 20;
  const std::uint32_t background = main_colour(picture, all_of(picture));
  for (int y = picture.height / 2; y < picture.height; ++y) {
    const auto rims = stretches(picture, y, {0, picture.width}, kMinWidthPixels, background);
    if (rims.size() == count) {
      return {rims.at(index), {y, y + kHeightPixels}};
    }
  }
  throw std::runtime_error("no such switches");
}

std::vector<std::uint32_t> rows_from(const Picture& picture, int top) {
  return {picture.pixels.begin() + static_cast<std::ptrdiff_t>(top) * picture.width,
          picture.pixels.end()};
}

}  // namespace

TEST_CASE("a click on a block pins it, and what is known of it stands beside", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TraceBuilder builder;
  // One block that is all there is, so that it has the first colour and its place is known.
  const auto block = builder.at_ms(10).allocate(std::uint64_t{1} << 30U,
                                                builder.stack({"malloc", "load", "main"}));
  builder.at_ms(1000).allocate(1);
  const std::string trace = builder.finish();
  WindowAtWork window;
  window.open({trace});
  window.press("2");
  const std::uint32_t colour = shown(picture::light_theme().stays.front());
  const Picture before = look_at_blocks(window, colour);
  const Area area = blocks_in(before, colour);
  REQUIRE(area.across.size() > before.width / 2);
  CHECK_FALSE(window.saved(trace).block.has_value());

  window.click(area.across.middle(), area.down.middle());
  const Picture after = window.look_when_still();

  CHECK(window.saved(trace).block == block);
  CHECK(window.saved(trace).pane == gui::Pane::kBlocks);
  // Nobody has pointed at what lies under the pointer now.
  CHECK(window.has_no_popup());
  // The blocks stand back for the panel, the timeline above them as well.
  CHECK(blocks_in(after, colour).across.size() < area.across.size() - 100);
  CHECK(after.count(colour) < before.count(colour) * 4 / 5);

  window.press("Escape");
  // But for the outline of what is pointed at.
  CHECK(blocks_in(window.look_when_still(), colour).across.size() > area.across.size() - 10);
  CHECK_FALSE(window.saved(trace).block.has_value());
}

TEST_CASE("a click on a layer of small blocks tells of them beside, until it is let go", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TraceBuilder builder;
  // So many stacks of one function that none is drawn by itself.
  for (std::uint64_t i = 0; i < 2000; ++i) {
    builder.at_ms(10).allocate(64,
                               builder.stack({"malloc", "insert", "caller " + std::to_string(i)}));
  }
  builder.at_ms(1000).allocate(1);
  const std::string trace = builder.finish();
  WindowAtWork window;
  window.open({trace});
  window.press("2");
  const std::uint32_t colour = shown(picture::light_theme().stays.front());
  const Picture before = look_at_blocks(window, colour);
  const Area area = blocks_in(before, colour);
  REQUIRE(area.across.size() > before.width / 2);

  window.click(area.across.middle(), area.down.middle());
  const Picture after = window.look_when_still();

  CHECK(blocks_in(after, colour).across.size() < area.across.size() - 100);
  const Span beside{area.across.end - 300, after.width};
  CHECK(lines_in(after, {beside, {100, 300}}).size() > 0);
  CHECK_FALSE(window.saved(trace).block.has_value());

  const auto goes_by = GENERATE("Escape", "click");
  if (goes_by == std::string("Escape")) {
    window.press("Escape");
  } else {
    const Area narrower = blocks_in(after, colour);
    window.click(narrower.across.middle(), narrower.down.middle());
  }
  CHECK(blocks_in(window.look_when_still(), colour).across.size() > area.across.size() - 10);
}

TEST_CASE("a key pins the largest block at the peak, with its life in view", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TraceBuilder builder;
  const auto early = builder.at_ms(100).allocate(200 * kMiB);
  builder.at_ms(200).release(early);
  const auto largest = builder.at_ms(500).allocate(150 * kMiB);
  builder.at_ms(550).allocate(100 * kMiB);
  builder.at_ms(600).release(largest);
  builder.at_ms(1000).allocate(1);
  const std::string trace = builder.finish();
  WindowAtWork window;
  window.open({trace, "--pane", "findings"});
  (void)window.look_when_still();
  // What was looked at before does not matter.
  window.click(300, 300);
  (void)window.look_when_still();

  window.press("l");
  (void)window.look_when_still();

  const auto state = window.saved(trace);
  CHECK(state.block == largest);
  CHECK(state.pane == gui::Pane::kBlocks);
  CHECK_FALSE(state.cursor.has_value());
  CHECK(state.range.begin == Approx(0.48).margin(0.01));
  CHECK(state.range.end == Approx(0.62).margin(0.01));
}

TEST_CASE("the wheel over the blocks zooms in where the pointer is", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TraceBuilder builder;
  builder.at_ms(10).allocate(std::uint64_t{1} << 30U, builder.stack({"malloc", "load", "main"}));
  builder.at_ms(1000).allocate(1);
  const std::string trace = builder.finish();
  WindowAtWork window;
  window.open({trace});
  window.press("2");
  const std::uint32_t colour = shown(picture::light_theme().stays.front());
  const Area area = blocks_in(look_at_blocks(window, colour), colour);
  window.point(area.across.middle() / 2, area.down.middle());
  (void)window.look_when_still();  // The pointer has been seen before the wheel turns.

  window.do_at_once({"click", "4"});
  (void)window.look_when_still();

  const gui::ViewRange range = window.saved(trace).range;
  CHECK(range.width() == Approx(0.8).margin(0.01));
  CHECK(range.begin > 0.01);
  CHECK(range.begin < 0.1);
}

TEST_CASE("a click into a group of blocks pins the one that is alive there", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TraceBuilder builder;
  // Each too low for a shape of its own.
  const auto stack = builder.stack({"malloc", "load", "main"});
  const auto dead = builder.at_ms(10).allocate(std::uint64_t{1} << 20U, stack);
  std::uint64_t last = 0;
  for (int i = 0; i < 400; ++i) {
    last = builder.at_ms(20).allocate(std::uint64_t{1} << 20U, stack);
  }
  builder.at_ms(30).release(dead);
  builder.at_ms(1000).allocate(1);
  const std::string trace = builder.finish();
  WindowAtWork window;
  window.open({trace});
  window.press("2");
  const std::uint32_t colour = shown(picture::light_theme().stays.front());
  const Picture before = look_at_blocks(window, colour);
  const Area area = blocks_in(before, colour);
  REQUIRE(area.across.size() > before.width / 2);

  window.click(area.across.middle(), area.down.middle());
  (void)window.look_when_still();

  const auto pinned = window.saved(trace).block;
  REQUIRE(pinned.has_value());
  CHECK(*pinned > last / 4);
  CHECK(*pinned < last * 3 / 4);
}

TEST_CASE("a tensor that is searched for is seen in the block that holds it", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  constexpr std::uint64_t kBytes = 64 << 20;
  const auto load = [](TraceBuilder& builder, const std::string& tensor) {
    const auto file = builder.file("/models/a.safetensors", 2 * kBytes);
    builder.tensor(file, kBytes / 4, kBytes, tensor);
    builder.tensor(file, kBytes / 4, kBytes, tensor + "_mapped");
    builder.origin(builder.at_ms(10).map(file, 2 * kBytes), kBytes, file, kBytes, kBytes);
    const auto block = builder.at_ms(500).allocate(kBytes, builder.stack({"malloc", "load"}));
    // Not where it came from, but its values are known.
    builder.match(block, file, 0, "");
    builder.at_ms(700).release(block);
    builder.allocate(2 * kBytes, builder.stack({"malloc", "other"}));
    builder.at_ms(1000).allocate(1);
    return block;
  };
  TraceBuilder before;
  const auto block = load(before, "embed");
  TraceBuilder after;
  // One number is two blocks.
  REQUIRE(load(after, "head") == block);
  const std::string traces[] = {before.finish(), after.finish()};
  WindowAtWork window;
  window.open({traces[0], traces[1]});
  (void)window.look_when_still();
  const auto search = [&](const std::string& wanted) {
    window.press("slash");
    (void)window.look_when_still();
    window.type(wanted);
    (void)window.look_when_still();
    window.press("Return");
    (void)window.look_when_still();
  };

  search("embed");
  const auto first = window.saved(traces[0]);
  CHECK(first.side == 0);
  CHECK(first.block == block);
  CHECK(first.pane == gui::Pane::kBlocks);
  // Its life, and little else.
  CHECK(first.range.begin == Approx(0.48).margin(0.01));
  CHECK(first.range.end == Approx(0.72).margin(0.01));

  search("head");
  const auto second = window.saved(traces[0]);
  CHECK(second.side == 1);
  CHECK(second.block == block);

  // Behind what is said of it there is one colour, all across the window.
  const picture::Theme theme = picture::light_theme();
  const auto sentences = [&] {
    const Picture seen = window.look_when_still();
    return bands_of(seen, shown(picture::mixed(theme.soft, theme.background, 0.16)), 0,
                    static_cast<std::size_t>(seen.width) * 3 / 4)
        .size();
  };
  window.press("Escape");
  CHECK(sentences() == 0);
  search("head_mapped");
  CHECK(sentences() == 1);
  CHECK_FALSE(window.saved(traces[0]).block.has_value());
}

TEST_CASE("the blocks of both loads are one below the other, and partners light each other",
          "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  const auto load = [](TraceBuilder& builder, std::uint64_t bytes) {
    builder.at_ms(10);
    const auto kept = builder.allocate(bytes, builder.stack({"malloc", "load", "main"}));
    builder.allocate(bytes / 2, builder.stack({"malloc", "other", "main"}));
    builder.at_ms(1000).allocate(1);
    return kept;
  };
  TraceBuilder before;
  load(before, std::uint64_t{1} << 30U);
  TraceBuilder after;
  after.at_ms(5).allocate(1);
  const auto partner = load(after, std::uint64_t{3} << 28U);
  const std::string traces[] = {before.finish(), after.finish()};
  WindowAtWork window;
  window.open({traces[0], traces[1]});
  window.press("3");
  const Picture still = window.look_when_still();
  const std::uint32_t colour = shown(picture::light_theme().stays.front());
  const auto bands = bands_of(still, colour, still.height * 2 / 3, 200);
  REQUIRE(bands.size() == 2);
  // On one scale: three quarters as high after.
  CHECK(bands[1].size() == Approx(bands[0].size() * 0.75).margin(4));

  // What is pointed at before stands out before and after, the others stand back.
  window.point(still.width / 2, bands[0].middle());
  const Picture pointed = window.look_when_still();
  CHECK(bands_of(pointed, colour, pointed.height * 2 / 3, 200).size() == 2);
  const std::uint32_t other = shown(picture::light_theme().stays.at(1));
  REQUIRE(bands_of(still, other, still.height * 2 / 3, 200).size() == 2);
  CHECK(bands_of(pointed, other, pointed.height * 2 / 3, 200).empty());

  window.click(still.width / 2, bands[1].middle());
  (void)window.look_when_still();
  const auto state = window.saved(traces[0]);
  CHECK(state.side == 1);
  CHECK(state.block == partner);
}

TEST_CASE("a stack that holds nothing at the peak is shown where its largest block came", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TraceBuilder builder;
  const auto early = builder.stack({"malloc", "early", "main"});
  builder.release(builder.at_ms(20).allocate(1 << 20, early));
  builder.at_ms(50).allocate(64 << 20, builder.stack({"malloc", "keep", "main"}));
  builder.at_ms(100).allocate(1);
  const std::string trace = builder.finish();
  WindowAtWork window;
  window.open({"--pane", "usage", trace});
  const Picture before = window.look_when_still();
  constexpr int kFirstColumnPixels = 90;
  const auto lines =
      lines_in(before, {{0, kFirstColumnPixels}, {before.height / 2, before.height}});
  REQUIRE_FALSE(lines.empty());

  // The one stack of temporary allocations.
  window.click(600, lines.back().middle());
  const Picture shown = window.look_when_still();
  window.press("shift");
  // Nothing has waited for somebody to touch the window.
  const bool is_same = shown.pixels == window.look_when_still().pixels;
  CHECK(is_same);
  const auto state = window.saved(trace);

  CHECK(state.pane == gui::Pane::kHolders);
  REQUIRE(state.cursor.has_value());
  CHECK(*state.cursor == Approx(0.2).margin(0.02));
}

TEST_CASE("in a narrow window, the last switch of a toolbar is to be seen", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TraceBuilder builder;
  builder.at_ms(10).allocate(std::uint64_t{1} << 30U, builder.stack({"malloc", "load", "main"}));
  builder.at_ms(1000).allocate(1);
  const std::string trace = builder.finish();
  const picture::Theme& theme = picture::light_theme();
  // Of the open tab and of the chosen switch, as gui/app/platform/style.cpp has it.
  const std::uint32_t chosen =
      shown(picture::mixed(theme.lane(trace::Lane::kHeap), theme.background, 0.5));
  WindowAtWork window;
  gui::ViewState state;
  state.pane = gui::Pane::kBlocks;
  state.block_colour = gui::BlockColour::kSize;
  std::ofstream(window.path("view.json")) << gui::state_json(state);

  const Picture narrow = window.photograph(
      trace, {"--theme", "light", "--size", "600x700", "--state", window.path("view.json")});

  CHECK(bands_of(narrow, chosen, narrow.height / 2, 10).size() == 2);
}

TEST_CASE("a list of allocations has the columns it always has, whichever was seen before",
          "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TraceBuilder builder;
  builder.at_ms(10).allocate(64 << 20, builder.stack({"malloc", "load", "main"}));
  builder.at_ms(1000).allocate(1);
  const std::string trace = builder.finish();
  WindowAtWork window;
  gui::ViewState state;
  state.pane = gui::Pane::kUsage;
  state.usage = analyzer::UsageGrouping::kThread;
  std::ofstream(window.path("view.json")) << gui::state_json(state);
  window.open({"--state", window.path("view.json"), trace});
  window.point(2, 2);
  const Picture alone = window.look_when_still();
  window.close();

  window.open({"--pane", "usage", trace});
  const Area by_thread = switch_in(window.look_when_still(), 8, 4);
  window.click(by_thread.across.middle(), by_thread.down.middle());
  window.point(2, 2);
  const Picture after_stacks = window.look_when_still();

  CHECK(window.saved(trace).usage == analyzer::UsageGrouping::kThread);
  const bool is_same =
      rows_from(alone, by_thread.down.end) == rows_from(after_stacks, by_thread.down.end);
  CHECK(is_same);
}
