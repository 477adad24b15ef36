#include "gui/view/pages/page_map.hpp"

#include "gui/view/pages/page_picture.hpp"
#include "tests/analyzer/picture/scenes.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sizes.hpp"

#include <cmath>
#include <vector>

using namespace tidemark;
using gui::PageUse;
using tests::kMiB;

namespace {

gui::BlockList three_blocks() {
  gui::BlockList list;
  list.blocks = {{.allocation = 0, .bytes = 8 * kMiB, .begin_ns = 10, .end_ns = 100},
                 {.allocation = 1, .bytes = kMiB, .begin_ns = 20, .end_ns = 50},
                 {.allocation = 2, .bytes = 4 * kMiB, .begin_ns = 30, .lane = trace::Lane::kAnon}};
  return list;
}

trace::LaneTotals totals(std::uint64_t heap, std::uint64_t anon, std::uint64_t file) {
  trace::LaneTotals totals;
  totals[trace::Lane::kHeap] = heap;
  totals[trace::Lane::kAnon] = anon;
  totals[trace::Lane::kFile] = file;
  return totals;
}

}  // namespace

TEST_CASE("pages are live, not touched, beyond what is asked for, or a file's", "[gui]") {
  const std::vector<trace::Look> looks{{.allocation = 0, .at_ns = 15, .bytes = kMiB},
                                       {.allocation = 0, .at_ns = 40, .bytes = 2 * kMiB},
                                       {.allocation = 0, .at_ns = 90, .bytes = 8 * kMiB}};
  const analyzer::ResidentTotals resident{
      .at_ns = 55, .anon_bytes = 10 * kMiB, .file_bytes = 3 * kMiB};

  const auto map =
      page_map(three_blocks(), looks, totals(9 * kMiB, 4 * kMiB, 5 * kMiB), &resident, 60);

  // The second block has gone, and a MiB of the heap is in blocks that are not listed.
  CHECK(map.of(PageUse::kLive) == 6 * kMiB);
  CHECK(map.of(PageUse::kUntouched) == 6 * kMiB);
  CHECK(map.of(PageUse::kSmall) == kMiB);
  CHECK(map.of(PageUse::kBeyond) == 3 * kMiB);  // 10 resident, 13 asked for, 6 of them untouched
  CHECK(map.of(PageUse::kFileInMemory) == 3 * kMiB);
  CHECK(map.of(PageUse::kFileElsewhere) == 2 * kMiB);
  CHECK(map.sampled_ns == 55);
  std::uint64_t sum = 0;
  for (const gui::PageRun& run : map.runs) {
    sum += run.bytes;
  }
  CHECK(sum == map.total());
  CHECK(unknown_text(map).find("not known") == std::string::npos);
}

TEST_CASE("of a block that came at that very instant no more is live than was resident", "[gui]") {
  gui::BlockList list = three_blocks();
  list.blocks.push_back({.allocation = 3, .bytes = 8 * kMiB, .begin_ns = 60});
  const auto untouched = [&](std::uint64_t resident_bytes, std::uint64_t at_ns) {
    const analyzer::ResidentTotals resident{.at_ns = 55, .anon_bytes = resident_bytes};
    const auto map = page_map(list, {}, totals(16 * kMiB, 4 * kMiB, 0), &resident, at_ns);
    CHECK(map.of(PageUse::kLive) + map.of(PageUse::kUntouched) == 20 * kMiB);
    return map.of(PageUse::kUntouched);
  };

  CHECK(untouched(10 * kMiB, 60) == 8 * kMiB);
  CHECK(untouched(15 * kMiB, 60) == 5 * kMiB);
  CHECK(untouched(30 * kMiB, 60) == 0);
  // It may have been written since.
  CHECK(untouched(10 * kMiB, 61) == 0);
}

TEST_CASE("what else cannot have been resident is said, as nobody knows of which blocks", "[gui]") {
  const std::vector<trace::Look> looks{{1, 20, 2 * kMiB}};
  const auto text = [&](std::uint64_t resident_bytes) {
    const analyzer::ResidentTotals resident{.at_ns = 55, .anon_bytes = resident_bytes};
    return unknown_text(
        page_map(three_blocks(), looks, totals(9 * kMiB, 4 * kMiB, 0), &resident, 61));
  };
  const auto map = page_map(three_blocks(), looks, totals(9 * kMiB, 4 * kMiB, 0), nullptr, 61);
  const std::uint64_t touched = 13 * kMiB - map.of(PageUse::kUntouched);
  CHECK(text(touched).find("not resident") == std::string::npos);
  CHECK(text(touched - kMiB)
            .find(" 1.00 MiB of what is live was not resident at 55 ns, by that sample; "
                  "of which blocks is not known.") != std::string::npos);
}

TEST_CASE("what a trace does not have is left out of the map, and said", "[gui]") {
  const auto map = page_map(three_blocks(), {}, totals(8 * kMiB, 4 * kMiB, 5 * kMiB), nullptr, 60);

  CHECK(map.of(PageUse::kLive) == 12 * kMiB);
  for (const PageUse use : {PageUse::kUntouched, PageUse::kSmall, PageUse::kBeyond,
                            PageUse::kFileInMemory, PageUse::kFileElsewhere}) {
    CHECK(map.of(use) == 0);
  }
  CHECK(unknown_text(map).find("was not touched until then is not known") != std::string::npos);
  CHECK(unknown_text(map).find("beyond the blocks is not known") != std::string::npos);
}

