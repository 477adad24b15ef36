/// Functions of allocators that are called by names of their own (mi_malloc, mallocx, tc_malloc),
/// and not in libc's place. The allocator is the program's library: it may come late, and more than
/// once, each copy with the plugin that brought it.
#pragma once

#include "preload/hooks/real.hpp"

#include <array>
#include <atomic>
#include <cstdint>

namespace tidemark::preload {

/// What the loader would have found for one caller.
struct ApiTarget {
  void* function = nullptr;  ///< Null: nobody has it.
  /// It lies in the caller's own object, as an allocator that was linked into it. What calls come
  /// by here are some of many then: the mappings tell of its memory, and nothing is recorded.
  bool is_callers_own = false;
};

/// One function by its name. Any number of threads; never waits, allocates or asks the loader.
class ApiFunction {
 public:
  explicit constexpr ApiFunction(const char* name) : name_(name) {}

  /// @param caller code that calls it. The object that has the function counts as an allocator from
  /// here on: its mappings are what blocks are made of.
  ApiTarget find(const void* caller);

 private:
  /// For callers in [begin, end). Changed under `version`, which is odd meanwhile.
  struct Known {
    std::atomic<std::uint32_t> version = 0;
    std::atomic<std::uint32_t> unloads = 0;  ///< unload_count() when it was found.
    std::atomic<std::uint64_t> begin = 0;
    std::atomic<std::uint64_t> end = 0;
    std::atomic<void*> function = nullptr;
    std::atomic<bool> is_callers_own = false;
  };

  ApiTarget look_up(const void* caller, Known& known) const;

  const char* name_;
  std::array<Known, 4> known_{};
};

/// An object was unloaded: what was found may lie in it.
void forget_api_functions();

}  // namespace tidemark::preload
