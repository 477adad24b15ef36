// maps_unseen HOW PATH: maps, or unmaps, by the `syscall` instruction itself: no function of libc
// is called. Waits with it for a line of input.
//   file          all of the file; page by page read
//   memfd         64 MiB of shared memory, written; nor was it made by libc
//   known_memfd   the same, made by libc
//   anonymous     64 MiB, written
//   opened        the same, of address space that libc's mmap has reserved
//   arena         30 MiB of a thread's arena of libc, written and freed
//   deep_stack    32 MiB of a thread's stack, written
//   segment       64 MiB of System V's shared memory, written
//   passing       the same, gone again before it waits a second time
//   over          the file, into address space that libc's mmap has reserved
//   unmapped      64 MiB of libc's mmap, unmapped
//   in_child      the file, in a child that has the parent's own mapping of it
//   at_fork       the same, before anybody can have looked at the child
//   seen          the file, by libc's mmap; its half is unmapped, the rest moved, all by libc
//   inherited     the same in the parent of a child that waits, and touches nothing
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr std::size_t kBytes = std::size_t{64} << 20;
constexpr std::size_t kStackBytes = std::size_t{32} << 20;

long instruction(long number, long a, long b, long c, long d, long e) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = 0;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

char* map_unseen(void* at, std::size_t bytes, long protection, long flags, long descriptor) {
  const long mapped = instruction(SYS_mmap, reinterpret_cast<long>(at), static_cast<long>(bytes),
                                  protection, flags, descriptor);
  if (mapped < 0 && mapped > -4096)
    std::exit(9);
  return reinterpret_cast<char*>(mapped);
}

char* map(std::size_t bytes, int protection, int flags, int descriptor) {
  void* mapped = mmap(nullptr, bytes, protection, flags, descriptor, 0);
  if (mapped == MAP_FAILED)
    std::exit(9);
  return static_cast<char*>(mapped);
}

void wait_for_input() {
  std::puts("ready");
  std::fflush(stdout);
  for (int read = 0; read != '\n' && read != EOF;)
    read = std::getchar();
}

void read_pages(const char* memory, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += 4096)
    static_cast<void>(static_cast<const volatile char*>(memory)[at]);
}

void write_pages(char* memory) {
  for (std::size_t at = 0; at < kBytes; at += 4096)
    static_cast<volatile char*>(memory)[at] = 1;
}

void map_half(int file, std::size_t bytes) {
  char* mapped = map(bytes, PROT_READ, MAP_PRIVATE, file);
  munmap(mapped, bytes / 2);
  void* moved =
      mremap(mapped + bytes / 2, bytes / 2, bytes / 2, MREMAP_MAYMOVE | MREMAP_FIXED, mapped);
  if (moved == MAP_FAILED)
    std::exit(8);
}

void in_thread(std::size_t stack_bytes, void (*work)()) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (stack_bytes != 0)
    pthread_attr_setstacksize(&attributes, stack_bytes);
  pthread_t thread{};
  const auto run = [](void* given) -> void* {
    (*static_cast<void (**)()>(given))();
    return nullptr;
  };
  if (pthread_create(&thread, &attributes, run, &work) != 0)
    std::exit(8);
  pthread_join(thread, nullptr);
}

void use_arena() {
  constexpr std::size_t kBlock = std::size_t{10} << 20;
  mallopt(M_MMAP_THRESHOLD, 2 * kBlock);
  mallopt(M_TRIM_THRESHOLD, 8 * kBlock);
  char* blocks[3];
  for (char*& block : blocks) {
    block = static_cast<char*>(std::malloc(kBlock));
    std::memset(block, 1, kBlock);
  }
  for (char* block : blocks)
    std::free(block);
  wait_for_input();
}

void use_stack() {
  char room[kStackBytes];
  for (std::size_t at = 0; at < sizeof room; at += 4096)
    static_cast<volatile char*>(room)[at] = 1;
  wait_for_input();
}

template <typename Child>
void in_child(const Child& child) {
  const pid_t pid = fork();
  if (pid == 0) {
    std::free(std::malloc(100));
    child();
    std::_Exit(0);
  }
  waitpid(pid, nullptr, 0);
}

}  // namespace

int main(int, char** arguments) {
  const std::string how = arguments[1];
  const int file = open(arguments[2], O_RDONLY);
  struct stat status {};
  fstat(file, &status);
  const auto bytes = static_cast<std::size_t>(status.st_size);
  if (how == "file") {
    read_pages(map_unseen(nullptr, bytes, PROT_READ, MAP_PRIVATE, file), bytes);
  } else if (how == "memfd" || how == "known_memfd") {
    const int memory = how == "memfd"
                           ? static_cast<int>(instruction(
                                 SYS_memfd_create, reinterpret_cast<long>("weights"), 0, 0, 0, 0))
                           : memfd_create("weights", 0);
    if (ftruncate(memory, kBytes) != 0)
      return 8;
    write_pages(map_unseen(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory));
  } else if (how == "anonymous") {
    write_pages(
        map_unseen(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1));
  } else if (how == "opened") {
    char* reserved = map(4 * kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    instruction(SYS_mprotect, reinterpret_cast<long>(reserved), kBytes, PROT_READ | PROT_WRITE, 0,
                0);
    write_pages(reserved);
  } else if (how == "arena") {
    in_thread(0, use_arena);
    return 0;
  } else if (how == "deep_stack") {
    in_thread(2 * kStackBytes, use_stack);
    return 0;
  } else if (how == "segment") {
    const int segment = shmget(IPC_PRIVATE, kBytes, 0600);
    auto* memory = reinterpret_cast<char*>(instruction(SYS_shmat, segment, 0, 0, 0, 0));
    shmctl(segment, IPC_RMID, nullptr);  // with its last attachment
    write_pages(memory);
  } else if (how == "passing") {
    wait_for_input();
    char* memory =
        map_unseen(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    write_pages(memory);
    instruction(SYS_munmap, reinterpret_cast<long>(memory), kBytes, 0, 0, 0);
  } else if (how == "over") {
    char* reserved = map(2 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    map_unseen(reserved, bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED, file);
  } else if (how == "unmapped") {
    char* memory = map(kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    std::memset(memory, 1, kBytes);
    instruction(SYS_munmap, reinterpret_cast<long>(memory), kBytes, 0, 0, 0);
  } else if (how == "in_child" || how == "at_fork") {
    map(bytes, PROT_READ, MAP_PRIVATE, file);
    in_child([&] {
      if (how == "in_child")
        wait_for_input();
      map_unseen(nullptr, bytes, PROT_READ, MAP_PRIVATE, file);
      wait_for_input();
    });
    return 0;
  } else if (how == "seen") {
    map_half(file, bytes);
  } else if (how == "inherited") {
    map_half(file, bytes);
    in_child(wait_for_input);
    return 0;
  }
  wait_for_input();
  return 0;
}
