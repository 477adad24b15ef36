// What was alive, on a page in a real browser: its table, its flame graph, and what has changed
// since the peak.
#include "analyzer/html/page.hpp"
#include "analyzer/report/facts/report_sentences.hpp"
#include "analyzer/report/report_text.hpp"
#include "tests/analyzer/html/browser_page.hpp"
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
using tests::text_of;
using tests::TraceBuilder;

TEST_CASE("rows of what was alive open to their stacks, and differ in their words",
          "[page][browser]") {
  TraceBuilder trace;
  const auto allocate = [&trace](std::uint64_t bytes, const std::vector<std::string>& from) {
    std::vector<std::string> stack{"malloc", "read load.py:3"};
    stack.insert(stack.end(), from.begin(), from.end());
    stack.insert(stack.end(), {"<module> load.py:9", "PyEval_EvalCode", "main"});
    trace.allocate(bytes, trace.stack(stack));
  };
  allocate(48U << 20U, {"shard load.py:5"});
  allocate(27U << 20U, {"_PyEval_Vector", "_PyEval_Vector", "shard load.py:5"});
  allocate(27U << 20U, {"_PyEval_Vector", "_PyEval_Vector", "shard load.py:5"});
  allocate(10U << 20U, {"index load.py:7"});
  trace.session.copies_recorded = true;
  BrowsedPage page;
  const auto report = page.open(trace);
  const auto open_all = [](const std::string& details) {
    return json{{"evaluate", "(document.querySelectorAll('" + details +
                                 "').forEach(e => { e.open = true; }), "
                                 "new Promise(done => requestAnimationFrame(() => "
                                 "requestAnimationFrame(() => done()))))"}};
  };

  const auto said = page.browse(
      {text_of("#live-title"),
       live_rows(),
       open_all("#live-table details"),
       open_all("#live-table .stack-part details"),
       {{"evaluate",
         "[...document.querySelectorAll('#live-table .stack-part')].map(e => "
         "[e.querySelector('summary').textContent, e.querySelectorAll('.frame-line').length])"}},
       {{"evaluate",
         "[...document.querySelectorAll('#live-table .life')].map(e => e.textContent)"}}});
  if (!said) {
    return;
  }

  check_quiet(*said);
  const json& values = said->at("values");
  CHECK(values.at(0) == analyzer::live_title_of(report));
  CHECK(values.at(1) ==
        json{{"102.0 MiB", "91.1%", "3", "heap", "read load.py:3 from shard load.py:5"},
             {"10.0 MiB", "8.93%", "1", "heap", "read load.py:3 from index load.py:7"}});
  CHECK(values.at(4) ==
        json::array({json{"54.0 MiB in 2 blocks", 6}, json{"48.0 MiB in 1 block", 5}}));
  REQUIRE(values.at(5).size() == 4);
  CHECK_THAT(values.at(5).at(0).get<std::string>(),
             Catch::StartsWith("allocated at 0 ns by ") &&
                 Catch::EndsWith("; never freed; largest: 48.0 MiB"));
  CHECK(values.at(5).at(1) == "no read or copy of 64.0 KiB or more into them was seen");
}

TEST_CASE("a page's largest block at the peak opens to its life and its stack", "[page][browser]") {
  TraceBuilder trace;
  trace.at_ms(10).allocate(64 * tests::kMiB, trace.stack({"malloc", "load", "main"}));
  for (int i = 0; i < 3; ++i) {
    trace.allocate(30 * tests::kMiB, trace.stack({"malloc", "many", "main"}));
  }
  trace.at_ms(90).allocate(1);
  BrowsedPage page;
  page.open(trace);

  const auto said = page.browse({text_of("#largest-block summary"),
                                 {{"click", centre_of("#largest-block summary")}},
                                 text_of("#largest-block .life"),
                                 text_of("#largest-block")});
  if (!said) {
    return;
  }

  check_quiet(*said);
  const json& values = said->at("values");
  CHECK_THAT(values.at(0).get<std::string>(),
             Catch::StartsWith("Largest block at the peak: 64.0 MiB by load"));
  CHECK_THAT(values.at(1).get<std::string>(), Catch::StartsWith("allocated at 10 ms by "));
  CHECK_THAT(values.at(2).get<std::string>(), Catch::Contains("malloc") && Catch::Contains("main"));
}

