// counts COUNTERS threads|processes WORKERS STEPS [LIMIT_MIB]
//
// Each worker w allocates 5001 + w bytes STEPS times, and counts in a file that outlives it: begun
// before each allocation, done after it. So whoever kills it knows what has to be in the trace:
// `done` allocations at least, `begun` at most. Every second block is freed at once, the others 64
// allocations later. With LIMIT_MIB the host limits its own address space once it runs. Says done
// and returns 7.
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr std::size_t kMaxWorkers = 64;
constexpr std::size_t kFirstBytes = 5001;
constexpr int kEnd = 7;

struct alignas(64) Counter {
  std::atomic<std::uint64_t> begun;
  std::atomic<std::uint64_t> done;
  std::uint64_t pid;
};

void work(Counter& counter, std::size_t bytes, std::uint64_t steps) {
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
  }
  for (void* const block : kept)
    std::free(block);
}

void limit_address_space(std::uint64_t mebibytes) {
  const rlimit limit{mebibytes << 20, mebibytes << 20};
  setrlimit(RLIMIT_AS, &limit);
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
  const bool are_threads = std::strcmp(argv[2], "threads") == 0;
  const auto workers = static_cast<std::size_t>(std::atoi(argv[3]));
  const auto steps = static_cast<std::uint64_t>(std::atoll(argv[4]));
  if (argc > 5)
    limit_address_space(static_cast<std::uint64_t>(std::atoll(argv[5])));
  std::vector<std::thread> threads;
  for (std::size_t w = 1; w < workers; ++w) {
    if (are_threads) {
      threads.emplace_back(work, std::ref(counters[w]), kFirstBytes + w, steps);
    } else if (fork() == 0) {
      work(counters[w], kFirstBytes + w, steps);
      _exit(0);
    }
  }
  work(counters[0], kFirstBytes, steps);
  for (std::thread& thread : threads)
    thread.join();
  while (wait(nullptr) > 0) {
  }
  (void)!write(STDOUT_FILENO, "done\n", 5);
  return kEnd;
}
