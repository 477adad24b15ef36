#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

class Compare : public EndToEnd {
 public:
  /// `tidemark compare` into the folder `out`.
  Outcome compare(const std::string& before, const std::string& after, const Words& options = {}) {
    Words words{"compare", "--before", before, "--after", after, "-o", path("out")};
    words.insert(words.end(), options.begin(), options.end());
    return tidemark(words);
  }
  /// Whether the first run has ended, and none is being made.
  [[nodiscard]] bool is_between_runs(pid_t process) const {
    const std::string id = std::to_string(process);
    if (!read_text("/proc/" + id + "/task/" + id + "/children").empty()) {
      return false;
    }
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(path("out"), error)) {
      if (std::filesystem::exists(entry.path() / "before.1.tmk", error)) {
        return true;
      }
    }
    return false;
  }
  [[nodiscard]] std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path("out"))) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }
};

const std::set<std::string> kAllFiles{"after.tmk", "before.tmk", "diff.html", "diff.json",
                                      "diff.md",   "diff.txt",   "graph.png", "graph.svg"};

}  // namespace

TEST_CASE_METHOD(Compare,
                 "compare records both commands and leaves traces and diffs",
                 "[compare]") {
  const Outcome said =
      compare("python3 -c 'x = bytearray(9000011)'", "python3 -c 'x = bytearray(3000017)'");

  INFO(said.err);
  CHECK(said.status == 0);
  CHECK(files() == kAllFiles);
  CHECK(said.out.starts_with("peak "));
  CHECK(said.out.find("in " + path("out") + ": before.tmk, after.tmk, diff.txt") !=
        std::string::npos);
  const nlohmann::json diff = nlohmann::json::parse(read_text(path("out/diff.json")));
  CHECK(diff.at("before").at("command") ==
        nlohmann::json{"python3", "-c", "x = bytearray(9000011)"});
  CHECK(diff.at("stacks").at(0).at("before_bytes").get<std::uint64_t>() -
            diff.at("stacks").at(0).at("after_bytes").get<std::uint64_t>() ==
        9'000'011 - 3'000'017);
  CHECK(read_text(path("out/diff.txt")).starts_with("peak "));
  CHECK(read_text(path("out/diff.md")).starts_with("**peak "));
  CHECK(read_text(path("out/diff.html")).starts_with("<!DOCTYPE html>"));
}

TEST_CASE_METHOD(Compare, "several runs keep the median one and say the spread", "[compare]") {
  // The size of each run's block comes from how many lines the file has by then. The steps are
  // larger than what looks find of so short a run in some and not in others: Python's own written
  // data.
  const std::string grows = "echo >> " + path("count") +
                            "; python3 -c \"x = bytearray(3000000 * $(wc -l < " + path("count") +
                            "))\"";

  const Outcome said = compare(grows, "true", {"--runs", "3"});

  INFO(said.err);
  CHECK(said.status == 0);
  CHECK(files() == kAllFiles);
  CHECK(said.out.find("\nbefore: 3 runs, peaks ") != std::string::npos);
  CHECK(said.out.find("\nafter: 3 runs, all peaks ") != std::string::npos);
  const nlohmann::json diff = nlohmann::json::parse(read_text(path("out/diff.json")));
  const nlohmann::json& stacks = diff.at("before").at("at_peak");
  const auto held = [&stacks](std::uint64_t bytes) {
    return std::ranges::any_of(
        stacks, [bytes](const nlohmann::json& stack) { return stack.at("bytes") == bytes; });
  };
  CHECK_FALSE(held(3'000'001));
  CHECK(held(6'000'001));
  CHECK_FALSE(held(9'000'001));
}

TEST_CASE_METHOD(Compare,
                 "a failing command is named, shown, and fails the comparison",
                 "[compare]") {
  const Outcome said = compare("sh -c 'exit 7'", "true");

  CHECK(said.status == 1);
  CHECK(said.err == "tidemark: before: 'sh -c 'exit 7'' ended with exit status 7\n");
  CHECK(said.out.find("exit status 7 after") != std::string::npos);
  CHECK(files() == kAllFiles);
}

TEST_CASE_METHOD(Compare,
                 "a failing command fails the comparison where the ends of children are ignored",
                 "[compare]") {
  // As `trap '' CHLD` in a shell leaves it: the kernel forgets how children end. The commands find
  // it as they would without tidemark.
  Command command;
  command.words = {"grep", "-s", "SigIgn", "/proc/self/status", "/no/such/file"};
  command.before_exec = [] { signal(SIGCHLD, SIG_IGN); };
  const Outcome alone = run(command, path("alone"));
  command.words = {EndToEnd::command(),
                   "compare",
                   "--before",
                   "true",
                   "--after",
                   "grep -s SigIgn /proc/self/status /no/such/file",
                   "-o",
                   path("out")};

  const Outcome said = run(command, path("said"));

  CHECK(said.status == 1);
  CHECK(alone.status == 2);
  CHECK(said.err.starts_with(alone.out));
  CHECK(said.err.ends_with("ended with exit status 2\n"));
}

