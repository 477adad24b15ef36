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
#include "tests/analyzer/html/page_data.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

using namespace tidemark;
using nlohmann::json;
using tests::TraceBuilder;
using tests::unpacked;

namespace {

std::string page_of(analyzer::LoadedTrace& trace, const analyzer::ReportOptions& options = {}) {
  const auto report = analyzer::build_report(trace, options);
  REQUIRE(report.ok());
  return html::report_page(trace, report.value());
}

json data_of(analyzer::LoadedTrace& trace, const analyzer::ReportOptions& options = {}) {
  return tests::page_data(page_of(trace, options));
}

/// No byte may get lost on the way from the totals to the folded stacks.
void check_instants(const json& load) {
  for (const json& instant : load.at("instants")) {
    CAPTURE(instant.at("at_ns"), instant.at("label"));
    const auto held = unpacked(instant.at("held"));
    CHECK(std::accumulate(held.begin(), held.end(), std::int64_t{0}) ==
          instant.at("bytes").get<std::int64_t>() - instant.at("unattributed").get<std::int64_t>());
    CHECK(unpacked(instant.at("node")).size() == held.size());
    CHECK(unpacked(instant.at("folded")).size() == held.size());
  }
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

/// Of a row of "what was alive": its bytes, its blocks, its lane.
using LiveRow = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

const json& peak_of(const json& load) {
  const json& instants = load.at("instants");
  return *std::ranges::find_if(instants,
                               [](const json& at) { return at.at("is_peak").get<bool>(); });
}

/// The rows of an instant, most bytes first.
std::vector<LiveRow> rows_of(const json& instant) {
  const auto numbers = unpacked(instant.at("row"));
  const auto held = unpacked(instant.at("held"));
  const auto blocks = unpacked(instant.at("blocks"));
  const auto lanes = unpacked(instant.at("lane"));
  std::map<std::int64_t, LiveRow> rows;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != 0) {
      auto& [row_bytes, row_blocks, lane] = rows[numbers[i]];
      row_bytes += held.at(i);
      row_blocks += blocks.at(i);
      lane = lanes.at(i);
    }
  }
  std::vector<LiveRow> list;
  for (const auto& [number, row] : rows) {
    list.push_back(row);
  }
  std::ranges::sort(list, std::ranges::greater{});
  return list;
}

/// The same of a report, of as many.
std::vector<LiveRow> rows_of(const analyzer::Report& report, std::size_t most) {
  std::vector<LiveRow> rows;
  for (const analyzer::ReportStack& stack : report.live_stacks) {
    rows.emplace_back(stack.bytes, stack.blocks, static_cast<std::int64_t>(stack.lane));
  }
  std::ranges::sort(rows, std::ranges::greater{});
  rows.resize(std::min(most, rows.size()));
  return rows;
}

