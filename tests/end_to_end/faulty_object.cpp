// In place of the kernel, for a build of the preloaded object that only tests use:
// TIDEMARK_FAULT="N:E" in the environment lets the N-th system call of the object in each process
// fail with errno E.
#include "preload/os/sys.hpp"
#include "preload/session/start_block.hpp"

#include <atomic>

namespace tidemark::sys {
namespace {

constinit std::atomic<long> g_calls{0};

const char* wish() {
  constexpr char kName[] = "TIDEMARK_FAULT=";
  for (const char* const* variable = preload::start_environment(); *variable != nullptr;
       ++variable) {
    const char* at = *variable;
    const char* name = kName;
    while (*name != '\0' && *at == *name) {
      ++at;
      ++name;
    }
    if (*name == '\0')
      return at;
  }
  return nullptr;
}

long take_number(const char*& text) {
  long number = 0;
  for (; *text >= '0' && *text <= '9'; ++text)
    number = number * 10 + (*text - '0');
  return number;
}

}  // namespace

bool is_to_fail(long number, long& result) {
  // They always succeed (getpid(2), gettid(2)).
  if (number == SYS_getpid || number == SYS_getppid || number == SYS_gettid)
    return false;
  const char* text = wish();
  if (text == nullptr)
    return false;
  const long n = take_number(text);
  if (g_calls.fetch_add(1) + 1 != n || *text != ':')
    return false;
  ++text;
  result = -take_number(text);
  return true;
}

}  // namespace tidemark::sys
