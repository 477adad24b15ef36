#include "analyzer/report/report_text.hpp"

#include "analyzer/report/report_json.hpp"
#include "analyzer/text/plot_text.hpp"
#include "tests/analyzer/golden.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <array>
#include <cstdint>
#include <sstream>

using namespace tidemark;
using analyzer::TextStyle;
using tests::kMiB;
using tests::TraceBuilder;

namespace {

std::string text_of(TraceBuilder& trace,
                    const TextStyle& style,
                    analyzer::ReportOptions options = {}) {
  auto loaded = trace.open();
  options.columns = analyzer::plot_columns(style);
  const auto report = analyzer::build_report(loaded, options);
  REQUIRE(report.ok());
  return analyzer::report_text(report.value(), style);
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) {
    widest = std::max(widest, analyzer::width_of(line));
  }
  return widest;
}

constexpr TextStyle kUtf8{.width = 80, .colour = false, .utf8 = true};

}  // namespace

TEST_CASE("the text report of a naive load reads as agreed", "[report]") {
  TraceBuilder trace;
  tests::append_naive_load(trace);

  const auto text = text_of(trace, kUtf8);

  tests::check_golden("naive.txt", text);
  CHECK(widest_line(text) <= 80);
}

TEST_CASE("the text report of a streamed load reads as agreed", "[report]") {
  TraceBuilder trace;
  tests::append_streamed_load(trace);

  const auto text = text_of(trace, kUtf8);

  tests::check_golden("streamed.txt", text);
  CHECK(widest_line(text) <= 80);
}

TEST_CASE("without a UTF-8 locale the text is plain ASCII", "[report]") {
  TraceBuilder trace;
  tests::append_naive_load(trace);

  const auto text = text_of(trace, {.width = 80, .colour = false, .utf8 = false});

  tests::check_golden("naive-ascii.txt", text);
  CHECK(std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
}

TEST_CASE("a text report fits narrow and wide terminals", "[report]") {
  const auto width = GENERATE(std::size_t{60}, std::size_t{100}, std::size_t{120});
  CAPTURE(width);
  TraceBuilder trace;
  tests::append_streamed_load(trace);

  const std::string text = text_of(trace, {.width = width, .colour = false, .utf8 = true});
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(analyzer::width_of(line) <= width);
  }
}

TEST_CASE("colours add escapes and nothing else", "[report]") {
  TraceBuilder plain;
  tests::append_naive_load(plain);
  TraceBuilder coloured;
  tests::append_naive_load(coloured);

  auto text = text_of(coloured, {.width = 80, .colour = true, .utf8 = true});

  CHECK_THAT(text, Catch::StartsWith("\033[1mpeak"));
  for (std::size_t at = 0; (at = text.find('\033')) != std::string::npos;) {
    text.erase(at, text.find('m', at) + 1 - at);
  }
  CHECK(text == text_of(plain, kUtf8));
}

TEST_CASE("a model that nobody read leaves out the ratio and says why", "[report]") {
  TraceBuilder trace;
  trace.allocate(1000);

  const auto text = text_of(trace, kUtf8);

  CHECK_THAT(text, Catch::StartsWith("peak 1000 B, at 0 ns\n"));
  CHECK_THAT(text, Catch::Contains("there is no model to compare with"));
}

TEST_CASE("where no file was seen, many pages of files are said", "[report]") {
  for (const auto& [resident, is_told] :
       {std::pair(5 * kMiB, false), std::pair(258 * kMiB, true)}) {
    TraceBuilder trace;
    trace.allocate(1000);
    trace.at_ms(1).sample(1000, resident);

    const auto text = text_of(trace, kUtf8);

    CHECK((text.find("no file was read or mapped, so there") == std::string::npos) == is_told);
    CHECK((text.find("no file was seen to be read or mapped; 258.0 MiB") != std::string::npos) ==
          is_told);
  }
}

TEST_CASE("weights that were read in part are said not to be taken for the model", "[report]") {
  TraceBuilder trace;
  trace.read(trace.file("/m/tvm.params", 40 << 20), 18 << 20);

  const auto text = text_of(trace, kUtf8);

  CHECK_THAT(text, Catch::Contains("file  (no model file was read whole)\n"));
  CHECK_THAT(text, Catch::Contains(
                       "  /m/tvm.params\n"
                       "  tvm.params was read to 45 % only, so it is not taken for the model;\n"
                       "  --model /m/tvm.params says that it is\n"));
}

