// A page for those who have no mouse, a phone, or a browser that cannot draw it.
#include "analyzer/diff/diff_rows.hpp"
#include "analyzer/html/page.hpp"
#include "analyzer/report/facts/report_sentences.hpp"
#include "tests/analyzer/html/browser_page.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>

using namespace tidemark;
using nlohmann::json;
using tests::BrowsedPage;
using tests::check_quiet;
using tests::SamplePages;
using tests::text_of;
using tests::TraceBuilder;

TEST_CASE("on a phone the names of the functions are on the screen", "[page][browser]") {
  SamplePages pages;
  BrowsedPage page;
  page.open(pages.diff_page());

  const auto said =
      page.browse({{{"width", 390}},
                   {{"evaluate",
                     "[...document.querySelectorAll('#stacks tbody tr:not(.folded)')].map(row => {"
                     " const name = row.querySelector('td:last-child').getBoundingClientRect();"
                     " return [name.left >= 0 && name.right <= 390 && name.width > 200,"
                     " row.getBoundingClientRect().height < 110]; })"}},
                   {{"evaluate", "document.documentElement.scrollWidth"}},
                   {{"evaluate",
                     "[...document.querySelectorAll('.flame-parts li')].map(e => {"
                     " const r = e.getBoundingClientRect();"
                     " return r.width > 200 && r.right <= 390 && e.textContent !== ''; })"}},
                   {{"evaluate",
                     "[...document.querySelectorAll('.table-box')].map(e => e.scrollWidth <= "
                     "e.clientWidth)"}},
                   {{"evaluate",
                     "[...document.querySelector('#peaks tbody tr').cells]"
                     ".map(c => c.innerText)"}},
                   {{"evaluate",
                     "document.querySelector('.timeline').getBoundingClientRect().bottom <= "
                     "document.querySelector('.legend').getBoundingClientRect().top"}},
                   {{"evaluate",
                     "(document.querySelector('.finding p').textContent = 'x'.repeat(90),"
                     " document.documentElement.scrollWidth)"}}});
  if (!said) {
    return;
  }

  check_quiet(*said);
  REQUIRE(said->at("values").at(0).size() > 1);
  for (const json& row : said->at("values").at(0)) {
    CHECK(row == json{true, true});
  }
  CHECK(said->at("values").at(1).get<int>() <= 390);
  for (const std::size_t all : {2U, 3U}) {
    REQUIRE_FALSE(said->at("values").at(all).empty());
    for (const json& is_on_screen : said->at("values").at(all)) {
      CHECK(is_on_screen == true);
    }
  }
  // No column is off the screen: what the change is of the value before stands below it.
  const analyzer::DiffRow footprint = analyzer::lane_rows(pages.diff()).front();
  CHECK(said->at("values").at(4) == json{footprint.name, footprint.before, footprint.after,
                                         footprint.change + "\n" + footprint.percent,
                                         footprint.percent});
  CHECK(said->at("values").at(5) == true);
  CHECK(said->at("values").at(6).get<int>() <= 390);
}

TEST_CASE("on a phone names that begin alike are told apart, and their lines end behind scopes",
          "[page][browser]") {
  TraceBuilder trace;
  trace.read(trace.file("/model.gguf", 3000), 3000);
  for (const std::string name : {"attention_projections", "attention_embeddings"}) {
    trace.allocate(
        600'000'000,
        trace.stack({"malloc", "acme::runtime::weights::load_" + name + " loader.cpp:40", "main"}));
  }
  trace.allocate(
      1, trace.stack({"malloc", "small",
                      "acme::runtime::inference::weights::ParallelWeightLoader::load", "main"}));
  trace.at_ms(9).allocate(1);
  auto loaded = trace.open();
  const auto report = analyzer::build_report(loaded, {});
  REQUIRE(report.ok());
  BrowsedPage page;
  page.open(html::report_page(loaded, report.value()));

  const auto said = page.browse(
      {{{"width", 390}},
       {{"evaluate",
         "[...document.querySelectorAll('.flame-frame[title^=acme] .flame-name')]"
         ".map(e => [e.textContent, e.scrollWidth <= e.clientWidth])"}},
       {{"evaluate",
         "[names.fitted('a::b<c::d>::run', () => true),"
         " ...[14, 12, 10, 9, 4, 3].map(room => names.fitted('ab::cd::read_slices', t => t.length "
         "<= "
         "room)), names.fitted('ab::read_attention', t => t.length <= 12)]"}},
       // The swatch, or the arrow, and the name begin in one line.
       {{"evaluate",
         "[...document.querySelectorAll('.legend .layer')].filter(e => "
         "e.textContent.startsWith('acme'))"
         ".map(e => { const range = document.createRange(); "
         "range.selectNodeContents(e.childNodes[1]);"
         " return Math.abs(range.getClientRects()[0].top - "
         "e.firstChild.getBoundingClientRect().top) < 8; })"}},
       {{"evaluate",
         "[...document.querySelectorAll('#live-table td')].filter(e => e.scrollWidth > "
         "e.clientWidth"
         " || e.getBoundingClientRect().right > 390).map(e => e.textContent)"}},
       {{"evaluate", "names.lines('a::b::c').map(e => e.tagName === 'WBR' ? '|' : e).join('')"}},
       {{"evaluate", "el('p', {}, 'a peak of 3.45 x W.').querySelector('.whole').textContent"}},
       {{"evaluate",
         "anatomy.chainNode({kind: 'block', name: 'load (load.py:8)', bytes: 1, peak_bytes: 1, "
         "lane: "
         "'heap'}, [], {}).firstChild.textContent"}},
       // Further lines of a stack's long name begin below it.
       {{"evaluate",
         "(() => { const line = frames.line({name: 'acme::'.repeat(20), place: '', file: '', "
         "module: ''}, 'from'); document.body.append(line); const lines = new Map();"
         " for (const r of line.querySelector('.function').getClientRects()) {"
         " lines.set(r.top, Math.min(r.left, lines.get(r.top) ?? Infinity)); } line.remove();"
         " return lines.size > 1 && new Set(lines.values()).size === 1; })()"}}});
  if (!said) {
    return;
  }

  check_quiet(*said);
  const json& values = said->at("values");
  REQUIRE(values.at(0).size() == 2);
  CHECK(values.at(0).at(0).at(0) != values.at(0).at(1).at(0));
  for (const json& name : values.at(0)) {
    CHECK(name.at(0).get<std::string>().starts_with("load_a"));
    CHECK(name.at(1) == true);
  }
  CHECK(values.at(1) == json{"a::b<c::d>::run", "read_slices", "read_slices", "read_slic…",
                             "read_sli…", "rea…", "", "read_att…ion"});
  CHECK(values.at(2) == json{true, true});
  CHECK(values.at(3) == json::array());
  CHECK(values.at(4) == "a::|b::|c");
  CHECK(values.at(5) == "3.45 x W");
  CHECK(values.at(6) == "load load.py:8");
  CHECK(values.at(7) == true);
}

