#include "collector/drain/thread_marks.hpp"

#include "collector/process/process_bytes.hpp"

#include <array>

namespace tidemark {

std::size_t read_thread_marks(pid_t pid,
                              std::span<const std::uint64_t> addresses,
                              std::span<std::uint32_t> words) {
  std::array<iovec, kMaxMarks> theirs{};
  for (std::size_t i = 0; i < addresses.size(); ++i)
    theirs[i] = {reinterpret_cast<void*>(addresses[i]), sizeof(std::uint32_t)};
  const std::size_t bytes = copy_from_process(pid, std::span(theirs).first(addresses.size()),
                                              std::as_writable_bytes(words));
  return bytes / sizeof(std::uint32_t);
}

}  // namespace tidemark
