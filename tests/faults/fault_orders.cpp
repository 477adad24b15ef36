/// Stops a program in front of main and takes orders from a test: each order forks a copy, in which
/// one call fails, and says how it ended. So a thousand runs cost one start. The object takes
/// itself out of the environment: what the program starts in its turn is left alone. A child that
/// it forks counts on with it.
#include "tests/faults/fault_verdict.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace tidemark::faults;

template <typename Value>
bool get(int descriptor, Value& value) {
  return syscall(SYS_read, descriptor, &value, sizeof value) == sizeof value;
}
template <typename Value>
void put(int descriptor, const Value& value) {
  syscall(SYS_write, descriptor, &value, sizeof value);
}

/// Where the program goes after the constructor of this object.
int (*g_main)(int, char**, char**) = nullptr;

Reply reply_of(pid_t child, int status) {
  Reply reply;
  reply.pid = child;
  reply.wait_status = status;
  reply.faults = g_counts->faults;
  reply.bytes_written = g_counts->bytes_written;
  for (std::size_t i = 0; i < kCallKinds; ++i) {
    reply.calls[i] = g_counts->calls[i];
  }
  return reply;
}

/// Carries out orders until there are no more. Returns in each copy, and only there.
void serve(int orders, int answers) {
  Fault fault;
  while (get(orders, fault)) {
    memset(static_cast<void*>(g_counts), 0, sizeof *g_counts);
    g_fault = fault;
    const pid_t child = TIDEMARK_REAL(fork)();
    if (child == 0) {
      TIDEMARK_REAL(close)(orders);
      TIDEMARK_REAL(close)(answers);
      return;
    }
    put(answers, reply_of(child, 0));
    int status = 0;
    while (TIDEMARK_REAL(waitpid)(child, &status, 0) < 0 && errno == EINTR) {
    }
    put(answers, reply_of(child, status));
  }
  _exit(0);
}

/// @return whether there is a fault in the environment, as a person gave it.
bool read_fault() {
  const char* const text = getenv(kFaultVariable);
  unsigned call = 0;
  unsigned effect = 0;
  unsigned long number = 0;
  int error = 0;
  unsigned lasts = 0;
  if (text == nullptr ||
      sscanf(text, "%u:%u:%lu:%d:%u", &call, &effect, &number, &error, &lasts) != 5) {
    return false;
  }
  g_fault = {static_cast<Call>(call), static_cast<Effect>(effect), number, error, lasts};
  return true;
}

int ordered_main(int argc, char** argv, char** environment) {
  int orders = -1;
  int answers = -1;
  const char* const pipes = getenv(kPipesVariable);
  const bool is_served = pipes != nullptr && sscanf(pipes, "%d:%d", &orders, &answers) == 2;
  if (!is_served && !read_fault()) {
    return g_main(argc, argv, environment);
  }
  unsetenv(kPipesVariable);
  unsetenv(kFaultVariable);
  unsetenv("LD_PRELOAD");
  find_cxx_library();
  g_counts = static_cast<Counts*>(TIDEMARK_REAL(mmap)(
      nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (is_served) {
    serve(orders, answers);
  }
  g_is_ordered = true;
  return g_main(argc, argv, environ);
}

}  // namespace

extern "C" {

int __libc_start_main(int (*main)(int, char**, char**),
                      int argc,
                      char** argv,
                      void (*init)(),
                      void (*fini)(),
                      void (*rtld_fini)(),
                      void* stack_end);

int __libc_start_main(int (*main)(int, char**, char**),
                      int argc,
                      char** argv,
                      void (*init)(),
                      void (*fini)(),
                      void (*rtld_fini)(),
                      void* stack_end) {
  g_main = main;
  return TIDEMARK_REAL(__libc_start_main)(ordered_main, argc, argv, init, fini, rtld_fini,
                                          stack_end);
}

}  // extern "C"
