// Programs that cannot be recorded: each one is told of, with its reason.
#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <filesystem>

#include <link.h>
#include <unistd.h>

using namespace tidemark;
using namespace tidemark::tests;
using trace::WhyUnrecorded;

namespace {

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// What is said of the only program that was not recorded.
trace::Unrecorded only_one(const Recording& recording) {
  const trace::Loss& loss = recording.events.loss();
  INFO(recording.host.err);
  CHECK(loss.processes_unrecorded == 1);
  REQUIRE(loss.unrecorded.size() == 1);
  return loss.unrecorded[0];
}

void check_is(const trace::Unrecorded& entry, const std::string& program, WhyUnrecorded why) {
  CAPTURE(entry.command, entry.pid, trace::word_of(entry.why));
  CHECK(entry.command.find(program) != std::string::npos);
  CHECK(entry.pid > 1);
  CHECK(entry.processes == 1);
  CHECK(trace::word_of(entry.why) == trace::word_of(why));
}

/// Copies a program and the libraries of this very process to where they are looked for below
/// `root`.
void copy_with_libraries(const std::string& program, const std::string& root) {
  namespace fs = std::filesystem;
  const auto copy = [&](const std::string& from) {
    const fs::path to = root + from;
    fs::create_directories(to.parent_path());
    fs::copy_file(from, to, fs::copy_options::overwrite_existing);
  };
  copy(program);
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* copier) {
        const std::string name = info->dlpi_name;
        if (name.starts_with('/'))
          (*static_cast<decltype(copy)*>(copier))(name);
        return 0;
      },
      const_cast<void*>(static_cast<const void*>(&copy)));
}

/// Runs it alone: exit status 125 says that it is not permitted here.
bool is_permitted(EndToEnd& test, const Words& words) {
  const Outcome alone = test.run_alone(words);
  if (alone.status != 125)
    return true;
  SKIP_TEST(alone.err);
  CHECK(alone.status == 125);
  return false;
}

}  // namespace

TEST_CASE_METHOD(EndToEnd, "an exec past libc with an empty environment is not lost in silence") {
  const Recording recording = record(host("execs_past_libc", host("lives_a_while")));
  check_is(only_one(recording), "lives_a_while", WhyUnrecorded::kEnvironment);
  CHECK(recording.host.err.find("started with a cleared environment") != std::string::npos);
  const Outcome checked = tidemark({"check", recording.trace, "--max-peak", "2MiB"});
  CHECK(checked.status == 3);
  CHECK(checked.out.find("cleared environment") != std::string::npos);
}

TEST_CASE_METHOD(EndToEnd, "a program that cannot have raised the peak leaves a pass a pass") {
  // What is static ends before the rest begins.
  const std::string script =
      host("lives_a_while_static").front() + "; exec " + host("one_large_block").front();
  const Recording recording = record(Words{"/bin/sh", "-c", script});
  const trace::Unrecorded entry = only_one(recording);
  check_is(entry, "lives_a_while_static", WhyUnrecorded::kStatic);
  CHECK(entry.is_bounded());
  CHECK(entry.from_ns < entry.until_ns);
  CHECK(entry.until_ns <= recording.events.session().duration_ns);
  const nlohmann::json said = report(recording.trace);
  CHECK(said["loss"]["unrecorded"][0]["most_bytes"] == entry.most_bytes);
  CHECK(said["loss"]["peak_at_most_bytes"] >= said["peak"]["footprint_bytes"]);

  const auto most = said["loss"]["peak_at_most_bytes"].get<std::uint64_t>();
  const std::string at_most = std::to_string(most);
  CHECK(tidemark({"check", recording.trace, "--max-peak", at_most}).status == 0);
  if (most > said["peak"]["footprint_bytes"].get<std::uint64_t>()) {
    const std::string below = std::to_string(most - 1);
    CHECK(tidemark({"check", recording.trace, "--max-peak", below}).status == 3);
  }
}

