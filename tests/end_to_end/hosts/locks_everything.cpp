// A program with an allocator of its own, as chromium: one lock, which is not recursive, around
// malloc and its kin and around what a library may call on their behalf, and system calls for
// memory below it, on the main thread and on new ones. Whoever comes back to it while he holds it
// would wait for himself for ever; here the program ends with status 99 instead.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <dlfcn.h>
#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr std::size_t kPoolBytes = std::size_t{1} << 30;
constexpr std::size_t kStepBytes = std::size_t{1} << 20;
constexpr std::size_t kPage = 4096;

int g_owner = 0;

int own_tid() {
  return static_cast<int>(::syscall(SYS_gettid));
}

class Lock {
 public:
  Lock() {
    const int self = own_tid();
    int seen = 0;
    while (!__atomic_compare_exchange_n(&g_owner, &seen, self, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
      if (seen == self) {
        constexpr char kText[] = "came back to the lock that it holds\n";
        [[maybe_unused]] const ssize_t written = ::write(2, kText, sizeof kText - 1);
        ::syscall(SYS_exit_group, 99);
      }
      seen = 0;
    }
  }
  ~Lock() { __atomic_store_n(&g_owner, 0, __ATOMIC_RELEASE); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

char* g_pool = nullptr;
std::size_t g_used = 0;
std::size_t g_open = 0;

void* allocate(std::size_t bytes) {
  const Lock lock;
  bytes = (bytes + 31) / 16 * 16;
  if (g_pool == nullptr)
    g_pool = static_cast<char*>(
        ::mmap(nullptr, kPoolBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  while (g_used + bytes > g_open) {
    ::mprotect(g_pool + g_open, kStepBytes, PROT_READ | PROT_WRITE);
    g_open += kStepBytes;
  }
  // Everything that an allocator does with memory, under its lock.
  void* other = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  other = ::mremap(other, kPage, 2 * kPage, MREMAP_MAYMOVE);
  ::madvise(other, kPage, MADV_DONTNEED);
  ::munmap(other, 2 * kPage);
  char* block = g_pool + g_used;
  std::memcpy(block, &bytes, sizeof bytes);
  g_used += bytes;
  return block + 16;
}

template <typename Function>
Function next(Function, const char* name, const char* version) {
  return reinterpret_cast<Function>(dlvsym(RTLD_NEXT, name, version));
}

}  // namespace

extern "C" {

void* malloc(std::size_t bytes) {
  return allocate(bytes);
}
void free(void*) {
  const Lock lock;
}
void* calloc(std::size_t count, std::size_t bytes) {
  return allocate(count * bytes);
}
void* realloc(void* block, std::size_t bytes) {
  void* larger = allocate(bytes);
  if (block != nullptr) {
    std::size_t before = 0;
    std::memcpy(&before, static_cast<char*>(block) - 16, sizeof before);
    std::memcpy(larger, block, before - 16 < bytes ? before - 16 : bytes);
  }
  return larger;
}

// What a library under the lock may not call either.

int pthread_setspecific(pthread_key_t key, const void* value) noexcept {
  const Lock lock;
  static const auto real = next(&pthread_setspecific, "pthread_setspecific", "GLIBC_2.34");
  return real(key, value);
}
void* pthread_getspecific(pthread_key_t key) noexcept {
  const Lock lock;
  static const auto real = next(&pthread_getspecific, "pthread_getspecific", "GLIBC_2.34");
  return real(key);
}
int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  const Lock lock;
  static const auto real = next(&pthread_mutex_lock, "pthread_mutex_lock", "GLIBC_2.2.5");
  return real(mutex);
}
int dl_iterate_phdr(int (*visit)(dl_phdr_info*, std::size_t, void*), void* argument) {
  const Lock lock;
  static const auto real = next(&dl_iterate_phdr, "dl_iterate_phdr", "GLIBC_2.2.5");
  return real(visit, argument);
}
void* dlsym(void* handle, const char* name) noexcept {
  const Lock lock;
  static const auto real = next(&dlsym, "dlsym", "GLIBC_2.34");
  return real(handle, name);
}

}  // extern "C"

namespace {

void* work(void* argument) {
  for (int i = 0; i < 100; ++i) {
    auto* volatile block = static_cast<char*>(malloc(300'000));
    block[0] = 1;
    free(block);
  }
  return argument;
}

}  // namespace

int main() {
  for (int i = 0; i < 4; ++i) {
    pthread_t thread{};
    pthread_create(&thread, nullptr, work, nullptr);
    pthread_join(thread, nullptr);
  }
  work(nullptr);
  constexpr char kText[] = "done\n";
  return ::write(1, kText, sizeof kText - 1) == sizeof kText - 1 ? 3 : 4;
}
