// Looks at pages with a real browser: what it shows, and what it does when somebody uses it.
#include "analyzer/diff/diff_rows.hpp"
#include "analyzer/html/page.hpp"
#include "analyzer/report/facts/report_sentences.hpp"
#include "analyzer/text/size_text.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

using namespace tidemark;
using nlohmann::json;
using tests::TraceBuilder;

namespace {

/// The text of an element.
json text_of(const std::string& selector) {
  return {{"evaluate", "document.querySelector('" + selector + "').textContent"}};
}

/// Scrolls an element to the middle of the window and gives its centre.
std::string centre_of(const std::string& selector) {
  return "(() => { const e = document.querySelector(`" + selector +
         "`); e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();"
         " return [r.left + r.width / 2, r.top + r.height / 2]; })()";
}

/// A place on the timeline: a share of its axis from the left.
std::string axis_at(double share) {
  return "(() => { const c = document.querySelector('.timeline-canvas');"
         " c.scrollIntoView({block: 'center'}); const r = c.getBoundingClientRect();"
         " return [r.left + TRACK.left + (r.width - TRACK.left - TRACK.right) * " +
         std::to_string(share) + ", r.top + 100]; })()";
}

/// The rows of the live set's table, cell by cell; the last cell is cut at its first line.
const json kLiveRows{{"evaluate",
                      "[...document.querySelectorAll('#live-table tbody tr')].map(row => "
                      "[...row.cells].map(c => (c.querySelector('summary') ?? c).textContent))"}};

class Page {
 public:
  void open(const std::string& html) { std::ofstream(folder_.file("page.html")) << html; }

  /// What the browser says of the steps; none where there is no browser.
  std::optional<json> browse(const json& steps) {
    if (std::system("command -v chromium > /dev/null && command -v python3 > /dev/null") != 0) {
      SKIP_TEST("no chromium and python3 here, so nobody looks at the page");
      return std::nullopt;
    }
    std::ofstream(folder_.file("steps.json")) << steps;
    const std::string command = "python3 " TIDEMARK_BROWSER " chromium " +
                                folder_.file("page.html") + ' ' + folder_.file("steps.json") +
                                " > " + folder_.file("said.json");
    INFO(command);
    REQUIRE(std::system(command.c_str()) == 0);
    std::ostringstream said;
    said << std::ifstream(folder_.file("said.json")).rdbuf();
    return json::parse(said.str());
  }

 private:
  tests::TemporaryFolder folder_;
};

void check_quiet(const json& said) {
  CHECK(said.at("errors") == json::array());
  CHECK(said.at("requests") == json::array());
}

}  // namespace

TEST_CASE("a browser shows the page of a load, and answers to clicks", "[page][browser]") {
  TraceBuilder trace;
  tests::append_naive_load(trace);
  auto loaded = trace.open();
  const auto report = analyzer::build_report(loaded, {});
  REQUIRE(report.ok());
  Page page;
  page.open(html::report_page(loaded, report.value()));

  const auto said = page.browse(
      {text_of("h1"),
       text_of("#live-title"),
       kLiveRows,
       // 1 s of 4.12 s: the file's buffer alone is there.
       {{"click", axis_at(1.0 / 4.12)}},
       text_of("#live-title"),
       text_of("#instant-note"),
       kLiveRows,
       // Back to the peak, and by blocks instead of bytes, then the other way round.
       {{"click", centre_of("#to-peak")}},
       {{"click", centre_of("#live-table th:nth-child(3) button")}},
       kLiveRows,
       {{"click", centre_of("#live-table th:nth-child(3) button")}},
       kLiveRows,
       {{"evaluate",
         "document.querySelector('#live-table th:nth-child(3)').getAttribute('aria-sort')"}}});
  if (!said) {
    return;
  }

  check_quiet(*said);
  const json& values = said->at("values");
  CHECK(values.at(0) == analyzer::headline_of(report.value()));
  CHECK(values.at(1) == analyzer::live_title_of(report.value()));
  REQUIRE(values.at(2).size() == 3);
  CHECK(values.at(2).at(0).at(0) == "5.00 GiB");
  CHECK(values.at(2).at(0).at(2) == "80");
  CHECK(values.at(3) == "alive at 1.0 s: 5.00 GiB from 2 stacks");
  CHECK_THAT(values.at(4).get<std::string>(),
             Catch::StartsWith("You clicked ") && Catch::Contains("the nearest of the "));
  REQUIRE(values.at(5).size() == 2);
  CHECK(values.at(5).at(0) ==
        json{"5.00 GiB", "100.0%", "1", "heap", "read_whole_file loader.cpp:40"});
  CHECK(values.at(6).at(0).at(2) == "80");
  CHECK(values.at(7).at(0).at(2) == "1");
  CHECK(values.at(7).at(2).at(2) == "80");
  CHECK(values.at(8) == "ascending");
}

