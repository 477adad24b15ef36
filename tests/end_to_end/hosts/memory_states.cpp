// Memory that counts by its pages, each kind by its name; waits at the height of it for a line of
// input.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kBytes = 64 * kMiB;
constexpr int kReadWrite = PROT_READ | PROT_WRITE;

char* map(std::size_t bytes, int flags, int descriptor = -1) {
  void* memory = mmap(nullptr, bytes, kReadWrite, flags, descriptor, 0);
  if (memory == MAP_FAILED)
    std::exit(9);
  return static_cast<char*>(memory);
}

/// Page by page: nothing of libc's sees it.
char* touched(char* memory, std::size_t bytes = kBytes) {
  for (std::size_t at = 0; at < bytes; at += 4096)
    static_cast<volatile char*>(memory)[at] = 1;
  return memory;
}

void wait_for_input() {
  std::puts("ready");
  std::fflush(stdout);
  std::getchar();
}

void memfd() {
  const int file = memfd_create("weights", 0);
  if (ftruncate(file, static_cast<off_t>(4 * kBytes)) != 0)
    std::exit(8);
  touched(map(4 * kBytes, MAP_SHARED, file));
  wait_for_input();
}

/// Past every mapping: half of it through a descriptor that `syscall` made.
void written_memfds() {
  constexpr std::size_t kPart = kMiB;
  char* part = touched(static_cast<char*>(std::malloc(kPart)), kPart);
  for (const int file :
       {memfd_create("weights", 0), static_cast<int>(syscall(SYS_memfd_create, "weights", 0))}) {
    for (std::size_t at = 0; at < kBytes / 2; at += kPart) {
      if (write(file, part, kPart) != kPart)
        std::exit(8);
    }
  }
  std::free(part);
  wait_for_input();
}

void shared_anonymous() {
  touched(map(4 * kBytes, MAP_SHARED | MAP_ANONYMOUS));
  wait_for_input();
}

void shared_by_children() {
  char* memory = map(kBytes, MAP_SHARED | MAP_ANONYMOUS);
  for (std::size_t i = 0; i < 4; ++i) {
    if (fork() == 0) {
      std::free(std::malloc(100));
      touched(memory + i * kBytes / 4, kBytes / 4);
      std::_Exit(0);
    }
  }
  while (wait(nullptr) > 0) {
  }
  touched(memory);
  wait_for_input();
}

void segment() {
  const int id = shmget(IPC_PRIVATE, 4 * kBytes, 0600);
  auto* memory = static_cast<char*>(shmat(id, nullptr, 0));
  touched(memory);
  wait_for_input();
  shmdt(memory);
  shmctl(id, IPC_RMID, nullptr);
}

void given_back() {
  char* memory = touched(map(4 * kBytes, MAP_PRIVATE | MAP_ANONYMOUS), 4 * kBytes);
  madvise(memory, 4 * kBytes, MADV_DONTNEED);
  touched(memory);
  touched(map(4 * kBytes, MAP_PRIVATE | MAP_ANONYMOUS), 4 * kBytes);
  wait_for_input();
}

void unreserved() {
  touched(map(kBytes << 10, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE));
  wait_for_input();
}

/// Mappings much larger than what is used of them.
void untouched() {
  map(16 * kBytes, MAP_PRIVATE | MAP_ANONYMOUS);
  touched(map(4 * kBytes, MAP_PRIVATE | MAP_ANONYMOUS));
  wait_for_input();
}

/// As a loader that changes the type of its tensors: each block is written from the one before.
/// As a library for matrices has it: much is mapped, little is used, and something goes beside it.
void arena() {
  touched(map(2 * kBytes, MAP_PRIVATE | MAP_ANONYMOUS), kMiB);
  char* beside = touched(static_cast<char*>(std::malloc(8 * kMiB)), 8 * kMiB);
  std::free(beside);
  wait_for_input();
}

void converted() {
  constexpr std::size_t kBlock = kBytes / 4;
  char* from = touched(map(kBlock, MAP_PRIVATE | MAP_ANONYMOUS), kBlock);
  for (int round = 0; round < 8; ++round) {
    char* to = map(kBlock, MAP_PRIVATE | MAP_ANONYMOUS);
    for (std::size_t k = 0; k < kBlock; k += 64)
      const_cast<volatile char*>(to)[k] = static_cast<char>(from[k] + 1);
    munmap(from, kBlock);
    from = to;
  }
  wait_for_input();
}