TEST_CASE("a page says what lists the stacks that it has summed", "[page][browser]") {
  TraceBuilder trace;
  for (int i = 0; i < 50; ++i) {
    trace.at_ms(9).allocate(10, trace.stack({"malloc", "small" + std::to_string(i), "main"}));
  }
  trace.at_ms(10).allocate(10'000'000, trace.stack({"malloc", "large", "main"}));
  trace.at_ms(20).allocate(90'000'000, trace.stack({"malloc", "large", "main"}));
  trace.at_ms(30).allocate(1);
  BrowsedPage page;
  page.open(trace);

  const auto said = page.browse({text_of("#left-out .command"),
                                 {{"click", axis_at(0.4)}},
                                 text_of("#left-out .command"),
                                 {{"click", axis_at(0.1)}},
                                 {{"evaluate", "document.querySelector('#left-out')"}}});
  if (!said) {
    return;
  }

  check_quiet(*said);
  CHECK(said->at("values").at(0) == "tidemark report --top 0 FILE");
  CHECK(said->at("values").at(1) == "tidemark report --at 10000000ns --top 0 FILE");
  CHECK(said->at("values").at(2).is_null());
}

TEST_CASE("a flame graph of many deep stacks has as many boxes as a browser can draw at once",
          "[page][browser]") {
  TraceBuilder trace;
  for (int i = 0; i < 100; ++i) {
    std::vector<std::string> stack{"malloc"};
    for (int depth = 0; depth < 60; ++depth) {
      stack.push_back("f" + std::to_string(i) + "_" + std::to_string(depth));
    }
    stack.emplace_back("main");
    trace.allocate(1'000'000U + 1000U * static_cast<unsigned>(i), trace.stack(stack));
  }
  trace.at_ms(9).allocate(1);
  BrowsedPage page;
  page.open(trace);

  const auto said =
      page.browse({{{"evaluate", "document.querySelectorAll('#live .flame-frame').length"}},
                   {{"evaluate",
                     "[...document.querySelectorAll('#live .flame-frame')].filter(e => "
                     "e.title.includes('smaller parts of main')).length"}}});
  if (!said) {
    return;
  }

  check_quiet(*said);
  CHECK(said->at("values").at(0).get<int>() > 1000);
  CHECK(said->at("values").at(0).get<int>() <= 1700);
  CHECK(said->at("values").at(1) == 1);
}