TEST_CASE("the map's key has what there is none of, and not what is not known", "[gui]") {
  const picture::Type type = gui::screen_type(1);
  const picture::MeasureText measure = tests::wide_letters();
  const gui::Look look{picture::light_theme(), type, measure};
  const auto key_of = [&](const gui::PageMap& map) {
    picture::Scene scene;
    scene.width = 2000;
    scene.height = 100;
    draw_page_legend(scene, map, {0, 0, 2000, 100}, look);
    return scene;
  };
  const auto unknown =
      key_of(page_map(three_blocks(), {}, totals(8 * kMiB, 4 * kMiB, 0), nullptr, 60));
  CHECK(tests::has_label(unknown, "shared  0 B"));
  CHECK_FALSE(tests::has_label(unknown, "not touched until then  0 B"));
  CHECK_FALSE(tests::has_label(unknown, "resident, not asked for  0 B"));

  const std::vector<trace::Look> looks{{.allocation = 0, .at_ns = 15, .bytes = 8 * kMiB}};
  const analyzer::ResidentTotals resident{.at_ns = 55, .anon_bytes = kMiB, .file_bytes = 0};
  const auto known =
      key_of(page_map(three_blocks(), looks, totals(8 * kMiB, 4 * kMiB, 0), &resident, 60));
  for (const char* const label :
       {"not touched until then  0 B", "resident, not asked for  0 B", "files in memory  0 B",
        "files, not in memory  0 B", "smaller blocks  0 B"}) {
    CAPTURE(label);
    CHECK(tests::has_label(known, label));
  }
}

TEST_CASE("each byte of the map has one place, and each place its byte", "[gui]") {
  const picture::Type type = gui::screen_type(1);
  const picture::MeasureText measure = tests::wide_letters();
  const gui::Look look{picture::light_theme(), type, measure};
  const std::uint64_t total = 1000 * kMiB;
  const gui::PageRows rows(total, {10, 20, 500, 90}, look);
  double area = 0;
  std::uint64_t begin = 0;
  for (const std::uint64_t bytes : {3 * kMiB, 700 * kMiB, 97 * kMiB, 200 * kMiB}) {
    const auto boxes = rows.boxes(begin, begin + bytes);
    CHECK(boxes.size() <= 3);
    for (const picture::Box& box : boxes) {
      area += box.width * box.height;
      const auto byte = rows.byte_at({box.x + box.width / 2, box.y + rows.row_height() / 2});
      REQUIRE(byte.has_value());
      CHECK(*byte >= begin);
      CHECK(*byte < begin + bytes);
    }
    begin += bytes;
  }
  CHECK(area == Approx(500 * rows.row_height() * std::floor(90 / rows.row_height())));
  CHECK_FALSE(rows.byte_at({5, 30}).has_value());
}

TEST_CASE("the map's labels lie within it, and say what is not touched", "[gui]") {
  const std::vector<trace::Look> looks{{.allocation = 0, .at_ns = 15, .bytes = 2 * kMiB}};
  const auto map = page_map(three_blocks(), looks, totals(8 * kMiB, 4 * kMiB, 0), nullptr, 60);
  const picture::Type type = gui::screen_type(1);
  const picture::MeasureText measure = tests::wide_letters();
  const gui::Look look{picture::light_theme(), type, measure};
  picture::Scene scene;
  scene.width = 700;
  scene.height = 300;
  const gui::PageRows rows(map.total(), {0, 40, 700, 250}, look);
  draw_page_legend(scene, map, {0, 0, 700, 300}, look);
  draw_pages(scene,
             {.map = &map,
              .name =
                  [](std::size_t) {
                    return gui::PageName{"load", picture::light_theme().more};
                  }},
             rows, look);
  tests::check_readable(scene);
  CHECK(tests::has_label(scene, "load  4.00 MiB"));
  CHECK(tests::has_label(scene, "load, not touched until then  6.00 MiB"));
}

TEST_CASE("the map's key has the colours that the timeline has for the lanes", "[gui]") {
  gui::PageMap map;
  map.bytes = {100, 0, 0, 100, 0, 100, 0};  // Live, shared, files in memory.
  map.sampled_ns = 1;                       // So files are known to be elsewhere, or not.
  const picture::Type type = gui::screen_type(1);
  const picture::MeasureText measure = tests::wide_letters();
  for (const picture::Theme* const theme : {&picture::light_theme(), &picture::dark_theme()}) {
    picture::Scene scene;
    gui::draw_page_legend(scene, map, {0, 0, 900, 40}, {*theme, type, measure});
    std::vector<double> reds;
    for (const auto& item : scene.items) {
      if (const auto* const fill = std::get_if<picture::Fill>(&item)) {
        reds.push_back(fill->colour.red);
      }
    }
    REQUIRE(reds.size() == 6);  // Small blocks behind the live ones, and what was not asked for.
    CHECK(reds[0] == theme->lane(trace::Lane::kHeap).red);
    CHECK(reds[2] == theme->lane(trace::Lane::kShared).red);
    CHECK(reds[4] == theme->lane(trace::Lane::kFile).red);
  }
}