TEST_CASE("a browser shows what the footprint is made of, in the colours of the legend",
          "[page][browser]") {
  TraceBuilder trace;
  tests::append_naive_load(trace);
  auto loaded = trace.open();
  const auto report = analyzer::build_report(loaded, {});
  REQUIRE(report.ok());
  Page page;
  page.open(html::report_page(loaded, report.value()));
  const json legend{
      {"evaluate", "[...document.querySelectorAll('.legend .layer')].map(e => e.textContent)"}};
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

  const auto said =
      page.browse({legend, pixels_of("goes-0"), pixels_of("stays-0"), tip, choose("lane"), legend,
                   pixels_of("goes-0"), pixels_of("lane-heap"), choose("phase"), legend});
  if (!said) {
    return;
  }

  check_quiet(*said);
  const json& values = said->at("values");
  // As the report's rows at the peak.
  CHECK(values.at(0) == json{"read_whole_file  loader.cpp:405.00 GiB",
                             "tvm::runtime::NDArray::Empty  ndarray.cc:2125.00 GiB",
                             "other functions71.0 KiB"});
  CHECK(values.at(1).get<int>() > 1000);
  CHECK(values.at(2).get<int>() > 1000);
  const auto& rows = values.at(3);
  CHECK(std::ranges::count(rows, json{"read_whole_file  loader.cpp:40", "5.00 GiB"}) == 1);
  CHECK(std::ranges::count(rows, json{"other functions", "71.0 KiB"}) == 1);
  CHECK(values.at(5) == json::array());
  CHECK(values.at(6) == 0);
  CHECK(values.at(7).get<int>() > 1000);
  CHECK(values.at(9).size() > 1);
}

