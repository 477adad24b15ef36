// One trace, told by text, markdown, JSON, the page, the picture and the window: numbers on two of
// them are the same.

#include "analyzer/diff/diff.hpp"
#include "analyzer/diff/diff_json.hpp"
#include "analyzer/diff/diff_text.hpp"
#include "analyzer/html/page.hpp"
#include "analyzer/picture/headline.hpp"
#include "analyzer/report/anatomy/anatomy_text.hpp"
#include "analyzer/report/facts/report_sentences.hpp"
#include "analyzer/report/parts/lane_rows.hpp"
#include "analyzer/report/parts/usage_table.hpp"
#include "analyzer/report/report_json.hpp"
#include "analyzer/report/report_markdown.hpp"
#include "analyzer/report/report_text.hpp"
#include "analyzer/text/change_text.hpp"
#include "analyzer/text/markdown.hpp"
#include "analyzer/text/size_text.hpp"
#include "gui/view/pages/page_map.hpp"
#include "gui/view/timeline/timeline_header.hpp"
#include "gui/view/trees/named_stacks.hpp"
#include "tests/analyzer/findings/loads.hpp"
#include "tests/analyzer/html/page_data.hpp"
#include "tests/analyzer/picture/scenes.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <array>
#include <cctype>
#include <optional>

using namespace tidemark;
using analyzer::format_size;
using nlohmann::json;
using tests::kMiB;
using tests::kModelBytes;
using tests::TraceBuilder;

namespace {

using Append = void (*)(TraceBuilder&);

trace::FileId model_of(TraceBuilder& trace) {
  const auto model = trace.file("/models/model.safetensors", kModelBytes);
  trace.open_file(model);
  return model;
}

/// Freed and kept: the resident peak is twice the footprint's.
void append_kept(TraceBuilder& trace) {
  const auto model = model_of(trace);
  const auto blob = trace.allocate(kModelBytes, trace.stack({"malloc", "read_file", "main"}));
  trace.at_ms(10).read_into(model, kModelBytes, blob);
  trace.sample(kModelBytes);
  const auto copy =
      trace.allocate(kModelBytes, trace.stack({"map_copy", "main"}), trace::Lane::kAnon);
  trace.at_ms(20).copy(kModelBytes, blob, copy);
  trace.release(blob);
  for (std::uint64_t ms = 200; ms < 1000; ms += 10) {
    trace.at_ms(ms).sample(2 * kModelBytes);
  }
  trace.allocate(1);
}

void append_mapped(TraceBuilder& trace) {
  const auto model = model_of(trace);
  trace.sample(kMiB, kMiB);
  trace.at_ms(10).map(model, kModelBytes);
  trace.at_ms(20).sample(kMiB, kModelBytes + kMiB);
  trace.allocate(3 * kMiB, trace.stack({"malloc", "main"}));
}

/// Through a small buffer, so that no byte can be followed, into many blocks of one place.
void append_unfollowed(TraceBuilder& trace) {
  trace.session.copies_recorded = true;
  const auto model = model_of(trace);
  for (int caller = 0; caller < 30; ++caller) {
    trace.at_ms(10U + static_cast<unsigned>(caller));
    for (int piece = 0; piece < 512; ++piece) {
      trace.read(model, kModelBytes / 30 / 512);
    }
    trace.allocate(20 * kMiB, trace.stack({"malloc", "grow vec.hpp:9",
                                           "read_" + std::to_string(caller), "main"}));
  }
  trace.read(model, kModelBytes - 30 * 512 * (kModelBytes / 30 / 512));
}

void append_failed(TraceBuilder& trace) {
  trace.session.exit_status = 139;
  trace.at_ms(1).fail(64 * kMiB);
}

void append_unseen(TraceBuilder& trace) {
  trace.at_ms(1).allocate(100 * kMiB, trace.stack({"malloc", "main"}));
  trace.at_ms(500).sample(300 * kMiB);
  trace.at_ms(600).allocate(1);
}

void append_small(TraceBuilder& trace) {
  trace.at_ms(1).allocate(1999, trace.stack({"malloc", "main"}));
  trace.at_ms(2).allocate(1024 * 9 + 7, trace.stack({"malloc", "load", "main"}));
}

constexpr std::array<Append, 8> kLoads{tests::append_naive_load,
                                       tests::append_streamed_load,
                                       append_kept,
                                       append_mapped,
                                       append_unfollowed,
                                       append_failed,
                                       append_unseen,
                                       append_small};

/// As words with one space between them: lines break where they like.
std::string flat(const std::string& text) {
  std::string words;
  for (const char c : text) {
    const bool is_space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!is_space) {
      words += c;
    } else if (!words.empty() && words.back() != ' ') {
      words += ' ';
    }
  }
  return words;
}

