// Programs that have little room, or lose the way to the collector. They run as without tidemark,
// recorded as far as that is possible, and what is not is counted.
#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

/// `words` under a shell's limit.
Words limited(const std::string& limit, const Words& words) {
  Words all{"/bin/sh", "-c", "ulimit " + limit + "; exec \"$0\" \"$@\""};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

/// A memory cgroup of its own, of version 1 or 2. Gone when this is.
class MemoryGroup {
 public:
  explicit MemoryGroup(std::uint64_t limit_bytes) {
    const std::string name = "/tidemark-test-" + std::to_string(getpid());
    for (const auto& [root, limit] : {std::pair("/sys/fs/cgroup/memory", "/memory.limit_in_bytes"),
                                      std::pair("/sys/fs/cgroup", "/memory.max")}) {
      if (mkdir((root + name).c_str(), 0700) != 0)
        continue;
      std::ofstream(root + name + limit) << limit_bytes;
      std::uint64_t accepted = 0;
      if (std::ifstream(root + name + limit) >> accepted && accepted == limit_bytes) {
        folder_ = root + name;
        return;
      }
      rmdir((root + name).c_str());
    }
  }
  ~MemoryGroup() { rmdir(folder_.c_str()); }
  MemoryGroup(const MemoryGroup&) = delete;
  MemoryGroup& operator=(const MemoryGroup&) = delete;

  [[nodiscard]] bool is_there() const { return !folder_.empty(); }
  [[nodiscard]] Words with(const Words& words) const {
    Words all{"/bin/sh", "-c", "echo $$ > " + folder_ + "/cgroup.procs; exec \"$0\" \"$@\""};
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }

 private:
  std::string folder_;
};

}  // namespace

TEST_CASE_METHOD(EndToEnd, "a program with one thread has less than 16 MiB more address space") {
  const Outcome alone = run_alone(host("limits_itself", {"1000"}));
  const Recording recording = record(host("limits_itself", {"1000"}));
  REQUIRE(alone.status == 0);
  REQUIRE(recording.host.status == 0);
  CHECK(std::stoull(recording.host.err) - std::stoull(alone.err) < 16 * kMiB);
  CHECK(recording.events.allocations(3091) == 800);
}

TEST_CASE_METHOD(EndToEnd, "a program that limits its own address space runs as without tidemark") {
  // 600 MiB: eight stacks of 8 MiB and eight heaps of 64 MiB. 80: the stacks alone; a heap that
  // found room before the last stack would end the program, with tidemark or without.
  for (const std::string mib : {"1000", "600", "80"}) {
    CAPTURE(mib);
    const std::vector<std::string> heaps{mib == "80" ? "MALLOC_ARENA_MAX=1" : "MALLOC_ARENA_MAX=8"};
    const Command command{host("limits_itself", {mib}), heaps, {}, false, {}, {}};
    REQUIRE(run_alone(command).status == 0);
    const Recording recording = record(command);
    CHECK(recording.host.status == 0);
    const std::uint64_t unrecorded = recording.events.loss().threads_unrecorded;
    CHECK(recording.events.allocations(3091) + 100 * unrecorded >= 800);
  }
}

TEST_CASE_METHOD(EndToEnd,
                 "a limit of the shell's holds for the program, and not for its recording") {
  const auto limit = GENERATE(as<std::string>{}, "-v 4000000", "-f 1000000");
  CAPTURE(limit);
  const Command command{limited(limit, host("many_threads", {"100"})), {}, {}, false, {}, {}};
  const Recording recording = record_unchanged(command);
  CHECK(recording.events.allocations(3001) == 1000);
}

