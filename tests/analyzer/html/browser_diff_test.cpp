// A page of two loads in a real browser.
#include "analyzer/html/page.hpp"
#include "analyzer/text/size_text.hpp"
#include "tests/analyzer/html/browser_page.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

using namespace tidemark;
using nlohmann::json;
using tests::axis_at;
using tests::BrowsedPage;
using tests::centre_of;
using tests::check_quiet;
using tests::text_of;
using tests::TraceBuilder;

namespace {

/// Chooses from one of the page's lists.
json choose(const std::string& id, const std::string& value) {
  return {{"evaluate", "(() => { const s = document.getElementById('" + id + "'); s.value = '" +
                           value +
                           "'; s.dispatchEvent(new Event('change')); return s.value; })()"}};
}

/// Opens the page of two loads, and returns what it is made of.
analyzer::Diff open_diff(BrowsedPage& page, TraceBuilder& before, TraceBuilder& after) {
  auto loaded_before = before.open();
  auto loaded_after = after.open();
  const auto diff = analyzer::build_diff(loaded_before, loaded_after, {.top = 0, .model = ""});
  REQUIRE(diff.ok());
  page.open(html::diff_page(loaded_before, loaded_after, diff.value()));
  return diff.value();
}

/// All boxes of the flame graph, each with the first line of what is said of it, and its sizes.
const json kFlameTitles{
    {"evaluate", "[...document.querySelectorAll('#live .flame-frame')].map(e => e.title)"}};

}  // namespace

TEST_CASE("a browser shows the page of a diff, both ways and on every axis",
          "[page][browser][diff]") {
  TraceBuilder before;
  TraceBuilder after;
  tests::append_naive_load(before);
  tests::append_streamed_load(after);
  BrowsedPage page;
  const auto diff = open_diff(page, before, after);
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
  const auto& most = diff.stacks.front();
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
  BrowsedPage page;
  open_diff(page, before, after);
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
      {choose("order", "askers"),
       kFlameTitles,
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
  for (const json& title : said->at("values").at(1)) {
    titles += title.get<std::string>() + ";";
  }
  CHECK_THAT(titles, Catch::Contains(
                         "own of read_all\nbefore 2.00 MiB, after 2.00 MiB: 2.00 MiB unchanged"));
  CHECK_THAT(titles, Catch::Contains("before 0 B, after 6.00 MiB: new, +6.00 MiB"));
  CHECK_THAT(titles, Catch::Contains("before 4.00 MiB, after 0 B: removed, -4.00 MiB"));
  CHECK_THAT(said->at("values").at(2).get<std::string>(),
             Catch::Contains("found in 2 places: before 4.00 MiB, after 6.00 MiB: +2.00 MiB"));
  CHECK(said->at("values").at(3) == json{" nothing found"});
  CHECK(said->at("values").at(4) ==
        json{" found in 1 place: before 5.00 MiB, after 5.00 MiB: 5.00 MiB unchanged", "read_all",
             "own of read_all"});
  CHECK(said->at("values").at(5).at(0) == said->at("values").at(4).at(0));
}

TEST_CASE("a page's difference goes on below a line of Python to what it called, of any script",
          "[page][browser][diff]") {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
  // Just inside a line of Python stands its evaluator, which is left out.
  TraceBuilder before;
  before.allocate(3 * kMiB, before.stack({"malloc", "old_empty", "eval", "load a.py:4", "eval",
                                          "<module> a.py:9"}));
  before.allocate(2 * kMiB, before.stack({"malloc", "array_copy", "eval", "load a.py:4", "eval",
                                          "<module> a.py:9"}));
  TraceBuilder after;
  after.allocate(4 * kMiB, after.stack({"malloc", "new_empty", "eval", "load a.py:6", "eval",
                                        "<module> b.py:2"}));
  after.allocate(2 * kMiB, after.stack({"malloc", "array_copy", "eval", "load a.py:6", "eval",
                                        "<module> b.py:2"}));
  BrowsedPage page;
  open_diff(page, before, after);
  const json names{{"evaluate",
                    "[...document.querySelectorAll('#live .flame-frame')]"
                    ".map(e => e.getAttribute('aria-label'))"}};

  const auto said = page.browse({names, choose("order", "askers"), names});
  if (!said) {
    return;
  }

  check_quiet(*said);
  CHECK(said->at("values").at(0) == json{"all, +1.00 MiB", "<module>, +1.00 MiB", "load, +1.00 MiB",
                                         "array_copy, 2.00 MiB unchanged",
                                         "new_empty, new, +4.00 MiB",
                                         "old_empty, removed, -3.00 MiB"});
  CHECK(said->at("values").at(2) == json{"all, +1.00 MiB", "load, +1.00 MiB",
                                         "<module> (b.py:2), new, +6.00 MiB",
                                         "<module> (a.py:9), removed, -5.00 MiB"});
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
  BrowsedPage page;
  open_diff(page, before, after);

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
