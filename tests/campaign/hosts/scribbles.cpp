// scribbles SEED MILLISECONDS: a host that means harm. Is recorded for a while, and then writes
// what it likes into the memory that it shares with its recorder, which reads it meanwhile.
// Returns 7.
#include "preload/wire/session.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

using namespace tidemark;

/// The memory of the session, as any program of this user can get it: by the file descriptor of the
/// recorder that the environment names.
std::byte* session_memory() {
  const char* const address = std::getenv(wire::kSessionVariable);
  int pid = 0;
  int descriptor = 0;
  if (address == nullptr || std::sscanf(address, "%d:%d", &pid, &descriptor) != 2)
    return nullptr;
  const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(descriptor);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0)
    return nullptr;
  void* const memory =
      mmap(nullptr, wire::session_bytes(1), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

/// Where a byte hurts: the control block, headers of slots and rings, the first rings and stacks.
std::uint64_t place(std::mt19937_64& random) {
  const auto in = [&](std::uint64_t begin, std::uint64_t bytes) {
    return begin + random() % bytes;
  };
  switch (random() % 6) {
    case 0:
      return in(0, wire::kProcessSlotsOffset);
    case 1:
      return in(wire::kProcessSlotsOffset, 4096);
    case 2:
      return in(wire::kRingHeadersOffset, 4096);
    case 3:
    case 4:
      return in(wire::ring_offset(0), 2 * wire::kRingBytes);
    default:
      return in(wire::stack_table_offset(0), 4 << 20);
  }
}

void scribble(std::byte* memory, std::mt19937_64& random) {
  const std::uint64_t at = place(random) & ~std::uint64_t{7};
  auto* const word = reinterpret_cast<volatile std::uint64_t*>(memory + at);
  switch (random() % 4) {
    case 0:
      *word = random();
      break;
    case 1:
      *word = *word ^ (std::uint64_t{1} << (random() % 64));
      break;
    case 2:
      *word = random() % 2 == 0 ? ~std::uint64_t{0} : 0;
      break;
    default:
      *word = *word + random() % 4096;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3)
    return 2;
  std::byte* const memory = session_memory();
  if (memory == nullptr)
    return 7;  // Not recorded: nobody to harm.
  for (std::size_t bytes = 1; bytes < 5000; ++bytes)
    std::free(std::malloc(bytes));
  std::mt19937_64 random(std::strtoull(argv[1], nullptr, 10));
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(std::atoi(argv[2]));
  while (std::chrono::steady_clock::now() < end) {
    scribble(memory, random);
  }
  // Past what is recorded: that might wait for ever, in a ring that makes no sense.
  syscall(SYS_exit_group, 7);
}
