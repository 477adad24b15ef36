#include "preload/python/runtime.hpp"

#include "preload/os/symbol_search.hpp"
#include "preload/python/code_table.hpp"
#include "preload/wire/session.hpp"

#include <cstddef>
#include <cstring>
#include <span>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::python {

constinit std::atomic<const Runtime*> g_runtime = nullptr;

namespace {

constinit Runtime g_found;
constinit std::atomic<bool> g_is_claimed = false;  ///< g_found is, or is being, filled.

std::uint64_t find(const void* dynamic, std::uint64_t bias, const char* name) {
  return reinterpret_cast<std::uint64_t>(preload::find_in_object(dynamic, bias, name));
}

bool is_code_type(std::uint64_t type) {
  return type != 0 &&
         std::strcmp(reinterpret_cast<const char*>(load(type + kTypeName)), "code") == 0;
}

/// The upper half of Py_Version, which exists from 3.11 on. Older versions are recognised by the
/// functions that they introduced; 0: older than all of these.
std::uint32_t version_of(const void* dynamic, std::uint64_t bias) {
  if (const std::uint64_t version = find(dynamic, bias, "Py_Version"); version != 0)
    return static_cast<std::uint32_t>(load(version) >> 16) & 0xffff;
  if (find(dynamic, bias, "PyIter_Send") != 0)
    return 0x030a;
  return find(dynamic, bias, "PyObject_CallNoArgs") != 0 ? 0x0309 : 0;
}

/// From 3.13 on _PyRuntime begins with what it is and where its parts are (_Py_DebugOffsets):
/// "xdebugpy", the version, whether it is free-threaded, its size, the place of `_finalizing`. This
/// reveals a build with another layout.
bool is_laid_out_so(const Layout& layout, std::uint64_t base) {
  if (layout.version < 0x030d)
    return true;
  return std::memcmp(reinterpret_cast<const char*>(base), "xdebugpy", 8) == 0 &&
         load(base + 8) >> 16 == layout.version && load(base + 16) == 0 &&
         load(base + 32) == layout.finalizing;
}

/// @return false if the threads' states of this interpreter cannot be found.
bool find_states(const void* dynamic, std::uint64_t bias, Runtime& runtime) {
  constexpr std::size_t kMaxBytes = 48;  // of the function; the code goes on behind it
  if (runtime.layout.auto_key != 0)
    return true;
  const std::uint64_t function = find(dynamic, bias, "PyGILState_GetThisThreadState");
  if (function == 0)
    return false;
  const std::span code(reinterpret_cast<const std::byte*>(function), kMaxBytes);
  runtime.state_distance = find_thread_local(code);
  return runtime.state_distance != kNoDistance;
}

}  // namespace

std::uint32_t meet_module(const void* dynamic, std::uint64_t bias) {
  const std::uint64_t base = find(dynamic, bias, "_PyRuntime");
  if (base == 0 || g_runtime.load(std::memory_order_acquire) != nullptr)
    return 0;
  const std::uint32_t number = version_of(dynamic, bias);
  if (number == 0)
    return wire::kUnreadPython;
  if (find(dynamic, bias, "_Py_MergeZeroLocalRefcount") != 0)
    return wire::kUnreadPython | wire::kFreeThreadedPython | number;
  const Layout* layout = find_layout(number);
  const std::uint64_t code_type = find(dynamic, bias, "PyCode_Type");
  if (layout == nullptr || !is_code_type(code_type) || !is_laid_out_so(*layout, base))
    return wire::kUnreadPython | number;
  Runtime found{*layout, base, code_type};
  if (!find_states(dynamic, bias, found))
    return wire::kUnreadPython | number;
  if (g_is_claimed.exchange(true))
    return 0;
  if (!watch_code_objects(code_type))
    return wire::kUnreadPython | number;
  g_found = found;
  g_runtime.store(&g_found, std::memory_order_release);
  return 0;
}

void forget_unloaded(bool (*is_loaded)(std::uint64_t address)) {
  const Runtime* runtime = g_runtime.load(std::memory_order_acquire);
  if (runtime == nullptr || is_loaded(runtime->base))
    return;
  g_runtime.store(nullptr, std::memory_order_release);
  forget_all_code();
  g_is_claimed.store(false, std::memory_order_release);
}

}  // namespace tidemark::python
