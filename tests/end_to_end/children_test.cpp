#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include <signal.h>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

const std::vector<trace::Process>& processes(const Recording& recording) {
  return recording.events.definitions().processes;
}

/// Blocks of `size` bytes that the i-th process made.
std::size_t allocations_of(const Recording& recording, std::size_t i, std::uint64_t size) {
  return recording.events.count([&](const trace::Event& event) {
    return trace::is_allocation(event.kind) && event.size == size &&
           &recording.events.process(event) == &processes(recording)[i];
  });
}

}  // namespace

TEST_CASE_METHOD(EndToEnd, "a forked child and its parent are recorded side by side") {
  const Recording recording = record_unchanged(host("forks"));
  REQUIRE(processes(recording).size() == 2);
  CHECK(processes(recording)[1].parent == 0);
  CHECK(processes(recording)[1].parent_pid == processes(recording)[0].pid);
  CHECK(processes(recording)[1].command == processes(recording)[0].command);
  CHECK(allocations_of(recording, 0, 5001) == 100);
  CHECK(allocations_of(recording, 1, 5002) == 2000);
  CHECK(allocations_of(recording, 0, 5003) == 3000);
  // What the child gave back was its copy; the parent's blocks stay.
  CHECK(recording.events.releases(5001) == 0);
  CHECK(recording.events.session().unmatched_releases == 100);
  const auto json = report(recording.trace);
  REQUIRE(json["processes"].size() == 2);
  CHECK(json["processes"][1]["ppid"] == json["processes"][0]["pid"]);
}

TEST_CASE_METHOD(EndToEnd, "600 processes that are alive at one time are all recorded exactly") {
  const Recording recording = record_unchanged(host("processes_at_once", {"600"}));
  REQUIRE(processes(recording).size() == 601);
  CHECK(recording.events.loss().processes_unrecorded == 0);
  std::vector<std::size_t> blocks(601);
  for (const trace::Event& event : recording.events.all()) {
    if (trace::is_allocation(event.kind) && event.size == 3302)
      ++blocks[static_cast<std::size_t>(&recording.events.process(event) -
                                        processes(recording).data())];
  }
  CHECK(std::ranges::count(blocks, 10) == 600);
  CHECK(recording.events.allocations(3301) == 600);
  CHECK(recording.events.releases(3301) == 600);
  CHECK(recording.events.releases(3302) == 6000);
}

TEST_CASE_METHOD(EndToEnd, "children that are waited for in turn are never there together") {
  constexpr std::uint64_t kBytes = std::uint64_t{8} << 20U;
  const std::string how = GENERATE("wait", "wait3", "wait4", "waitid", "waitpid");
  CAPTURE(how);
  const Recording recording = record_unchanged(host("children_in_turn", {how}));
  REQUIRE(processes(recording).size() == 5);
  for (std::size_t i = 1; i < 5; ++i) {
    const std::uint64_t resident = processes(recording)[i].rss_at_most_bytes;
    // waitid does not tell.
    CHECK((resident >= kBytes) == (how != "waitid"));
    CHECK(resident < 4 * kBytes);
  }
  const std::uint64_t peak = report(recording.trace).at("peak").at("footprint_bytes");
  CHECK(peak >= kBytes);
  // What a child has written of libraries' data is in it, where a sample has seen that.
  CHECK(peak < 2 * kBytes);
}

TEST_CASE_METHOD(EndToEnd, "what a child writes of its parent's memory counts, whatever it calls") {
  constexpr std::uint64_t kBytes = std::uint64_t{16} << 20U;
  const std::string how =
      GENERATE("fork", "forkpty", "daemon", "clone", "fork by number", "clone by number");
  CAPTURE(how);
  const Recording recording = record_unchanged(host("forks_and_writes", {how}));
  CHECK(processes(recording).size() == (how == "daemon" ? 5 : 3));
  const std::uint64_t peak = report(recording.trace).at("peak").at("footprint_bytes");
  CHECK(peak >= 3 * kBytes);
  CHECK(peak < 4 * kBytes);
}

TEST_CASE_METHOD(EndToEnd, "a child of a bare system call is recorded as itself") {
  const Recording recording = record_unchanged(host("forks_bare"));
  const bool has_clone3 = recording.host.status != 4;
  REQUIRE(processes(recording).size() == (has_clone3 ? 5 : 4));
  for (std::size_t i = 0; i < processes(recording).size(); ++i) {
    CAPTURE(i);
    CHECK(allocations_of(recording, i, 5010 + i) == 100);
    CHECK(recording.events.allocations(5010 + i) == 100);
  }
}

TEST_CASE_METHOD(EndToEnd, "a program that is started in any way is recorded under its own name") {
  const std::string how = GENERATE("fork", "vfork", "spawn", "spawnp", "spawn_cleared",
                                   "exec_cleared", "fexecve", "system", "popen");
  CAPTURE(how);
  Words words = host("starts_programs", {how});
  for (const std::string& word : host("allocates_then", {"1000", "return"}))
    words.push_back(word);
  const Recording recording = record_unchanged(words);
  CHECK(recording.events.allocations(4321) == 1000);
  CHECK(recording.events.allocations(6543) == 1);
  const auto& all = processes(recording);
  const auto child = std::find_if(all.begin(), all.end(), [](const trace::Process& process) {
    return base_name(process.executable) == "allocates_then";
  });
  REQUIRE(child != all.end());
  CHECK(child->command.ends_with("allocates_then 1000 return"));
  CHECK(child->parent != trace::Process::kNoParent);
  CHECK(recording.events.allocations_by(child->pid, 4321) == 1000);
  CHECK(recording.events.loss().processes_left == 0);
}

