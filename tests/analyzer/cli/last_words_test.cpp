// How a command ends that cannot go on: with a sentence, whatever state it is in.
#include "analyzer/cli/shared/terminal.hpp"
#include "analyzer/io/out_of_memory.hpp"
#include "tests/support/catch.hpp"

#include <array>
#include <cstdio>
#include <exception>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tidemark;

namespace {

struct End {
  std::string err;
  int status = -1;
};

/// What a process leaves in which `body` runs, and then main returns 0. One that hangs is killed.
End end_of(const std::function<int()>& body) {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    alarm(20);
    signal(SIGALRM, SIG_DFL);
    analyzer::end_with_a_sentence("tidemark");
    _exit(body());
  }
  close(ends[1]);
  End end;
  std::array<char, 4096> piece{};
  for (ssize_t got = 0; (got = read(ends[0], piece.data(), piece.size())) > 0;) {
    end.err.append(piece.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  end.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return end;
}

/// As a thread leaves it that was stopped in the middle of printing.
void leave_stderr_locked() {
  std::thread([] { flockfile(stderr); }).join();
}

}  // namespace

TEST_CASE("an error without a message is no silent end", "[cli]") {
  const End end = end_of([] { return cli::fail({ErrorCode::kIo, ""}); });
  CHECK(end.status == 2);
  CHECK(end.err == "tidemark: stopped, and nothing says why; please report it\n");
}

TEST_CASE("the last sentence needs no lock of standard error", "[cli]") {
  const End terminated = end_of([]() -> int {
    leave_stderr_locked();
    std::terminate();
  });
  CHECK(terminated.status == 2);
  CHECK_THAT(terminated.err,
             Catch::StartsWith("tidemark: stopped by a mistake in tidemark itself"));

  const End thrown = end_of([]() -> int {
    leave_stderr_locked();
    try {
      throw std::bad_alloc();
    } catch (...) {
      return analyzer::fail_by_exception();
    }
  });
  CHECK(thrown.status == 2);
  CHECK(thrown.err == "tidemark: out of memory\n");
}

TEST_CASE("an exception that a thread does not catch ends in one sentence", "[cli]") {
  const End end = end_of([]() -> int {
    std::thread([] { throw std::runtime_error(std::string(2000, 'x')); }).join();
    return 0;
  });
  CHECK(end.status == 2);
  CHECK(end.err.size() > 2000);
  CHECK_THAT(end.err, Catch::StartsWith("tidemark: ") && Catch::EndsWith("xxx'\n"));
}

TEST_CASE("out of memory is said in the words that were chosen, whatever asks", "[cli]") {
  const auto end_with = [](const std::string& sentence) {
    return end_of([&sentence]() -> int {
      analyzer::end_when_out_of_memory();
      analyzer::say_when_out_of_memory(sentence);
      std::get_new_handler()();
      return 0;
    });
  };
  const End chosen = end_with("out of memory in 'report load.tmk'");
  CHECK(chosen.status == 2);
  CHECK(chosen.err == "tidemark: out of memory in 'report load.tmk'\n");

  const End longer = end_with(std::string(5000, 'x'));
  CHECK(longer.status == 2);
  CHECK(longer.err.size() == std::string("tidemark: \n").size() + 999);
}