TEST_CASE("branches of small stacks that read the same are one row", "[page][browser]") {
  TraceBuilder trace;
  trace.allocate(100'000'000, trace.stack({"malloc", "weights", "main"}));
  for (const char* const parse : {"parse p.cpp:1", "parse p.cpp:2"}) {
    for (int i = 0; i < 10; ++i) {
      trace.allocate(10'240, trace.stack({"malloc", "f" + std::to_string(i), parse, "main"}));
    }
  }
  BrowsedPage page;
  page.open(trace);

  const auto said = page.browse(json::array({live_rows(), text_of("#live-title")}));
  if (!said) {
    return;
  }

  check_quiet(*said);
  const json& rows = said->at("values").at(0);
  REQUIRE(rows.size() == 2);
  CHECK(rows.at(1) == json{"200.0 KiB", "0.20%", "20", "heap", "20 smaller stacks through parse"});
  CHECK_THAT(said->at("values").at(1).get<std::string>(), Catch::EndsWith("from 21 stacks"));
}

TEST_CASE(
    "the flame graph of a Python program has its lines, and not the interpreter's own functions",
    "[page][browser]") {
  auto opened =
      analyzer::LoadedTrace::open(std::string(TIDEMARK_RECORDED_LOADS) + "/gguf-before.tmk");
  REQUIRE(opened.ok());
  const auto report = analyzer::build_report(opened.value(), {});
  REQUIRE(report.ok());
  BrowsedPage page;
  page.open(html::report_page(opened.value(), report.value()));
  const auto titled = [](const std::string& begin) {
    return json{{"evaluate",
                 "[...document.querySelectorAll('.flame-frame')].filter(e => "
                 "e.title.startsWith('" +
                     begin + "')).length"}};
  };

  const auto said =
      page.browse(json::array({titled("_PyRun_SimpleFileObject"), titled("_apply_over"),
                               titled("_PyEval_EvalFrameDefault"), titled("malloc")}));
  if (!said) {
    return;
  }

  check_quiet(*said);
  CHECK(said->at("values").at(0) == 0);
  CHECK(said->at("values").at(1) != 0);
  CHECK(said->at("values").at(2) == 0);
  CHECK(said->at("values").at(3) == 0);
}

TEST_CASE("away from the peak a page says what has come and gone since", "[page][browser]") {
  TraceBuilder trace;
  const auto gone =
      trace.at_ms(10).allocate(60 * tests::kMiB, trace.stack({"malloc", "copy", "main"}));
  trace.allocate(30 * tests::kMiB, trace.stack({"malloc", "weights", "main"}));
  trace.at_ms(20).release(gone);
  trace.at_ms(30).allocate(5 * tests::kMiB, trace.stack({"malloc", "cache", "main"}));
  BrowsedPage page;
  page.open(trace);
  const json later{{"click", centre_of("#live .buttons button:nth-child(3)")}};
  const json earlier{{"click", centre_of("#live .buttons button:nth-child(1)")}};

  const auto said = page.browse({live_rows(),
                                 later,
                                 text_of("#live-title"),
                                 live_rows(),
                                 {{"click", centre_of("#live-table th:nth-child(2) button")}},
                                 live_rows(),
                                 later,
                                 live_rows(),
                                 text_of("#live-table th:nth-child(2)"),
                                 {{"click", centre_of("#to-peak")}},
                                 earlier,
                                 text_of("#live-title")});
  if (!said) {
    return;
  }

  check_quiet(*said);
  const json& values = said->at("values");
  const json weights{"30.0 MiB", "0 B", "100.0%", "1", "heap", "weights [loader]"};
  const json copy{"0 B", "-60.0 MiB", "0%", "0", "heap", "copy [loader]"};
  CHECK(values.at(0) == json::array({json{"60.0 MiB", "66.7%", "1", "heap", "copy [loader]"},
                                     json{"30.0 MiB", "33.3%", "1", "heap", "weights [loader]"}}));
  CHECK(values.at(1) ==
        "alive at 20 ms, 10 ms after the peak: 30.0 MiB from 1 stack; since the peak: -60.0 MiB");
  CHECK(values.at(2) == json::array({weights, copy}));
  CHECK(values.at(3) == json::array({copy, weights}));
  CHECK(values.at(4) ==
        json::array({copy, json{"5.00 MiB", "+5.00 MiB", "14.3%", "1", "heap", "cache [loader]"},
                     json{"30.0 MiB", "0 B", "85.7%", "1", "heap", "weights [loader]"}}));
  CHECK(values.at(5) == "since the peak");
  CHECK(values.at(6) == "alive at 10 ms: 60.0 MiB from 1 stack; against the peak: -30.0 MiB");
}

TEST_CASE("right after the peak a page says how long nothing came back", "[page][browser]") {
  TraceBuilder trace;
  const auto gone =
      trace.at_ms(10).allocate(60 * tests::kMiB, trace.stack({"malloc", "copy", "main"}));
  const auto weights = trace.allocate(30 * tests::kMiB, trace.stack({"malloc", "weights", "main"}));
  trace.at_ms(110).release(gone);
  trace.at_ms(120).release(weights);
  BrowsedPage page;
  page.open(trace);
  const json later{{"click", centre_of("#live .buttons button:nth-child(3)")}};

  const auto said = page.browse({{{"click", centre_of("#to-peak")}},
                                 text_of("#instant-note"),
                                 later,
                                 text_of("#instant-note"),
                                 later,
                                 text_of("#instant-note")});
  if (!said) {
    return;
  }

  check_quiet(*said);
  const json& values = said->at("values");
  CHECK_THAT(values.at(0).get<std::string>(), !Catch::Contains("came back"));
  CHECK_THAT(values.at(1).get<std::string>(),
             Catch::Contains("ms after the peak, less than 1 % of it came back."));
  CHECK_THAT(values.at(2).get<std::string>(), !Catch::Contains("came back"));
}

TEST_CASE("a click before a fall shows what stood then, though what is behind it is nearer",
          "[page][browser]") {
  TraceBuilder trace;
  const auto gone =
      trace.at_ms(10).allocate(60 * tests::kMiB, trace.stack({"malloc", "copy", "main"}));
  trace.allocate(30 * tests::kMiB, trace.stack({"malloc", "weights", "main"}));
  trace.at_ms(20).release(gone);
  trace.at_ms(100).allocate(1, trace.stack({"malloc", "note", "main"}));
  BrowsedPage page;
  page.open(trace);

  const auto said = page.browse({{{"click", axis_at(0.17)}},
                                 text_of("#live-title"),
                                 text_of("#instant-note"),
                                 {{"click", axis_at(0.25)}},
                                 text_of("#live-title"),
                                 {{"click", axis_at(0.9)}},
                                 text_of("#live-title"),
                                 text_of("#instant-note")});
  if (!said) {
    return;
  }

  check_quiet(*said);
  const json& values = said->at("values");
  CHECK(values.at(0) == "alive at the peak: 90.0 MiB from 2 stacks");
  CHECK_THAT(values.at(1).get<std::string>(),
             Catch::Contains("the last one before of the 4 stored live sets is that at 0.010"));
  CHECK(values.at(2) ==
        "alive at 20 ms, 10 ms after the peak: 30.0 MiB from 1 stack; since the peak: -60.0 MiB");
  // Of a byte more nobody sees a thing, but it is not what was held then.
  CHECK(values.at(3) ==
        "alive at 20 ms, 10 ms after the peak: 30.0 MiB from 1 stack; since the peak: -60.0 MiB");
  CHECK_THAT(values.at(4).get<std::string>(), Catch::Contains("the last one before"));
}

TEST_CASE("the button of a finding scrolls to what it shows", "[page][browser]") {
  auto opened =
      analyzer::LoadedTrace::open(std::string(TIDEMARK_RECORDED_LOADS) + "/tvm-before.tmk");
  REQUIRE(opened.ok());
  const auto report = analyzer::build_report(opened.value(), {});
  REQUIRE(report.ok());
  BrowsedPage page;
  page.open(html::report_page(opened.value(), report.value()));

  const auto said = page.browse(
      {{{"click", centre_of(".finding .buttons button")}},
       {{"evaluate",
         "document.querySelector('#live').getBoundingClientRect().top < innerHeight / 2"}}});
  if (!said) {
    return;
  }

  check_quiet(*said);
  CHECK(said->at("values").at(0) == true);
}

TEST_CASE(
    "below a line of Python a row names the extension's function that asked, as the text does",
    "[page][browser]") {
  TraceBuilder trace;
  const auto extension =
      trace.writer().add_module({.path = "/v/_ext.so", .build_id = "", .base = 0});
  const auto line =
      trace.stack({"load load.py:3", "<module> load.py:9", "PyEval_EvalCode", "main"});
  for (const std::uint64_t step : {0x100U, 0x200U}) {
    // Without names: the last one asked.
    auto stack = line;
    for (const std::uint64_t offset : {0x1f0U + step, 0x1a0U + step, 0x120U + step}) {
      const auto frame = trace.writer().add_frame({.module = extension, .offset = offset});
      stack = trace.writer().add_stack({.parent = stack, .frame = frame});
    }
    trace.allocate(8 * tests::kMiB, stack);
  }
  BrowsedPage page;
  const auto report = page.open(trace);

  const auto said = page.browse(json::array({live_rows()}));
  if (!said) {
    return;
  }

  check_quiet(*said);
  const std::string text = analyzer::report_text(report, {.width = 80});
  REQUIRE(said->at("values").at(0).size() == 2);
  for (const json& row : said->at("values").at(0)) {
    const std::string who = row.at(4);
    const std::string through = who.substr(std::min(who.find("through "), who.size()));
    CHECK_THAT(through, Catch::StartsWith("through _ext"));
    CHECK_THAT(text, Catch::Contains(through.substr(0, through.find(" ["))));
  }
}
