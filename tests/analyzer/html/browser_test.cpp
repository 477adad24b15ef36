// A page of one load in a real browser: what it shows, and answers to clicks.
#include "analyzer/html/page.hpp"
#include "analyzer/report/facts/report_sentences.hpp"
#include "analyzer/text/size_text.hpp"
#include "tests/analyzer/html/browser_page.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

using namespace tidemark;
using nlohmann::json;
using tests::axis_at;
using tests::BrowsedPage;
using tests::centre_of;
using tests::check_quiet;
using tests::live_rows;
using tests::SamplePages;
using tests::text_of;
using tests::TraceBuilder;

TEST_CASE("a browser shows the page of a load, and answers to clicks", "[page][browser]") {
  TraceBuilder trace;
  tests::append_naive_load(trace);
  BrowsedPage page;
  const auto report = page.open(trace);

  const auto said = page.browse(
      {text_of("h1"),
       text_of("#live-title"),
       live_rows(),
       // 1 s of 4.12 s: the file's buffer alone is there.
       {{"click", axis_at(1.0 / 4.12)}},
       text_of("#live-title"),
       text_of("#instant-note"),
       live_rows(),
       // Back to the peak, and by blocks instead of bytes, then the other way round.
       {{"click", centre_of("#to-peak")}},
       {{"click", centre_of("#live-table th:nth-child(3) button")}},
       live_rows(),
       {{"click", centre_of("#live-table th:nth-child(3) button")}},
       live_rows(),
       {{"evaluate",
         "document.querySelector('#live-table th:nth-child(3)').getAttribute('aria-sort')"}}});
  if (!said) {
    return;
  }

  check_quiet(*said);
  const json& values = said->at("values");
  CHECK(values.at(0) == analyzer::headline_of(report));
  CHECK(values.at(1) == analyzer::live_title_of(report));
  REQUIRE(values.at(2).size() == 3);
  CHECK(values.at(2).at(0).at(0) == "5.00 GiB");
  CHECK(values.at(2).at(0).at(2) == "80");
  CHECK(values.at(3) ==
        "alive at 1.030 s, 2.2 s before the peak: 5.00 GiB from 2 stacks; against the peak: -5.00 "
        "GiB");
  CHECK_THAT(values.at(4).get<std::string>(),
             Catch::StartsWith("You clicked ") && Catch::Contains("the nearest of the "));
  REQUIRE(values.at(5).size() == 3);
  CHECK(values.at(5).at(0) ==
        json{"5.00 GiB", "0 B", "100.0%", "1", "heap", "read_whole_file loader.cpp:40"});
  CHECK(values.at(6).at(0).at(2) == "80");
  CHECK(values.at(7).at(0).at(2) == "1");
  CHECK(values.at(7).at(2).at(2) == "80");
  CHECK(values.at(8) == "ascending");
}

