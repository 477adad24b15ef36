#include "collector/family/judging/exec_ledger.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
#include <string>
#include <vector>

using namespace tidemark;

namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

std::vector<std::string> missing(ExecLedger& ledger) {
  std::vector<std::string> names;
  for (const auto& [exec, gone_ns] : ledger.take_missing([](const Exec&) { return false; }))
    names.push_back(exec.name);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a program that came into the session is not missing", "[exec_ledger]") {
  ExecLedger ledger;
  ledger.told({7, 10 * kMillisecond, "tool"});
  CHECK(ledger.has_open(7));
  ledger.recorded(7, 12 * kMillisecond);
  ledger.settle();
  CHECK_FALSE(ledger.has_open(7));
  CHECK(missing(ledger).empty());
}

TEST_CASE("a claim that is read before its exec accounts for it all the same", "[exec_ledger]") {
  ExecLedger ledger;
  ledger.recorded(7, 12 * kMillisecond);
  ledger.settle();
  ledger.told({7, 10 * kMillisecond, "tool"});
  CHECK(missing(ledger).empty());
}

TEST_CASE("of the programs of one process, those without a claim are missing", "[exec_ledger]") {
  ExecLedger ledger;
  ledger.told({7, 30 * kMillisecond, "third"});
  ledger.told({7, 10 * kMillisecond, "first"});
  ledger.told({7, 20 * kMillisecond, "second"});
  ledger.told({7, 40 * kMillisecond, "fourth"});
  SECTION("by its times") {
    ledger.recorded(7, 12 * kMillisecond);
    ledger.recorded(7, 41 * kMillisecond);
    ledger.known(7, 31 * kMillisecond);
    CHECK(missing(ledger) == Names{"second"});
  }
  SECTION("also while more of them are told") {
    ledger.recorded(7, 12 * kMillisecond);
    ledger.settle();
    ledger.recorded(7, 41 * kMillisecond);
    ledger.settle();
    CHECK(missing(ledger) == Names{"second", "third"});
  }
}

TEST_CASE("a claim whose process is not known accounts for the last exec before it",
          "[exec_ledger]") {
  ExecLedger ledger;
  ledger.told({7, 10 * kMillisecond, "first"});
  ledger.told({8, 20 * kMillisecond, "second"});
  ledger.told({9, 30 * kMillisecond, "third"});
  ledger.recorded(0, 21 * kMillisecond);
  SECTION("and no other") {
    CHECK(missing(ledger) == Names{"first", "third"});
  }
  SECTION("unless its process is found after all") {
    ledger.forget_unknown(21 * kMillisecond);
    ledger.recorded(9, 21 * kMillisecond);
    // By its number, though the times disagree: clocks may.
    CHECK(missing(ledger) == Names{"first", "second"});
  }
}

TEST_CASE("a claim that was taken for another process's still counts", "[exec_ledger]") {
  ExecLedger ledger;
  ledger.told({7, 10 * kMillisecond, "first"});
  ledger.told({8, 10 * kMillisecond, "second"});
  ledger.recorded(7, 12 * kMillisecond);
  ledger.recorded(7, 12 * kMillisecond);
  CHECK(missing(ledger).empty());
}

TEST_CASE("many claims of unknown processes are settled on the way", "[exec_ledger]") {
  ExecLedger ledger;
  constexpr pid_t kPrograms = 5000;
  for (pid_t pid = 1; pid <= kPrograms; ++pid) {
    const std::uint64_t at_ns = static_cast<std::uint64_t>(pid) * kMillisecond;
    ledger.told({pid, at_ns, "tool"});
    ledger.recorded(pid == 4999 ? 4999 : 0, at_ns + kMillisecond / 2);
    ledger.settle();
  }
  CHECK_FALSE(ledger.has_open(1));
  CHECK(missing(ledger).empty());
}

TEST_CASE("a program that begins as the session ends is not missing", "[exec_ledger]") {
  ExecLedger ledger;
  for (const pid_t pid : {7, 8, 9})
    ledger.told({pid, 10 * kMillisecond, "gone"});
  ledger.told({8, 20 * kMillisecond, "goes on"});
  ledger.told({9, 20 * kMillisecond, "recorded"});
  ledger.recorded(9, 21 * kMillisecond);
  // What another exec has replaced has ended, also where that one's program is accounted for.
  ledger.note_ends([](pid_t pid) { return pid == 7; });
  const auto left = ledger.take_missing([](const Exec& exec) { return exec.name == "goes on"; });
  CHECK(left.size() == 3);
  CHECK(missing(ledger).empty());
}

TEST_CASE("a missing program was gone when its process was first seen to be", "[exec_ledger]") {
  ExecLedger ledger;
  std::uint64_t now_ns = 18 * kMillisecond;
  std::vector<pid_t> gone;
  const auto look = [&] {
    ledger.look_for_ends([&] { return now_ns; },
                         [&](pid_t pid) { return std::ranges::find(gone, pid) != gone.end(); });
  };
  ledger.told({7, 10 * kMillisecond, "tool"});
  ledger.told({8, 10 * kMillisecond, "lives"});
  look();
  gone = {7};
  // An eighth of its age has not passed since.
  now_ns = 18 * kMillisecond + kMillisecond / 2;
  look();
  now_ns = 20 * kMillisecond;
  look();
  now_ns = 90 * kMillisecond;
  look();
  const auto missing = ledger.take_missing([](const Exec&) { return false; });
  REQUIRE(missing.size() == 2);
  for (const auto& [exec, gone_ns] : missing) {
    CAPTURE(exec.name);
    CHECK(gone_ns == (exec.pid == 7 ? 20 * kMillisecond : 0));
  }
}
