// Rows beside the array that a loop joined them into, told by sizes and order: for and against.
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kMiB;
using tests::kModelBytes;
using tests::Load;

namespace {

constexpr std::uint64_t kRowBytes = 16 << 10;
constexpr std::uint64_t kRows = 4096;
constexpr std::uint64_t kArrayBytes = kRows * kRowBytes;
constexpr std::uint64_t kBytesHeader = 33;

/// A program that loads no model: rows of a table, one object each, then an array.
struct Rows : Load {
  void fetch(std::uint64_t size = kRowBytes + kBytesHeader, std::uint64_t count = kRows) {
    const auto stack = trace.stack({"malloc", "fetch rows.cpp:3", "main"});
    for (std::uint64_t i = 0; i < count; ++i) {
      wait_ms(1);
      rows.push_back(trace.allocate(size, stack));
    }
  }
  void stack_up(std::uint64_t size = kArrayBytes) { array = block("vstack", size); }
  /// All findings, once everything has gone: the rows at one time or with pauses.
  std::vector<analyzer::Finding> all(std::uint64_t pause_ms = 0) {
    wait_ms(1000);
    for (const std::uint64_t row : rows) {
      wait_ms(pause_ms);
      trace.release(row);
    }
    wait_ms(100);
    if (array) {
      trace.release(*array);
    }
    return report(0).anatomy.findings;
  }
  std::vector<std::uint64_t> rows;
  std::optional<std::uint64_t> array;
};

}  // namespace

TEST_CASE("rows right before an array that is as large as they are stand there twice",
          "[anatomy]") {
  Rows load;
  load.fetch();
  load.stack_up();

  const auto found = load.all();

  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == FindingKind::kTwice);
  CHECK(found[0].title == "rows beside an array as large");
  CHECK(found[0].bytes == kArrayBytes);
  CHECK(found[0].peak_without_bytes == kArrayBytes + kRows * kBytesHeader);
  CHECK(found[0].remedy == "With one of them");
  CHECK(found[0].sentence ==
        "64.1 MiB in 4,096 blocks of fetch (rows.cpp:3), 16.0 KiB each, came before one block "
        "of 64.0 MiB of vstack (loader.cpp:40), which is as large as these together but for "
        "33 bytes of each, and all are alive at the peak. That they were joined is told by their "
        "sizes and order alone.");
}

TEST_CASE("rows that stay to the end with their array count as well", "[anatomy]") {
  Rows load;
  load.fetch(kRowBytes);
  load.stack_up();
  load.wait_ms(1000);

  const auto found = load.report(0).anatomy.findings;

  REQUIRE(found.size() == 1);
  CHECK(found[0].peak_without_bytes == kArrayBytes);
  CHECK_THAT(found[0].sentence, Catch::Contains("as large as these together, and all are"));
}

TEST_CASE("rows of a model that were joined are told, and not once more as what goes soon",
          "[anatomy]") {
  Rows load;
  const auto text = load.blob();
  load.release({text});
  for (int i = 0; i < 5; ++i) {
    load.fetch(kRowBytes, kRows);
  }
  load.stack_up(5 * kArrayBytes);
  load.wait_ms(1000);
  load.release(load.rows);
  load.wait_ms(100'000);
  const auto report = load.report(kModelBytes);

  const auto twice = findings_of(report, FindingKind::kTwice);
  REQUIRE(twice.size() == 1);
  CHECK(twice[0].title == "rows beside an array as large");
  CHECK(twice[0].peak_without_bytes == 5 * kArrayBytes);
  CHECK(findings_of(report, FindingKind::kShortLived).empty());
}

TEST_CASE("blocks whose sizes only nearly agree with a large one are nothing to it", "[anatomy]") {
  const auto size = GENERATE(kArrayBytes - 1, kArrayBytes + 65, kArrayBytes + 2 * kMiB,
                             kArrayBytes - 2 * kMiB, kArrayBytes / 2);
  CAPTURE(size);
  Rows load;
  load.fetch(kRowBytes);
  load.stack_up(size);
  CHECK(load.all().empty());
}

TEST_CASE("an array may have a few rows more, where all rows are of one size", "[anatomy]") {
  const std::string what = GENERATE("two more", "too many more", "not a whole one more",
                                    "rows of two sizes", "two of few rows");
  CAPTURE(what);
  const std::uint64_t rows = what == "two of few rows" ? 96 : kRows - 2;
  const std::uint64_t more = what == "too many more" ? 19 : 2;
  Rows load;
  if (what == "rows of two sizes") {
    load.fetch(kRowBytes - 64, rows / 2);
    load.fetch(kRowBytes + 64, rows / 2);
  } else {
    load.fetch(kRowBytes, rows);
  }
  load.stack_up((rows + more) * kRowBytes - (what == "not a whole one more" ? 512 : 0));

  const auto found = load.all();

  REQUIRE(found.size() == (what == "two more" ? 1 : 0));
  if (what == "two more") {
    CHECK(found[0].bytes == rows * kRowBytes);
    CHECK(found[0].peak_without_bytes == kArrayBytes);
    CHECK_THAT(found[0].sentence, Catch::Contains("of vstack (loader.cpp:40), which is as large "
                                                  "as these and 2 more together, and all are"));
  }
}

TEST_CASE("rows of which a few stay are joined as well", "[anatomy]") {
  Rows load;
  load.fetch(kRowBytes);
  load.stack_up();
  load.rows.resize(kRows - 16);
  const auto found = load.all();
  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kArrayBytes);
}

