// Programs that none of us wrote: each behaves as without tidemark.
#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

/// False, loudly, when a program or library of the test is not on this machine.
bool is_there(const std::string& path) {
  if (std::filesystem::exists(path))
    return true;
  SKIP_TEST(path << " is not installed");
  CHECK_FALSE(std::filesystem::exists(path));
  return false;
}

std::set<std::string> programs_of(const Recording& recording) {
  std::set<std::string> names;
  for (const trace::Process& process : recording.events.definitions().processes)
    names.insert(base_name(process.executable));
  return names;
}

}  // namespace

TEST_CASE_METHOD(EndToEnd, "Python's peak is what the script holds and the interpreter's own") {
  const std::string python = "/usr/bin/python3";
  if (!is_there(python))
    return;
  const Recording empty = record_unchanged({python, "-c", ""});
  const Recording full =
      record_unchanged({python, "-c", "b=bytearray(300<<20); del b; c=bytearray(200<<20)"});
  const auto own = report(empty.trace)["peak"]["footprint_bytes"].get<double>();
  const auto json = report(full.trace);
  CHECK(json["peak"]["footprint_bytes"].get<double>() == Approx(300.0 * kMiB + own).epsilon(0.02));
  CHECK(json["at_peak"][0]["bytes"].get<std::uint64_t>() >= 300 * kMiB);
  const std::string stack = json["at_peak"][0]["stack"].dump();
  CHECK(stack.find("Py") != std::string::npos);
  CHECK(stack.find("python3") != std::string::npos);
}

TEST_CASE_METHOD(EndToEnd, "Node.js runs as without tidemark, and its buffers are in the peak") {
  if (!is_there("/usr/bin/node"))
    return;
  const Recording recording = record_unchanged(
      {"/usr/bin/node", "-e", "const b = Buffer.alloc(100 << 20, 1); console.log(b.length)"});
  CHECK(recording.host.out == "104857600\n");
  CHECK(recording.events.peak_footprint() >= 100 * kMiB);
}

TEST_CASE_METHOD(EndToEnd, "a compiler and the programs it starts are one session") {
  const std::string source = a_file_with(
      "#include <map>\n#include <string>\nstd::map<int, std::string> g;\nint main() {}\n",
      "program.cpp");
  const Recording recording =
      record_unchanged({"/usr/bin/g++", "-c", source, "-o", path("program.o")});
  CHECK(std::filesystem::exists(path("program.o")));
  const auto names = programs_of(recording);
  CHECK(names.contains("cc1plus"));
  CHECK(std::any_of(names.begin(), names.end(),
                    [](const std::string& name) { return name == "as" || name.ends_with("-as"); }));
  CHECK(recording.events.definitions().processes.size() >= 3);
  CHECK(recording.events.peak_footprint() > 10 * kMiB);
}

TEST_CASE_METHOD(EndToEnd, "git works as without tidemark") {
  Command command;
  command.words = {"/bin/sh", "-c",
                   "rm -rf r && git init -q r && cd r && echo one >f && git add f && "
                   "git -c user.name=n -c user.email=e commit -q -m first && git log --format=%s"};
  command.folder = path("");
  const Recording recording = record_unchanged(command);
  CHECK(recording.host.out == "first\n");
  CHECK(programs_of(recording).contains("git"));
}

TEST_CASE_METHOD(EndToEnd, "a pipeline of the shell has all its programs in the trace") {
  const Recording recording = record_unchanged(
      {"/bin/bash", "-c", "seq 20000 | sort -r | head -n 3; echo ${PIPESTATUS[2]}; exit 21"});
  CHECK(recording.host.status == 21);
  CHECK(recording.host.out.ends_with("0\n"));
  const auto names = programs_of(recording);
  for (const char* name : {"bash", "seq", "sort", "head"}) {
    CAPTURE(name);
    CHECK(names.contains(name));
  }
}

TEST_CASE_METHOD(EndToEnd, "Java starts as without tidemark") {
  if (!is_there("/usr/bin/java"))
    return;
  const Recording recording = record_unchanged({"/usr/bin/java", "-version"});
  CHECK(recording.host.err.find("ersion") != std::string::npos);
}

TEST_CASE_METHOD(EndToEnd, "an allocator that the host brings is kept, and counted once") {
  const std::string jemalloc = "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2";
  if (!is_there(jemalloc))
    return;
  Command command;
  // tidemark itself would be given jemalloc too; it is the host that is to have it.
  command.words = {"/usr/bin/env", "LD_PRELOAD=" + jemalloc};
  for (const std::string& word : host("one_large_block"))
    command.words.push_back(word);
  const Recording recording = record_unchanged(command);
  CHECK(recording.events.allocations(300000000) == 1);
  CHECK(recording.events.releases(300000000) == 1);
  // What jemalloc maps for its blocks is not counted beside them.
  CHECK(recording.events.peak(trace::Lane::kAnon) < kMiB);
  CHECK(recording.events.peak_footprint() < 301 * kMiB);
}

TEST_CASE_METHOD(EndToEnd, "chromium, whose malloc maps memory under its lock, runs to its end") {
  const std::string chromium = "/usr/bin/chromium";
  if (!is_there(chromium))
    return;
  const std::string page = a_file_with("<h1>hello</h1>", "page.html");
  const auto words = [&](const std::string& profile) -> Words {
    return {chromium,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--user-data-dir=" + path(profile),
            "--dump-dom",
            "file://" + page};
  };
  const Outcome alone = run_alone(words("alone"));
  REQUIRE(alone.status == 0);
  REQUIRE(alone.out.find("<h1>hello</h1>") != std::string::npos);
  const Recording recording = record(words("recorded"));
  CHECK(recording.host.status == 0);
  CHECK(recording.host.out == alone.out);
  CHECK(recording.events.count(trace::EventKind::kAllocate) > 1000);
}
