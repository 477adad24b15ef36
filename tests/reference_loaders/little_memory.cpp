#include "tests/reference_loaders/little_memory.hpp"

#include <exception>
#include <fstream>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tidemark::loaders::test {
namespace {

void limit_address_space() {
  constexpr rlim_t kRoom = rlim_t{64} << 20;
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  const rlim_t limit = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + kRoom;
  const rlimit both{limit, limit};
  setrlimit(RLIMIT_AS, &both);
}

}  // namespace

bool holds_in_little_memory(const std::function<bool()>& check) {
  const pid_t child = fork();
  if (child == 0) {
    limit_address_space();
    bool holds = false;
    try {
      holds = check();
    } catch (const std::exception&) {
      holds = false;
    }
    _exit(holds ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0;
}

}  // namespace tidemark::loaders::test
