// Every usual way to ask for memory, in a fixed random order and in sizes that often repeat.
// Multiples of 16 only: massif finds its peak in the bytes that blocks take up, and then tells
// those that were asked for.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include <malloc.h>

namespace {
std::uint32_t g_state = 12345;
std::uint32_t next(std::uint32_t below) {
  g_state = g_state * 1664525 + 1013904223;
  return (g_state >> 8) % below;
}

struct Block {
  void* at = nullptr;
  std::size_t size = 0;
  bool by_new = false;
};

void* make(std::size_t size) {
  void* out = nullptr;
  switch (next(7)) {
    case 0:
      return std::calloc(2, size / 2);
    case 1:
      return memalign(64, size);
    case 2:
      return posix_memalign(&out, 4096, size) == 0 ? out : nullptr;
    case 3:
      return aligned_alloc(16, size);
    case 4:
      return strdup(std::string(size - 1, 'x').c_str());
    default:
      return std::malloc(size);
  }
}

void* make_by_new(std::size_t size) {
  return next(2) == 0 ? ::operator new(size) : ::operator new[](size, std::nothrow);
}

void drop(Block& block) {
  if (block.by_new)
    ::operator delete(block.at);
  else
    std::free(block.at);
  block = {};
}
}  // namespace

int main() {
  static Block blocks[500];
  for (int i = 0; i < 20000; ++i) {
    Block& block = blocks[next(500)];
    if (block.at != nullptr && !block.by_new && next(3) == 0) {
      // It only grows: massif does not look for a peak when realloc gives something back.
      block.size += 16 * next(64);
      block.at = std::realloc(block.at, block.size);
      continue;
    }
    drop(block);
    // Grows for two thirds of the run, shrinks then: the peak is inside, not at an end.
    if (i < 13000 || next(2) == 0) {
      const std::size_t size = 16 * (next(20) == 0 ? next(12000) : next(45) + 1);
      const bool by_new = next(6) == 0;
      block = {by_new ? make_by_new(size) : make(size), size, by_new};
    }
  }
  for (Block& block : blocks)
    drop(block);
}