bool says(const std::string& flat_text, const std::string& what) {
  return flat_text.find(flat(what)) != std::string::npos;
}

/// Everything that is told of one trace.
struct Surfaces {
  explicit Surfaces(Append append) {
    append(builder);
    trace.emplace(builder.open());
    analyzer::ReportOptions options;
    options.top = 5;
    auto built = analyzer::build_report(*trace, options);
    REQUIRE(built.ok());
    report = std::move(built.value());
    text = flat(analyzer::report_text(report, {.width = 100, .utf8 = true}));
    markdown = flat(analyzer::report_markdown(report));
    in_json = json::parse(analyzer::report_json(report));
    page = tests::page_data(html::report_page(*trace, report)).at("loads").at(0);
    subject = picture::subject_of(*trace, report);
  }

  /// The labels above a timeline.
  [[nodiscard]] std::string window_header() const {
    picture::Scene scene;
    const picture::MeasureText measure = tests::wide_letters();
    const gui::Look look{picture::light_theme(), gui::screen_type(1), measure};
    picture::Pen pen(scene, measure);
    gui::TimelineTrace shown;
    shown.subject = &subject;
    gui::draw_header(pen, look, {0, 0, 4000, 30}, "", shown, true);
    std::string labels;
    for (const picture::Label& label : tests::labels_of(scene)) {
      labels += label.text + '\n';
    }
    return labels;
  }

  TraceBuilder builder;
  std::optional<analyzer::LoadedTrace> trace;
  analyzer::Report report;
  std::string text;
  std::string markdown;
  json in_json;
  json page;
  picture::Subject subject;
};

void check_peak(const Surfaces& told) {
  const std::uint64_t peak = told.report.peak.footprint_bytes;
  CHECK(told.in_json.at("peak").at("footprint_bytes") == peak);
  CHECK(told.subject.peak_bytes == peak);
  CHECK(says(told.text, "peak " + format_size(peak)));
  CHECK(says(told.markdown, format_size(peak)));
  CHECK(says(told.page.at("headline"), "peak " + format_size(peak)));
  CHECK(says(picture::headline(std::array{told.subject}), format_size(peak)));
  const auto instants = told.page.at("instants");
  for (const json& instant : instants) {
    CHECK((!instant.at("is_peak").get<bool>() || instant.at("bytes") == peak));
  }
}

void check_model(const Surfaces& told) {
  const std::uint64_t model = told.report.model.bytes;
  CHECK(told.page.at("model_bytes") == model);
  CHECK(told.subject.model_bytes == model);
  CHECK(told.in_json.at("model").at("bytes") == model);
  if (model == 0) {
    CHECK(told.in_json.at("peak").at("ratio").is_null());
    return;
  }
  CHECK(says(told.text, "the " + format_size(model) + " model"));
  CHECK(says(told.window_header(), "W = " + format_size(model)));
}

