#include "preload/unwind/own_stack.hpp"

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

extern "C" void* __libc_stack_end;  // NOLINT(bugprone-reserved-identifier): glibc's name

namespace tidemark::unwind {

std::uint64_t own_stack_end(std::uint64_t sp) {
  constexpr std::uint64_t kMaxStackBytes = std::uint64_t{64} << 20;
  const auto thread_block = reinterpret_cast<std::uint64_t>(__builtin_thread_pointer());
  const auto main_end = reinterpret_cast<std::uint64_t>(__libc_stack_end);
  if (sp < thread_block && thread_block - sp < kMaxStackBytes)
    return thread_block;
  if (sp < main_end && main_end - sp < kMaxStackBytes)
    return main_end;
  return 0;
}

}  // namespace tidemark::unwind
