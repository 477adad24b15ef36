// Lists what it was given: descriptors above 2, signal mask and dispositions, limits, its
// environment but for what any recorder has to add.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

/// The variables of a recorded program that are new.
bool is_ours(const char* variable) {
  for (const char* name :
       {"LD_PRELOAD=", "TIDEMARK_SESSION=", "VK_ADD_LAYER_PATH=", "VK_INSTANCE_LAYERS="}) {
    if (std::strncmp(variable, name, std::strlen(name)) == 0)
      return true;
  }
  return false;
}

}  // namespace

int main() {
  for (int fd = 3; fd < 1024; ++fd)
    if (fcntl(fd, F_GETFD) >= 0)
      std::printf("descriptor %d\n", fd);
  sigset_t mask;
  sigprocmask(SIG_BLOCK, nullptr, &mask);
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_DFL)
      std::printf("signal %d is not at its default\n", number);
    if (sigismember(&mask, number) == 1)
      std::printf("signal %d is blocked\n", number);
  }
  for (int limit = 0; limit < RLIM_NLIMITS; ++limit) {
    rlimit value{};
    getrlimit(static_cast<__rlimit_resource>(limit), &value);
    std::printf("limit %d: %lu %lu\n", limit, value.rlim_cur, value.rlim_max);
  }
  std::printf("umask %o\n", umask(0));
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (!is_ours(*variable))
      std::puts(*variable);
}
