// errno after each call that succeeds: it was 77 before, and must be what it is without tidemark.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#define AFTER(call)                     \
  do {                                  \
    errno = 77;                         \
    call;                               \
    std::printf(#call ": %d\n", errno); \
  } while (false)

int main() {
  void* block = nullptr;
  void* map = nullptr;
  int fd = -1;
  char bytes[16];
  iovec piece{bytes, sizeof bytes};
  std::FILE* stream = nullptr;
  char* line = nullptr;
  std::size_t line_size = 0;
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  AFTER(block = std::malloc(100));
  AFTER(block = std::realloc(block, 100000));
  AFTER(block = std::realloc(block, 10));
  AFTER(std::free(block));
  AFTER(block = std::calloc(10, 10));
  AFTER(std::free(block));
  AFTER(block = memalign(64, 64));
  AFTER(std::free(block));
  AFTER(block = valloc(64));
  AFTER(std::free(block));
  AFTER(block = ::operator new(300000));
  AFTER(::operator delete(block));
  AFTER(map = mmap(nullptr, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  AFTER(mprotect(map, 65536, PROT_READ | PROT_WRITE));
  AFTER(map = mremap(map, 65536, 131072, MREMAP_MAYMOVE));
  AFTER(madvise(map, 65536, MADV_DONTNEED));
  AFTER(munmap(map, 131072));
  AFTER(munmap(bytes + 1, 4096));
  AFTER(sbrk(0));
  AFTER(fd = open("/proc/self/exe", O_RDONLY));
  AFTER((void)!read(fd, bytes, sizeof bytes));
  AFTER((void)!pread(fd, bytes, sizeof bytes, 0));
  AFTER((void)!readv(fd, &piece, 1));
  AFTER((void)!preadv(fd, &piece, 1, 0));
  AFTER(posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL));
  AFTER(close(fcntl(fd, F_DUPFD_CLOEXEC, 0)));
  AFTER(fcntl(-1, F_DUPFD, 0));
  AFTER(close(fd));
  AFTER(close(-1));
  AFTER(memfd_create("memory", 0));
  AFTER(open("/nowhere/at/all", O_RDONLY));
  AFTER(fopen("/nowhere/at/all", "r"));
  AFTER(stream = fopen("/proc/self/exe", "r"));
  AFTER((void)!fread(bytes, 1, 1, stream));
  AFTER((void)!fgets(bytes, 2, stream));
  AFTER((void)!getline(&line, &line_size, stream));
  AFTER(fseek(stream, 8192, SEEK_SET));
  AFTER(fseek(stream, -1, SEEK_SET));
  AFTER(rewind(stream));
  AFTER(fclose(stream));
  AFTER((void)!read(-1, bytes, 1));
  AFTER(execl("/nowhere/at/all", "all", nullptr));
  AFTER(dlopen("libnothing_of_the_kind.so", RTLD_NOW));
}