TEST_CASE("the wheel zooms at the pointer, dragging moves, a double click shows all",
          "[page][browser]") {
  TraceBuilder trace;
  trace.allocate(1000);
  trace.at_ms(10'000).allocate(1);
  auto loaded = trace.open();
  const auto report = analyzer::build_report(loaded, {});
  REQUIRE(report.ok());
  Page page;
  page.open(html::report_page(loaded, report.value()));
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

TEST_CASE("on a phone the names of the functions are on the screen", "[page][browser]") {
  TraceBuilder naive;
  tests::append_naive_load(naive);
  TraceBuilder streamed;
  tests::append_streamed_load(streamed);
  auto before = naive.open();
  auto after = streamed.open();
  const auto diff = analyzer::build_diff(before, after, {});
  REQUIRE(diff.ok());
  Page page;
  page.open(html::diff_page(before, after, diff.value()));

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
  const analyzer::DiffRow footprint = analyzer::lane_rows(diff.value()).front();
  CHECK(said->at("values").at(4) == json{footprint.name, footprint.before, footprint.after,
                                         footprint.change + "\n" + footprint.percent,
                                         footprint.percent});
  CHECK(said->at("values").at(5) == true);
  CHECK(said->at("values").at(6).get<int>() <= 390);
}

TEST_CASE("a browser that cannot draw the page says which parts are missing, and has the words",
          "[page][browser]") {
  TraceBuilder naive;
  tests::append_naive_load(naive);
  TraceBuilder streamed;
  tests::append_streamed_load(streamed);
  auto before = naive.open();
  auto after = streamed.open();
  const auto report = analyzer::build_report(before, {});
  REQUIRE(report.ok());
  const auto diff = analyzer::build_diff(before, after, {});
  REQUIRE(diff.ok());
  const bool is_diff = GENERATE(false, true);
  const bool has_scripts = GENERATE(false, true);
  CAPTURE(is_diff, has_scripts);
  Page page;
  page.open(is_diff ? html::diff_page(before, after, diff.value())
                    : html::report_page(before, report.value()));

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
        1 + (is_diff ? analyzer::warnings_of(diff.value()) : analyzer::warnings_of(report.value()))
                .size());
  CHECK(values.at(0) == (is_diff ? analyzer::headline_of(diff.value(), "→")
                                 : analyzer::headline_of(report.value())));
  CHECK(values.at(2).size() == (is_diff ? 3 : 1));
  CHECK(values.at(2).at(0).at(0) == "footprint");
  CHECK(values.at(2).at(0).at(1) == "10.0 GiB");
  CHECK(values.at(3) == true);
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
  auto loaded = trace.open();
  const auto report = analyzer::build_report(loaded, {});
  REQUIRE(report.ok());
  Page page;
  page.open(html::report_page(loaded, report.value()));

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
  auto loaded = trace.open();
  const auto report = analyzer::build_report(loaded, {});
  REQUIRE(report.ok());
  Page page;
  page.open(html::report_page(loaded, report.value()));
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
  for (const std::uint64_t number : numbers) {
    sizes.push_back(analyzer::format_size(number));
    times.push_back(analyzer::format_time(number));
  }

  const auto said = page.browse({{{"evaluate", json(numbers).dump() + ".map(units.size)"}},
                                 {{"evaluate", json(numbers).dump() + ".map(units.time)"}}});
  if (!said) {
    return;
  }

  check_quiet(*said);
  CHECK(said->at("values") == json{sizes, times});
}

TEST_CASE("a browser shows the page of a diff, both ways and on every axis",
          "[page][browser][diff]") {
  TraceBuilder before;
  TraceBuilder after;
  tests::append_naive_load(before);
  tests::append_streamed_load(after);
  auto loaded_before = before.open();
  auto loaded_after = after.open();
  const auto diff = analyzer::build_diff(loaded_before, loaded_after, {.top = 0, .model = ""});
  REQUIRE(diff.ok());
  Page page;
  page.open(html::diff_page(loaded_before, loaded_after, diff.value()));
  const auto choose = [](const std::string& id, const std::string& value) {
    return json{{"evaluate", "(() => { const s = document.getElementById('" + id +
                                 "'); s.value = '" + value +
                                 "'; s.dispatchEvent(new Event('change')); return s.value; })()"}};
  };
  // The first stack that is listed is the one that changed most.
  const json first_stack{{"evaluate",
                          "[...document.querySelector('#stacks tbody tr').cells].slice(0, 3)"
                          ".map(c => c.textContent)"}};

  const auto said = page.browse({text_of("h1"),
                                 text_of("#live-title"),
                                 first_stack,
                                 choose("align", "bytes"),
                                 {{"click", axis_at(0.3)}},
                                 text_of("#live-title"),
                                 choose("layout", "overlay"),
                                 {{"click", axis_at(0.9)}},
                                 {{"click", centre_of("#to-peak")}},
                                 text_of("#live-title")});
  if (!said) {
    return;
  }

  check_quiet(*said);
  const json& values = said->at("values");
  CHECK_THAT(values.at(0).get<std::string>(), Catch::StartsWith("peak 10.0 GiB → "));
  CHECK_THAT(values.at(1).get<std::string>(), Catch::StartsWith("alive at the peaks: 10.0 GiB → "));
  const auto& most = diff.value().stacks.front();
  CHECK(values.at(2) == json{analyzer::format_size(most.before_bytes),
                             analyzer::format_size(most.after_bytes),
                             analyzer::format_signed_size(most.change())});
  CHECK(values.at(3) == "bytes");
  CHECK_THAT(values.at(4).get<std::string>(),
             Catch::StartsWith("alive at these instants: 5.00 GiB → "));
  CHECK(values.at(6) == values.at(1));
}

TEST_CASE("a difference says what is own, new and removed, and what a search finds adds up",
          "[page][browser][diff]") {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
  TraceBuilder before;
  before.allocate(3 * kMiB, before.stack({"malloc", "read_all", "load", "main"}));
  before.allocate(2 * kMiB, before.stack({"malloc", "read_all"}));
  before.allocate(4 * kMiB, before.stack({"malloc", "old_cache", "main"}));
  TraceBuilder after;
  after.allocate(3 * kMiB, after.stack({"malloc", "read_all", "load", "main"}));
  after.allocate(2 * kMiB, after.stack({"malloc", "read_all"}));
  after.allocate(6 * kMiB, after.stack({"malloc", "new_cache", "main"}));
  auto loaded_before = before.open();
  auto loaded_after = after.open();
  const auto diff = analyzer::build_diff(loaded_before, loaded_after, {.top = 0, .model = ""});
  REQUIRE(diff.ok());
  Page page;
  page.open(html::diff_page(loaded_before, loaded_after, diff.value()));
  // What it says, and what does not stand back.
  const auto search = [](const std::string& wanted) {
    return json{
        {"evaluate", "(() => { const s = document.querySelector('.flame-search'); s.value = '" +
                         wanted +
                         "'; s.dispatchEvent(new Event('input')); return "
                         "[document.querySelector('.flame-found').textContent, "
                         "...[...document.querySelectorAll('.flame-frame:not(.lost)')]"
                         ".map(e => e.title.split('\\n')[0])]; })()"}};
  };

  const auto said = page.browse(
      {{{"evaluate", "[...document.querySelectorAll('#live .flame-frame')].map(e => e.title)"}},
       {{"evaluate",
         "(() => { const s = document.querySelector('.flame-search'); s.value = 'cache';"
         " s.dispatchEvent(new Event('input')); return "
         "document.querySelector('.flame-found').textContent; })()"}},
       search("mib"),
       search("read_all"),
       // Behind a click on read_all everything is its.
       {{"click", centre_of("#live .flame-frame[title^=\"read_all\"]")}},
       search("read_all")});
  if (!said) {
    return;
  }

  check_quiet(*said);
  std::string titles;
  for (const json& title : said->at("values").at(0)) {
    titles += title.get<std::string>() + ";";
  }
  CHECK_THAT(titles, Catch::Contains(
                         "own of read_all\nbefore 2.00 MiB, after 2.00 MiB: 2.00 MiB unchanged"));
  CHECK_THAT(titles, Catch::Contains("before 0 B, after 6.00 MiB: new, +6.00 MiB"));
  CHECK_THAT(titles, Catch::Contains("before 4.00 MiB, after 0 B: removed, -4.00 MiB"));
  CHECK_THAT(said->at("values").at(1).get<std::string>(),
             Catch::Contains("found in 2 places: before 4.00 MiB, after 6.00 MiB: +2.00 MiB"));
  CHECK(said->at("values").at(2) == json{" nothing found"});
  CHECK(said->at("values").at(3) ==
        json{" found in 1 place: before 5.00 MiB, after 5.00 MiB: 5.00 MiB unchanged", "read_all",
             "own of read_all"});
  CHECK(said->at("values").at(4).at(0) == said->at("values").at(3).at(0));
}

TEST_CASE("every control of a page is reached by Tab, has a name, and shows that it has the focus",
          "[page][browser]") {
  TraceBuilder naive;
  tests::append_naive_load(naive);
  TraceBuilder streamed;
  tests::append_streamed_load(streamed);
  auto before = naive.open();
  auto after = streamed.open();
  const auto report = analyzer::build_report(before, {});
  REQUIRE(report.ok());
  const auto diff = analyzer::build_diff(before, after, {});
  REQUIRE(diff.ok());
  Page page;
  page.open(GENERATE(false, true) ? html::diff_page(before, after, diff.value())
                                  : html::report_page(before, report.value()));
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
  TraceBuilder trace;
  tests::append_naive_load(trace);
  auto loaded = trace.open();
  const auto report = analyzer::build_report(loaded, {});
  REQUIRE(report.ok());
  Page page;
  page.open(html::report_page(loaded, report.value()));
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

TEST_CASE("modules of two packages are two functions of a page's difference",
          "[page][browser][diff]") {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
  TraceBuilder before;
  before.allocate(3 * kMiB,
                  before.stack({"malloc", "<module> torch/__init__.py:5", "main a.py:1"}));
  before.allocate(2 * kMiB,
                  before.stack({"malloc", "<module> numpy/__init__.py:5", "main a.py:2"}));
  TraceBuilder after;
  after.allocate(4 * kMiB, after.stack({"malloc", "<module> torch/__init__.py:6", "main a.py:1"}));
  after.allocate(7 * kMiB, after.stack({"malloc", "<module> numpy/__init__.py:7", "main a.py:2"}));
  auto loaded_before = before.open();
  auto loaded_after = after.open();
  const auto diff = analyzer::build_diff(loaded_before, loaded_after, {.top = 0, .model = ""});
  REQUIRE(diff.ok());
  Page page;
  page.open(html::diff_page(loaded_before, loaded_after, diff.value()));

  const auto said = page.browse(
      {{{"evaluate",
         "[...document.querySelectorAll('#live .flame-frame')].map(e => e.textContent)"
         ".filter(text => text.startsWith('<module>'))"}},
       {{"evaluate",
         "[...document.querySelectorAll('#stacks summary .place')].map(e => e.textContent)"}}});
  if (!said) {
    return;
  }

  check_quiet(*said);
  CHECK(said->at("values").at(0) ==
        json{"<module> (numpy/__init__.py:5)+5.00 MiB", "<module> (torch/__init__.py:5)+1.00 MiB"});
  CHECK(said->at("values").at(1) == json{"numpy/__init__.py:7", "torch/__init__.py:6"});
}

TEST_CASE("a browser holds a sample until the next, and the last until the end",
          "[page][browser]") {
  TraceBuilder trace;
  trace.at_ms(1).sample(100);
  trace.at_ms(5).sample(300);
  trace.at_ms(9).allocate(1);
  auto loaded = trace.open();
  const auto report = analyzer::build_report(loaded, {});
  REQUIRE(report.ok());
  Page page;
  page.open(html::report_page(loaded, report.value()));

  const auto said = page.browse({{{"evaluate",
                                   "LoadTrack.prototype.heldSamples.call({load: {data: "
                                   "{duration_ns: 9}}}, [1, 5], [100, 300])"}}});
  if (!said) {
    return;
  }

  check_quiet(*said);
  CHECK(said->at("values").at(0) == json{{1, 100}, {5, 100}, {5, 300}, {9, 300}});
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
  Page page;
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
