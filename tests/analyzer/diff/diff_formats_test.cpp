#include "analyzer/diff/diff.hpp"
#include "analyzer/diff/diff_json.hpp"
#include "analyzer/diff/diff_markdown.hpp"
#include "analyzer/diff/diff_text.hpp"
#include "tests/analyzer/golden.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <sstream>

using namespace tidemark;
using analyzer::Diff;
using analyzer::TextStyle;
using nlohmann::json;
using tests::kMiB;
using tests::TraceBuilder;

namespace {

constexpr TextStyle kUtf8{.width = 80, .colour = false, .utf8 = true};

Diff diff_between(TraceBuilder& before,
                  TraceBuilder& after,
                  const analyzer::DiffOptions& options = {}) {
  auto opened_before = before.open();
  auto opened_after = after.open();
  auto diff = analyzer::build_diff(opened_before, opened_after, options);
  REQUIRE(diff.ok());
  return std::move(diff.value());
}

Diff naive_to_streamed() {
  TraceBuilder before;
  tests::append_naive_load(before);
  TraceBuilder after;
  tests::append_streamed_load(after);
  return diff_between(before, after);
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) {
    widest = std::max(widest, analyzer::width_of(line));
  }
  return widest;
}

}  // namespace

TEST_CASE("the text of a diff reads as agreed", "[diff]") {
  const auto text = analyzer::diff_text(naive_to_streamed(), kUtf8);

  tests::check_golden("naive-to-streamed.txt", text);
  CHECK(widest_line(text) <= 80);
}

TEST_CASE("the markdown of a diff reads as agreed", "[diff]") {
  tests::check_golden("naive-to-streamed.md", analyzer::diff_markdown(naive_to_streamed()));
}

TEST_CASE("the JSON of a diff reads as agreed", "[diff][json]") {
  tests::check_golden("naive-to-streamed.json", analyzer::diff_json(naive_to_streamed()));
}

TEST_CASE("the JSON of a diff has the keys of schema 1, and whole reports", "[diff][json]") {
  const json diff = json::parse(analyzer::diff_json(naive_to_streamed()));

  CHECK(diff.at("schema") == 1);
  for (const char* side : {"before", "after"}) {
    for (const char* key :
         {"schema", "command", "model", "peak", "lane_peaks", "at_peak", "phases", "loss"}) {
      CHECK(diff.at(side).contains(key));
    }
  }
  CHECK(diff.at("peak_change_bytes").get<std::int64_t>() ==
        diff.at("after").at("peak").at("footprint_bytes").get<std::int64_t>() -
            diff.at("before").at("peak").at("footprint_bytes").get<std::int64_t>());
  CHECK(diff.at("peak_change_ratio").get<double>() == Approx(-0.5).margin(0.01));
  const json& stack = diff.at("stacks").at(0);
  CHECK(stack.at("before_bytes").is_number_unsigned());
  CHECK(stack.at("after_bytes").is_number_unsigned());
  CHECK(stack.at("stack").at(0).contains("function"));
}

TEST_CASE("a diff fits narrow and wide terminals", "[diff]") {
  const auto width = GENERATE(std::size_t{60}, std::size_t{80}, std::size_t{120});
  CAPTURE(width);

  CHECK(widest_line(analyzer::diff_text(naive_to_streamed(), {.width = width, .utf8 = true})) <=
        width);
}

TEST_CASE("without a UTF-8 locale a diff is plain ASCII", "[diff]") {
  const auto text = analyzer::diff_text(naive_to_streamed(), {.width = 80, .utf8 = false});

  CHECK(std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
}

TEST_CASE("colours add escapes to a diff and nothing else", "[diff]") {
  const Diff diff = naive_to_streamed();

  auto text = analyzer::diff_text(diff, {.width = 80, .colour = true, .utf8 = true});

  CHECK_THAT(text, Catch::StartsWith("\033[1mpeak"));
  for (std::size_t at = 0; (at = text.find('\033')) != std::string::npos;) {
    text.erase(at, text.find('m', at) + 1 - at);
  }
  CHECK(text == analyzer::diff_text(diff, kUtf8));
}

TEST_CASE("loss of either side stands right under the headline of a diff", "[diff]") {
  TraceBuilder before;
  before.allocate(1000);
  before.session.loss.records_dropped = 17;
  TraceBuilder after;
  after.allocate(1000);

  const Diff diff = diff_between(before, after);
  const auto text = analyzer::diff_text(diff, kUtf8);

  CHECK_THAT(text, Catch::StartsWith("peak 1000 B -> 1000 B: unchanged\n"
                                     "before: LOST: 17 dropped records\n"));
  CHECK_THAT(text, Catch::Contains("lost before  17 dropped records\nlost after   nothing\n"));
  CHECK_THAT(analyzer::diff_markdown(diff), Catch::Contains("before: LOST: 17 dropped records"));
}

TEST_CASE("models of different size are said: the ratios are not of the same thing", "[diff]") {
  TraceBuilder before;
  before.read(before.file("/m/a.gguf", 4 * kMiB), 4 * kMiB);
  TraceBuilder after;
  after.read(after.file("/m/a.gguf", 2 * kMiB), 2 * kMiB);

  CHECK_THAT(analyzer::diff_text(diff_between(before, after), kUtf8),
             Catch::Contains("The models differ: W is 4.00 MiB before and 2.00 MiB after."));
}

TEST_CASE("escapes in names do not reach the terminal through a diff", "[diff]") {
  TraceBuilder before;
  before.session.command = {"evil\033]0;title\007"};
  before.begin_phase("\033[31mred");
  before.allocate(10, before.stack({"malloc", "f\033[2J"}));
  TraceBuilder after;

  const auto text = analyzer::diff_text(diff_between(before, after), kUtf8);

  CHECK(text.find('\033') == std::string::npos);
  CHECK(text.find('\007') == std::string::npos);
}

TEST_CASE("a bar in a function's name does not break a table", "[diff]") {
  TraceBuilder before;
  before.allocate(10, before.stack({"malloc", "operator|(Flags, Flags)", "main"}));
  TraceBuilder after;

  CHECK_THAT(analyzer::diff_markdown(diff_between(before, after)),
             Catch::Contains("`operator\\|  [loader]`"));
}
