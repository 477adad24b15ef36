// counts COUNTERS threads|processes WORKERS STEPS [LIMIT_MIB]
// counts COUNTERS victims WORKERS SEED
// counts COUNTERS one WORKER STEPS
//
// Each worker w allocates 5001 + w bytes STEPS times, and counts in a file that outlives it: begun
// before each allocation, done after it. So whoever kills it knows what has to be in the trace:
// `done` allocations at least, `begun` at most. Every second block is freed at once, the others 64
// allocations later. With LIMIT_MIB the host limits its own address space once it runs. Says done
// and returns 7.
//
// `victims` are processes that would count for long, and are killed by this one, each at a random
// moment: forks, forks with a second thread (which counts as worker w + 64), and programs (`one`).
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr std::size_t kMaxWorkers = 128;
constexpr std::size_t kMaxVictims = kMaxWorkers / 2;
constexpr std::uint64_t kForLong = 50'000'000;
constexpr std::uint64_t kBeforeRest = 10'000;  ///< Steps that a victim does without a pause.
constexpr std::size_t kFirstBytes = 5001;
constexpr int kEnd = 7;

struct alignas(64) Counter {
  std::atomic<std::uint64_t> begun;
  std::atomic<std::uint64_t> done;
  std::uint64_t pid;
  std::uint64_t killed_by;  ///< Of a process that has ended: the signal.
};

void work(Counter& counter, std::size_t bytes, std::uint64_t steps, std::uint64_t before_rest) {
  counter.pid = static_cast<std::uint64_t>(getpid());
  std::array<void*, 64> kept{};
  for (std::uint64_t i = 0; i < steps; ++i) {
    counter.begun.store(i + 1);
    void* const block = std::malloc(bytes);
    counter.done.store(i + 1);
    void*& place = kept[i / 2 % kept.size()];
    if (i % 2 == 0) {
      std::free(block);
    } else {
      std::free(place);
      place = block;
    }
    if (i >= before_rest)
      std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  for (void* const block : kept)
    std::free(block);
}

void limit_address_space(std::uint64_t mebibytes) {
  const rlimit limit{mebibytes << 20, mebibytes << 20};
  setrlimit(RLIMIT_AS, &limit);
}

void note_end(Counter* counters, pid_t pid, int status) {
  for (std::size_t w = 0; w < kMaxWorkers; ++w) {
    if (counters[w].pid == static_cast<std::uint64_t>(pid))
      counters[w].killed_by =
          WIFSIGNALED(status) ? static_cast<std::uint64_t>(WTERMSIG(status)) : 0;
  }
}

using Clock = std::chrono::steady_clock;

struct Victim {
  pid_t pid;
  Clock::time_point death;
};

/// Becomes a victim, in a process of its own.
[[noreturn]] void suffer(Counter* counters, std::size_t w, unsigned kind, char** argv) {
  if (kind == 0) {
    const std::string number = std::to_string(w);
    const std::string steps = std::to_string(kForLong);
    execl("/proc/self/exe", argv[0], argv[1], "one", number.c_str(), steps.c_str(), nullptr);
    _exit(1);
  }
  if (kind == 1) {
    const std::size_t other = w + kMaxVictims;
    std::thread(work, std::ref(counters[other]), kFirstBytes + other, kForLong, kBeforeRest)
        .detach();
  }
  work(counters[w], kFirstBytes + w, kForLong, kBeforeRest);
  _exit(0);
}

void kill_victims(Counter* counters, std::size_t count, std::uint64_t seed, char** argv) {
  constexpr std::array<std::uint64_t, 4> kLives = {100, 1'000, 5'000, 20'000};  // Microseconds.
  std::mt19937_64 random(seed);
  const std::size_t at_once = 1 + random() % 8;
  std::vector<Victim> alive;
  for (std::size_t next = 0; next < count || !alive.empty();) {
    if (next < count && alive.size() < at_once) {
      const auto kind = static_cast<unsigned>(random() % 3);
      const std::chrono::microseconds life(random() % kLives[random() % kLives.size()]);
      const pid_t pid = fork();
      if (pid == 0)
        suffer(counters, next, kind, argv);
      if (pid > 0)
        alive.push_back({pid, Clock::now() + life});
      ++next;
      continue;
    }
    const auto first =
        std::min_element(alive.begin(), alive.end(),
                         [](const Victim& a, const Victim& b) { return a.death < b.death; });
    std::this_thread::sleep_until(first->death);
    kill(first->pid, SIGKILL);
    int status = 0;
    waitpid(first->pid, &status, 0);
    note_end(counters, first->pid, status);
    alive.erase(first);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5)
    return 2;
  const int file = open(argv[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, sizeof(Counter) * kMaxWorkers) != 0)
    return 3;
  auto* const counters = static_cast<Counter*>(
      mmap(nullptr, sizeof(Counter) * kMaxWorkers, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  close(file);
  if (counters == MAP_FAILED)
    return 3;
  if (std::strcmp(argv[2], "one") == 0) {
    const auto w = static_cast<std::size_t>(std::atoi(argv[3]));
    work(counters[w], kFirstBytes + w, static_cast<std::uint64_t>(std::atoll(argv[4])),
         kBeforeRest);
    return 0;
  }
  if (std::strcmp(argv[2], "victims") == 0) {
    const auto count = std::min(static_cast<std::size_t>(std::atoi(argv[3])), kMaxVictims);
    kill_victims(counters, count, static_cast<std::uint64_t>(std::atoll(argv[4])), argv);
    (void)!write(STDOUT_FILENO, "done\n", 5);
    return kEnd;
  }
  const bool are_threads = std::strcmp(argv[2], "threads") == 0;
  const auto workers = static_cast<std::size_t>(std::atoi(argv[3]));
  const auto steps = static_cast<std::uint64_t>(std::atoll(argv[4]));
  if (argc > 5)
    limit_address_space(static_cast<std::uint64_t>(std::atoll(argv[5])));
  std::vector<std::thread> threads;
  for (std::size_t w = 1; w < workers; ++w) {
    if (are_threads) {
      threads.emplace_back(work, std::ref(counters[w]), kFirstBytes + w, steps, steps);
    } else if (fork() == 0) {
      work(counters[w], kFirstBytes + w, steps, steps);
      _exit(0);
    }
  }
  work(counters[0], kFirstBytes, steps, steps);
  for (std::thread& thread : threads)
    thread.join();
  int status = 0;
  for (pid_t pid = wait(&status); pid > 0; pid = wait(&status))
    note_end(counters, pid, status);
  (void)!write(STDOUT_FILENO, "done\n", 5);
  return kEnd;
}