/// Half of what it has is written by its child, too: pages that both have count once.
void written_by_child() {
  char* memory = touched(map(kBytes, MAP_PRIVATE | MAP_ANONYMOUS));
  int go[2];
  int written[2];
  if (pipe(go) != 0 || pipe(written) != 0)
    std::exit(5);
  char byte = 0;
  if (fork() == 0) {
    std::free(std::malloc(100));  // into the session
    touched(memory, kBytes / 2);
    close(go[1]);
    (void)!write(written[1], &byte, 1);
    (void)!read(go[0], &byte, 1);
    std::_Exit(0);
  }
  (void)!read(written[0], &byte, 1);
  wait_for_input();
  close(go[1]);
  wait(nullptr);
}

/// Children that have the pages of `memory` and end once `go` is closed here.
void fork_readers(const char* memory, int count, int (&go)[2]) {
  if (pipe(go) != 0)
    std::exit(5);
  for (int i = 0; i < count; ++i) {
    if (fork() == 0) {
      std::free(std::malloc(100));  // into the session
      char end = memory[0];
      close(go[1]);
      (void)!read(go[0], &end, 1);
      std::_Exit(0);
    }
  }
  close(go[0]);
}

void end_readers(const int (&go)[2]) {
  close(go[1]);
  while (wait(nullptr) > 0) {
  }
}

/// No look can come after the last write of the child; only its end differs.
template <typename End>
void written_to_the_end(End end) {
  char* memory = touched(map(kBytes, MAP_PRIVATE | MAP_ANONYMOUS));
  if (fork() == 0) {
    touched(memory);
    end();
  }
  wait(nullptr);
}

void written_then_exits() {
  written_to_the_end([] { _exit(0); });
}

void written_then_killed() {
  written_to_the_end([] { kill(getpid(), SIGKILL); });
}

void written_then_execs() {
  written_to_the_end([] {
    execlp("true", "true", nullptr);
    _exit(1);
  });
}

void written_and_never_waited_for() {
  signal(SIGCHLD, SIG_IGN);
  written_to_the_end([] { _exit(0); });
}

/// Two children have what their parent has given back; it takes as much again.
void left_to_children() {
  char* memory = touched(map(kBytes, MAP_PRIVATE | MAP_ANONYMOUS));
  int go[2];
  fork_readers(memory, 2, go);
  munmap(memory, kBytes);
  touched(map(kBytes, MAP_PRIVATE | MAP_ANONYMOUS));
  wait_for_input();
  end_readers(go);
}

