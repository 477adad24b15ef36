#include "preload/real.hpp"

#include "preload/modules.hpp"

#include <cstring>
#include <initializer_list>

#include <dlfcn.h>

// Jumped through in entry_points/dlopen.S.
extern "C" __attribute__((visibility("hidden"))) void* tidemark_real_dlopen;
extern "C" __attribute__((visibility("hidden"))) void* tidemark_real_dlmopen;

namespace tidemark::real {

#define TIDEMARK_DEFINE(result, name, arguments) constinit name##_type name = nullptr;
TIDEMARK_HOOKED_FUNCTIONS(TIDEMARK_DEFINE)
TIDEMARK_HOOKED_OPERATORS(TIDEMARK_DEFINE)
#undef TIDEMARK_DEFINE

constinit bool g_known = false;
constinit bool g_allocator_has_operators = false;

// Each block is preceded by its size, for realloc. Nothing is ever given back: dlsym asks for a few
// hundred bytes at most (the message of dlerror).
alignas(64) constinit std::byte g_arena[kArenaBytes]{};

namespace {

constinit unwind::Module g_allocator{};

constinit std::size_t g_arena_used = 0;

template <typename Function>
void set(Function& function, const char* name) {
  // POSIX: a data pointer from dlsym may be converted to a function pointer.
  function = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

bool is_libc(const unwind::Module& module) {
  const char* name = std::strrchr(module.path, '/');
  name = name == nullptr ? module.path : name + 1;
  return std::strncmp(name, "libc.so", 7) == 0 || std::strncmp(name, "libc-", 5) == 0;
}

void look_at_allocator() {
  if (!unwind::find_module(reinterpret_cast<std::uint64_t>(malloc), g_allocator))
    return;
  if (is_libc(g_allocator)) {
    g_allocator = {};  // glibc's own mappings never pass through our hooks
    return;
  }
  set(_Znwm, "_Znwm");
  g_allocator_has_operators = is_allocator_code(reinterpret_cast<const void*>(_Znwm));
}

}  // namespace

void look_up() {
  // dlsym may call calloc; then the hook comes back here and must find something. It gets the
  // arena.
  static constinit bool in_progress = false;
  if (in_progress)
    return;
  in_progress = true;
#define TIDEMARK_SET(result, name, arguments) set(name, #name);
  TIDEMARK_HOOKED_FUNCTIONS(TIDEMARK_SET)
#undef TIDEMARK_SET
  // Not the operators: one that is missing makes libc ask for memory for the message, and here we
  // may be inside the initialisation of the host's own malloc, which holds its lock.
  tidemark_real_dlopen = dlsym(RTLD_NEXT, "dlopen");
  tidemark_real_dlmopen = dlsym(RTLD_NEXT, "dlmopen");
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

void* find_operator_of(const void* caller, const char* symbol) {
  unwind::Module object;
  if (!unwind::find_module(reinterpret_cast<std::uint64_t>(caller), object) ||
      object.path[0] == '\0')
    return nullptr;
  return look_in(object.path, symbol);
}

bool is_allocator_code(const void* address) {
  const auto at = reinterpret_cast<std::uint64_t>(address);
  return at - g_allocator.begin < g_allocator.end - g_allocator.begin;
}

void* arena_allocate(std::size_t size, std::size_t alignment) {
  if (alignment < 16)
    alignment = 16;
  std::size_t at = g_arena_used + sizeof(std::size_t);
  at = (at + alignment - 1) / alignment * alignment;
  if (size > kArenaBytes || at > kArenaBytes - size)
    return nullptr;
  std::memcpy(g_arena + at - sizeof size, &size, sizeof size);
  g_arena_used = at + size;
  return g_arena + at;
}

std::size_t arena_block_size(const void* pointer) {
  std::size_t size = 0;
  std::memcpy(&size, static_cast<const std::byte*>(pointer) - sizeof size, sizeof size);
  return size;
}

}  // namespace tidemark::real
