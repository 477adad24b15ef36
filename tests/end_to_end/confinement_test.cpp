// Programs that confine themselves or what they start: by filters for system calls, another user,
// other namespaces; or that start programs in a way of their own. They are recorded all the same.
#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

/// Words before `words`.
Words by(Words words, const Words& rest) {
  words.insert(words.end(), rest.begin(), rest.end());
  return words;
}

bool is_skipped(const std::string& what, bool is_possible) {
  if (is_possible)
    return false;
  SKIP_TEST(what << " is not permitted");
  CHECK_FALSE(is_possible);
  return true;
}

}  // namespace

TEST_CASE_METHOD(EndToEnd, "a filter that does not know our system calls hurts nobody") {
  const auto action = GENERATE(as<std::string>{}, "kill", "trap", "errno");
  CAPTURE(action);
  const Recording recording = record_unchanged(host("filters_calls", {action}));
  CHECK(recording.host.status == 6);
  CHECK(recording.events.allocations(3111) == 100'100);
  CHECK(recording.events.releases(3111) == 100'100);
}

TEST_CASE_METHOD(EndToEnd, "a filter that nobody has seen installed hurts nobody") {
  const std::string file = path("net.bin");
  std::ofstream(file, std::ios::binary) << std::string(std::size_t{16} << 20U, 'x');
  const Recording recording =
      record_unchanged(by(host("filters_unseen"), host("widens_at_last", {file})));
  CHECK(recording.host.status == 0);
  CHECK(recording.events.allocations(std::uint64_t{32} << 20U) == 1);
}

TEST_CASE_METHOD(EndToEnd, "a thread that may not come into the session is counted") {
  const Recording recording = record(host("filters_calls", {"threads"}));
  CHECK(recording.host.out == "done\n");
  CHECK(recording.host.status == 6);
  CHECK(recording.events.allocations(3111) == 100'100);
  CHECK(recording.events.loss().threads_unrecorded == 1);
  CHECK(recording.events.loss().threads_seccomp == 1);
}

TEST_CASE_METHOD(EndToEnd, "a forked process that may not come into the session is counted") {
  const Recording recording = record(host("filters_calls", {"forks"}));
  CHECK(recording.host.out == "done\n");
  CHECK(recording.host.status == 6);
  const trace::Loss& loss = recording.events.loss();
  CHECK(loss.threads_unrecorded == 0);
  REQUIRE(loss.unrecorded.size() == 1);
  CHECK(loss.unrecorded[0].why == trace::WhyUnrecorded::kSeccomp);
  CHECK(loss.unrecorded[0].processes == 1);
}

TEST_CASE_METHOD(EndToEnd, "a program that is started by a system call's number is recorded") {
  const Recording recording =
      record_unchanged(by(host("starts_by_number"), host("many_threads", {"10"})));
  CHECK(recording.events.allocations(3001) == 200);
}

TEST_CASE_METHOD(EndToEnd, "a program of another user is recorded") {
  const Words words = by(host("drops_privileges"), host("many_threads", {"10"}));
  if (is_skipped("another user", run_alone(words).status == 0))
    return;
  const Recording recording = record_unchanged(words);
  CHECK(recording.events.allocations(3001) == 100);
}

TEST_CASE_METHOD(EndToEnd, "what a program of another user starts past the hooks is recorded") {
  const Words words =
      by(host("drops_privileges"), by(host("starts_past_hooks"), host("many_threads", {"10"})));
  if (is_skipped("another user", run_alone(words).status == 0))
    return;
  const Recording recording = record_unchanged(words);
  CHECK(recording.events.allocations(3001) == 100);
  CHECK_FALSE(recording.events.loss().hides_memory());
}

TEST_CASE_METHOD(EndToEnd, "a program that must have a sanitizer's library first runs on its own") {
  const std::string how = GENERATE("path", "PATH", "script");
  CAPTURE(how);
  const std::string asan = host("asan").front();
  std::string command = asan + " 0 return";
  if (how == "PATH")
    command = "PATH=" + std::filesystem::path(asan).parent_path().string() + "; " +
              std::filesystem::path(asan).filename().string() + " 0 return";
  if (how == "script") {
    std::ofstream(path("script")) << "#!" << asan << "\n";
    std::filesystem::permissions(path("script"), std::filesystem::perms::owner_all);
    command = path("script") + " return";
  }
  const Recording recording = record({"/bin/sh", "-c", command + "; echo $?"});
  CHECK(recording.host.out == "done\n7\n");
  CHECK(recording.host.err.find("ASan") == std::string::npos);
  const auto& unrecorded = recording.events.loss().unrecorded;
  REQUIRE_FALSE(unrecorded.empty());  // It may exec itself again, without address randomization.
  for (const trace::Unrecorded& entry : unrecorded)
    CHECK(entry.why == trace::WhyUnrecorded::kSanitizer);
}

TEST_CASE_METHOD(EndToEnd, "a program in another pid namespace with its own /proc is recorded") {
  const Words unshare{"/usr/bin/unshare", "-fp", "--mount-proc"};
  if (is_skipped("another namespace", run_alone(by(unshare, {"/bin/true"})).status == 0))
    return;
  const Recording recording = record_unchanged(by(unshare, host("many_threads", {"10"})));
  CHECK(recording.events.allocations(3001) == 100);
  CHECK(recording.events.releases(3001) == 100);
}

TEST_CASE_METHOD(EndToEnd, "a program in namespaces of an ordinary user is recorded") {
  const Words unshare{"/usr/bin/unshare", "-Urfp", "--mount-proc"};
  if (is_skipped("a user namespace", run_alone(by(unshare, {"/bin/true"})).status == 0))
    return;
  const Recording recording = record_unchanged(by(unshare, host("many_threads", {"10"})));
  CHECK(recording.events.allocations(3001) == 100);
}

TEST_CASE_METHOD(EndToEnd, "a program that is cloned into namespaces of its own is recorded") {
  const std::string how = GENERATE("clone", "number", "number3");
  CAPTURE(how);
  const Words words = by(host("enters_namespace", {how}), host("many_threads", {"10"}));
  if (is_skipped("a user namespace", run_alone(words).status != 125))
    return;
  const Recording recording = record_unchanged(words);
  CHECK(recording.events.allocations(3001) == 100);
  CHECK(recording.events.releases(3001) == 100);
  CHECK_FALSE(recording.events.loss().hides_memory());
}

TEST_CASE_METHOD(EndToEnd, "programs that do not find tidemark's objects are recorded") {
  const Words unshare{"/usr/bin/unshare", "-Urm"};
  if (is_skipped("a mount namespace", run_alone(by(unshare, {"/bin/true"})).status == 0))
    return;
  // Each of them, the shell's child too, loads the objects by descriptors that the first one kept.
  const std::string program = host("many_threads").front();
  const std::string hide = "mount -t tmpfs none " + std::string(TIDEMARK_OBJECTS);
  const std::string run = GENERATE_COPY(as<std::string>{}, program + " 10; exit $?",
                                        host("starts_past_hooks").front() + " " + program + " 10");
  CAPTURE(run);
  const Recording recording =
      record_unchanged(by(unshare, {"/bin/sh", "-c", hide + " && exec /bin/sh -c '" + run + "'"}));
  CHECK(recording.events.allocations(3001) == 100);
  CHECK(recording.events.releases(3001) == 100);
  CHECK_FALSE(recording.events.loss().hides_memory());
}

TEST_CASE_METHOD(EndToEnd,
                 "a program under whose path the recorder sees another has its own names") {
  const Words unshare{"/usr/bin/unshare", "-Urm"};
  if (is_skipped("a mount namespace", run_alone(by(unshare, {"/bin/true"})).status == 0))
    return;
  const std::string path = EndToEnd::path("program");
  std::filesystem::copy_file(host("throws").front(), path);
  const std::string over = "mount --bind " + host("deep_recursion").front() + " " + path;
  const Recording recording =
      record_unchanged(by(unshare, {"/bin/sh", "-c", over + " && exec " + path}));
  CHECK(recording.events.allocations(2261) == 25000);
  CHECK(recording.events.allocations_in("descend", 2261) == 25000);
}
