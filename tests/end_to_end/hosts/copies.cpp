// copies HOW: one large copy or fill in one of libc's ways, between blocks of odd sizes: 300,007
// bytes are copied from one of 400,009 into one of 500,009. Prints the bytes' sum, and what the
// call returned.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

// The compiler knows how much room there is, and not how much is copied: then fortified calls are
// made.
volatile std::size_t g_bytes = 300'007;
alignas(64) char g_room[310'000];

void* copy(const std::string& how, char* to, char* from, std::size_t bytes) {
  if (how == "memcpy")
    return std::memcpy(to, from, bytes);
  if (how == "memmove")
    return std::memmove(to, from, bytes);
  if (how == "mempcpy")
    return mempcpy(to, from, bytes);
  if (how == "memset")
    return std::memset(to, 7, bytes);
  // Into a variable, whose size the compiler knows.
  if (how == "memcpy_variable")
    return std::memcpy(g_room, from, bytes);
  if (how == "memmove_variable")
    return std::memmove(g_room, from, bytes);
  if (how == "mempcpy_variable")
    return mempcpy(g_room, from, bytes);
  if (how == "memset_variable")
    return std::memset(g_room, 7, bytes);
  if (how == "overlap")
    return std::memmove(from + 1, from, bytes);
  if (how == "small")
    return std::memcpy(to, from, 65'535);
  return nullptr;
}

}  // namespace

int main(int, char** argv) {
  const std::string how = argv[1];
  const std::size_t bytes = argv[2] != nullptr ? std::strtoull(argv[2], nullptr, 10) : g_bytes;
  auto* from = static_cast<char*>(std::malloc(400'009));
  auto* to = static_cast<char*>(std::malloc(500'009));
  for (std::size_t i = 0; i < 400'009; ++i)
    from[i] = static_cast<char>(i * 7);
  std::memset(to, 0, 500'009);
  char* base = how.find("variable") != std::string::npos ? g_room : how == "overlap" ? from : to;
  const void* result = copy(how, base, from, bytes);
  unsigned sum = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    sum = sum * 31 + static_cast<unsigned char>(base[i]);
  std::printf("%u %td\n", sum, static_cast<const char*>(result) - base);
  std::free(to);
  std::free(from);
}
