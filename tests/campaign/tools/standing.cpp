/// Preloaded into a program, stops in front of its main and runs main in forks of it, each with the
/// words that it is told: so the very program runs on many inputs, at the price of a fork.
///
/// TIDEMARK_STANDING is READ:WRITE, two descriptors. An order is a number of bytes (32 bits) and as
/// many bytes of words, each with its zero. Answers are `Answer`s: one once main runs, one once it
/// has ended. Each run writes to the files `out` and `err` of the folder that the program stands
/// in.
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using Main = int (*)(int, char**, char**);

struct Answer {
  std::int32_t pid;
  std::int32_t wait_status;
  std::int64_t max_rss_kib;
};

Main g_main = nullptr;

bool get(int from, void* to, std::size_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = read(from, at, bytes);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

void put(int to, const Answer& answer) {
  if (write(to, &answer, sizeof answer) != sizeof answer)
    _exit(3);
}

void write_to(const char* path, int descriptor) {
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0 || dup2(file, descriptor) < 0)
    _exit(3);
  close(file);
}

int run(std::vector<char>& words) {
  write_to("out", STDOUT_FILENO);
  write_to("err", STDERR_FILENO);
  std::vector<char*> arguments;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (at == 0 || words[at - 1] == '\0')
      arguments.push_back(&words[at]);
  }
  arguments.push_back(nullptr);
  return g_main(static_cast<int>(arguments.size()) - 1, arguments.data(), environ);
}

int standing_main(int argc, char** argv, char** environment) {
  int orders = -1;
  int answers = -1;
  const char* const pipes = getenv("TIDEMARK_STANDING");
  if (pipes == nullptr || std::sscanf(pipes, "%d:%d", &orders, &answers) != 2)
    return g_main(argc, argv, environment);
  unsetenv("TIDEMARK_STANDING");
  unsetenv("LD_PRELOAD");
  std::uint32_t bytes = 0;
  while (get(orders, &bytes, sizeof bytes)) {
    std::vector<char> words(bytes);
    if (!get(orders, words.data(), bytes))
      break;
    const pid_t child = fork();
    if (child == 0) {
      close(orders);
      close(answers);
      return run(words);
    }
    if (child < 0)
      _exit(3);  // the campaign sees that nobody answers
    put(answers, {child, 0, 0});
    int status = 0;
    rusage usage{};
    while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    put(answers, {child, status, usage.ru_maxrss});
  }
  _exit(0);
}

}  // namespace

// NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
extern "C" int __libc_start_main(Main main,
                                 int argc,
                                 char** argv,
                                 void (*init)(),
                                 void (*fini)(),
                                 void (*rtld_fini)(),
                                 void* stack_end) {
  g_main = main;
  auto* const real =
      reinterpret_cast<decltype(&__libc_start_main)>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return real(standing_main, argc, argv, init, fini, rtld_fini, stack_end);
}