/// In steps, each longer than the recorder's pause between two looks.
void given_back_lazily() {
  char* memory = map(4 * kBytes, MAP_PRIVATE | MAP_ANONYMOUS);
  for (std::size_t at = 0; at < 4 * kBytes; at += kBytes / 4) {
    touched(memory + at, kBytes / 4);
    usleep(30'000);
  }
  madvise(memory, 4 * kBytes, MADV_FREE);
  touched(map(kBytes, MAP_PRIVATE | MAP_ANONYMOUS));
  wait_for_input();
}

/// The more generations end, the more looks meet one at its end. No event tells that it was looked
/// at: each stands for longer than the recorder's pause between two looks.
void read_by_generations_of_children() {
  const char* memory = touched(map(kBytes, MAP_PRIVATE | MAP_ANONYMOUS));
  for (int generation = 0; generation < 60; ++generation) {
    int go[2];
    fork_readers(memory, 4, go);
    usleep(30'000);
    end_readers(go);
    usleep(10'000);
  }
  wait_for_input();
}

void read_by_children() {
  const char* memory = touched(map(kBytes, MAP_PRIVATE | MAP_ANONYMOUS));
  int go[2];
  fork_readers(memory, 4, go);
  wait_for_input();
  end_readers(go);
}

char g_zeroed[kBytes];  // not a byte of it is in the program's file

void written_globals() {
  touched(g_zeroed);
  wait_for_input();
}

/// By the kernel itself: no hook is called.
long call_unseen(long number, long descriptor, const void* bytes, std::size_t count) {
  long result;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(descriptor), "S"(bytes), "d"(count)
               : "rcx", "r11", "memory");
  return result;
}

/// Until the line of input, nothing that the program called has been recorded.
void written_globals_and_no_call() {
  constexpr char kReady[] = "ready\n";
  touched(g_zeroed);
  char line[64];
  if (call_unseen(SYS_write, STDOUT_FILENO, kReady, sizeof kReady - 1) < 0 ||
      call_unseen(SYS_read, STDIN_FILENO, line, sizeof line) <= 0)
    std::exit(7);
}

/// What the kernel refuses whole, and what is shared meanwhile.
void refused_unmaps() {
  char* memory = touched(map(kBytes, MAP_SHARED | MAP_ANONYMOUS));
  if (munmap(memory, std::size_t{1} << 62) == 0 || munmap(memory, ~std::size_t{0}) == 0 ||
      munmap(memory + 1, 4096) == 0 || munmap(memory, 0) == 0)
    std::exit(6);
  touched(memory);
  wait_for_input();
}

const char* g_file = nullptr;

/// Nobody could look at these from outside: each has gone before anyone comes.
void gone_at_once() {
  for (const std::size_t used : {kBytes / 4, kBytes}) {
    char* block = static_cast<char*>(std::malloc(kBytes));
    madvise(block + 4096 - reinterpret_cast<std::uintptr_t>(block) % 4096, kBytes - 4096,
            MADV_NOHUGEPAGE);
    std::free(touched(block, used));
  }
}

/// The file piece by piece into a temporary, from there into what stays. Each is a little larger
/// than the one before, so that none has room where one was freed.
void holes() {
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(kBytes));
  const int file = open(g_file, O_RDONLY);
  for (std::size_t bytes = kMiB; bytes < kMiB + 64 * 512; bytes += 512) {
    char* const temporary = static_cast<char*>(std::malloc(bytes));
    if (read(file, temporary, kMiB) != static_cast<ssize_t>(kMiB))
      std::exit(6);
    std::memcpy(std::malloc(bytes + 256), temporary, kMiB);
    std::free(temporary);
  }
  wait_for_input();
}

/// Each hole is a tenth of what stays, and no block ever has its room: what is freed piece by piece
/// the heap never had at one time.
void few_holes() {
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(kBytes));
  for (std::size_t bytes = kMiB; bytes < kMiB + 64 * 512; bytes += 512) {
    char* const temporary = touched(static_cast<char*>(std::malloc(bytes / 10)), bytes / 10);
    touched(static_cast<char*>(std::malloc(bytes)), bytes);
    std::free(temporary);
  }
  wait_for_input();
}

void written_file() {
  touched(map(kBytes, MAP_PRIVATE, open(g_file, O_RDONLY)));
  wait_for_input();
}

/// Ends at once: no look comes after the last write.
void written_and_gone() {
  touched(map(kBytes, MAP_PRIVATE, open(g_file, O_RDONLY)));
  std::_Exit(0);
}

/// The same of one that may be written to, and is only read.
void read_and_gone() {
  volatile const char* bytes = static_cast<const char*>(
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, open(g_file, O_RDONLY), 0));
  std::_Exit(bytes[0] == '\0' ? 1 : 0);
}

/// The kernel fills it before the call returns, which takes longer than looks are apart.
void populated_file() {
  map(kBytes, MAP_PRIVATE | MAP_POPULATE, open(g_file, O_RDONLY));
  wait_for_input();
}

struct State {
  const char* name;
  void (*enter)();
};
constexpr State kStates[] = {
    {"memfd", memfd},
    {"written_memfds", written_memfds},
    {"shared_anonymous", shared_anonymous},
    {"shared_by_children", shared_by_children},
    {"segment", segment},
    {"given_back", given_back},
    {"unreserved", unreserved},
    {"untouched", untouched},
    {"arena", arena},
    {"converted", converted},
    {"written_by_child", written_by_child},
    {"written_then_exits", written_then_exits},
    {"written_then_killed", written_then_killed},
    {"written_then_execs", written_then_execs},
    {"written_and_never_waited_for", written_and_never_waited_for},
    {"left_to_children", left_to_children},
    {"given_back_lazily", given_back_lazily},
    {"read_by_children", read_by_children},
    {"read_by_generations_of_children", read_by_generations_of_children},
    {"written_globals", written_globals},
    {"written_globals_and_no_call", written_globals_and_no_call},
    {"refused_unmaps", refused_unmaps},
    {"gone_at_once", gone_at_once},
    {"written_file", written_file},
    {"holes", holes},
    {"few_holes", few_holes},
    {"written_and_gone", written_and_gone},
    {"read_and_gone", read_and_gone},
    {"populated_file", populated_file},
};

}  // namespace

int main(int, char** words) {
  g_file = words[2];
  for (const State& state : kStates) {
    if (std::strcmp(words[1], state.name) == 0) {
      state.enter();
      return 0;
    }
  }
  return 7;
}
