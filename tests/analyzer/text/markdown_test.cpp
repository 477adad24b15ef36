#include "analyzer/text/markdown.hpp"

#include "analyzer/report/report_markdown.hpp"
#include "tests/analyzer/golden.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using namespace tidemark::analyzer;
using tests::TraceBuilder;

namespace {

std::string markdown_of(TraceBuilder& trace) {
  auto loaded = trace.open();
  return report_markdown(build_report(loaded, {}).value());
}

}  // namespace

TEST_CASE("the markdown report of a naive load reads as agreed", "[report][markdown]") {
  TraceBuilder trace;
  tests::append_naive_load(trace);

  tests::check_golden("naive.md", markdown_of(trace));
}

TEST_CASE("the markdown report of a streamed load reads as agreed", "[report][markdown]") {
  TraceBuilder trace;
  tests::append_streamed_load(trace);

  tests::check_golden("streamed.md", markdown_of(trace));
}

TEST_CASE("characters with a meaning are shown as they stand", "[markdown]") {
  CHECK(md_text("a_b *c* <d> [e] `f` &") == "a\\_b \\*c\\* &lt;d&gt; \\[e\\] \\`f\\` &amp;");
  CHECK(md_text("two\nlines") == "two?lines");
}

TEST_CASE("code may hold backticks", "[markdown]") {
  CHECK(md_code("f<int>") == "`f<int>`");
  CHECK(md_code("a`b") == "``a`b``");
  CHECK(md_code("`a``") == "``` `a`` ```");
  CHECK(md_code("two\nlines") == "`two?lines`");
  CHECK(md_code("").empty());
}

TEST_CASE("a table escapes bars and fills short rows", "[markdown]") {
  CHECK(md_table({{"a", false}, {"b", true}}, {{"`x|y`", "1"}, {"z"}}) ==
        "| a | b |\n| :--- | ---: |\n| `x\\|y` | 1 |\n| z | |\n\n");
}

TEST_CASE("a path cannot break out of the markdown of a report", "[report][markdown]") {
  TraceBuilder trace;
  trace.session.command = {"`rm`", "<script>", "a\nb"};
  trace.begin_phase("<b>|x");
  trace.allocate(10, trace.stack({"malloc", "operator|(F, F)", "main"}));
  trace.end_phase("<b>|x");

  const auto text = markdown_of(trace);

  CHECK_THAT(text, Catch::Contains("`` `rm` <script> a?b ``"));
  CHECK_THAT(text, Catch::Contains("| `<b>\\|x` |"));
  CHECK_THAT(text, Catch::Contains("in phase &lt;b&gt;\\|x"));
}