TEST_CASE("the wheel zooms at the pointer, dragging moves, a double click shows all",
          "[page][browser]") {
  TraceBuilder trace;
  trace.allocate(1000);
  trace.at_ms(10'000).allocate(1);
  BrowsedPage page;
  page.open(trace);
  // The time under a place, in seconds: what a hover says.
  const auto time_at = [](double share) {
    return json{
        {"evaluate", "(() => { const [x, y] = " + axis_at(share) +
                         "; document.querySelector('.timeline-canvas').dispatchEvent(new "
                         "PointerEvent('pointermove', {clientX: x, clientY: y})); return "
                         "parseFloat(document.querySelector('.tip-row').lastChild.textContent); "
                         "})()"}};
  };

  const auto said = page.browse({time_at(0.3),
                                 time_at(0.8),
                                 {{"wheel", {axis_at(0.3), -277.2588722}}},
                                 time_at(0.3),
                                 time_at(0.8),
                                 {{"drag", {axis_at(0.5), axis_at(0.4)}}},
                                 time_at(0.3),
                                 {{"double_click", axis_at(0.5)}},
                                 time_at(0.8)});
  if (!said) {
    return;
  }

  check_quiet(*said);
  const auto seconds = said->at("values").get<std::vector<double>>();
  const double zoomed = std::exp(-200 * 0.0025);
  CHECK(seconds.at(0) == Approx(3).margin(0.02));
  CHECK(seconds.at(1) == Approx(8).margin(0.02));
  CHECK(seconds.at(2) == Approx(3).margin(0.02));
  CHECK(seconds.at(3) == Approx(3 + 5 * zoomed).margin(0.02));
  CHECK(seconds.at(4) == Approx(3 + 1 * zoomed).margin(0.03));
  CHECK(seconds.at(5) == Approx(8).margin(0.02));
}

TEST_CASE("a browser runs nothing that a trace says", "[page][browser]") {
  const std::string evil =
      "</script><img src=x onerror='window.injected=1'><script>window.injected=1</script>";
  TraceBuilder trace;
  trace.session.command = {evil};
  trace.at_ms(1).begin_phase(evil);
  trace.read(trace.file("/" + evil + ".gguf", 5'000'000), 5'000'000);
  trace.allocate(100, trace.stack({evil, "main"}));
  trace.process(300, evil);
  trace.at_ms(9).end_phase(evil);
  BrowsedPage page;
  page.open(trace);

  const auto said =
      page.browse({{{"evaluate", "String(window.injected)"}},
                   text_of(".command"),
                   {{"evaluate", "document.querySelectorAll('main img, main script').length"}}});
  if (!said) {
    return;
  }

  check_quiet(*said);
  CHECK(said->at("values") == json{"undefined", evil, 0});
}

TEST_CASE("a browser says sizes and times as the text report does", "[page][browser]") {
  TraceBuilder trace;
  BrowsedPage page;
  page.open(trace);
  const std::vector<std::uint64_t> numbers{0,
                                           1,
                                           999,
                                           1023,
                                           1024,
                                           1280,
                                           1290,
                                           1792,
                                           1048524,
                                           1048576,
                                           1342177280,
                                           12'500,
                                           9'949,
                                           9'950,
                                           999'499,
                                           999'500,
                                           2'500'000'000,
                                           99'949'999'999,
                                           99'950'000'000,
                                           125'499'999'999,
                                           3'600'000'000'000};
  json sizes = json::array();
  json times = json::array();
  json fine_times = json::array();
  for (const std::uint64_t number : numbers) {
    sizes.push_back(analyzer::format_size(number));
    times.push_back(analyzer::format_time(number));
    fine_times.push_back(analyzer::format_exact_time(number));
  }

  const auto said = page.browse({{{"evaluate", json(numbers).dump() + ".map(units.size)"}},
                                 {{"evaluate", json(numbers).dump() + ".map(units.time)"}},
                                 {{"evaluate", json(numbers).dump() + ".map(units.fineTime)"}}});
  if (!said) {
    return;
  }

  check_quiet(*said);
  CHECK(said->at("values") == json{sizes, times, fine_times});
}

TEST_CASE("a browser holds a sample until the next, and the last until the end",
          "[page][browser]") {
  TraceBuilder trace;
  trace.at_ms(1).sample(100);
  trace.at_ms(5).sample(300);
  trace.at_ms(9).allocate(1);
  BrowsedPage page;
  page.open(trace);

  const auto said = page.browse({{{"evaluate",
                                   "LoadTrack.prototype.heldSamples.call({load: {data: "
                                   "{duration_ns: 9}}}, [1, 5], [100, 300])"}}});
  if (!said) {
    return;
  }

  check_quiet(*said);
  CHECK(said->at("values").at(0) == json{{1, 100}, {5, 100}, {5, 300}, {9, 300}});
}

TEST_CASE("a browser folds a long command to its beginning and its end", "[page][browser]") {
  TraceBuilder trace;
  trace.session.command = {"java", "-cp", std::string(3000, 'j'), "Load", "model.bin"};
  trace.at_ms(9).allocate(1);
  BrowsedPage page;
  page.open(trace);

  const auto said = page.browse(
      {text_of(".command summary"),
       {{"evaluate", "document.querySelector('.command').textContent.includes('j'.repeat(3000))"}},
       {{"evaluate", "document.querySelector('.command').open"}}});
  if (!said) {
    return;
  }

  check_quiet(*said);
  const auto summary = said->at("values").at(0).get<std::string>();
  CHECK(summary.starts_with("java -cp jjj"));
  CHECK(summary.ends_with("jjj Load model.bin"));
  CHECK(summary.size() < 200);
  CHECK(said->at("values").at(1) == true);
  CHECK(said->at("values").at(2) == false);
}

TEST_CASE("a browser writes the peak where no line of RSS runs through it", "[page][browser]") {
  SamplePages pages;
  BrowsedPage page;
  page.open(pages.report_page());
  const auto place = [](const std::string& line) {
    return json{{"evaluate",
                 "(({x, y, align}) => [x, y, align])(LoadTrack.prototype.placeBeside.call({frame: "
                 "{context: {measureText: () => ({width: 100})}}, box: {x: 0, y: 0, width: 1000, "
                 "height: 300}, residentLines: () => [" +
                     line + "]}, 300, 100, 'peak'))"}};
  };

  // Nowhere near; level through it; up beside it; where no side is free, the usual one; and where
  // several lines are above each other, above them all.
  const auto said =
      page.browse({place("[]"), place("[[0, 89], [1000, 89]]"), place("[[330, 300], [330, 0]]"),
                   place("[[250, 0], [250, 300], [350, 300], [350, 0]]"),
                   place("[[0, 89], [1000, 89]], [[0, 73], [1000, 73]], [[0, 57], [1000, 57]]")});
  if (!said) {
    return;
  }

  check_quiet(*said);
  CHECK(said->at("values") == json{{309, 89, "left"},
                                   {309, 73, "left"},
                                   {291, 89, "right"},
                                   {309, 89, "left"},
                                   {309, 41, "left"}});
}

TEST_CASE("a page has the largest tensors, who made them, and where in their file they lie",
          "[page][browser]") {
  auto opened =
      analyzer::LoadedTrace::open(std::string(TIDEMARK_RECORDED_LOADS) + "/safetensors-before.tmk");
  REQUIRE(opened.ok());
  analyzer::LoadedTrace& trace = opened.value();
  const auto report = analyzer::build_report(trace, {});
  REQUIRE(report.ok());
  BrowsedPage page;
  page.open(html::report_page(trace, report.value()));
  const auto said =
      page.browse({text_of("#tensors p"),
                   {{"evaluate",
                     "[...document.querySelectorAll('#tensors tbody tr')].map(row => [...row.cells]"
                     ".map(c => (c.querySelector('.function') ?? c).textContent))"}},
                   {{"evaluate", "document.querySelector('#tensors td:nth-child(5)').title"}}});
  if (!said) {
    return;
  }
  check_quiet(*said);
  // As `report --by tensor` says it.
  const json& values = said->at("values");
  CHECK(values.at(0) ==
        "weights at the peak, by tensor: 384.0 MiB of 398.4 MiB hold 12 of 12 tensors");
  REQUIRE(values.at(1).size() == 8);
  const auto& definitions = trace.definitions();
  const auto first = std::ranges::find(definitions.tensors, "layer0.weight", &trace::Tensor::name);
  REQUIRE(first != definitions.tensors.end());
  CHECK(values.at(1).at(0) == json{"layer0.weight", "f32", "32.0 MiB", "16.0 MiB",
                                   analyzer::format_size(first->begin), "read_bytes"});
  CHECK(values.at(2) == "from byte " + analyzer::format_count(first->begin) + " on");
}

TEST_CASE("the tooltip of the timeline leaves the names of the phases free", "[page][browser]") {
  TraceBuilder trace;
  trace.at_ms(10).begin_phase("short");
  trace.allocate(8 * tests::kMiB);
  trace.at_ms(20).end_phase("short");
  trace.at_ms(900).allocate(8 * tests::kMiB);
  BrowsedPage page;
  page.open(trace);

  const auto said = page.browse(
      {{{"evaluate",
         "(() => { const [x, y] = " + axis_at(0.5) +
             "; const canvas = document.querySelector('.timeline-canvas'); canvas.dispatchEvent("
             "new PointerEvent('pointermove', {clientX: x, clientY: y})); return document."
             "querySelector('.tip').getBoundingClientRect().top - canvas.getBoundingClientRect()"
             ".top - TRACK.phaseRow - TRACK.phaseNames; })()"}}});
  if (!said) {
    return;
  }

  check_quiet(*said);
  CHECK(said->at("values").at(0).get<double>() > 0);
}

TEST_CASE("a page says once that all phases were found", "[page][browser]") {
  const bool is_marked = GENERATE(false, true);
  TraceBuilder trace;
  const auto file = trace.file("/m/model.safetensors", 8 * tests::kMiB);
  trace.at_ms(10).allocate(8 * tests::kMiB);
  if (is_marked) {
    trace.begin_phase("load");
  }
  trace.at_ms(20).read(file, 8 * tests::kMiB);
  trace.at_ms(60).allocate(8 * tests::kMiB);
  if (is_marked) {
    trace.end_phase("load");
  }
  BrowsedPage page;
  page.open(trace);

  const auto said = page.browse({text_of("#phases th"), text_of("#phases table")});
  if (!said) {
    return;
  }

  check_quiet(*said);
  CHECK(said->at("values").at(0) == (is_marked ? "phase" : "phase (found)"));
  const std::string all = said->at("values").at(1);
  CHECK((all.find("(found)") == all.rfind("(found)")));
}

TEST_CASE("the begin and the end of a phase have the digits that tell them apart",
          "[page][browser]") {
  TraceBuilder trace;
  trace.at_ms(10).allocate(8 * tests::kMiB);
  trace.at_ms(1020).begin_phase("shard");
  trace.at_ms(1023).end_phase("shard");
  trace.begin_phase("next");
  trace.at_ns(1'023'200'000).end_phase("next");
  trace.at_ms(1100).allocate(1);
  BrowsedPage page;
  page.open(trace);

  const auto said = page.browse({{{"evaluate",
                                   "[...document.querySelectorAll('#phases tbody tr')].map(row => "
                                   "[...row.cells].slice(0, 4).map(c => c.textContent))"}}});
  if (!said) {
    return;
  }

  check_quiet(*said);
  const json& rows = said->at("values").at(0);
  CHECK(rows.at(0) == json{"shard", "1.020 s", "1.023 s", "3.0 ms"});
  CHECK(rows.at(1) == json{"next", "1.023000 s", "1.023200 s", "200 us"});
}

TEST_CASE("a page says of a model whose tensors are not known that none are", "[page][browser]") {
  const bool is_model = GENERATE(true, false);
  const bool is_listed = is_model && GENERATE(true, false);
  TraceBuilder trace;
  const auto file = trace.file("/m/ir.bin", 8 * tests::kMiB);
  if (is_model) {
    trace.read(file, 8 * tests::kMiB);
  }
  if (is_listed) {
    trace.tensor(file, tests::kMiB, 4 * tests::kMiB);
  }
  trace.allocate(8 * tests::kMiB);
  BrowsedPage page;
  page.open(trace);

  const auto said =
      page.browse({text_of("#tensors p"),
                   {{"evaluate", "document.querySelectorAll('#tensors table').length"}}});
  if (!said) {
    return;
  }

  check_quiet(*said);
  CHECK(said->at("values").at(0) ==
        (is_listed  ? "no tensors of ir.bin are known at the peak: it lists 1, but none is there "
                      "then, or its bytes came in pieces below 64 KiB or through loops of the "
                      "program's own"
         : is_model ? "no tensors of ir.bin are known: its format lists none that tidemark can read"
                    : "no tensors are known at the peak: no file of a model is, and none that was "
                      "read lists any"));
  CHECK(said->at("values").at(1) == 0);
}

TEST_CASE("a page's way of the model says how many files there are", "[page][browser]") {
  constexpr std::uint64_t kBytes = std::uint64_t{8} << 20U;
  TraceBuilder trace;
  for (int i = 0; i < 16; ++i) {
    const auto file = trace.file("/m/shard-" + std::to_string(i) + ".safetensors", kBytes);
    trace.at_ms(static_cast<std::uint64_t>(10 + i))
        .read_into(file, kBytes, trace.allocate(kBytes, trace.stack({"malloc", "load", "main"})));
  }
  trace.at_ms(90).allocate(1);
  BrowsedPage page;
  page.open(trace);

  const auto said = page.browse({text_of(".chain-node.file .function"), text_of("h1")});
  if (!said) {
    return;
  }

  check_quiet(*said);
  CHECK_THAT(said->at("values").at(0).get<std::string>(), Catch::EndsWith(" and 15 more"));
}

TEST_CASE("a finding that is unticked falls off the page's curve", "[page][browser]") {
  auto opened =
      analyzer::LoadedTrace::open(std::string(TIDEMARK_RECORDED_LOADS) + "/tvm-before.tmk");
  REQUIRE(opened.ok());
  analyzer::LoadedTrace& trace = opened.value();
  const auto report = analyzer::build_report(trace, {});
  REQUIRE(report.ok());
  REQUIRE_FALSE(report.value().anatomy.findings.empty());
  const auto& finding = report.value().anatomy.findings.front();
  REQUIRE(finding.peak_without_bytes.has_value());
  BrowsedPage page;
  page.open(html::report_page(trace, report.value()));
  const json drawn{{"evaluate",
                    "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => "
                    "done(document.querySelector('.timeline-canvas').toDataURL()))))"}};
  const json tick{{"click", centre_of(".finding input")}};
  const auto said = page.browse(
      json::array({drawn, tick, text_of(".what-if"), drawn, tick, text_of(".what-if"), drawn}));
  if (!said) {
    return;
  }
  check_quiet(*said);
  const json& values = said->at("values");
  CHECK(values[1].get<std::string>().find("a peak of " +
                                          analyzer::format_size(*finding.peak_without_bytes)) !=
        std::string::npos);
  CHECK(values[2] != values[0]);
  CHECK(values[3].get<std::string>().empty());
  CHECK(values[4] == values[0]);
}
