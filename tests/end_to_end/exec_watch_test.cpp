// Programs that begin without anybody in the session saying so, and that are gone before anybody
// has looked: the kernel tells them, or the trace says that it does not.
#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <string>

#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace tidemark;
using namespace tidemark::tests;
using trace::WhyUnrecorded;

namespace {

/// Until the process has ended, also where nobody has waited for it.
bool wait_for_end(pid_t pid) {
  const auto process = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  pollfd end{process, POLLIN, 0};
  const auto most = std::chrono::duration_cast<std::chrono::milliseconds>(kDeadline);
  const bool has_ended = poll(&end, 1, static_cast<int>(most.count())) == 1;
  close(process);
  return has_ended;
}

/// A filter that answers perf_event_open with `action`.
template <std::uint32_t action>
void filter_watches() {
  std::array<sock_filter, 6> steps = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, action),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter{steps.size(), steps.data()};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

class ExecWatching : public EndToEnd {
 protected:
  /// The kernel tells execs here.
  bool is_possible() {
    const bool is_watched = record(Words{"/bin/true"}).events.session().execs_watched;
    if (!is_watched) {
      SKIP_TEST("the kernel does not tell execs here (kernel.perf_event_paranoid, seccomp)");
    }
    return is_watched;
  }

  /// Records `leaves_unseen` by a recorder that stands still while it is happening.
  Events record_unseen(const std::string& how, const std::string& program) {
    const auto recorder = start_recording(
        Command{host("leaves_unseen", {how, host(program).front()}), {}, {}, true, {}, {}});
    const pid_t pid = std::stoi(recorder->read_line());
    kill(recorder->pid(), SIGSTOP);
    recorder->write_line("go");
    CHECK(wait_for_end(pid));
    kill(recorder->pid(), SIGCONT);
    const Outcome ended = recorder->wait();
    CHECK(ended.status == 0);
    CHECK(ended.err.find("not recorded: gone too soon to tell why") != std::string::npos);
    return Events(trace());
  }
};

/// In a child before its exec.
void become_another_user() {
  constexpr uid_t kNobody = 65534;
  [[maybe_unused]] const bool is_done =
      setgroups(0, nullptr) == 0 && setgid(kNobody) == 0 && setuid(kNobody) == 0;
}

void check_is_unseen(const trace::Unrecorded& entry) {
  CAPTURE(entry.command, entry.pid, trace::word_of(entry.why));
  CHECK(entry.command.find("ends_at_once") != std::string::npos);
  CHECK(entry.pid > 1);
  CHECK(entry.processes == 1);
}

}  // namespace

TEST_CASE_METHOD(ExecWatching,
                 "a program that nobody saw and that was gone at once is missing by its name") {
  if (!is_possible())
    return;
  const std::string how = GENERATE("exec", "vfork");
  CAPTURE(how);
  const Events events = record_unseen(how, "ends_at_once_static");
  CHECK(events.session().execs_watched);
  CHECK(events.loss().processes_unrecorded == 1);
  REQUIRE(events.loss().unrecorded.size() == 1);
  check_is_unseen(events.loss().unrecorded[0]);
  CHECK(trace::word_of(events.loss().unrecorded[0].why) ==
        trace::word_of(WhyUnrecorded::kEndedEarly));
  const Outcome checked = tidemark({"check", trace(), "--max-peak", "1MiB"});
  CHECK(checked.status == 3);
  CHECK(checked.out.find("1 whole process is missing") != std::string::npos);
}

TEST_CASE_METHOD(ExecWatching, "each of many programs that nobody saw is missing once") {
  if (!is_possible())
    return;
  const Events events = record_unseen("vforks", "ends_at_once_static");
  CHECK(events.loss().processes_unrecorded == 20);
  CHECK(events.loss().unrecorded.size() == 20);
  for (const trace::Unrecorded& entry : events.loss().unrecorded)
    check_is_unseen(entry);
}

