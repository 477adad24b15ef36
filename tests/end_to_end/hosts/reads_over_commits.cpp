// reads_over_commits PATH HOW: a heap as .NET's has it. Space is reserved once and opened piece by
// piece, each right behind the last one; arrays lie where there is room, over two pieces. One is
// read from the file and copied into the next one. HOW: protect or map, how pieces are opened.
#include <cstdio>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

constexpr std::size_t kPage = 4096;
constexpr int kOpened = PROT_READ | PROT_WRITE;

struct ManagedHeap {
  char* array(std::size_t bytes) {
    char* const begin = next;
    const auto needed = static_cast<std::size_t>(begin + bytes - end);
    open((needed + kPage - 1) / kPage * kPage + kPage);  // a part of it is left for the next
    next = begin + bytes;
    return begin;
  }
  void open(std::size_t bytes) {
    if (by_protection)
      mprotect(end, bytes, kOpened);
    else
      mmap(end, bytes, kOpened, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    end += bytes;
  }

  bool by_protection;
  char* end = static_cast<char*>(mmap(nullptr,
                                      std::size_t{1} << 30,
                                      PROT_NONE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                                      -1,
                                      0));
  char* next = end;
};

}  // namespace

int main(int, char** argv) {
  ManagedHeap heap{.by_protection = std::string_view(argv[2]) == "protect"};
  const int fd = open(argv[1], O_RDONLY);
  struct stat status {};
  fstat(fd, &status);
  const auto bytes = static_cast<std::size_t>(status.st_size);
  heap.open(15 * kPage);
  heap.next += 2 * kPage;
  char* const read_there = heap.array(bytes);
  const ssize_t got = read(fd, read_there, bytes);
  char* const copied_there = heap.array(bytes);
  std::memcpy(copied_there, read_there, bytes);
  std::printf("%zd %d\n", got, copied_there[7]);
}