void check_lanes(const Surfaces& told) {
  // A page has a row of its own behind the heap's, and one more, which the window's map of pages
  // has.
  const auto is_own = [](const json& one) { return one.at("name") == "  untouched"; };
  const json& lanes = told.page.at("lanes");
  std::size_t i = 0;
  for (const analyzer::LaneRow& row : analyzer::lane_rows(told.report)) {
    CAPTURE(row.name);
    i += is_own(lanes.at(i)) ? std::size_t{1} : 0;
    CHECK(lanes.at(i).at("highest").at("text") == row.highest);
    CHECK(says(told.text, row.name + " " + row.highest));
    ++i;
  }
  CHECK(std::ranges::count_if(lanes, is_own) == (told.report.peak.footprint_bytes > 0 ? 1 : 0));
  const bool has_own = lanes.back().at("name") == gui::word_of(gui::PageUse::kBeyond);
  CHECK(lanes.size() == i + (has_own ? 1 : 0));
  CHECK(told.in_json.at("lane_peaks").at("unexplained_bytes") == told.report.unexplained_bytes);
}

void check_unexplained(const Surfaces& told) {
  const std::string sentence = analyzer::unexplained_text(told.report);
  CHECK(told.page.contains("unexplained") == !sentence.empty());
  CHECK(told.in_json.at("unexplained").is_null() == sentence.empty());
  if (sentence.empty()) {
    return;
  }
  CHECK(says(told.text, sentence));
  CHECK(says(told.markdown, analyzer::md_text(sentence)));
  CHECK(told.page.at("unexplained").at("sentence") == sentence);
  CHECK(told.in_json.at("unexplained").at("sentence") == sentence);
  const json& in_page = told.page.at("unexplained").at("groups");
  const json& in_json = told.in_json.at("unexplained").at("groups");
  const auto& groups = told.report.anatomy.groups;
  REQUIRE(in_page.size() == groups.size());
  REQUIRE(in_json.size() == groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::string group = analyzer::group_text(told.report, groups[i]);
    CAPTURE(group);
    CHECK(says(told.text, "- " + group));
    CHECK(says(told.markdown, analyzer::md_text(group)));
    CHECK(in_page.at(i) == group);
    CHECK(in_json.at(i).at("sentence") == group);
  }
}

void check_why(const Surfaces& told) {
  const auto& findings = told.report.anatomy.findings;
  const json in_page = told.page.value("findings", json::array());
  REQUIRE(told.in_json.at("findings").size() == findings.size());
  REQUIRE(in_page.size() == findings.size());
  for (std::size_t i = 0; i < findings.size(); ++i) {
    CAPTURE(findings[i].sentence);
    CHECK(told.in_json.at("findings").at(i).at("sentence") == findings[i].sentence);
    CHECK(in_page.at(i).at("sentence") == findings[i].sentence);
    CHECK(in_page.at(i).at("without") == analyzer::remedy_text(told.report, findings[i]));
    CHECK(says(told.markdown, analyzer::md_text(analyzer::finding_text(told.report, findings[i]))));
    const std::string advice = analyzer::advice_text(told.report, findings[i]);
    CHECK(in_page.at(i).at("advice") == advice);
    CHECK(says(told.text, advice));
    CHECK(says(told.markdown, analyzer::md_text(advice)));
    CHECK(
        says(advice.empty() ? told.text : advice, told.in_json.at("findings").at(i).at("advice")));
    // What was refused stands under the command there.
    CHECK(says(told.text, findings[i].kind == analyzer::FindingKind::kRefused
                              ? analyzer::refusals_of(told.report)
                              : findings[i].sentence));
  }
  std::vector<std::string> notes;
  check_unexplained(told);
  for (const std::string& note :
       {analyzer::together_text(told.report), analyzer::floor_text(told.report),
        analyzer::left_out_text(told.report)}) {
    if (!note.empty()) {
      notes.push_back(note);
      CHECK(says(told.text, note));
    }
  }
  CHECK(told.page.value("notes", std::vector<std::string>()) == notes);
  CHECK(told.page.value("none_lowers", std::string()) == analyzer::none_lowers_text(told.report));
}

void check_warnings(const Surfaces& told) {
  CHECK(told.page.at("warnings") == json(analyzer::warnings_of(told.report)));
  for (const std::string& warning : analyzer::warnings_of(told.report)) {
    CAPTURE(warning);
    CHECK(says(told.text, warning));
  }
}