// In blocks of 512 bytes, as a POSIX shell counts them.
TEST_CASE_METHOD(EndToEnd,
                 "a recorder under a limit for files has as many places as fit, or says so") {
  const Words host_words = host("many_threads", {"4"});
  Words record{command(), "record", "-q", "-o", trace(), "--"};
  record.insert(record.end(), host_words.begin(), host_words.end());
  const Outcome fits = run_alone(limited("-f 409600", record));  // 200 MiB
  CHECK(fits.status == run_alone(host_words).status);
  CHECK(fits.err.empty());
  const Events events(trace());
  CHECK(events.allocations(3001) == 100);
  CHECK_FALSE(events.loss().hides_memory());

  const Outcome too_small = run_alone(limited("-f 100000", record));  // 49 MiB
  CHECK(too_small.status == 2);
  CHECK(too_small.err.find("the limit for file sizes (ulimit -f)") != std::string::npos);
}

// What nothing could be read of for want of descriptors used to be taken for dead: its last
// thousands of allocations were missing, and nobody said so.
TEST_CASE_METHOD(EndToEnd, "all that children do is recorded with hardly any file descriptors") {
  const auto limit = GENERATE(as<std::string>{}, "-n 10", "-n 12", "-n 16");
  CAPTURE(limit);
  const Words at_once{"/bin/sh", "-c", "for i in 1 2 3; do \"$0\" & done; wait",
                      host("forks_under_load").front()};
  Words all{command(), "record", "-q", "-o", trace(), "--"};
  all.insert(all.end(), at_once.begin(), at_once.end());
  CHECK(run_alone(limited(limit, all)).status == 0);
  const Events events(trace());
  CHECK(events.allocations(5021) == 3 * 50 * 100);
  CHECK(events.allocations(5022) == 3 * 80000);
  CHECK_FALSE(events.loss().hides_memory());
}

TEST_CASE_METHOD(EndToEnd,
                 "threads and children are recorded where no way leads to /proc any more") {
  const Outcome alone = run_alone(host("loses_proc", {path("alone")}));
  if (alone.status == 77) {
    SKIP_TEST("chroot is not permitted");
    CHECK(alone.status == 77);
    return;
  }
  const Recording recording = record(host("loses_proc", {path("root")}));
  CHECK(recording.host.status == 5);
  CHECK(recording.events.allocations(3101) == 400);
  CHECK(recording.events.loss().threads_unrecorded == 0);
}

TEST_CASE_METHOD(EndToEnd, "a program under valgrind runs as without tidemark") {
  const std::string valgrind = "/usr/bin/valgrind";
  if (!std::filesystem::exists(valgrind)) {
    SKIP_TEST("valgrind is not installed");
    CHECK_FALSE(std::filesystem::exists(valgrind));
    return;
  }
  const Recording recording = record({valgrind, "-q", "--error-exitcode=9", "/bin/true"});
  CHECK(recording.host.status == 0);
  CHECK(recording.host.out.empty());
}

TEST_CASE_METHOD(EndToEnd,
                 "a program in a memory cgroup is recorded, up to its end by the kernel") {
  const MemoryGroup group(128 * kMiB);
  if (!group.is_there()) {
    SKIP_TEST("no memory cgroup can be made here");
    CHECK_FALSE(group.is_there());
    return;
  }
  const Recording fits = record_unchanged(group.with(host("fills_memory", {"64"})));
  CHECK(fits.host.status == 0);
  CHECK(fits.events.allocations(kMiB) == 64);

  const bool is_recorder_in_it = GENERATE(false, true);
  CAPTURE(is_recorder_in_it);
  const Words words = host("fills_memory", {"500"});
  Words record{command(), "record", "-q", "-o", trace(), "--"};
  const Words inside = is_recorder_in_it ? words : group.with(words);
  record.insert(record.end(), inside.begin(), inside.end());
  const Outcome ended = run_alone(is_recorder_in_it ? group.with(record) : record);
  REQUIRE(ended.status == 128 + SIGKILL);
  const auto said = static_cast<std::size_t>(std::ranges::count(ended.out, '\n'));
  CHECK(said > 64);
  const Events events(trace());
  CHECK_FALSE(events.loss().hides_memory());
  // One more may have been made, and not been said.
  CHECK(events.allocations(kMiB) >= said);
  CHECK(events.allocations(kMiB) <= said + 1);
}
