#include "analyzer/cli/verbs/recording/compared_runs.hpp"

#include "tests/support/catch.hpp"

using namespace tidemark;
using cli::ComparedRun;
using cli::ComparedSide;

namespace {

std::vector<ComparedRun> with_peaks(const std::vector<std::uint64_t>& peaks) {
  std::vector<ComparedRun> runs;
  for (const std::uint64_t peak : peaks) {
    runs.push_back({.path = "", .peak_bytes = peak});
  }
  return runs;
}

}  // namespace

TEST_CASE("the run with the median peak stands for its side", "[cli]") {
  CHECK(cli::median_run(with_peaks({7})) == 0);
  CHECK(cli::median_run(with_peaks({30, 10, 20})) == 2);
  CHECK(cli::median_run(with_peaks({40, 10, 30, 20})) == 3);
  CHECK(cli::median_run(with_peaks({5, 5, 5})) == 1);
}

TEST_CASE("the spread of several runs is said", "[cli]") {
  const ComparedSide side{
      .name = "after", .command = "./load", .runs = with_peaks({2048, 1024, 3072})};

  CHECK(cli::spread_sentence(side) ==
        "after: 3 runs, peaks 1.00 KiB to 3.00 KiB (+200.0%), the median 2.00 KiB is shown");
}

TEST_CASE("runs that repeat exactly are said to, and a single run needs no word", "[cli]") {
  const ComparedSide same{.name = "before", .command = "", .runs = with_peaks({1024, 1024})};
  const ComparedSide single{.name = "before", .command = "", .runs = with_peaks({1024})};

  CHECK(cli::spread_sentence(same) == "before: 2 runs, all peaks 1.00 KiB to the byte");
  CHECK(cli::spread_sentence(single).empty());
}

TEST_CASE("a command that failed in some runs is named with its exit status", "[cli]") {
  ComparedSide side{.name = "before", .command = "./load x", .runs = with_peaks({1, 2, 3})};
  CHECK(cli::failure_sentence(side).empty());

  side.runs[1].exit_status = 139;
  CHECK(cli::failure_sentence(side) ==
        "before: './load x' ended with exit status 139 (SIGSEGV), in 1 of 3 runs");
  side.runs.erase(side.runs.begin());
  side.runs.pop_back();
  CHECK(cli::failure_sentence(side) == "before: './load x' ended with exit status 139 (SIGSEGV)");
}