/// Listed stacks, the rest and what no stack explains are the footprint, in the window as well.
void check_live_set(Surfaces& told) {
  std::uint64_t listed = told.in_json.at("at_peak_rest").at("bytes").get<std::uint64_t>();
  for (const json& stack : told.in_json.at("at_peak")) {
    listed += stack.at("bytes").get<std::uint64_t>();
  }
  CHECK(listed == told.report.live_bytes);
  const auto stacks = gui::named_stacks(told.report.live, told.trace->definitions());
  CHECK(stacks.total.bytes == told.report.live_bytes);
}

}  // namespace

TEST_CASE("the numbers of one trace are the same on every surface", "[surfaces]") {
  const std::size_t load = GENERATE(range(std::size_t{0}, kLoads.size()));
  CAPTURE(load);
  Surfaces told(kLoads.at(load));

  check_peak(told);
  check_model(told);
  check_lanes(told);
  check_why(told);
  check_warnings(told);
  check_live_set(told);
}

TEST_CASE("the window's table of allocations has the cells of the report's", "[surfaces]") {
  const auto by = GENERATE(analyzer::UsageGrouping::kTemporary, analyzer::UsageGrouping::kLeaked,
                           analyzer::UsageGrouping::kAllocations, analyzer::UsageGrouping::kSize,
                           analyzer::UsageGrouping::kThread);
  TraceBuilder builder;
  tests::append_random_load(builder, 3, 300);
  auto trace = builder.open();
  analyzer::ReportOptions options;
  options.top = 500;
  options.usage = by;
  const auto report = analyzer::build_report(trace, options);
  REQUIRE(report.ok());
  const auto usage = analyzer::report_usage(trace, analyzer::find_peak(trace).at, by, 500);

  const auto lines = analyzer::usage_lines(usage);

  const std::string markdown = analyzer::usage_markdown(report.value());
  CHECK(markdown.find(analyzer::md_text(lines.title)) != std::string::npos);
  REQUIRE(lines.cells.size() == usage.rows.size());
  REQUIRE_FALSE(lines.cells.empty());
  for (std::size_t i = 0; i < lines.cells.size(); ++i) {
    std::string row = "|";
    for (const std::string& cell : lines.cells[i]) {
      row += " " + cell + " |";
    }
    CAPTURE(row);
    CHECK(markdown.find(row + " " + analyzer::md_text(lines.names[i])) != std::string::npos);
  }
}

TEST_CASE("what is resident and was not asked for is one number on the window's map and a page",
          "[surfaces]") {
  TraceBuilder builder;
  const auto block = builder.at_ms(10).allocate(64 * kMiB, builder.stack({"malloc", "main"}));
  builder.look(block, 12, 40 * kMiB);
  builder.at_ms(20).sample(70 * kMiB);
  builder.at_ms(30).allocate(kMiB);
  auto trace = builder.open();
  const auto report = analyzer::build_report(trace, {});
  REQUIRE(report.ok());
  const auto subject = picture::subject_of(trace, report.value());
  const std::uint64_t at_ns = subject.peak_at.at_ns;
  gui::BlockList list;
  list.blocks = {{.allocation = block, .bytes = 64 * kMiB, .begin_ns = 1}};

  const auto map = gui::page_map(list, trace.definitions().looks, report.value().peak.lanes,
                                 subject.resident_at(at_ns), at_ns);
  const json load = tests::page_data(html::report_page(trace, report.value())).at("loads").at(0);

  const auto& rows = load.at("lanes");
  const auto row = std::ranges::find_if(
      rows, [](const json& one) { return one.at("name") == gui::word_of(gui::PageUse::kBeyond); });
  REQUIRE(row != rows.end());
  CHECK(row->at("at_peak").at("text") == format_size(map.of(gui::PageUse::kBeyond)));
  CHECK(map.of(gui::PageUse::kBeyond) == 29 * kMiB);
}