TEST_CASE_METHOD(EndToEnd, "what an unrecorded program leaves behind counts in its bounds") {
  // Whether a look finds the child or not.
  const std::string script =
      host("leaves_child_behind_static").front() + "; exec " + host("lives_a_while").front();
  const Recording recording = record(Words{"/bin/sh", "-c", script});
  CHECK(recording.events.loss().processes_unrecorded >= 1);
  const nlohmann::json said = report(recording.trace);
  CAPTURE(said["loss"].dump());
  const nlohmann::json& most = said["loss"]["peak_at_most_bytes"];
  CHECK((most.is_null() || most.get<std::uint64_t>() >= std::uint64_t{200} << 20U));
  CHECK(tidemark({"check", recording.trace, "--max-peak", "199MiB"}).status == 3);
}

TEST_CASE_METHOD(EndToEnd, "a static program is told from others, however it was started") {
  const std::string how = GENERATE("execs_past_libc", "starts_programs");
  CAPTURE(how);
  Words words = host(how);
  if (how == "starts_programs")
    words.emplace_back("fork");
  const Recording recording = record(joined(words, host("lives_a_while_static")));
  check_is(only_one(recording), "lives_a_while_static", WhyUnrecorded::kStatic);
  const auto json = report(recording.trace);
  REQUIRE(json["loss"]["unrecorded"].size() == 1);
  CHECK(json["loss"]["unrecorded"][0]["why"] == "static");
  const Outcome text = tidemark({"report", recording.trace});
  CHECK(text.out.find("1 whole process (statically linked)") != std::string::npos);
  CHECK(text.out.find("statically linked, pid ") != std::string::npos);
}

TEST_CASE_METHOD(EndToEnd, "forks of a static program are counted too") {
  const Recording recording =
      record(host("starts_programs", joined({"fork"}, host("forks_then_lives_static"))));
  const trace::Loss& loss = recording.events.loss();
  INFO(recording.host.err);
  CHECK(loss.processes_unrecorded == 2);
  for (const trace::Unrecorded& entry : loss.unrecorded)
    check_is(entry, "forks_then_lives_static", WhyUnrecorded::kStatic);
}

TEST_CASE_METHOD(EndToEnd, "a program of another user is not lost in silence") {
  if (geteuid() != 0) {
    SKIP_TEST("only root can become somebody else");
    CHECK(geteuid() != 0);
    return;
  }
  // Where everybody can read it.
  const std::string program = path("lives_a_while");
  std::filesystem::copy_file(host("lives_a_while").front(), program);
  std::filesystem::permissions(path(""), std::filesystem::perms(0755));
  const Recording recording = record(host("changes_user", {program}));
  CHECK(recording.host.status == 3);
  check_is(only_one(recording), "lives_a_while", WhyUnrecorded::kPrivileges);
}

TEST_CASE_METHOD(EndToEnd, "a program in another root directory is not lost in silence") {
  const std::string root = path("root");
  const std::string program = host("lives_a_while").front();
  copy_with_libraries(program, root);
  if (!is_permitted(*this, host("changes_root", {root, program})))
    return;
  const Recording recording = record(host("changes_root", {root, program}));
  CHECK(recording.host.status == 3);
  check_is(only_one(recording), "lives_a_while", WhyUnrecorded::kRootDirectory);
}

TEST_CASE_METHOD(EndToEnd, "a program in another namespace is not lost in silence") {
  struct Kind {
    const char* name;
    WhyUnrecorded why;
  };
  const auto kind = GENERATE(Kind{"user", WhyUnrecorded::kUserNamespace},
                             Kind{"user_pid", WhyUnrecorded::kUserNamespace},
                             Kind{"mount", WhyUnrecorded::kMountNamespace},
                             Kind{"pid_proc", WhyUnrecorded::kPidNamespace});
  CAPTURE(kind.name);
  const Words words = host("enters_namespace", joined({kind.name}, host("lives_a_while")));
  if (!is_permitted(*this, words))
    return;
  const Recording recording = record(words);
  CHECK(recording.host.status == 3);
  check_is(only_one(recording), "lives_a_while", kind.why);
}

TEST_CASE_METHOD(EndToEnd,
                 "a program without address space for the session is not lost in silence") {
  const auto limited = [](int mib) -> Words {
    return {"/bin/sh", "-c", "ulimit -v " + std::to_string(mib * 1024) + "; exec \"$0\"",
            host("lives_a_while").front()};
  };
  // It needs some itself, and 1 MiB more for tidemark's object.
  for (const int mib : {5, 8, 12, 50, 127}) {
    CAPTURE(mib);
    REQUIRE(run_alone(limited(mib)).status == 3);
    const Recording recording = record(limited(mib));
    CHECK(recording.host.status == 3);
    check_is(only_one(recording), "lives_a_while", WhyUnrecorded::kAddressSpace);
  }
  const Recording recording = record(limited(128));
  CHECK(recording.host.status == 3);
  CHECK(recording.events.allocations(4561) == 100);
}