TEST_CASE("on a phone no line ends between a number and its unit, or a button and its like",
          "[page][browser]") {
  SamplePages pages;
  const bool is_diff = GENERATE(false, true);
  BrowsedPage page;
  page.open(is_diff ? pages.diff_page() : pages.report_page());

  const auto said = page.browse(
      {{{"width", 390}},
       {{"evaluate",
         "[...document.querySelectorAll('.zoom button')].map(e => e.getBoundingClientRect().top)"}},
       // Whatever the width: every number with a unit has one line of its own.
       {{"evaluate",
         "[390, 350, 330, 310].flatMap(width => {"
         " document.getElementById('page').style.width = width + 'px';"
         " const texts = document.createTreeWalker(document.querySelector('main'), 4);"
         " const cut = [];"
         " while (texts.nextNode()) { const node = texts.currentNode;"
         "  if (!node.parentElement.closest('h1, h2, p, .finding, .chain')) continue;"
         "  for (const size of node.data.matchAll(/[0-9][0-9.,]* [KMG]iB/g)) {"
         "   const range = document.createRange(); range.setStart(node, size.index);"
         "   range.setEnd(node, size.index + size[0].length);"
         "   if (range.getClientRects().length > 1) cut.push(width + ': ' + node.data); } }"
         " return cut; })"}},
       {{"evaluate",
         // The page was opened wider than that.
         "[...document.querySelectorAll('.flame-frame')].filter(e => {"
         " const name = e.querySelector('.flame-name'); return e.querySelector('.flame-size')"
         " && name.clientWidth < 24 && name.scrollWidth > name.clientWidth; })"
         ".map(e => e.textContent)"}},
       {{"evaluate",
         "details.path('/a/long one/b.py').map(e => e.tagName === 'WBR' ? '|' : e).join('')"}}});
  if (!said) {
    return;
  }

  check_quiet(*said);
  const json& tops = said->at("values").at(0);
  REQUIRE(tops.size() == 3);
  CHECK(tops.at(0) == tops.at(2));
  CHECK(said->at("values").at(1) == json::array());
  CHECK(said->at("values").at(2) == json::array());
  CHECK(said->at("values").at(3) == "/|a/|long one/|b.py");
}