TEST_CASE("objects beside an array of other ones are no rows", "[anatomy]") {
  // A shared pointer takes 16 bytes, an object of 16 with its counts 32; and a node of 96 bytes is
  // no state of 80 with a header of 16.
  const auto [object, entry] =
      GENERATE(table<std::uint64_t, std::uint64_t>({{32, 16}, {96, 80}, {1000, 967}, {48, 48}}));
  CAPTURE(object, entry);
  Rows load;
  load.fetch(object, 512 << 10U);
  load.stack_up((512 << 10U) * entry);
  CHECK(load.all().empty() == (object != 1000));
}

TEST_CASE("rows that several lines of one place fetch are joined as well", "[anatomy]") {
  Rows load;
  for (const char* const caller : {"left", "right"}) {
    const auto stack = load.trace.stack({"malloc", "fetch rows.cpp:3", caller, "main"});
    for (std::uint64_t i = 0; i < kRows / 2; ++i) {
      load.wait_ms(1);
      load.rows.push_back(load.trace.allocate(kRowBytes, stack));
    }
  }
  load.stack_up(kArrayBytes + 64);

  const auto found = load.all();

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kArrayBytes);
  CHECK(found[0].peak_without_bytes == kArrayBytes + 64);
}

TEST_CASE("a block as large as others are together is not made of them where more is known",
          "[anatomy]") {
  const std::string what =
      GENERATE("it came first", "it came long after", "something else was copied into it",
               "it was never filled", "it was read", "few blocks", "the blocks go one by one",
               "many of the blocks stay", "another process", "sampled");
  CAPTURE(what);
  Rows load;
  const auto other = what == "another process"
                         ? std::optional(load.trace.thread(load.trace.process(101, "other")))
                         : std::nullopt;
  if (what == "it came first") {
    load.stack_up();
    load.fetch();
  } else {
    const bool are_few = what == "few blocks";
    load.fetch(are_few ? 63 * 1024 : kRowBytes + kBytesHeader, are_few ? 63 : kRows);
    load.wait_ms(what == "it came long after" ? 10'000 : 0);
    if (other) {
      load.trace.on(*other);
    }
    load.stack_up(are_few ? 63 * 63 * 1024 : kArrayBytes);
  }
  if (what == "something else was copied into it") {
    const auto source = load.block("other", kArrayBytes / 2);
    load.trace.copy(kArrayBytes / 2, source, *load.array);
    load.rows.push_back(source);
  } else if (what == "it was never filled") {
    load.trace.look(*load.array, load.now_ms() + 900, kArrayBytes / 2);
  } else if (what == "many of the blocks stay") {
    load.rows.resize(kRows - 17);
  } else if (what == "it was read") {
    load.trace.origin(*load.array, 0, load.trace.file("/data/table.bin", kArrayBytes), 0,
                      kArrayBytes);
  } else if (what == "sampled") {
    load.trace.session.sample_bytes = std::uint64_t{512} << 10U;
  }
  if (other) {
    load.wait_ms(1000);
    load.trace.release(*load.array);
    load.array.reset();
    load.trace.on(trace::ThreadId{0});
  }
  CHECK(load.all(what == "the blocks go one by one" ? 3 : 0).empty());
}