TEST_CASE_METHOD(Compare, "what the commands print does not mix with the diff", "[compare]") {
  const Outcome said = compare("echo one", "echo two | cat");

  CHECK(said.status == 0);
  CHECK(said.out.starts_with("peak "));
  CHECK(said.out.find("\none\n") == std::string::npos);
  CHECK(said.err == "one\ntwo\n");
}

TEST_CASE_METHOD(Compare, "what the commands print is kept where that is asked for", "[compare]") {
  const Outcome said = compare("echo one", "echo two | cat", {"--save-output", "--runs", "2"});

  CHECK(said.status == 0);
  CHECK(said.err.empty());
  CHECK(read_text(path("out/before.out")) == "one\n");
  CHECK(read_text(path("out/after.out")) == "two\n");
  std::set<std::string> expected = kAllFiles;
  expected.insert({"before.out", "after.out"});
  CHECK(files() == expected);
}

TEST_CASE_METHOD(Compare, "pictures for dark pages come beside the others", "[compare]") {
  const Outcome said = compare("true", "true", {"--dark"});

  CHECK(said.status == 0);
  CHECK(said.out.find("graph.png, diff.html, graph-dark.svg, graph-dark.png\n") !=
        std::string::npos);
  CHECK(read_text(path("out/graph-dark.png")).starts_with("\x89PNG"));
  CHECK(read_text(path("out/graph-dark.svg")) != read_text(path("out/graph.svg")));
}

TEST_CASE_METHOD(Compare,
                 "a command that is not there is one side's fault, and leaves no trace",
                 "[compare]") {
  const Outcome said = compare("true", "no-such-program-anywhere");

  CHECK(said.status == 2);
  CHECK(said.out.empty());
  CHECK(said.err.find("'no-such-program-anywhere' was not found on PATH") != std::string::npos);
  CHECK(said.err.find("after: 'no-such-program-anywhere' could not be recorded") !=
        std::string::npos);
  CHECK(files().empty());
}

TEST_CASE_METHOD(Compare,
                 "a trace that lay in the folder is not taken for a run's, and stays",
                 "[compare]") {
  REQUIRE(compare("true", "true").status == 0);
  std::filesystem::rename(path("out/after.tmk"), path("out/after.1.tmk"));
  const std::string before = read_text(path("out/after.1.tmk"));

  const Outcome failed = compare("true", "no-such-program-anywhere");
  CHECK(failed.status == 2);
  CHECK(failed.out.empty());
  CHECK_FALSE(files().contains("after.tmk"));

  CHECK(compare("true", "true").status == 0);
  CHECK((read_text(path("out/after.1.tmk")) == before));
  std::set<std::string> expected = kAllFiles;
  expected.insert("after.1.tmk");
  CHECK(files() == expected);
}

TEST_CASE_METHOD(Compare, "an earlier comparison in the folder is replaced", "[compare]") {
  REQUIRE(compare("true", "true").status == 0);
  const auto first = read_text(path("out/diff.json"));

  REQUIRE(compare("true", "python3 -c 'x = bytearray(3000017)'").status == 0);

  CHECK(files() == kAllFiles);
  CHECK(read_text(path("out/diff.json")) != first);
}

TEST_CASE_METHOD(Compare,
                 "a comparison that is stopped ends its host and leaves no run behind",
                 "[compare]") {
  Command command;
  command.words = {
      EndToEnd::command(), "compare", "--before", "sh -c 'echo started; exec sleep 100'",
      "--after",           "true",    "-o",       path("out")};
  RunningProgram running(command, path("stopped"));
  REQUIRE(wait_until([&] { return read_text(path("stopped.err")) == "started\n"; }));

  running.signal(SIGTERM);

  CHECK(running.wait().status == 128 + SIGTERM);
  CHECK(files().empty());
}

TEST_CASE_METHOD(Compare,
                 "a comparison that is stopped between two runs leaves none of them behind",
                 "[compare]") {
  Command command;
  command.words = {
      EndToEnd::command(), "compare", "--before", "true", "--after", "true", "--runs", "500", "-o",
      path("out")};
  constexpr int kAttempts = 10;  // The time between two runs is short.
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    RunningProgram running(command, path("stopped"));
    REQUIRE(wait_until([&] { return is_between_runs(running.pid()); }));

    running.signal(SIGTERM);

    CHECK(running.wait().status == 128 + SIGTERM);
    CHECK(files().empty());
  }
}
