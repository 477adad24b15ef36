#include "collector/drain/thread_marks.hpp"

#include <array>

#include <sys/uio.h>

namespace tidemark {

std::size_t read_thread_marks(pid_t pid,
                              std::span<const std::uint64_t> addresses,
                              std::span<std::uint32_t> words) {
  std::array<iovec, kMostMarks> theirs{};
  for (std::size_t i = 0; i < addresses.size(); ++i)
    theirs[i] = {reinterpret_cast<void*>(addresses[i]), sizeof(std::uint32_t)};
  const iovec ours{words.data(), words.size_bytes()};
  const ssize_t bytes = process_vm_readv(pid, &ours, 1, theirs.data(), addresses.size(), 0);
  return bytes > 0 ? static_cast<std::size_t>(bytes) / sizeof(std::uint32_t) : 0;
}

}  // namespace tidemark
