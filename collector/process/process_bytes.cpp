#include "collector/process/process_bytes.hpp"

#include "collector/process/process_tree.hpp"

#include <cerrno>

namespace tidemark {

std::size_t copy_from_process(pid_t pid, std::span<const iovec> pieces, std::span<std::byte> into) {
  const iovec ours{into.data(), into.size_bytes()};
  const auto read_of = [&](pid_t thread) {
    return process_vm_readv(thread, &ours, 1, pieces.data(), pieces.size(), 0);
  };
  ssize_t bytes = read_of(pid);
  if (bytes < 0 && errno == ESRCH)
    bytes = read_of(thread_with_memory(pid));
  return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

}  // namespace tidemark
