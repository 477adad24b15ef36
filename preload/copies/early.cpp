// Copies and fills before libc's own are known. Nothing here may need a relocation, and nothing may
// be turned into a call of the function that it stands for (-fno-builtin,
// -fno-tree-loop-distribute-patterns).

#include "preload/copies/early.hpp"

#include <cstdint>

void* tidemark_early_copy(void* to, const void* from, std::size_t bytes) {
  auto* out = static_cast<unsigned char*>(to);
  const auto* in = static_cast<const unsigned char*>(from);
  // Overlapping or not: memmove comes here too.
  if (reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from) >= bytes) {
    for (std::size_t i = 0; i < bytes; ++i)
      out[i] = in[i];
  } else {
    for (std::size_t i = bytes; i-- > 0;)
      out[i] = in[i];
  }
  return to;
}

void* tidemark_early_fill(void* to, int value, std::size_t bytes) {
  auto* out = static_cast<unsigned char*>(to);
  for (std::size_t i = 0; i < bytes; ++i)
    out[i] = static_cast<unsigned char>(value);
  return to;
}

void* tidemark_early_copy_end(void* to, const void* from, std::size_t bytes) {
  return static_cast<unsigned char*>(tidemark_early_copy(to, from, bytes)) + bytes;
}