TEST_CASE("what a block that came at the peak has not touched is one number on map and page",
          "[surfaces]") {
  TraceBuilder builder;
  const auto stack = builder.stack({"malloc", "main"});
  const auto first = builder.at_ms(10).allocate(64 * kMiB, stack);
  builder.look(first, 12, 60 * kMiB);
  builder.at_ms(20).sample(70 * kMiB);
  const auto last = builder.at_ms(30).allocate(48 * kMiB, stack);
  builder.at_ms(40).release(last);
  auto trace = builder.open();
  const auto report = analyzer::build_report(trace, {});
  REQUIRE(report.ok());
  const auto subject = picture::subject_of(trace, report.value());
  const std::uint64_t at_ns = subject.peak_at.at_ns;
  gui::BlockList list;
  list.blocks = {{.allocation = first, .bytes = 64 * kMiB, .begin_ns = 1},
                 {.allocation = last, .bytes = 48 * kMiB, .begin_ns = at_ns}};

  const auto map = gui::page_map(list, trace.definitions().looks, report.value().peak.lanes,
                                 subject.resident_at(at_ns), at_ns);
  const json load = tests::page_data(html::report_page(trace, report.value())).at("loads").at(0);

  const auto& rows = load.at("lanes");
  const auto row =
      std::ranges::find_if(rows, [](const json& one) { return one.at("name") == "  untouched"; });
  REQUIRE(row != rows.end());
  CHECK(row->at("at_peak").at("text") == format_size(map.of(gui::PageUse::kUntouched)));
  CHECK(map.of(gui::PageUse::kUntouched) == 42 * kMiB);
}

TEST_CASE("the page's load without a finding has the peak that the report says", "[surfaces]") {
  for (const Append append : kLoads) {
    TraceBuilder builder;
    append(builder);
    auto trace = builder.open();
    const auto report = analyzer::build_report(trace, {});
    REQUIRE(report.ok());
    const json load = tests::page_data(html::report_page(trace, report.value())).at("loads").at(0);
    const auto& findings = report.value().anatomy.findings;
    const bool has_any =
        std::ranges::any_of(findings, [](const auto& one) { return one.savings != nullptr; });
    CHECK(load.contains("what_if") == has_any);
    if (!has_any) {
      continue;
    }
    const json& what_if = load.at("what_if");
    for (std::size_t i = 0; i < what_if.at("findings").size(); ++i) {
      const auto& finding = findings.at(what_if.at("findings").at(i).get<std::size_t>());
      const json& alone = what_if.at("sets").at((std::size_t{1} << i) - 1);
      CHECK(alone.at("peak_bytes") == finding.peak_without_bytes);
      CHECK(
          alone.at("sentence").get<std::string>().find(format_size(*finding.peak_without_bytes)) !=
          std::string::npos);
    }
  }
}

TEST_CASE("the numbers of a comparison are the same on every surface", "[surfaces]") {
  const auto [first, second] =
      GENERATE(table<std::size_t, std::size_t>({{0, 1}, {1, 0}, {2, 3}, {3, 2}, {4, 7}, {0, 7}}));
  CAPTURE(first, second);
  Surfaces before(kLoads.at(first));
  Surfaces after(kLoads.at(second));
  const std::uint64_t was = before.report.peak.footprint_bytes;
  const std::uint64_t is = after.report.peak.footprint_bytes;
  const std::string percent = analyzer::format_change(was, is);
  const std::string sizes = format_size(was) + " → " + format_size(is);

  auto built = analyzer::build_diff(*before.trace, *after.trace, {});
  REQUIRE(built.ok());
  const analyzer::Diff& diff = built.value();
  const std::string text = flat(analyzer::diff_text(diff, {.width = 120, .utf8 = true}));
  const json in_json = json::parse(analyzer::diff_json(diff));
  const json page = tests::page_data(html::diff_page(*before.trace, *after.trace, diff)).at("diff");

  CHECK(in_json.at("peak_change_bytes") ==
        static_cast<std::int64_t>(is) - static_cast<std::int64_t>(was));
  CHECK(says(text, percent));
  CHECK(says(page.at("headline"), sizes));
  CHECK(says(page.at("headline"), percent));
  const std::string drawn = picture::headline(std::array{before.subject, after.subject});
  CHECK(says(drawn, sizes));
  CHECK(says(drawn, percent));
}
