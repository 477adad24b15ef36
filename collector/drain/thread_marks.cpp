#include "collector/drain/thread_marks.hpp"

#include "collector/process/process_tree.hpp"

#include <array>
#include <cerrno>

#include <sys/uio.h>

namespace tidemark {

std::size_t read_thread_marks(pid_t pid,
                              std::span<const std::uint64_t> addresses,
                              std::span<std::uint32_t> words) {
  std::array<iovec, kMaxMarks> theirs{};
  for (std::size_t i = 0; i < addresses.size(); ++i)
    theirs[i] = {reinterpret_cast<void*>(addresses[i]), sizeof(std::uint32_t)};
  const iovec ours{words.data(), words.size_bytes()};
  const auto read_of = [&](pid_t thread) {
    return process_vm_readv(thread, &ours, 1, theirs.data(), addresses.size(), 0);
  };
  ssize_t bytes = read_of(pid);
  if (bytes < 0 && errno == ESRCH)
    bytes = read_of(thread_with_memory(pid));
  return bytes > 0 ? static_cast<std::size_t>(bytes) / sizeof(std::uint32_t) : 0;
}

}  // namespace tidemark
