// What the timeline of a page is layered by, in a real browser: its colours, its legend.
#include "tests/analyzer/html/browser_page.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <string>

using namespace tidemark;
using nlohmann::json;
using tests::axis_at;
using tests::BrowsedPage;
using tests::centre_of;
using tests::check_quiet;
using tests::text_of;
using tests::TraceBuilder;

TEST_CASE("a browser shows what the footprint is made of, in the colours of the legend",
          "[page][browser]") {
  TraceBuilder trace;
  tests::append_naive_load(trace);
  BrowsedPage page;
  page.open(trace);
  const json legend{
      {"evaluate", "[...document.querySelectorAll('.legend .layer')].map(e => e.textContent)"}};
  const json lanes{
      {"evaluate", "[...document.querySelectorAll('.legend button')].map(e => e.textContent)"}};
  // How many pixels of the timeline have the colour of a property.
  const auto pixels_of = [](const std::string& colour) {
    return json{{"evaluate",
                 "(() => { const c = document.querySelector('.timeline-canvas');"
                 " const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
                 " const hex = theme.colour('" +
                     colour +
                     "'); let n = 0;"
                     " for (let i = 0; i < d.length; i += 4) n += hex === '#' + [0, 1, 2].map(k =>"
                     " d[i + k].toString(16).padStart(2, '0')).join('') ? 1 : 0; return n; })()"}};
  };
  const json tip{{"evaluate",
                  "(() => { const [x, y] = " + axis_at(1.0 / 4.12) +
                      "; document.querySelector('.timeline-canvas').dispatchEvent(new PointerEvent("
                      "'pointermove', {clientX: x, clientY: y})); return [...document."
                      "querySelectorAll('.tip-row')].map(r => [...r.children].map(c => "
                      "c.textContent)); })()"}};
  const auto choose = [](const std::string& word) {
    return json{{"evaluate",
                 "(() => { const s = document.querySelector('#by'); s.value = '" + word +
                     "'; s.dispatchEvent(new Event('change')); return new Promise(done => "
                     "requestAnimationFrame(() => requestAnimationFrame(() => done(s.value)))); "
                     "})()"}};
  };

  const auto said = page.browse({legend,
                                 pixels_of("goes-0"),
                                 pixels_of("stays-0"),
                                 tip,
                                 choose("lane"),
                                 legend,
                                 pixels_of("goes-0"),
                                 pixels_of("lane-heap"),
                                 choose("phase"),
                                 legend,
                                 choose("function"),
                                 tip,
                                 legend,
                                 json{{"evaluate",
                                       "document.querySelector('.timeline-canvas').dispatchEvent("
                                       "new PointerEvent('pointerleave'))"}},
                                 legend,
                                 json{{"click", axis_at(1.0 / 4.12)}},
                                 legend,
                                 json{{"click", centre_of("#to-peak")}},
                                 legend,
                                 choose("lane"),
                                 lanes,
                                 json{{"click", centre_of("#behind-peak")}},
                                 text_of("#live-title")});
  if (!said) {
    return;
  }

  check_quiet(*said);
  const json& values = said->at("values");
  // As the report's rows at the peak.
  CHECK(values.at(0) == json{"at the peak", "tvm::runtime::NDArray::Empty  ndarray.cc:2125.00 GiB",
                             "read_whole_file  loader.cpp:405.00 GiB", "other functions71.0 KiB"});
  CHECK(values.at(1).get<int>() > 1000);
  CHECK(values.at(2).get<int>() > 1000);
  const auto& rows = values.at(3);
  CHECK(std::ranges::count(rows, json{"read_whole_file  loader.cpp:40", "5.00 GiB"}) == 1);
  CHECK(std::ranges::count(rows, json{"other functions", "71.0 KiB"}) == 1);
  CHECK(values.at(5) == json{"at the peak"});
  CHECK(values.at(6) == 0);
  CHECK(values.at(7).get<int>() > 1000);
  CHECK(values.at(9).size() > 1);
  // Under the pointer, then nowhere, then at the instant that was clicked on.
  const json& pointed_at = values.at(12);
  CHECK(pointed_at.at(0) == "at 1.000 s");
  CHECK(pointed_at.at(2) == "read_whole_file  loader.cpp:405.00 GiB");
  CHECK(pointed_at.at(1) == "tvm::runtime::NDArray::Empty  ndarray.cc:2120 B");
  CHECK(values.at(14) == values.at(0));
  CHECK_THAT(values.at(15).at(0).get<std::string>(), Catch::StartsWith("at 1.0"));
  CHECK(values.at(15).at(1) == pointed_at.at(1));
  CHECK(values.at(16) == values.at(0));
  CHECK(values.at(18).at(0) == "heap 10.0 GiB");
  CHECK_THAT(values.at(19).get<std::string>(),
             Catch::StartsWith("alive at 3.295 s, 100 ms after the peak: 5.00 GiB"));
  // It is read until 1.8 s.
  CHECK(std::ranges::any_of(rows, [](const json& row) {
    return row.at(0) == "file read" && row.at(1).get<std::string>().ends_with("/s");
  }));
}

