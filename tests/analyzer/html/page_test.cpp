#include "analyzer/html/page.hpp"

#include "analyzer/html/contents/columns.hpp"
#include "analyzer/html/contents/packed.hpp"
#include "analyzer/html/contents/page_layers.hpp"
#include "analyzer/html/contents/stack_forest.hpp"
#include "analyzer/html/documents/forest_document.hpp"
#include "analyzer/html/html.hpp"
#include "analyzer/picture/subject.hpp"
#include "analyzer/report/report_json.hpp"
#include "analyzer/report/report_text.hpp"
#include "tests/analyzer/html/made_page.hpp"
#include "tests/analyzer/html/page_data.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <map>
#include <set>

using namespace tidemark;
using nlohmann::json;
using tests::check_instants;
using tests::data_of;
using tests::page_of;
using tests::TraceBuilder;
using tests::unpacked;

namespace {

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("packed numbers come back, and what no page can carry is cut", "[page]") {
  const std::vector<std::uint64_t> numbers{0, 5,   3,   1ULL << 40U,
                                           0, 127, 128, html::kMaxPackedNumber};
  const auto read = unpacked(html::packed(numbers));
  CHECK(std::equal(read.begin(), read.end(), numbers.begin(), numbers.end(),
                   [](auto a, auto b) { return static_cast<std::uint64_t>(a) == b; }));
  CHECK(html::packed({}).empty());
  const std::vector<std::uint64_t> huge{UINT64_MAX, 1};
  CHECK(unpacked(html::packed(huge)) ==
        std::vector<std::int64_t>{static_cast<std::int64_t>(html::kMaxPackedNumber), 1});
}

TEST_CASE("the memory table says what stood at the peak of what was sampled, and when it was most",
          "[page]") {
  TraceBuilder trace;
  const auto stack = trace.stack({"malloc", "load", "main"});
  const auto block = trace.at_ms(10).allocate(64 << 20U, stack);
  trace.look(block, 12, 40 << 20U);
  trace.look(block, 900, 64 << 20U);
  trace.at_ms(20).sample(70 << 20U);
  trace.at_ms(30).allocate(1 << 20U, stack);
  trace.at_ms(500).release(block);
  trace.at_ms(900).sample(50 << 20U);
  trace.at_ms(1000).allocate(1000, stack);
  auto loaded = trace.open();

  const json lanes = data_of(loaded).at("loads").at(0).at("lanes");

  std::map<std::string, std::pair<std::string, std::string>> rows;
  for (const json& row : lanes) {
    rows[row.at("name")] = {row.at("at_peak").at("text"), row.at("meaning")};
  }
  CHECK(rows.at("  rss_anon") ==
        std::pair<std::string, std::string>{"70.0 MiB", "private memory; most at 20 ms"});
  CHECK(rows.at("rss").second == "resident, sampled; most at 20 ms; of this:");
  CHECK(rows.at("unexplained") ==
        std::pair<std::string, std::string>{"5.00 MiB", "rss_anon beyond heap + anon, at 900 ms"});
  CHECK(rows.at("  untouched").first == "24.0 MiB");
  // 70 MiB are resident, 65 asked for, 24 of them untouched.
  CHECK(rows.at("resident, not asked for").first == "29.0 MiB");
  CHECK_THAT(rows.at("  untouched").second, Catch::StartsWith("not touched until the peak"));
}

TEST_CASE("the memory table tells what was never touched from what was touched later", "[page]") {
  TraceBuilder trace;
  const auto stack = trace.stack({"malloc", "load", "main"});
  const auto block = trace.at_ms(10).allocate(64 << 20U, stack);
  trace.look(block, 12, 8 << 20U);
  trace.look(block, 600, 24 << 20U);
  trace.look(block, 900, 24 << 20U);
  trace.at_ms(20).sample(24 << 20U);
  trace.at_ms(30).allocate(1 << 20U, stack);
  trace.at_ms(1000).release(block);
  auto loaded = trace.open();

  const json lanes = data_of(loaded).at("loads").at(0).at("lanes");

  const auto untouched =
      std::ranges::find_if(lanes, [](const json& row) { return row.at("name") == "  untouched"; });
  REQUIRE(untouched != lanes.end());
  CHECK(untouched->at("at_peak").at("text") == "56.0 MiB");
  CHECK(
      untouched->at("meaning") ==
      "not touched until the peak, by the looks at heap blocks; 40.0 MiB of it never, as a finding "
      "says");
}

TEST_CASE("of a block that came at the peak itself, what was not resident is no touched memory",
          "[page]") {
  TraceBuilder trace;
  const auto stack = trace.stack({"malloc", "load", "main"});
  const auto block = trace.at_ms(10).allocate(64 << 20U, stack);
  trace.look(block, 12, 60 << 20U);
  trace.at_ms(20).sample(70 << 20U);
  const auto last = trace.at_ms(30).allocate(48 << 20U, stack);
  trace.at_ms(500).release(last);
  auto loaded = trace.open();

  const json lanes = data_of(loaded).at("loads").at(0).at("lanes");

  const auto untouched =
      std::ranges::find_if(lanes, [](const json& row) { return row.at("name") == "  untouched"; });
  REQUIRE(untouched != lanes.end());
  // 112 MiB were asked for, 70 of them resident.
  CHECK(untouched->at("at_peak").at("text") == "42.0 MiB");
  CHECK(untouched->at("meaning") ==
        "not touched until the peak, by the looks at heap blocks: 4.00 MiB; and 38.0 MiB of blocks "
        "that came at the peak itself, not in rss_anon");
}

TEST_CASE("the memory table says that nothing was left untouched, or that nobody looked",
          "[page]") {
  TraceBuilder trace;
  const auto block = trace.at_ms(10).allocate(64 << 20U, trace.stack({"malloc", "load", "main"}));
  const bool is_looked_at = GENERATE(true, false);
  if (is_looked_at) {
    trace.look(block, 12, 64 << 20U);
  }
  trace.at_ms(20).allocate(1);  // The peak, behind the look.
  trace.at_ms(1000).release(block);
  auto loaded = trace.open();

  const json lanes = data_of(loaded).at("loads").at(0).at("lanes");

  const auto untouched =
      std::ranges::find_if(lanes, [](const json& row) { return row.at("name") == "  untouched"; });
  REQUIRE(untouched != lanes.end());
  CHECK(untouched->at("at_peak").at("text") == (is_looked_at ? "0 B" : ""));
  CHECK(untouched->at("meaning") ==
        (is_looked_at ? "not touched until the peak, by the looks at heap blocks"
                      : "not known: no heap block was looked at until the peak"));
}

TEST_CASE("a block of one event is on the page's timeline, exactly", "[page]") {
  TraceBuilder trace;
  const auto stack = trace.stack({"load", "main"});
  const bool is_long = GENERATE(false, true);
  for (std::uint64_t i = 0; is_long && i < 20'000; ++i) {
    trace.at_ns(i * 1000).release(trace.allocate(100, stack));
  }
  trace.at_ms(25).release(trace.allocate(300'000'000, stack));
  trace.at_ms(40).allocate(1, stack);
  auto loaded = trace.open();

  const auto columns = html::page_columns(loaded);

  CHECK(columns.is_complete == !is_long);
  CHECK(columns.borders.size() == columns.columns.size() + 1);
  const auto highest = std::ranges::max_element(
      columns.columns, {}, [](const auto& column) { return column.highest.footprint(); });
  CHECK(highest->highest.footprint() == 300'000'000);
  const auto c = static_cast<std::size_t>(highest - columns.columns.begin());
  CHECK(columns.borders[c] <= 25'000'000);
  CHECK(columns.borders[c + 1] > 25'000'000);
}

TEST_CASE("nothing that a trace says becomes markup", "[page]") {
  const std::string evil = "</script><script>window.injected=1</script><!--{{data}}&amp;\xff";
  TraceBuilder trace;
  trace.session.command = {evil};
  trace.at_ms(1).begin_phase(evil);
  trace.read(trace.file("/models/" + evil + ".gguf", 5'000'000), 5'000'000);
  trace.allocate(100, trace.stack({evil, "main"}));
  trace.process(300, evil);
  trace.at_ms(9).end_phase(evil);
  auto loaded = trace.open();

  const std::string html = page_of(loaded);

  CHECK(count_of(html, "<script") == 2);
  CHECK(count_of(html, "</script") == 2);
  CHECK(count_of(html, "<!--") == 0);
  const std::string shown = "</script><script>window.injected=1</script><!--{{data}}&amp;";
  const json data = tests::page_data(html);
  // The session is JSON in the trace, too: it is UTF-8 there already.
  CHECK(data.at("loads").at(0).at("command") == shown + "\uFFFD");
  CHECK(data.at("loads").at(0).at("files").at(0).at("path") == "/models/" + shown + "?.gguf");
}

TEST_CASE("packed numbers are no escapes, which would be longer", "[page]") {
  TraceBuilder trace;
  tests::append_naive_load(trace);
  auto loaded = trace.open();

  CHECK(count_of(tests::page_text(page_of(loaded)), "\\u0") == 0);
}

TEST_CASE("bytes that are no UTF-8 are replaced in a page's data", "[page]") {
  const std::string html = html::html_of("title", "", analyzer::Json("broken\xff"));

  CHECK(tests::page_data(html) == "broken\uFFFD");
}

TEST_CASE("text inside an element has no markup left", "[page]") {
  CHECK(html::escaped_text("a<b>&c") == "a&lt;b&gt;&amp;c");
  CHECK(html::packed_json(analyzer::Json("a<b>&c")).find_first_of("<>&") == std::string::npos);
}

TEST_CASE("the page's main numbers are words, for browsers that do not draw it", "[page]") {
  TraceBuilder trace;
  tests::append_naive_load(trace);
  auto loaded = trace.open();

  const std::string html = page_of(loaded);

  const json load = tests::page_data(html).at("loads").at(0);
  CHECK_THAT(html, Catch::Contains("<h1>" + load.at("headline").get<std::string>() + "</h1>"));
  CHECK_THAT(html, Catch::Contains("<td>footprint</td><td>10.0 GiB"));
}

TEST_CASE("of a Python program a page names the line, as the report does", "[page]") {
  const auto frame = [](const std::string& function, bool is_python) {
    analyzer::NamedFrame named;
    named.function = function;
    named.named = true;
    named.is_python = is_python;
    named.file = is_python ? "/loads/flax_l.py" : "";
    return named;
  };
  const std::vector<analyzer::NamedFrame> stack{frame("malloc", false),
                                                frame("_PyBytes_Resize", false),
                                                frame("<module>", true), frame("main", false)};
  html::StackForest forest;
  std::uint32_t node = forest.add_stack(stack);
  REQUIRE(analyzer::asking_frame(stack) == 2);

  const json data = html::forest_document(forest, {&node});

  const auto asker = unpacked(data.at("asker"));
  CHECK(asker.at(node) == 2);
}

TEST_CASE("a flame graph of a page shows of a stack what the window's does", "[page]") {
  const auto frame = [](const std::string& function, const std::string& module) {
    analyzer::NamedFrame named;
    named.function = function;
    named.module = module;
    named.named = true;
    named.is_python = module.ends_with(".py");
    named.file = named.is_python ? module : "";
    return named;
  };
  const std::vector<analyzer::NamedFrame> stack{
      frame("malloc", "/usr/lib/libc.so.6"),
      frame("array_new", "/opt/numpy.so"),
      frame("array_astype", "/opt/numpy.so"),
      frame("cfunction_call", "/usr/bin/python3"),
      frame("convert", "/srv/load.py"),
      frame("_PyEval_EvalFrameDefault", "/usr/bin/python3"),
      frame("main", "/srv/load.py"),
      frame("_PyEval_EvalFrameDefault", "/usr/bin/python3"),
      frame("_PyRun_SimpleFileObject", "/usr/bin/python3")};
  html::StackForest forest;
  std::uint32_t node = 0;
  for (std::size_t i = stack.size(); i-- > 0;) {
    node = forest.add_node(node, forest.add_frame(stack[i]));
  }
  const analyzer::Outline<std::size_t> outline = analyzer::outline_of(stack);
  REQUIRE(outline.called == std::vector<std::size_t>{1, 2});
  REQUIRE(outline.asking == std::vector<std::size_t>{4, 6});

  CHECK(forest.outline_of(node).shown == std::vector<std::size_t>{1, 2, 4, 6});

  // Each node's runs: one left out, two shown, one left out, and so on; of nodes in which no stack
  // ends there are none.
  const json data = html::forest_document(forest, {&node});
  auto shown = unpacked(data.at("shown"));
  REQUIRE(shown.size() > stack.size());
  shown.erase(shown.begin(), shown.begin() + static_cast<std::ptrdiff_t>(stack.size() - 1));
  CHECK(shown == std::vector<std::int64_t>{6, 1, 2, 1, 1, 1, 1});
}

TEST_CASE("a page asks for no network and says so", "[page]") {
  TraceBuilder trace;
  tests::append_naive_load(trace);
  auto loaded = trace.open();

  const std::string html = page_of(loaded);

  CHECK_THAT(html, Catch::Contains("default-src 'none'; script-src 'sha256-"));
  CHECK(count_of(html, "http://") + count_of(html, "https://") == 0);
  CHECK(count_of(html, " src=") == 0);
}

TEST_CASE("loss stands on the page", "[page]") {
  TraceBuilder trace;
  trace.allocate(100);
  trace.session.loss.records_dropped = 17;
  auto loaded = trace.open();

  const json load = data_of(loaded).at("loads").at(0);

  CHECK(load.at("lost") == "17 dropped records");
  CHECK(load.at("warnings").at(0) == "LOST: 17 dropped records");
}

TEST_CASE("the page calls the steps of the chain what the report calls them", "[page]") {
  constexpr std::uint64_t kBytes = std::uint64_t{64} << 20U;
  TraceBuilder trace;
  const auto model = trace.file("/m/model.safetensors", kBytes);
  const auto mapping = trace.at_ms(1).map(model, kBytes);
  trace.at_ms(2).copy(kBytes, mapping, trace.allocate(kBytes));
  trace.at_ms(3).read_into(model, kBytes, trace.allocate(kBytes));
  auto loaded = trace.open();
  const auto report = analyzer::build_report(loaded, {});
  REQUIRE(report.ok());

  const auto in_report = json::parse(analyzer::report_json(report.value())).at("chain");
  const auto in_page =
      tests::page_data(html::report_page(loaded, report.value())).at("loads").at(0).at("chain");

  std::set<std::string> kinds;
  for (const char* const list : {"nodes", "edges"}) {
    REQUIRE(in_report.at(list).size() == in_page.at(list).size());
    for (std::size_t i = 0; i < in_report.at(list).size(); ++i) {
      kinds.insert(in_report.at(list)[i].at("kind"));
      CHECK(in_page.at(list)[i].at("kind") == in_report.at(list)[i].at("kind"));
    }
  }
  CHECK(kinds == std::set<std::string>{"blocks", "copy", "file", "mapping", "mmap", "read"});
  CHECK_FALSE(in_page.at("nodes").at(0).contains("files"));
}

TEST_CASE("the page's chain says what is not known to have gone on, as the text's does", "[page]") {
  constexpr std::uint64_t kBytes = std::uint64_t{64} << 20U;
  TraceBuilder trace;
  const auto model = trace.file("/m/model.safetensors", kBytes);
  const auto blob = trace.at_ms(1).allocate(kBytes, trace.stack({"malloc", "read_file", "main"}));
  trace.at_ms(2).read_into(model, kBytes, blob);
  trace.at_ms(100).allocate(kBytes, trace.stack({"malloc", "convert", "main"}));
  trace.at_ms(200).release(blob);
  trace.at_ms(300).allocate(10);
  auto loaded = trace.open();
  const auto report = analyzer::build_report(loaded, {});
  REQUIRE(report.ok());

  const auto chain =
      tests::page_data(html::report_page(loaded, report.value())).at("loads").at(0).at("chain");

  const std::string rest = "64.0 MiB of it: copied by a loop or in small pieces, or not copied";
  REQUIRE(chain.at("nodes").size() == 2);
  CHECK_FALSE(chain.at("nodes").at(0).contains("unfollowed"));
  CHECK(chain.at("nodes").at(1).at("unfollowed") == rest);
  CHECK_THAT(analyzer::report_text(report.value(), {.width = 120, .colour = false, .utf8 = true}),
             Catch::Contains(rest));
}

TEST_CASE("a page says where no finding lowers the peak", "[page]") {
  constexpr std::uint64_t kBytes = std::uint64_t{64} << 20U;
  TraceBuilder trace;
  const auto model = trace.file("/m/model.safetensors", kBytes);
  trace.at_ms(1).allocate(kBytes / 2, trace.stack({"malloc", "import", "main"}));
  trace.at_ms(100).open_file(model);
  trace.at_ms(110).read_into(model, kBytes,
                             trace.allocate(kBytes, trace.stack({"malloc", "load", "main"})));
  auto loaded = trace.open();
  const auto report = analyzer::build_report(loaded, {});
  REQUIRE(report.ok());
  REQUIRE(report.value().anatomy.findings.size() == 1);

  const json load = tests::page_data(html::report_page(loaded, report.value())).at("loads").at(0);

  CHECK(load.at("none_lowers") == "No finding here lowers the peak.");
}

TEST_CASE("a trace without events still gives a page", "[page]") {
  TraceBuilder trace;
  auto loaded = trace.open();

  const json load = data_of(loaded).at("loads").at(0);

  CHECK(load.at("instants").empty());
  CHECK_THAT(load.at("headline").get<std::string>(), Catch::StartsWith("peak 0 B"));
}

TEST_CASE("the instant that was asked for is one of the stored ones", "[page]") {
  TraceBuilder trace;
  tests::append_naive_load(trace);
  auto loaded = trace.open();
  analyzer::ReportOptions options;
  options.at_ns = 1'234'567'890;

  const json load = data_of(loaded, options).at("loads").at(0);

  CHECK(load.at("asked_ns") == 1'234'567'890);
  CHECK(std::ranges::any_of(load.at("instants"), [](const json& instant) {
    return instant.at("at_ns") == 1'234'567'890 && instant.at("label") == "the instant asked for";
  }));
}

TEST_CASE("the page of a diff has both loads, their axes and every stack's change",
          "[page][diff]") {
  TraceBuilder before;
  TraceBuilder after;
  tests::append_naive_load(before);
  tests::append_streamed_load(after);
  auto loaded_before = before.open();
  auto loaded_after = after.open();
  const auto diff = analyzer::build_diff(loaded_before, loaded_after, {.top = 0, .model = ""});
  REQUIRE(diff.ok());

  const json data = tests::page_data(html::diff_page(loaded_before, loaded_after, diff.value()));

  check_instants(data.at("loads").at(0));
  check_instants(data.at("loads").at(1));
  const json& said = data.at("diff");
  CHECK_THAT(said.at("headline").get<std::string>(), Catch::StartsWith("peak 10.0 GiB → "));
  CHECK(said.at("axes").contains("time"));
  CHECK(said.at("axes").contains("bytes"));
  for (const auto& [name, axis] : said.at("axes").items()) {
    for (std::size_t side = 0; side < 2; ++side) {
      const auto times = unpacked(axis.at("warps").at(side).at("ns"));
      CHECK(times.back() == data.at("loads").at(side).at("duration_ns").get<std::int64_t>() + 1);
    }
  }
  std::int64_t change = said.at("unchanged").at("after").get<std::int64_t>() -
                        said.at("unchanged").at("before").get<std::int64_t>();
  for (const json& stack : said.at("stacks")) {
    change += stack.at("after").get<std::int64_t>() - stack.at("before").get<std::int64_t>();
  }
  CHECK(change == diff.value().peak_change_bytes());
}

TEST_CASE("the page of a diff says what makes most of the change, with and without scripts",
          "[page][diff]") {
  TraceBuilder before;
  before.allocate(40 << 20, before.stack({"malloc", "load loader.cpp:40", "main"}));
  TraceBuilder after;
  after.allocate(10 << 20, after.stack({"malloc", "load loader.cpp:40", "main"}));
  auto loaded_before = before.open();
  auto loaded_after = after.open();
  const auto diff = analyzer::build_diff(loaded_before, loaded_after, {});
  REQUIRE(diff.ok());

  const std::string page = html::diff_page(loaded_before, loaded_after, diff.value());

  constexpr const char* kSaid =
      "Most of it: load (loader.cpp:40) held 40.0 MiB at the peak and holds 10.0 MiB there now.";
  CHECK(tests::page_data(page).at("diff").at("main_change") == kSaid);
  CHECK_THAT(page, Catch::Contains(std::string("<p>") + kSaid + "</p>"));
}

TEST_CASE("a page's layers add up to its columns, and at the peak to the report", "[page]") {
  const unsigned seed = GENERATE(1U, 2U, 3U);
  CAPTURE(seed);
  constexpr std::uint64_t kEndOfProcessNs = 450'000'000;
  TraceBuilder trace;
  tests::append_random_load(trace, seed, 900);
  auto loaded = trace.open();
  const auto report = analyzer::build_report(loaded, {});
  REQUIRE(report.ok());
  const auto subject = picture::subject_of(loaded, report.value());
  const auto columns = html::page_columns(loaded);

  const auto points = html::layered_points(loaded, columns);
  const std::vector<html::LayeredPage> pages{{subject.layered(), points}};
  const auto layers = html::page_layers(pages);

  REQUIRE(layers.size() == 3);  // Functions, modules and phases; lanes are columns of their own.
  const auto chosen = html::layered_columns(columns);
  for (const auto& page : layers) {
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      std::uint64_t sum = 0;
      for (const auto& row : page.bytes.at(0)) {
        sum += row.at(i);
      }
      REQUIRE(sum == columns.columns.at(chosen[i]).highest.footprint());
      // What stood at the time that is told with it.
      const std::uint64_t at_ns = points.at(i).at.at_ns;
      // Where a process ends, its last allocation is there for no time at all.
      CAPTURE(at_ns);
      const auto footprint_at = [&](std::uint64_t ns) {
        return loaded.totals_at(loaded.instant_at(ns))->footprint();
      };
      // Or right before what happened then: a column has what stood when it began.
      const bool stood = footprint_at(at_ns) == sum || footprint_at(at_ns - 1) == sum;
      REQUIRE((stood || at_ns == kEndOfProcessNs));
    }
    std::uint64_t at_peak = 0;
    for (const auto& layer : page.layers) {
      at_peak += layer.at_peak.at(0);
    }
    CHECK(at_peak == report.value().peak.footprint_bytes);
  }
}