TEST_CASE("how to name a model is broken at the width, but not the words to be copied",
          "[report]") {
  TraceBuilder trace;
  const std::string path = "/models/of/a/large/language/weights_of_a_large_language_model.params";
  trace.read(trace.file(path, 40 << 20), 18 << 20);

  CHECK_THAT(
      text_of(trace, kUtf8),
      Catch::Contains(
          "\n  weights_of_a_large_language_model.params was read to 45 % only, so it is not\n"
          "  taken for the model;\n"
          "  --model " +
          path + " says that it is\n"));
}

TEST_CASE("of a recording that is there in part the peak is at least that of what is left",
          "[report]") {
  TraceBuilder torn;
  tests::finish_torn(torn);
  auto loaded = analyzer::LoadedTrace::open(torn.path());
  REQUIRE(loaded.ok());
  const auto report = analyzer::build_report(loaded.value(), {});
  REQUIRE(report.ok());
  const std::string text = analyzer::report_text(report.value(), kUtf8);
  CHECK_THAT(text, Catch::StartsWith("peak at least "));
  CHECK_THAT(text, Catch::Contains(", up to where the recording ends\nLOST: the end of the"));
  CHECK_THAT(text, Catch::Contains("no read or mapping of a file is in this trace; there may have "
                                   "been some"));

  TraceBuilder unwritten;
  unwritten.allocate(1000);
  unwritten.session.loss.events_unwritten = 3;
  CHECK_THAT(text_of(unwritten, kUtf8), Catch::StartsWith("peak at least 1000 B, at 0 ns\nLOST"));
}

TEST_CASE("a program that asks the kernel alone is not said to ask for nothing", "[report]") {
  constexpr std::uint64_t kResident = std::uint64_t{193} << 20U;
  TraceBuilder blind;
  blind.at_ns(20'000'000);
  blind.sample(kResident);
  const std::string text = text_of(blind, kUtf8);
  CHECK_THAT(text, Catch::StartsWith("peak not known: no request for memory is in this trace\n"));
  CHECK_THAT(text, Catch::Contains("is not attributed to any tracked"));
  CHECK_THAT(text, !Catch::Contains("it had been freed"));
  CHECK_THAT(text, !Catch::Contains("Without all that these findings name"));
}

TEST_CASE("of a program of which nothing is left nothing is claimed", "[report]") {
  TraceBuilder whole;
  CHECK_THAT(text_of(whole, kUtf8),
             Catch::StartsWith("peak 0 B: the program asked for no memory\n"));

  TraceBuilder cut;
  auto loaded = cut.break_off();
  const auto report = analyzer::build_report(loaded, {});
  REQUIRE(report.ok());
  const std::string text = analyzer::report_text(report.value(), kUtf8);
  CHECK_THAT(text, Catch::StartsWith(
                       "no peak: nothing that the program did is in what is left of this trace\n"));
  CHECK(text.find("no file was read") == std::string::npos);

  TraceBuilder dropped;
  dropped.read(dropped.file("/m/a.txt", 100), 100);
  dropped.session.loss.records_dropped = 17;
  const std::string lossy = text_of(dropped, kUtf8);
  CHECK_THAT(lossy, Catch::StartsWith("peak not known: no request for memory is in this trace\n"));
  CHECK_THAT(lossy, Catch::Contains("file  (no model file is known: no ratio)\n"));
}

TEST_CASE("loss stands right under the headline", "[report]") {
  TraceBuilder trace;
  trace.allocate(1000);
  trace.session.loss.records_dropped = 17;
  trace.session.loss.torn = false;

  const auto text = text_of(trace, kUtf8);

  CHECK_THAT(text, Catch::Contains("at 0 ns\nLOST: 17 dropped records\n"));
}

TEST_CASE("much private memory in no lane stands under the headline, a little does not",
          "[report]") {
  for (const auto& [unseen, is_told] : {std::pair(31 * kMiB, true), std::pair(28 * kMiB, false)}) {
    TraceBuilder trace;
    trace.allocate(290 * kMiB);
    trace.at_ms(1).sample(290 * kMiB + unseen);

    const auto text = text_of(trace, kUtf8);

    CHECK((text.find("31.0 MiB of private memory is not in this peak") != std::string::npos) ==
          is_told);
  }
}

