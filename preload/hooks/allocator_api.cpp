#include "preload/hooks/allocator_api.hpp"

#include "preload/os/symbol_search.hpp"
#include "preload/unwind/modules.hpp"

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {
namespace {

constinit std::atomic<std::uint32_t> g_unloads{0};

}  // namespace

void forget_api_functions() {
  g_unloads.fetch_add(1, std::memory_order_relaxed);
}

ApiTarget ApiFunction::find(const void* caller) {
  const auto address = reinterpret_cast<std::uint64_t>(caller);
  Known& known = known_[(address >> 20U) % known_.size()];
  const std::uint32_t version = known.version.load(std::memory_order_acquire);
  const std::uint64_t begin = known.begin.load(std::memory_order_relaxed);
  const std::uint64_t end = known.end.load(std::memory_order_relaxed);
  const ApiTarget target{known.function.load(std::memory_order_relaxed),
                         known.is_callers_own.load(std::memory_order_relaxed)};
  const bool is_current =
      known.unloads.load(std::memory_order_relaxed) == g_unloads.load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  if (version % 2 == 0 && version == known.version.load(std::memory_order_relaxed) && is_current &&
      address - begin < end - begin) [[likely]]
    return target;
  return look_up(caller, known);
}

/// Who cannot write down what it has found, since another thread or a handler does, finds it again
/// the next time.
ApiTarget ApiFunction::look_up(const void* caller, Known& known) const {
  const std::uint32_t unloads = g_unloads.load(std::memory_order_relaxed);
  unwind::Module object;
  const bool has_object = unwind::find_module(reinterpret_cast<std::uint64_t>(caller), object);
  void* const function = find_function_for(object.dynamic, name_);
  const auto place = reinterpret_cast<std::uint64_t>(function);
  const ApiTarget target{function, has_object && place - object.begin < object.end - object.begin};
  if (function == nullptr)
    return target;
  const bool is_noted = target.is_callers_own || real::note_allocator(function);
  std::uint32_t version = known.version.load(std::memory_order_relaxed);
  if (!has_object || !is_noted || version % 2 != 0 ||
      !known.version.compare_exchange_strong(version, version + 1, std::memory_order_acquire))
    return target;
  std::atomic_thread_fence(std::memory_order_release);
  known.unloads.store(unloads, std::memory_order_relaxed);
  known.begin.store(object.begin, std::memory_order_relaxed);
  known.end.store(object.end, std::memory_order_relaxed);
  known.function.store(function, std::memory_order_relaxed);
  known.is_callers_own.store(target.is_callers_own, std::memory_order_relaxed);
  known.version.store(version + 2, std::memory_order_release);
  return target;
}

}  // namespace tidemark::preload