TEST_CASE_METHOD(EndToEnd, "a program started with a cleared environment does not see ours grow") {
  const Recording recording = record({"/usr/bin/env", "-i", "/usr/bin/env"});
  CHECK(recording.host.status == 0);
  // Only what carries the recording on.
  CHECK(recording.host.out.find("PATH=") == std::string::npos);
  const auto lines = std::count(recording.host.out.begin(), recording.host.out.end(), '\n');
  CHECK(lines <= 2);
  CHECK(processes(recording).size() == 2);
}

TEST_CASE_METHOD(EndToEnd,
                 "forks from a process whose threads allocate lose nothing and hang nowhere") {
  const Recording recording = record_unchanged(host("forks_under_load"));
  CHECK(processes(recording).size() == 51);
  CHECK(recording.events.allocations(5021) == 50 * 100);
  CHECK(recording.events.releases(5021) == 50 * 100);
  CHECK(recording.events.allocations(5022) == 80000);
  CHECK(recording.events.releases(5022) == 80000);
  CHECK(recording.events.allocations_by(processes(recording)[0].pid, 5022) == 80000);
}

TEST_CASE_METHOD(EndToEnd, "a family of four generations is one session") {
  const Recording recording = record_unchanged(host("grandchildren"));
  REQUIRE(processes(recording).size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CAPTURE(i);
    CHECK(allocations_of(recording, i, 5030 + i) == 1);
    if (i > 0)
      CHECK(processes(recording)[i].parent == i - 1);
  }
}

TEST_CASE_METHOD(EndToEnd, "the resident peak of a child is not its parent's") {
  // Until the trace has grown twice: samples were taken, and written, while all of it was there.
  const Recording recording = record({"sh", "-c", R"(python3 -c '
import os, sys, time
kept = bytes([1]) * (200 << 20)
deadline = time.monotonic() + 20
for _ in range(2):
    before = os.path.getsize(sys.argv[1])
    while os.path.getsize(sys.argv[1]) == before and time.monotonic() < deadline:
        pass
' "$0"; :)",
                                      trace() + ".incomplete"});
  REQUIRE(recording.host.status == 0);
  const trace::Process& shell = processes(recording).at(0);
  CHECK(shell.kernel_peak_rss_bytes > 0);
  CHECK(shell.kernel_peak_rss_bytes < 50 * kMiB);
  // Where python3 is a script itself there are more than two.
  CHECK(std::ranges::any_of(processes(recording), [](const trace::Process& process) {
    return process.parent != trace::Process::kNoParent &&
           process.kernel_peak_rss_bytes > 200 * kMiB;
  }));
}

TEST_CASE_METHOD(EndToEnd, "many small programs have their memory, less what tidemark touches") {
  // Without tidemark each has 100 KiB or more: its stack, and what the loader writes.
  constexpr std::uint64_t kMinAnonymousBytes = 640 * 1024;
  const Words ten_readers = {
      "sh", "-c", "exec 3<&0; for i in 1 2 3 4 5 6 7 8 9 10; do cat <&3 & done; echo ready; wait"};
  const auto recorder = start_recording(Command{ten_readers, {}, {}, true, {}, {}});
  REQUIRE(recorder->read_line() == "ready");
  // They live until that was seen, or the deadline.
  CHECK(wait_until([&] {
    return report(trace() + ".incomplete")["lane_peaks"]["rss_anon_bytes"] > kMinAnonymousBytes;
  }));
  REQUIRE(recorder->wait().status == 0);
  CHECK(report(trace())["lane_peaks"]["rss_anon_bytes"] > kMinAnonymousBytes);
}

TEST_CASE_METHOD(EndToEnd, "a child that outlives the recording goes on, whatever it loads") {
  const std::string done = path("done");
  const Recording recording =
      record(host("survivor_loads_libraries", {library("libe2e_first.so"), done}));
  CHECK(recording.host.status == 0);
  CHECK(wait_until([&] { return std::filesystem::exists(done); }));
}

TEST_CASE_METHOD(EndToEnd,
                 "whoever waits for children can be asked to stop, and has a whole trace") {
  // The child keeps none of our pipes open, and gets no signal of the recorder's group.
  const std::string script =
      "setsid sleep 30 > /dev/null 2>&1 < /dev/null & echo $!; echo $$; read line";
  RunningProgram recorder(
      {{command(), "record", "-q", "--wait-children", "-o", trace(), "--", "sh", "-c", script},
       {},
       {},
       true,
       {},
       {}},
      path("waiting"));
  const auto child = static_cast<pid_t>(std::stol(recorder.read_line()));
  const auto root = static_cast<pid_t>(std::stol(recorder.read_line()));
  const std::string process = "/proc/" + std::to_string(child) + "/";
  REQUIRE(wait_until([&] {
    return read_text(process + "comm") == "sleep\n" &&
           read_text(process + "maps").find("memfd:tidemark") != std::string::npos;
  }));
  recorder.write_line("end");
  REQUIRE(wait_until([&] { return kill(root, 0) != 0; }));  // the recorder has reaped it
  const auto begin = std::chrono::steady_clock::now();
  recorder.signal(SIGTERM);
  CHECK(recorder.wait().status == 0);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(15));
  kill(child, SIGKILL);
  const Events events(trace());
  CHECK(events.session().ended);
  CHECK(events.loss().processes_left == 1);
}

TEST_CASE_METHOD(EndToEnd,
                 "a plugin with a C++ library of its own allocates in a program without one") {
  const Recording recording = record_unchanged(host("calls_plugin", {library("libe2e_plugin.so")}));
  CHECK(recording.host.status == 0);
  CHECK(recording.events.allocations(5030) == 10);
  CHECK(recording.events.releases(5030) == 10);
}