/// Of 3,000 functions that hold little, and one that holds nearly all.
void append_many_stacks(TraceBuilder& trace) {
  for (std::uint64_t i = 0; i < 3000; ++i) {
    trace.at_ms(i).allocate(64 + i, trace.stack({"malloc", "f" + std::to_string(i), "main"}));
  }
  trace.allocate(1U << 30U, trace.stack({"malloc", "weights", "main"}));
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

TEST_CASE("the stacks of every instant of a page add up to its footprint", "[page]") {
  const auto append_load =
      GENERATE(tests::append_naive_load, tests::append_streamed_load, append_many_stacks);
  TraceBuilder trace;
  append_load(trace);
  auto loaded = trace.open();

  const json load = data_of(loaded).at("loads").at(0);

  REQUIRE(load.at("instants").size() >= 30);
  check_instants(load);
  CHECK(std::ranges::count_if(load.at("instants"),
                              [](const json& at) { return at.at("is_peak").get<bool>(); }) == 1);
}

TEST_CASE("small stacks are folded where they branch off, and counted", "[page]") {
  TraceBuilder trace;
  for (std::uint64_t i = 0; i < 500; ++i) {
    trace.allocate(10, trace.stack({"f" + std::to_string(i), "tokenizer", "main"}));
  }
  trace.allocate(100'000'000, trace.stack({"weights", "main"}));
  auto loaded = trace.open();

  const json data = data_of(loaded);

  const json& peak = peak_of(data.at("loads").at(0));
  CHECK(unpacked(peak.at("held")) == std::vector<std::int64_t>{100'000'000, 5000});
  CHECK(unpacked(peak.at("folded")) == std::vector<std::int64_t>{0, 500});
  CHECK(unpacked(peak.at("row")) == std::vector<std::int64_t>{1, 0});
  CHECK(peak.at("stacks") == 501);
  // At 20 KB per branch the whole tokenizer is too small, and folds into main.
  const auto nodes = unpacked(peak.at("node"));
  const auto frames = unpacked(data.at("forest").at("frame"));
  const json& frame = data.at("forest").at("frames").at(
      static_cast<std::size_t>(frames.at(static_cast<std::size_t>(nodes.at(1)))));
  CHECK(data.at("forest").at("strings").at(frame.at(0).get<std::size_t>()) == "main");
}

TEST_CASE("what was alive at the peak are the report's rows, with its bytes and blocks", "[page]") {
  const std::string system = GENERATE("gguf-before", "numpy-before", "tvm-params-before");
  CAPTURE(system);
  auto opened =
      analyzer::LoadedTrace::open(std::string(TIDEMARK_RECORDED_LOADS) + '/' + system + ".tmk");
  REQUIRE(opened.ok());
  analyzer::ReportOptions options;
  options.top = 0;
  const auto report = analyzer::build_report(opened.value(), options);
  REQUIRE(report.ok());

  const json data = tests::page_data(html::report_page(opened.value(), report.value()));

  const json& peak = peak_of(data.at("loads").at(0));
  CHECK(peak.at("stacks") == report.value().live_stack_count);
  const auto rows = rows_of(peak);
  const auto least = peak.at("least").get<std::uint64_t>();
  const auto notable = std::ranges::count_if(
      report.value().live_stacks, [least](const auto& stack) { return stack.bytes >= least; });
  CHECK(rows.size() >= static_cast<std::size_t>(notable));
  CHECK(rows == rows_of(report.value(), rows.size()));
}

TEST_CASE(
    "a stack that an interpreter calls by many ways is one row of a page, however small they are",
    "[page]") {
  constexpr std::size_t kWays = 300;
  TraceBuilder trace;
  for (std::size_t i = 0; i < kWays; ++i) {
    std::vector<std::string> stack{"malloc", "load load.py:3"};
    // One call between two lines of Python is left out of any stack.
    stack.insert(stack.end(), i + 1, "_PyEval_Vector");
    stack.insert(stack.end(), {"<module> load.py:9", "PyEval_EvalCode", "main"});
    trace.allocate(i == 7 ? 200 : 100, trace.stack(stack));
  }
  trace.allocate(100'000'000, trace.stack({"malloc", "weights", "main"}));
  auto loaded = trace.open();

  const json data = data_of(loaded);

  // Each holds less than one in 4,000 bytes, all together more.
  const json& peak = peak_of(data.at("loads").at(0));
  CHECK(peak.at("stacks") == 2);
  CHECK(rows_of(peak) == std::vector<LiveRow>{{100'000'000, 1, 0}, {30'100, kWays, 0}});
  // Of the second the largest is there, to name it; the others are folded, but not one with others.
  const auto folded = unpacked(peak.at("folded"));
  const auto numbers = unpacked(peak.at("row"));
  const auto held = unpacked(peak.at("held"));
  std::int64_t all = 0;
  for (std::size_t i = 0; i < folded.size(); ++i) {
    CHECK(numbers.at(i) != 0);
    CHECK((folded[i] != 0 || held.at(i) == 200 || held.at(i) == 100'000'000));
    all += folded[i];
  }
  CHECK(all == kWays - 1);
}

TEST_CASE("away from the peak, too, a page names what holds much, on whatever branch it hangs",
          "[page]") {
  constexpr std::size_t kDepth = 100;
  constexpr std::uint64_t kLarge = 400'000;
  TraceBuilder trace;
  std::vector<std::string> callers{"main"};
  for (std::size_t i = 0; i < kDepth; ++i) {
    callers.insert(callers.begin(), "import_" + std::to_string(i));
    for (const std::string name : {"large", "small", "smaller"}) {
      std::vector<std::string> stack{"malloc", name + std::to_string(i)};
      stack.insert(stack.end(), callers.begin(), callers.end());
      trace.at_ms(1).allocate(name == "large" ? kLarge : 100'000, trace.stack(stack));
    }
  }
  trace.at_ms(50).allocate(40'000'000, trace.stack({"malloc", "weights", "main"}));
  trace.at_ms(90).allocate(1U << 30U, trace.stack({"malloc", "weights", "main"}));
  trace.at_ms(100).allocate(1);
  auto loaded = trace.open();

  const json load = data_of(loaded).at("loads").at(0);

  const json& before = *std::ranges::find_if(load.at("instants"), [](const json& instant) {
    return instant.at("bytes") == kDepth * (kLarge + 200'000) + 40'000'000;
  });
  const auto rows = rows_of(before);
  CHECK(std::ranges::count_if(rows, [](const LiveRow& row) {
          return std::get<0>(row) == static_cast<std::int64_t>(kLarge);
        }) == kDepth);
  check_instants(load);
}

TEST_CASE("of stacks that are others at every instant a page keeps fewer, and stays small",
          "[page]") {
  TraceBuilder trace;
  std::uint64_t state = 1;
  const auto name = [&state] {
    std::string text;
    for (int i = 0; i < 60; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      text += static_cast<char>('a' + (state >> 33U) % 26U);
    }
    return text;
  };
  for (std::uint64_t round = 0; round < 40; ++round) {
    std::vector<trace::AllocationNumber> blocks;
    for (std::uint64_t i = 0; i < 250; ++i) {
      blocks.push_back(
          trace.at_ms(round * 10).allocate(1000 + i, trace.stack({"malloc", name(), "main"})));
    }
    for (const auto block : blocks) {
      trace.at_ms(round * 10 + 9).release(block);
    }
  }
  auto loaded = trace.open();

  const std::string html = page_of(loaded);

  CHECK(html.size() < 300'000);
  check_instants(tests::page_data(html).at("loads").at(0));
}

TEST_CASE("of the peak's rows alone a page says when they came and went, and on which thread",
          "[page]") {
  TraceBuilder trace;
  const auto worker = trace.thread(trace::ProcessId{0});
  const auto load = trace.stack({"malloc", "load", "main"});
  const auto first = trace.at_ms(10).allocate(5000, load);
  trace.on(worker).at_ms(20).allocate(4000, load);
  trace.allocate(500, trace.stack({"malloc", "keep", "main"}));
  trace.at_ms(30).release(first);
  auto loaded = trace.open();
  const std::string tid = std::to_string(loaded.definitions().threads.at(trace::index(worker)).tid);

  const json load_data = data_of(loaded).at("loads").at(0);

  const json& lives = peak_of(load_data).at("lives");
  REQUIRE(lives.size() == 2);
  CHECK_THAT(
      lives.at(0).get<std::string>(),
      Catch::StartsWith("allocated from 10 ms to 20 ms by 2 threads, most by ") &&
          Catch::EndsWith("; freed at 30 ms, 10 ms after the peak, 0 ns before the end; 1 of 2 "
                          "blocks was never freed"));
  CHECK_THAT(lives.at(1).get<std::string>(),
             Catch::StartsWith("allocated at 20 ms by ") &&
                 Catch::EndsWith("thread " + tid + "; never freed"));
  CHECK(std::ranges::count_if(load_data.at("instants"),
                              [](const json& at) { return at.contains("lives"); }) == 1);
}

TEST_CASE("each other live set says what the peak's rows hold there, and its own at the peak",
          "[page]") {
  TraceBuilder trace;
  const auto old = trace.stack({"malloc", "old", "main"});
  const auto part = trace.stack({"malloc", "part", "main"});
  const auto gone = trace.at_ms(1).allocate(50'000'000, old);
  const auto half = trace.allocate(20'000'000, part);
  trace.allocate(20'000'000, part);
  trace.allocate(7'000'000, trace.stack({"malloc", "kept", "main"}));
  trace.at_ms(2).release(gone);
  trace.release(half);
  trace.allocate(1'000'000, trace.stack({"malloc", "new", "main"}));
  auto loaded = trace.open();

  const json load = data_of(loaded).at("loads").at(0);

  const json& last = load.at("instants").back();
  const auto signed_of = [](std::int64_t coded) {
    return coded % 2 != 0 ? -(coded + 1) / 2 : coded / 2;
  };
  std::vector<std::int64_t> changes;
  for (const std::int64_t coded : unpacked(last.at("changes"))) {
    changes.push_back(signed_of(coded));
  }
  // part, kept, new; and old, the first row of the peak.
  CHECK(changes == std::vector<std::int64_t>{-20'000'000, 0, 1'000'000});
  CHECK(unpacked(last.at("missing")) == std::vector<std::int64_t>{1});
  CHECK(unpacked(last.at("missing_held")) == std::vector<std::int64_t>{0});
  CHECK_FALSE(peak_of(load).contains("changes"));
}

TEST_CASE("a page has the live sets that a reader asks for: the load's begin, and behind a fall",
          "[page]") {
  TraceBuilder trace;
  const auto model = trace.file("/m/model.safetensors", 8 << 20U);
  const auto stack = trace.stack({"malloc", "noise", "main"});
  const auto some = [&](std::uint64_t from_ms) {
    for (std::uint64_t i = 0; i < 40; ++i) {
      trace.at_ns(from_ms * 1'000'000 + i * 1000).release(trace.allocate(100, stack));
    }
  };
  some(1);
  trace.at_ns(937'123'400).open_file(model);
  const auto whole = trace.at_ms(1001).allocate(8 << 20U, stack);
  trace.read_into(model, 8 << 20U, whole);
  trace.allocate(8 << 20U, stack);
  some(1100);
  trace.at_ns(1'203'456'700).release(whole);
  some(1250);
  some(9900);
  auto loaded = trace.open();

  const json instants = data_of(loaded).at("loads").at(0).at("instants");

  const auto has = [&](std::uint64_t at_ns, std::uint64_t bytes) {
    return std::ranges::any_of(instants, [&](const json& at) {
      return at.at("at_ns") == at_ns && at.at("bytes") == bytes;
    });
  };
  std::vector<std::pair<std::uint64_t, std::uint64_t>> stored;
  for (const json& at : instants) {
    stored.emplace_back(at.at("at_ns"), at.at("bytes"));
  }
  CAPTURE(json(stored).dump());
  CHECK(has(937'123'400, 0));
  CHECK(has(1'203'456'700, 8 << 20U));
}

TEST_CASE("a page of blocks of any size comes to an end", "[page]") {
  constexpr std::uint64_t kStacks = 600;
  TraceBuilder trace;
  trace.at_ms(10);
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t i = 0; i < kStacks; ++i) {
    blocks.push_back(trace.allocate(UINT64_MAX / kStacks,
                                    trace.stack({"malloc", "load_" + std::to_string(i), "main"})));
  }
  trace.at_ms(500).release(blocks.front());
  trace.at_ms(900).allocate(1, trace.stack({"malloc", "use", "main"}));
  auto loaded = trace.open();

  const json instants = data_of(loaded).at("loads").at(0).at("instants");

  CHECK(instants.size() > 1);
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
  CHECK(rows.at("unexplained") == std::pair<std::string, std::string>{
                                      "5.00 MiB", "rss_anon beyond heap + anon; most at 900 ms"});
  CHECK(rows.at("  untouched").first == "24.0 MiB");
  CHECK_THAT(rows.at("  untouched").second, Catch::StartsWith("not touched until then"));
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

TEST_CASE("a page's layers add up to its columns, and at the peak to the report", "[page]") {
  const unsigned seed = GENERATE(1U, 2U, 3U);
  CAPTURE(seed);
  TraceBuilder trace;
  tests::append_random_load(trace, seed, 900);
  auto loaded = trace.open();
  const auto report = analyzer::build_report(loaded, {});
  REQUIRE(report.ok());
  const auto subject = picture::subject_of(loaded, report.value());
  const auto columns = html::page_columns(loaded);

  const std::vector<html::LayeredPage> pages{{subject.layered(), columns}};
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
    }
    std::uint64_t at_peak = 0;
    for (const auto& layer : page.layers) {
      at_peak += layer.at_peak.at(0);
    }
    CHECK(at_peak == report.value().peak.footprint_bytes);
  }
}
