#include "preload/hooks/real.hpp"

#include "preload/os/symbol_search.hpp"
#include "preload/unwind/modules.hpp"

#include <cstring>
#include <initializer_list>

#include <dlfcn.h>

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
constinit std::uint64_t g_allocator_begin = 0;
constinit std::uint64_t g_allocator_bytes = 0;

namespace {

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
  g_allocator_begin = allocator.begin;
  g_allocator_bytes = allocator.end - allocator.begin;
}

}  // namespace

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
  g_known = true;
}

namespace {

/// NOLOAD finds what the host has loaded, privately too, and brings nothing in.
void* look_in(const char* library, const char* symbol) {
  // Not by its name: that is our own hook, which would record it.
  using Dlopen = void* (*)(const char*, int);
  void* handle = reinterpret_cast<Dlopen>(tidemark_real_dlopen)(library, RTLD_NOLOAD | RTLD_LAZY);
  if (handle == nullptr)
    return nullptr;
  void* found = dlsym(handle, symbol);
  real::dlclose(handle);
  return found;
}

}  // namespace

void* find_operator(const char* symbol) {
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