TEST_CASE("a report says that nothing was lost", "[report]") {
  TraceBuilder trace;
  trace.allocate(1000);

  CHECK_THAT(text_of(trace, kUtf8), Catch::Contains("\nlost      nothing\n"));
}

TEST_CASE("escapes in paths and commands do not reach the terminal", "[report]") {
  TraceBuilder trace;
  trace.read(trace.file("/m/\033[31mred.bin", 1 << 20), 1 << 20);
  trace.session.command = {"evil\033]0;title\007", "\xff\xc2\x9b"};

  const auto text = text_of(trace, kUtf8);

  CHECK(text.find('\033') == std::string::npos);
  CHECK(text.find('\007') == std::string::npos);
  CHECK(text.find("\xc2\x9b") == std::string::npos);
  CHECK_THAT(text, Catch::Contains("/m/?[31mred.bin"));
}

TEST_CASE("memory beyond what was asked for is a warning where the peak may lack it", "[report]") {
  const auto [resident_at_peak, later, is_warned] = GENERATE(values<std::array<std::uint64_t, 3>>({
      {300 * kMiB, 200 * kMiB, 0},  // As much as was asked for; what is kept later is less.
      {420 * kMiB, 200 * kMiB, 1},  // More than the peak has.
      {300 * kMiB, 420 * kMiB, 1},
      {250 * kMiB, 250 * kMiB, 1},  // Part of the peak was never touched.
  }));
  CAPTURE(resident_at_peak, later);
  TraceBuilder trace;
  const auto block = trace.at_ms(1).allocate(300 * kMiB);
  trace.at_ms(100).sample(resident_at_peak);
  trace.at_ms(101).release(block);
  trace.at_ms(400).sample(later);
  trace.at_ms(600).sample(later);
  trace.at_ms(601).allocate(1);

  const std::string text = text_of(trace, kUtf8);

  CHECK((text.find("had been freed and") != std::string::npos) == (is_warned == 1));
  CHECK_THAT(text, Catch::Contains("\nunexplained"));
}

TEST_CASE("text and JSON say one instant at which most was unexplained", "[report]") {
  TraceBuilder trace;
  const auto block = trace.at_ms(1).allocate(300 * kMiB);
  trace.at_ms(100).sample(320 * kMiB);
  // Its release is fresh: of the 250 MiB nothing is unexplained so far.
  trace.at_ms(350).release(block);
  trace.at_ms(400).sample(250 * kMiB);
  trace.at_ms(600).sample(60 * kMiB);
  trace.at_ms(700).allocate(1);
  auto loaded = trace.open();
  auto report = analyzer::build_report(loaded, {});
  REQUIRE(report.ok());

  CHECK(report.value().unexplained_bytes == 60 * kMiB);
  CHECK_THAT(analyzer::report_text(report.value(), kUtf8),
             Catch::Contains("60.0 MiB             rss_anon beyond heap + anon, at 600 ms\n"));
  CHECK_THAT(analyzer::report_json(report.value()),
             Catch::Contains("\"unexplained_at_ns\": 600000000"));

  // The kernel's mark has no time.
  report.value().unexplained_at_ns.reset();
  CHECK_THAT(analyzer::report_text(report.value(), kUtf8),
             Catch::Contains("60.0 MiB             rss_anon beyond heap + anon\n"));
  CHECK_THAT(analyzer::report_json(report.value()), Catch::Contains("\"unexplained_at_ns\": null"));
}

TEST_CASE("what the peak lacks is told as of the highest resident memory, not of another time",
          "[report]") {
  TraceBuilder trace;
  const auto block = trace.at_ms(1).allocate(300 * kMiB);
  trace.at_ms(100).sample(335 * kMiB);
  trace.at_ms(101).release(block);
  trace.at_ms(400).sample(250 * kMiB);
  trace.at_ms(600).allocate(1);

  CHECK_THAT(text_of(trace, kUtf8),
             Catch::Contains("35.0 MiB of private memory is not in this peak, as 335.0 MiB"));
}