TEST_CASE_METHOD(EndToEnd,
                 "a child that no hook saw being made, and that calls nothing, is counted") {
  constexpr std::uint64_t kBytes = std::uint64_t{16} << 20U;
  const Recording recording = record(host("forks_and_writes", {"instruction"}));
  CHECK(recording.host.status == 0);
  const trace::Loss& loss = recording.events.loss();
  REQUIRE(loss.unrecorded.size() == 2);
  for (const trace::Unrecorded& child : loss.unrecorded) {
    check_is(child, "forks_and_writes", WhyUnrecorded::kBareFork);
    CHECK(child.most_bytes >= kBytes);
  }
}

TEST_CASE_METHOD(EndToEnd, "a child without memory of its own is none that is missing") {
  const std::string how = GENERATE("vfork", "idle");
  CAPTURE(how);
  const Recording recording = record(host("forks_and_writes", {how}));
  CHECK(recording.host.status == 0);
  CHECK(recording.events.loss().processes_unrecorded == 0);
}

TEST_CASE_METHOD(EndToEnd, "a daemon is counted and waited for, recorded or not") {
  const std::string program = GENERATE("lives_a_while", "lives_a_while_static");
  CAPTURE(program);
  const Outcome outcome = tidemark(joined({"record", "-q", "--wait-children", "-o", trace(), "--"},
                                          host("starts_daemon", host(program))));
  CHECK(outcome.status == 0);
  const Events events(trace());
  CHECK(events.loss().processes_left == 0);
  if (program == "lives_a_while") {
    CHECK(events.allocations(4561) == 100);
    CHECK_FALSE(events.loss().hides_memory());
  } else {
    CHECK(events.session().duration_ns > 300'000'000);
    REQUIRE(events.loss().unrecorded.size() == 1);
    check_is(events.loss().unrecorded[0], program, WhyUnrecorded::kStatic);
  }
}

TEST_CASE_METHOD(EndToEnd, "a daemon that goes on after the recording is said to be left") {
  const Recording recording = record(host("starts_daemon", host("lives_a_while")));
  CHECK(recording.events.loss().processes_left == 1);
  CHECK(recording.events.loss().hides_memory());
  CHECK(tidemark({"check", recording.trace, "--max-peak", "1TiB"}).status == 3);
}

TEST_CASE_METHOD(EndToEnd, "a helper that ends when its program has ended is waited for") {
  const Recording recording = record(
      {"sh", "-c", R"(mkfifo "$0"; (cat "$0"; sleep 0.03) > /dev/null 2>&1 & exec 3> "$0"; exit 5)",
       path("fifo")});
  CHECK(recording.host.status == 5);
  CHECK(recording.events.loss().processes_left == 0);
}

TEST_CASE_METHOD(EndToEnd, "a library that finds libc's functions before the hooks is told") {
  const std::string flag = GENERATE("RTLD_DEEPBIND", "RTLD_NOW");
  const Recording recording =
      record({"python3", "-c",
              "import ctypes, os; ctypes.CDLL('libm.so.6', mode=os.RTLD_NOW | os." + flag + ")"});
  REQUIRE(recording.host.status == 0);
  CHECK(recording.events.session().deep_bound == (flag == "RTLD_DEEPBIND"));
}

TEST_CASE_METHOD(EndToEnd,
                 "in a storm of short children nobody is lost, and nobody counted twice") {
  // Fewer than there is room for, should nobody look at them before all of them have ended.
  const Recording recording =
      record(host("short_children", joined({"200"}, host("ends_at_once_static"))));
  CHECK(recording.host.out == "all ended\n");
  CHECK(recording.events.allocations(4583) == 200);
  const trace::Loss& loss = recording.events.loss();
  CHECK(loss.processes_unrecorded == 50);
  std::uint64_t listed = 0;
  for (const trace::Unrecorded& entry : loss.unrecorded)
    listed += entry.processes;
  CHECK(listed == 50);
  CHECK(recording.events.definitions().processes.size() == 201);
}