TEST_CASE("a browser that cannot draw the page says which parts are missing, and has the words",
          "[page][browser]") {
  SamplePages pages;
  const bool is_diff = GENERATE(false, true);
  const bool has_scripts = GENERATE(false, true);
  CAPTURE(is_diff, has_scripts);
  BrowsedPage page;
  page.open(is_diff ? pages.diff_page() : pages.report_page());

  const auto said = page.browse(
      {{{"without", has_scripts ? "DecompressionStream" : "JavaScript"}},
       text_of("h1"),
       {{"evaluate",
         "[...document.querySelectorAll('.warning')].filter(e => e.getBoundingClientRect().height)"
         ".map(e => [e.textContent, e.getBoundingClientRect().bottom < 300])"}},
       {{"evaluate",
         "[...document.querySelectorAll('table')].map(t => [...t.rows[1].cells]"
         ".map(c => c.textContent))"}},
       {{"evaluate", "document.documentElement.scrollWidth <= innerWidth"}}});
  if (!said) {
    return;
  }

  check_quiet(*said);
  const json& values = said->at("values");
  REQUIRE_FALSE(values.at(1).empty());
  CHECK_THAT(values.at(1).at(0).at(0).get<std::string>(),
             Catch::StartsWith(has_scripts ? "This browser is too old " : "JavaScript is off, ") &&
                 Catch::Contains("are missing: the timeline, the flame graph, "));
  CHECK(values.at(1).at(0).at(1) == true);
  CHECK(values.at(1).size() ==
        1 + (is_diff ? analyzer::warnings_of(pages.diff()) : analyzer::warnings_of(pages.report()))
                .size());
  CHECK(values.at(0) == (is_diff ? analyzer::headline_of(pages.diff(), "→")
                                 : analyzer::headline_of(pages.report())));
  CHECK(values.at(2).size() == (is_diff ? 3 : 1));
  CHECK(values.at(2).at(0).at(0) == "footprint");
  CHECK(values.at(2).at(0).at(1) == "10.0 GiB");
  CHECK(values.at(3) == true);
}

TEST_CASE("every control of a page is reached by Tab, has a name, and shows that it has the focus",
          "[page][browser]") {
  SamplePages pages;
  BrowsedPage page;
  page.open(GENERATE(false, true) ? pages.diff_page() : pages.report_page());
  const json note{
      {"evaluate",
       "(() => { const e = document.activeElement; window.met = (window.met || new Set()).add(e);"
       " const name = e.ariaLabel || [...(e.labels ?? [])].map(l => l.textContent).join()"
       " || e.textContent; return [name.trim() !== '', e === document.body ||"
       " getComputedStyle(e).outlineStyle !== 'none']; })()"}};
  json steps = json::array();
  constexpr std::size_t kPresses = 80;
  for (std::size_t i = 0; i < kPresses; ++i) {
    steps.push_back({{"key", "Tab"}});
    steps.push_back(note);
  }
  steps.push_back({{"evaluate",
                    "[...document.querySelectorAll('button, select, input, summary, canvas')]"
                    ".filter(e => e.checkVisibility() && !met.has(e) && !e.matches('.flame-frame'))"
                    ".map(e => e.outerHTML)"}});
  steps.push_back({{"evaluate", "[...met].filter(e => e.matches('.flame-frame')).length"}});

  const auto said = page.browse(steps);
  if (!said) {
    return;
  }

  check_quiet(*said);
  for (std::size_t i = 0; i < kPresses; ++i) {
    CHECK(said->at("values").at(i) == json{true, true});
  }
  CHECK(said->at("values").at(kPresses) == json::array());
  // Hundreds of boxes would stand between the graph and what is below it.
  CHECK(said->at("values").at(kPresses + 1) == 1);
}

TEST_CASE("a flame graph and the timeline are used by keys", "[page][browser]") {
  SamplePages pages;
  BrowsedPage page;
  page.open(pages.report_page());
  const json focused{{"evaluate", "document.activeElement.ariaLabel"}};
  const json told{{"evaluate", "document.querySelector('.flame-told').textContent"}};
  const auto focus = [](const std::string& selector) {
    return json{{"evaluate", "document.querySelector('" + selector + "').focus()"}};
  };
  const auto key = [](const std::string& name) { return json{{"key", name}}; };

  const auto said = page.browse(
      {focus("#live .flame-frame"),
       key("ArrowDown"),
       focused,
       key("ArrowDown"),
       key("ArrowRight"),
       focused,
       told,
       key("ArrowUp"),
       focused,
       key("ArrowDown"),
       key("Enter"),
       focused,
       text_of(".flame-way"),
       key("Escape"),
       focused,
       text_of(".flame-way"),
       focus(".timeline-canvas"),
       key("ArrowLeft"),
       {{"evaluate", "parseFloat(document.querySelector('.tip-row').lastChild.textContent)"}},
       key("Enter"),
       text_of("#instant-note")});
  if (!said) {
    return;
  }

  check_quiet(*said);
  const json& values = said->at("values");
  CHECK(values.at(1) == "main, 10.0 GiB");
  CHECK(values.at(2) == "load_model, 5.00 GiB");
  CHECK(values.at(3) == "load_model(char const*): 5.00 GiB, 50.0%, 1 block");
  CHECK(values.at(4) == "main, 10.0 GiB");
  // Behind Enter the keyboard is still with the function.
  CHECK(values.at(5) == "load_model, 5.00 GiB");
  CHECK(values.at(6) == "Show all load_model: 5.00 GiB, 50.0%, 80 blocks");
  CHECK(values.at(7) == "all, 10.0 GiB");
  CHECK(values.at(8) == "");
  // A hundredth of 4.12 s before their middle.
  CHECK(values.at(10) == Approx(2.0188));
  CHECK_THAT(values.at(11).get<std::string>(), Catch::StartsWith("You clicked 2.0188"));
}
