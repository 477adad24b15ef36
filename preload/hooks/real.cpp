#include "preload/hooks/real.hpp"

#include "preload/hooks/allocator_api.hpp"
#include "preload/os/glibc_versions.hpp"
#include "preload/os/symbol_search.hpp"
#include "preload/unwind/modules.hpp"

#include <cstring>
#include <initializer_list>

// Jumped through in entry_points/dlopen.S and syscall.S.
extern "C" __attribute__((visibility("hidden"))) void* tidemark_real_dlopen;
extern "C" __attribute__((visibility("hidden"))) void* tidemark_real_dlmopen;
extern "C" __attribute__((visibility("hidden"))) void* tidemark_real_syscall;

namespace tidemark::real {

#define TIDEMARK_DEFINE(result, name, arguments) constinit name##_type name = nullptr;
TIDEMARK_HOOKED_FUNCTIONS(TIDEMARK_DEFINE)
TIDEMARK_HOOKED_OPERATORS(TIDEMARK_DEFINE)
#undef TIDEMARK_DEFINE

constinit bool g_known = false;
constinit bool g_heap_is_libc = false;
constinit AllocatorCode g_allocators[kMaxAllocators] = {};
constinit std::uint32_t g_allocator_count = 0;

namespace {

constinit bool g_is_noting = false;

template <typename Function>
void set(Function& function, const char* name) {
  function = reinterpret_cast<Function>(preload::find_next_function(name));
}

bool is_libc(const unwind::Module& module) {
  const char* name = std::strrchr(module.path, '/');
  name = name == nullptr ? module.path : name + 1;
  return std::strncmp(name, "libc.so", 7) == 0 || std::strncmp(name, "libc-", 5) == 0;
}

template <typename... Functions>
bool are_all_in(const unwind::Module& module, Functions... functions) {
  const auto is_inside = [&](auto function) {
    const auto at = reinterpret_cast<std::uint64_t>(function);
    return module.begin <= at && at < module.end;
  };
  return (is_inside(functions) && ...);
}

void look_at_allocator() {
  unwind::Module allocator;
  if (!unwind::find_module(reinterpret_cast<std::uint64_t>(malloc), allocator))
    return;
  if (is_libc(allocator)) {
    g_heap_is_libc = are_all_in(allocator, calloc, realloc, posix_memalign, aligned_alloc, memalign,
                                valloc, pvalloc, malloc_usable_size);
    return;
  }
  note_allocator(reinterpret_cast<const void*>(malloc));
}

}  // namespace

bool is_in_allocators(const void* address, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const AllocatorCode& code = g_allocators[i];
    if (reinterpret_cast<std::uint64_t>(address) - code.begin < code.bytes)
      return true;
  }
  return false;
}

void note_allocator(const void* function) {
  unwind::Module object;
  if (is_allocator_code(function) ||
      !unwind::find_module(reinterpret_cast<std::uint64_t>(function), object) ||
      __atomic_test_and_set(&g_is_noting, __ATOMIC_ACQUIRE))
    return;
  if (!is_allocator_code(function) && g_allocator_count < kMaxAllocators) {
    g_allocators[g_allocator_count] = {object.begin, object.end - object.begin};
    __atomic_store_n(&g_allocator_count, g_allocator_count + 1, __ATOMIC_RELEASE);
  }
  __atomic_clear(&g_is_noting, __ATOMIC_RELEASE);
}

void look_up() {
#define TIDEMARK_SET(result, name, arguments) set(name, #name);
  TIDEMARK_HOOKED_FUNCTIONS(TIDEMARK_SET)
  TIDEMARK_HOOKED_OPERATORS(TIDEMARK_SET)
#undef TIDEMARK_SET
  set(tidemark_real_dlopen, "dlopen");
  set(tidemark_real_dlmopen, "dlmopen");
  set(tidemark_real_syscall, "syscall");
  unwind::look_up_loader();
  look_at_allocator();
  preload::look_up_allocator_functions();
  g_known = true;
}

namespace {

/// RTLD_NOLOAD finds what the host has loaded, even privately, and loads nothing.
void* look_in(const char* library, const char* symbol) {
  // Not by its name: that is our own hook, which would record it.
  using Dlopen = void* (*)(const char*, int);
  void* handle = reinterpret_cast<Dlopen>(tidemark_real_dlopen)(library, RTLD_NOLOAD | RTLD_LAZY);
  if (handle == nullptr)
    return nullptr;
  void* found = dlsym != nullptr ? dlsym(handle, symbol) : nullptr;
  real::dlclose(handle);
  return found;
}

}  // namespace

void* find_operator(const char* symbol) {
  if (dlsym == nullptr)
    return preload::find_next_function(symbol);
  if (void* found = dlsym(RTLD_NEXT, symbol))
    return found;
  for (const char* library : {"libstdc++.so.6", "libc++.so.1", "libc++abi.so.1"}) {
    if (void* found = look_in(library, symbol))
      return found;
  }
  return nullptr;
}

void* find_library_function(const char* name) {
  return preload::find_next_function(name);
}

void* find_operator_of(const void* caller, const char* symbol) {
  unwind::Module object;
  if (!unwind::find_module(reinterpret_cast<std::uint64_t>(caller), object) ||
      object.path[0] == '\0')
    return nullptr;
  return look_in(object.path, symbol);
}

}  // namespace tidemark::real
