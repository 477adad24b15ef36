#include "preload/hooks/allocator_api.hpp"

#include "preload/os/symbol_search.hpp"

#include <array>
#include <cstring>
#include <span>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

// Made by the linker: where the section begins and ends. A test without entry points has none.
extern "C" {
extern tidemark::preload::AllocatorFunction __start_tidemark_allocators
    __attribute__((visibility("hidden"), weak));
extern tidemark::preload::AllocatorFunction __stop_tidemark_allocators
    __attribute__((visibility("hidden"), weak));
}

namespace tidemark::preload {
namespace {

/// Most programs use none of these allocators: one name of each is looked up first.
struct Allocator {
  const char* prefix;
  const char* first;
  bool is_there;
};

std::array<Allocator, 5> find_allocators() {
  std::array<Allocator, 5> allocators{{{"mi_", "mi_malloc", false},
                                       {"tc_", "tc_malloc", false},
                                       {"je_", "je_malloc", false},
                                       {"rp", "rpmalloc", false},
                                       {"", "mallocx", false}}};
  for (Allocator& allocator : allocators)
    allocator.is_there = find_next_function(allocator.first) != nullptr;
  return allocators;
}

}  // namespace

void look_up_allocator_functions() {
  const std::array<Allocator, 5> allocators = find_allocators();
  constexpr std::size_t kMaxFunctions = 256;
  std::array<const char*, kMaxFunctions> hidden{};
  std::size_t hidden_count = 0;
  for (AllocatorFunction* api = &__start_tidemark_allocators; api != &__stop_tidemark_allocators;
       ++api) {
    const Allocator* allocator = allocators.data();
    while (std::strncmp(api->name, allocator->prefix, std::strlen(allocator->prefix)) != 0)
      ++allocator;
    if (allocator->is_there)
      api->function = find_next_function(api->name);
    if (api->function == nullptr && hidden_count < kMaxFunctions)
      hidden[hidden_count++] = api->name;
  }
  hide_own_functions({hidden.data(), hidden_count});
}

}  // namespace tidemark::preload
