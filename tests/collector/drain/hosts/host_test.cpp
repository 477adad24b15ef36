#include "collector/drain/hosts/host.hpp"

#include "tests/collector/drain/event_log.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/session_memory.hpp"

#include <unistd.h>

using namespace tidemark;
using trace::Lane;

namespace {

/// A host of slot 2 that calls itself 7, and its parent 6.
struct ClaimedSlot {
  tests::SessionMemory memory;
  tests::EventLog log;
  StackStore stacks{log};
  Host host{claimed(memory), 2, 1, 500, stacks};

 private:
  static const wire::SessionMap& claimed(const tests::SessionMemory& memory) {
    wire::ProcessSlot& slot = memory.map().process(2);
    slot.pid = 7;
    slot.parent_pid = 6;
    return memory.map();
  }
};

/// This process, as a search would find it.
HostSearch found(std::uint64_t pid_namespace = 0) {
  HostSearch search;
  search.state = HostSearch::State::kFound;
  search.process = Process::open(getpid());
  search.parent = 60;
  search.pid_namespace = pid_namespace;
  return search;
}

HostSearch not_yet() {
  HostSearch search;
  search.state = HostSearch::State::kNotYet;
  return search;
}

}  // namespace

TEST_CASE("a host is what it wrote into its slot, until its process is found", "[host]") {
  ClaimedSlot claimed;
  Host& host = claimed.host;
  CHECK(host.slot() == 2);
  CHECK(host.facts().pid == 7);
  CHECK(host.facts().parent_pid == 6);
  CHECK(host.facts().begin_ns == 500);
  CHECK(host.process() == nullptr);
  CHECK(host.memory() == nullptr);
  CHECK(host.numbers().pid == 0);

  host.settle(found(4026532000));
  CHECK(host.process() != nullptr);
  CHECK(host.memory() != nullptr);
  CHECK(host.facts().pid == static_cast<std::uint32_t>(getpid()));
  CHECK(host.facts().parent_pid == 60);
  CHECK_FALSE(host.facts().executable.empty());
  CHECK(host.own_pid() == 7);
  CHECK(host.numbers().pid == static_cast<std::uint32_t>(getpid()));
  CHECK(host.numbers().own_pid == 7);
  CHECK(host.numbers().pid_namespace == 4026532000);
}

TEST_CASE("what a host said of its program itself stays when its process is found", "[host]") {
  ClaimedSlot claimed;
  claimed.host.set_executable("/usr/bin/loader");
  claimed.host.settle(found());
  CHECK(claimed.host.facts().executable == "/usr/bin/loader");
}

TEST_CASE("a process that was guessed, or is still sought, has no number of this machine",
          "[host]") {
  ClaimedSlot claimed;
  Host& host = claimed.host;
  host.settle(not_yet());
  CHECK(host.is_sought());
  CHECK(host.pid_namespace() == ProcessNumbers::kUnknownNamespace);

  HostSearch guess = found();
  guess.is_guess = true;
  host.settle(guess);
  CHECK_FALSE(host.is_sought());
  CHECK(host.process() != nullptr);
  CHECK(host.numbers().pid == 0);
  CHECK(host.numbers().pid_namespace == ProcessNumbers::kUnknownNamespace);
}

TEST_CASE("nothing is read of a process whose image has been replaced", "[host]") {
  ClaimedSlot claimed;
  HostSearch replaced = found();
  replaced.is_image_gone = true;
  claimed.host.settle(replaced);
  CHECK(claimed.host.memory() == nullptr);
  claimed.host.look_for_death();
  CHECK(claimed.host.is_dead());
}

TEST_CASE("a host is dead once nothing of it can run, and not while it is sought", "[host]") {
  ClaimedSlot claimed;
  Host& host = claimed.host;
  host.settle(not_yet());
  host.look_for_death();
  CHECK_FALSE(host.is_dead());

  SECTION("its process is there") {
    host.settle(found());
    host.look_for_death();
    CHECK_FALSE(host.is_dead());
    host.look_at_image();
    CHECK(host.memory() != nullptr);
  }
  SECTION("it was not found in the end") {
    host.stop_search();
    host.look_for_death();
    CHECK(host.is_dead());
    CHECK_FALSE(host.has_ended());
  }
  SECTION("the trace has its end already") {
    host.settle(found());
    host.end(900);
    host.look_for_death();
    CHECK(host.is_dead());
  }
}

TEST_CASE("a host's peaks are the highest of its totals, and stay", "[host]") {
  ClaimedSlot claimed;
  Host& host = claimed.host;
  host.grow(Lane::kHeap, 100, 10);
  host.grow(Lane::kFile, 1000, 20);  // in no footprint
  host.shrink(Lane::kHeap, 60);
  host.grow(Lane::kAnon, 70, 30);
  host.grow(Lane::kAnon, 0, 40);
  CHECK(host.totals()[Lane::kHeap] == 40);
  CHECK(host.facts().peak.footprint() == 110);
  CHECK(host.facts().peak_at_ns == 30);
  CHECK(host.facts().lane_peaks[Lane::kHeap] == 100);
  CHECK(host.facts().lane_peaks[Lane::kFile] == 1000);

  host.end(900);
  CHECK(host.has_ended());
  CHECK(host.totals() == trace::LaneTotals{});
  CHECK(host.facts().end_ns == 900);
  CHECK(host.facts().peak.footprint() == 110);
}

TEST_CASE("of what is measured again and again the most counts", "[host]") {
  ClaimedSlot claimed;
  Host& host = claimed.host;
  host.note_own_bytes(5);
  host.note_own_bytes(3);
  host.note_kernel_peak(50);
  host.note_kernel_peak(30);
  CHECK(host.facts().own_bytes == 5);
  CHECK(host.facts().kernel_peak_rss_bytes == 50);
}

TEST_CASE("an exec is under way until it fails", "[host]") {
  ClaimedSlot claimed;
  claimed.host.begin_exec(70, 0);
  CHECK(claimed.host.execs());
  CHECK(claimed.host.exec_at_ns() == 70);
  claimed.host.exec_failed();
  CHECK_FALSE(claimed.host.execs());
}