TEST_CASE("away from the peak the legend has the bytes of other layers once they are chosen",
          "[page][browser]") {
  TraceBuilder trace;
  const auto block = [&trace](const std::string& function, std::uint64_t mebibytes) {
    return trace.allocate(mebibytes * tests::kMiB, trace.stack({"malloc", function, "main"}));
  };
  trace.at_ms(10).begin_phase("read");
  const auto copy = block("copy", 40);
  block("index", 20);
  trace.at_ms(20).end_phase("read");
  trace.begin_phase("convert");
  block("weights", 30);
  trace.at_ms(30).end_phase("convert");
  trace.at_ms(40).release(copy);
  BrowsedPage page;
  page.open(trace);
  const json later{
      {"evaluate", "document.querySelector('#live .buttons button:nth-child(3)').click()"}};
  const json by_phase{{"evaluate",
                       "(() => { const s = document.querySelector('#by'); s.value = 'phase';"
                       " s.dispatchEvent(new Event('change')); })()"}};
  const json legend{
      {"evaluate", "[...document.querySelectorAll('.legend .layer')].map(e => e.textContent)"}};

  const auto said = page.browse({later, by_phase, legend});
  if (!said) {
    return;
  }

  check_quiet(*said);
  CHECK(said->at("values").at(2) == json{"at 30 ms", "read60.0 MiB", "convert30.0 MiB"});
}

TEST_CASE("the legend of a page adds up to the footprint and the time that the tooltip says",
          "[page][browser]") {
  TraceBuilder trace;
  const auto one = trace.stack({"malloc", "load", "main"});
  const auto other = trace.stack({"malloc", "copy", "main"});
  // Below 1 KiB, for sizes to be told to the byte; many in a pixel, up and down.
  for (std::uint64_t i = 0; i < 4000; ++i) {
    trace.at_ns(2'000'000 + i * 100'000);
    const auto block = trace.allocate(1 + i * 37 % 500, i % 3 == 0 ? one : other);
    trace.at_ns(2'050'000 + i * 100'000).release(block);
    if (i % 40 == 0) {
      trace.allocate(1, one);
    }
  }
  BrowsedPage page;
  page.open(trace);
  // [what the legend says, [time, footprint] of the tooltip] at many places on the axis.
  const std::string told =
      "[...Array(84).keys()].map((i) => { const [x, y] = " + axis_at(0.02) +
      "; const canvas = document.querySelector('.timeline-canvas'); canvas.dispatchEvent("
      "new PointerEvent('pointermove', {clientX: x + 12 * i, clientY: y}));"
      " const rows = new Map([...document.querySelectorAll('.tip-row')].map((r) =>"
      " [...r.children].map((c) => c.textContent)));"
      " const layers = [...document.querySelectorAll('.legend .value')].map((e) =>"
      " parseFloat(e.textContent)).reduce((a, b) => a + b, 0);"
      " const then = [...rows.keys()].find((name) => name.startsWith('layers at '));"
      " return [document.querySelector('#legend-when').textContent, layers,"
      " then ? then.slice(7) : 'at ' + units.fineTime(parseFloat(rows.get('time')) * 1e9),"
      " parseFloat(then ? rows.get(then) : rows.get('footprint'))]; })";

  const auto said = page.browse({{{"evaluate", told}},
                                 {{"click", axis_at(0.31)}},
                                 {{"evaluate", told}},
                                 text_of("#live-title"),
                                 text_of("#legend-when")});
  if (!said) {
    return;
  }

  check_quiet(*said);
  std::set<std::string> times;
  for (const int before_click : {0, 1}) {
    for (const json& place : said->at("values").at(static_cast<std::size_t>(before_click))) {
      CAPTURE(place.dump());
      CHECK((place.at(0) == place.at(2) || place.at(0) == "at the peak"));
      CHECK(place.at(1) == place.at(3));
      times.insert(place.at(0));
    }
  }
  CHECK(times.size() > 40);
}

TEST_CASE("a page layers by the layers of the model, or says that none is known",
          "[page][browser]") {
  const bool is_known = GENERATE(true, false);
  const bool is_held = GENERATE(true, false);
  CAPTURE(is_known, is_held);
  constexpr std::uint64_t kBytes = 64U << 20U;
  TraceBuilder trace;
  const auto model = trace.file("/m/model.safetensors", kBytes);
  if (is_known) {
    trace.tensor(model, kBytes / 4, kBytes, "layer0.weight");
  }
  trace.at_ms(1).map(model, kBytes);
  const auto block = trace.allocate(kBytes, trace.stack({"malloc", "main"}));
  if (is_held) {
    trace.origin(block, 0, model, 0, kBytes);
  }
  trace.at_ms(9).allocate(1);
  BrowsedPage page;
  page.open(trace);

  const auto said = page.browse(
      {{{"evaluate",
         "[...document.querySelectorAll('#by option')].filter(e => e.value === 'tensor')"
         ".map(e => [e.textContent, e.disabled])"}}});
  if (!said) {
    return;
  }

  check_quiet(*said);
  CHECK(said->at("values").at(0) ==
        json::array({is_known && is_held ? json{"layer of the model", false}
                                         : json{"layer of the model (none known)", true}}));
}
