// A block that somebody clicks on.
#include "analyzer/picture/drawing/theme.hpp"
#include "gui/view/session/view_state.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/gui/window_at_work.hpp"
#include "tests/support/catch.hpp"

#include <filesystem>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

/// What the window would show again.
gui::ViewState saved(const WindowAtWork& window, const std::string& trace) {
  const std::string file = trace + ".view.json";
  std::filesystem::remove(file);
  window.press("s");
  REQUIRE(wait_until([&] { return gui::parse_state(read_text(file)).ok(); }));
  return gui::parse_state(read_text(file)).value();
}

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
  window.press("3");
  const Picture before = window.look_when_still();
  const std::uint32_t colour = shown(picture::light_theme().stays.front());
  const Area area = blocks_in(before, colour);
  REQUIRE(area.across.size() > before.width / 2);
  CHECK_FALSE(saved(window, trace).block.has_value());

  window.click(area.across.middle(), area.down.middle());
  const Picture after = window.look_when_still();

  CHECK(saved(window, trace).block == block);
  CHECK(saved(window, trace).pane == gui::Pane::kBlocks);
  // The blocks stand back for the panel, the timeline above them as well.
  CHECK(blocks_in(after, colour).across.size() < area.across.size() - 100);
  CHECK(after.count(colour) < before.count(colour) * 4 / 5);

  window.press("Escape");
  // But for the outline of what is pointed at.
  CHECK(blocks_in(window.look_when_still(), colour).across.size() > area.across.size() - 10);
  CHECK_FALSE(saved(window, trace).block.has_value());
}
