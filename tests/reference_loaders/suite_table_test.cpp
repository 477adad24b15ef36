#include "reference_loaders/cli/suite_table.hpp"

#include "reference_loaders/cli/text_columns.hpp"
#include "tests/reference_loaders/suite_fixture.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <sstream>

using namespace tidemark::loaders;
using test::a_failure;
using test::a_load;
using test::a_model;

namespace {

std::string table_of(std::vector<RowResult> rows) {
  System system;
  system.name = "abacus";
  system.summary = "beads";
  system.published = "issue 1";
  return suite_table(system, {a_model(std::move(rows))});
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) {
    widest = std::max(widest, text_width(line));
  }
  return widest;
}

}  // namespace

TEST_CASE("a table is told in full", "[suite]") {
  RowResult stream = a_load("stream", 1010);
  stream.row.published = "5 GB, 1x";
  stream.run.load->notes = {{"code kept", "500 B"}};
  RowResult cold = a_load("blob");
  cold.row.cold = true;

  CHECK(table_of({a_load("blob", 2000), cold, stream}) == R"(abacus: beads
issue 1

  variant     predicted  formula         measured     diff ratio    time GB/s of dd  published
params, 512 B (dd bs=4M reads it at 0.00 GB/s)
! blob           1000 B  2W = 2 x 500 B  1.95 KiB +100.00%  2.00 0.500 s 1.25   80%
  blob, cold     1000 B  2W = 2 x 500 B    1000 B   +0.00%  2.00 0.500 s 1.25     -
  stream         1000 B  2W = 2 x 500 B    1010 B   +1.00%  2.00 0.500 s 1.25   80%  5 GB, 1x

notes
  stream: code kept 500 B

abacus: 1 of 3 rows does not hold
)");
}

TEST_CASE("what must fail and does is told in its own words, what must not is marked", "[suite]") {
  RowResult expected = a_failure("hardcoded", "needs 12 bytes more");
  expected.row.fails_with = "more";
  expected.row.published = "aborts";

  const std::string table = table_of({expected, a_failure("blob", "no such file")});

  CHECK_THAT(table, Catch::Contains("  hardcoded  fails, as it must, with exit status 2: needs 12 "
                                    "bytes more (published: aborts)\n"));
  CHECK_THAT(table, Catch::Contains("! blob  failed with exit status 2: no such file\n"));
  CHECK_THAT(table, Catch::Contains("abacus: 1 of 2 rows does not hold\n"));
}

TEST_CASE("no table is wider than a window", "[suite]") {
  RowResult wide = a_load("a-variant-with-a-name", 1'000'000'000'000);
  wide.run.load->predicted.footprint_bytes = 45'000'000'000;
  wide.row.options = {{"tokens", "1024"}, {"reopen", "1"}};
  wide.row.published = "a long story about five gigabytes, told in the words of its author";
  wide.peak_formula = "max(W + A, W + 2w)";
  wide.run.load->predicted.numbers = "max(944.5 MiB + 1363.9 MiB, 944.5 MiB + 2 x 250.5 MiB)";
  wide.run.load->notes = {{"a note", std::string(60, 'x') + " " + std::string(60, 'y')}};

  const std::string table = table_of(
      {wide, a_failure("blob", std::string(70, 'z') + " and more " + std::string(70, 'w'))});

  CHECK(widest_line(table) <= kWindowColumns);
  CHECK_THAT(table, Catch::Contains("author") && Catch::Contains("250.5"));
}

TEST_CASE("what was published at length has a line of its own", "[suite]") {
  RowResult row = a_load("stream");
  row.row.published = "a story of seventeen";

  const std::string table = table_of({row});

  CHECK_THAT(table, Catch::Contains("of dd\n") &&
                        Catch::Contains("80%\n      published: a story of seventeen\n"));
}

TEST_CASE("the notes of a row are told in one paragraph", "[suite]") {
  RowResult row = a_load("stream");
  row.run.load->notes = {{"code kept", "500 B"}, {"reads", "3"}};

  CHECK_THAT(table_of({row}), Catch::Contains("notes\n  stream: code kept 500 B; reads 3\n"));
}

TEST_CASE("no ratio and no share of dd are told as none", "[suite]") {
  RowResult mapped = a_load("mmap");
  mapped.run.load->peak_ratio.reset();
  mapped.run.load->predicted = {.footprint_bytes = 500, .mapped_bytes = 500, .numbers = "W"};

  CHECK_THAT(table_of({mapped}), Catch::Contains("+0.00%     - 0.500 s 1.25     -"));
}

TEST_CASE("text is wrapped at spaces and words stay whole", "[suite]") {
  using Lines = std::vector<std::string>;
  CHECK(wrapped("", 5) == Lines{""});
  CHECK(wrapped("ab cd ef", 5) == Lines{"ab cd", "ef"});
  CHECK(wrapped("abcdefgh ij", 5) == Lines{"abcdefgh", "ij"});
  CHECK(text_width("4 × 2") == 5);
}
