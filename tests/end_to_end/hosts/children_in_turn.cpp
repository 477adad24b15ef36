// children_in_turn WAIT: four children, each waited for before the next one is forked. Each takes 8
// MiB, and ends without giving it back: by _exit, exit, a signal, _exit.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr std::size_t kBytes = std::size_t{8} << 20U;

void wait_for(pid_t child, const char* how) {
  int status = 0;
  rusage usage{};
  siginfo_t info{};
  if (std::strcmp(how, "wait") == 0)
    wait(&status);
  else if (std::strcmp(how, "wait3") == 0)
    wait3(nullptr, 0, &usage);
  else if (std::strcmp(how, "wait4") == 0)
    wait4(child, &status, 0, nullptr);
  else if (std::strcmp(how, "waitid") == 0)
    waitid(P_PID, static_cast<id_t>(child), &info, WEXITED);
  else
    waitpid(child, nullptr, 0);
  // As without tidemark: what the call tells is told.
  std::printf("%d %d %d\n", status, info.si_status, usage.ru_maxrss != 0 ? 1 : 0);
}

}  // namespace

int main(int, char** words) {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      auto* block = static_cast<char*>(std::malloc(kBytes));
      std::memset(block, 1, kBytes);
      if (i == 1)
        std::exit(1);
      if (i == 2)
        raise(SIGKILL);
      _exit(i);
    }
    wait_for(child, words[1]);
  }
  return 0;
}