TEST_CASE_METHOD(ExecWatching, "a program that nobody saw is missing in a pid namespace as well") {
  if (!is_possible())
    return;
  Command command{{"/usr/bin/unshare", "-Urfp", "--mount-proc"}, {}, "go\n", false, {}, {}};
  if (run_alone({"/usr/bin/unshare", "-Urfp", "--mount-proc", "/bin/true"}).status != 0) {
    SKIP_TEST("no pid namespace for this user");
    return;
  }
  for (const std::string& word :
       host("leaves_unseen", {"vforks", host("ends_at_once_static").front()}))
    command.words.push_back(word);
  const Recording recording = record(command);
  CHECK(recording.host.status == 0);
  const auto& unrecorded = recording.events.loss().unrecorded;
  const auto named = std::ranges::count_if(unrecorded, [](const trace::Unrecorded& entry) {
    return entry.command.find("ends_at_once") != std::string::npos && entry.pid > 1;
  });
  CHECK(named == 20);
  CHECK(recording.events.loss().processes_unrecorded == 20);
}

TEST_CASE_METHOD(ExecWatching, "in a storm of execs nobody is missing who was recorded") {
  if (!is_possible())
    return;
  const Recording recording =
      record(Words{"/bin/sh", "-c",
                   "i=0; while [ $i -lt 100 ]; do /bin/true & /bin/true; i=$((i+1)); done; wait"});
  CHECK(recording.host.status == 0);
  CHECK(recording.events.session().execs_watched);
  CHECK(recording.events.loss().processes_unrecorded == 0);
}

TEST_CASE_METHOD(ExecWatching, "where the kernel does not tell execs, the trace says so") {
  void (*const filter)() =
      GENERATE(filter_watches<SECCOMP_RET_ERRNO | 1>, filter_watches<SECCOMP_RET_KILL_PROCESS>);
  Command command{
      host("execs_past_libc", {host("lives_a_while_static").front()}), {}, {}, false, {}, filter};
  const Recording recording = record(command);
  CHECK(recording.host.status == 0);
  CHECK(recording.host.out == "lived\nstatus 3\n");
  CHECK_FALSE(recording.events.session().execs_watched);
  CHECK(recording.events.loss().processes_unrecorded == 1);
  CHECK(report(recording.trace)["execs_watched"] == false);
  const Outcome text = tidemark({"report", recording.trace});
  CHECK(text.out.find("execs were not watched") != std::string::npos);
}

TEST_CASE_METHOD(ExecWatching, "where the kernel does not tell execs, nothing lost is no promise") {
  const Recording recording =
      record(Command{{"/bin/true"}, {}, {}, false, {}, filter_watches<SECCOMP_RET_ERRNO | 1>});
  const Outcome text = tidemark({"report", recording.trace});
  CHECK(text.out.find("lost      nothing (execs past libc were not watched)\n") !=
        std::string::npos);
}

TEST_CASE_METHOD(
    ExecWatching,
    "where the kernel does not tell execs, a program that was gone at once has bounds") {
  const std::string script = host("ends_at_once_static").front() + "; true";
  const Recording recording = record(
      Command{{"/bin/sh", "-c", script}, {}, {}, false, {}, filter_watches<SECCOMP_RET_ERRNO | 1>});
  REQUIRE(recording.events.loss().unrecorded.size() == 1);
  const trace::Unrecorded& entry = recording.events.loss().unrecorded[0];
  CAPTURE(entry.command, trace::word_of(entry.why), entry.from_ns, entry.until_ns);
  CHECK(entry.is_bounded());
  CHECK(entry.from_ns < entry.until_ns);
}

TEST_CASE_METHOD(ExecWatching, "a program that its user may not read leaves the watch") {
  namespace fs = std::filesystem;
  fs::permissions(path(""), fs::perms(0777));
  Command command{{path("leaves_unseen"), "vforks", path("static")},
                  {},
                  "go\n",
                  false,
                  {},
                  become_another_user};
  fs::copy_file(host("leaves_unseen").front(), command.words[0]);
  fs::copy_file(host("ends_at_once_static").front(), command.words[2]);
  fs::permissions(command.words[2], fs::perms(0755));
  const bool is_readable = GENERATE(true, false);
  CAPTURE(is_readable);
  fs::permissions(command.words[0], fs::perms(is_readable ? 0755 : 0711));
  const Command recorder{
      {EndToEnd::command(), "--version"}, {}, {}, false, {}, become_another_user};
  if (!is_possible() || geteuid() != 0 || run_alone(recorder).status != 0) {
    SKIP_TEST("only root can become somebody who may run this build");
    return;
  }
  const Recording recording = record(command);
  CHECK(recording.host.status == 0);
  CHECK(recording.events.session().execs_watched == is_readable);
  const std::uint64_t missing = recording.events.loss().processes_unrecorded;
  CHECK((is_readable ? missing == 20 : missing <= 20));
}
