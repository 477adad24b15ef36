#include "collector/drain/hosts/awaited_programs.hpp"

#include "tests/support/catch.hpp"

using namespace tidemark;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kStarted = 100 * kSecond;
constexpr std::uint64_t kLater = kStarted + 1;
constexpr std::uint64_t kOurs = 0;
constexpr std::uint64_t kTheirs = 4026532000;
constexpr std::uint64_t kUnknown = ProcessNumbers::kUnknownNamespace;

/// The pids of those that are still awaited, by their own namespaces.
std::vector<std::uint32_t> rest(AwaitedPrograms& programs) {
  std::vector<std::uint32_t> pids;
  for (const auto& program : programs.take_started_before(kLater))
    pids.push_back(program.numbers.own_pid);
  return pids;
}

using Pids = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("a program is awaited until its process records", "[awaited_programs]") {
  AwaitedPrograms programs;
  programs.child_started({10, 10, kOurs}, kStarted, {});
  programs.child_started({11, 11, kOurs}, kStarted, {});
  programs.arrived({10, 10, kOurs});
  CHECK(rest(programs) == Pids{11});
  CHECK(rest(programs).empty());
}

TEST_CASE("who says who it is, is awaited as that one alone", "[awaited_programs]") {
  AwaitedPrograms programs;
  programs.image_left({.own_pid = 1, .pid_namespace = kTheirs, .identity = 71}, kStarted);
  programs.image_left({.own_pid = 1, .pid_namespace = kUnknown, .identity = 72}, kStarted);
  programs.arrived({.own_pid = 1, .pid_namespace = kTheirs, .identity = 73});
  CHECK(rest(programs) == Pids{1, 1});
  programs.image_left({.own_pid = 1, .pid_namespace = kTheirs, .identity = 71}, kStarted);
  programs.image_left({.own_pid = 2, .pid_namespace = kTheirs, .identity = 72}, kStarted);
  programs.arrived({.pid = 500, .own_pid = 1, .pid_namespace = kUnknown, .identity = 71});
  CHECK(rest(programs) == Pids{2});
}

TEST_CASE("a program that has just been started is given more time", "[awaited_programs]") {
  AwaitedPrograms programs;
  programs.child_started({10, 10, kOurs}, kStarted, {});
  CHECK(programs.take_started_before(kStarted).empty());
  CHECK(rest(programs) == Pids{10});
}

TEST_CASE("a child that recorded before its parent said so is not awaited", "[awaited_programs]") {
  trace::Process child;
  child.pid = 10;
  child.begin_ns = kStarted - 10 * kSecond;
  trace::Process long_ago = child;
  long_ago.pid = 11;
  long_ago.begin_ns -= 1;
  const trace::Process known[] = {child, long_ago};

  AwaitedPrograms programs;
  programs.child_started({10, 10, kOurs}, kStarted, known);
  programs.child_started({11, 11, kOurs}, kStarted, known);  // its number was another's before
  CHECK(rest(programs) == Pids{11});
}

TEST_CASE("a child's program is told from earlier ones of its number, an exec's from its image",
          "[awaited_programs]") {
  AwaitedPrograms programs;
  programs.child_started({10, 10, kOurs}, kStarted, {});
  programs.child_started({11, 11, kOurs}, kSecond, {});
  programs.image_left({12, 12, kOurs}, kStarted);
  const auto taken = programs.take_started_before(kLater);
  REQUIRE(taken.size() == 3);
  CHECK(taken[0].seen_since_ns == kStarted - 10 * kSecond);
  CHECK(taken[1].seen_since_ns == 0);
  CHECK(taken[2].seen_since_ns == kStarted);
}

TEST_CASE("numbers of this machine decide where both are known", "[awaited_programs]") {
  AwaitedPrograms programs;
  programs.child_started({1000, 7, kTheirs}, kStarted, {});
  programs.arrived({1001, 7, kTheirs});
  CHECK(rest(programs) == Pids{7});

  programs.child_started({1000, 7, kTheirs}, kStarted, {});
  programs.arrived({1000, 8, kOurs});
  CHECK(rest(programs).empty());
}

TEST_CASE("else a number counts in its own namespace, and in one that is not known",
          "[awaited_programs]") {
  const auto [host_namespace, is_met] =
      GENERATE(table<std::uint64_t, bool>({{kTheirs, true}, {kUnknown, true}, {kOurs, false}}));
  CAPTURE(host_namespace);
  AwaitedPrograms programs;
  programs.image_left({0, 7, kTheirs}, kStarted);
  programs.arrived({0, 8, host_namespace});
  programs.arrived({0, 7, host_namespace});
  CHECK(rest(programs).empty() == is_met);

  programs.image_left({0, 7, kUnknown}, kStarted);
  programs.arrived({0, 7, host_namespace});
  CHECK(rest(programs).empty());
}

TEST_CASE("of several programs that may be it, one process is one", "[awaited_programs]") {
  AwaitedPrograms programs;
  programs.image_left({0, 7, kUnknown}, kStarted);
  programs.image_left({0, 7, kUnknown}, kStarted);
  programs.arrived({0, 7, kTheirs});
  CHECK(rest(programs) == Pids{7});
}

TEST_CASE("a failed exec is awaited no longer, in its namespace alone", "[awaited_programs]") {
  AwaitedPrograms programs;
  programs.child_started({0, 7, kTheirs}, kStarted, {});
  programs.exec_failed(7, kOurs);
  programs.exec_failed(8, kTheirs);
  CHECK(rest(programs) == Pids{7});

  programs.child_started({0, 7, kTheirs}, kStarted, {});
  programs.exec_failed(7, kTheirs);
  CHECK(rest(programs).empty());
}
