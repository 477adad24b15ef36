// seeks_in_streams HOW PATH: a file of 4 MiB by a stream that seeks all the time, or reads lines.
// Prints a checksum.
//   far       from one part to another: libc takes a page for each, of which 100 bytes are read
//   near      back inside the buffer: the same bytes are read a thousand times, and taken once
//   back      byte by byte with getc, one step back and two ahead, and pushes bytes back before it
//   seeks closed    opens it a thousand times and reads 100 bytes lines     by getline and fgets in
//   turn hidden    as near, and then all of it past libc
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/syscall.h>

namespace {

constexpr long kBytes = 4L << 20;
constexpr int kTimes = 1000;
std::uint64_t g_sum = 0;
char g_some[4000];

void add(std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)
    g_sum = g_sum * 31 + static_cast<unsigned char>(g_some[i]);
}

void far(std::FILE* file) {
  for (long i = 0; i < kTimes; ++i) {
    const long place = i * 1'234'567 % (kBytes - 100);
    if (i % 3 == 0)
      fseeko(file, place, SEEK_SET);
    else
      std::fseek(file, place, SEEK_SET);
    add(std::fread(g_some, 1, 100, file));
  }
}

void back(std::FILE* file) {
  for (long i = 0; i < kBytes / 8; ++i) {
    g_sum += static_cast<unsigned>(std::fgetc(file));
    std::fseek(file, -1, SEEK_CUR);
    g_sum += static_cast<unsigned>(std::fgetc(file));
  }
  for (long i = 0; i < kTimes; ++i) {
    std::fseek(file, i * 1'234'567 % (kBytes - 100), SEEK_SET);
    add(std::fread(g_some, 1, 100, file));
    std::ungetc('q', file);
  }
}

void near(std::FILE* file) {
  std::fpos_t begin{};
  std::fgetpos(file, &begin);
  for (int i = 0; i < kTimes; ++i) {
    if (i % 2 == 0)
      std::rewind(file);
    else
      std::fsetpos(file, &begin);
    add(std::fread(g_some, 1, 4000, file));
  }
}

void lines(std::FILE* file) {
  char* line = nullptr;
  std::size_t size = 0;
  while (getline(&line, &size, file) > 0 && std::fgets(g_some, sizeof g_some, file) != nullptr) {
    g_sum += std::strlen(line);
    add(std::strlen(g_some));
  }
  std::free(line);
}

long by_instruction(long number, long a, long b, long c, long d) {
  long result;
  register long r10 asm("r10") = d;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
               : "rcx", "r11", "memory");
  return result;
}

void hidden(const char* path) {
  const long fd = by_instruction(SYS_open, reinterpret_cast<long>(path), O_RDONLY, 0, 0);
  for (long at = 0; at < kBytes; at += 4'000)
    add(static_cast<std::size_t>(
        by_instruction(SYS_pread64, fd, reinterpret_cast<long>(g_some), sizeof g_some, at)));
}

}  // namespace

int main(int, char** words) {
  const std::string how = words[1];
  std::FILE* file = std::fopen(words[2], "r");
  if (how == "far")
    far(file);
  else if (how == "back")
    back(file);
  else if (how == "near" || how == "hidden")
    near(file);
  else if (how == "lines")
    lines(file);
  std::fclose(file);
  for (int i = 0; how == "closed" && i < kTimes; ++i) {
    file = std::fopen(words[2], "r");
    add(std::fread(g_some, 1, 100, file));
    std::fclose(file);
  }
  if (how == "hidden")
    hidden(words[2]);
  std::printf("%lx\n", static_cast<unsigned long>(g_sum));
}
