#include "preload/hooks/modules.hpp"

#include "preload/os/build_id.hpp"
#include "preload/python/code_table.hpp"
#include "preload/python/runtime.hpp"
#include "preload/session/own_memory.hpp"
#include "preload/session/process.hpp"
#include "preload/session/record.hpp"
#include "preload/session/thread.hpp"

#include <cstring>

#include <dlfcn.h>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {
namespace {

/// @return true when `key` was not in the table yet and is now.
bool add_announced(std::uint64_t key) {
  const std::uint64_t mask = ProcessState::kMaxAnnouncedModules - 1;
  std::uint64_t at = (key * 0x9E3779B97F4A7C15U) >> 40;
  for (std::uint32_t probe = 0; probe < ProcessState::kMaxAnnouncedModules; ++probe, ++at) {
    std::atomic<std::uint64_t>& place = g_process->announced[at & mask];
    std::uint64_t seen = place.load(std::memory_order_acquire);
    if (seen == key)
      return false;
    if (seen == 0 && place.compare_exchange_strong(seen, key, std::memory_order_acq_rel))
      return true;
    if (seen == key)
      return false;
  }
  return true;  // full: announced again each time, which costs space and nothing else
}

bool is_announced(std::uint64_t key) {
  const std::uint64_t mask = ProcessState::kMaxAnnouncedModules - 1;
  std::uint64_t at = (key * 0x9E3779B97F4A7C15U) >> 40;
  for (std::uint32_t probe = 0; probe < ProcessState::kMaxAnnouncedModules; ++probe, ++at) {
    const std::uint64_t seen = g_process->announced[at & mask].load(std::memory_order_acquire);
    if (seen == key || seen == 0)
      return seen == key;
  }
  return false;
}

/// What follows a Module record: wire::Payload::kPath. A path that leaves no room is cut.
std::span<const std::byte> payload_of(const unwind::Module& module, ThreadState& thread) {
  const auto build_id = find_build_id(module.begin, module.bias);
  const std::size_t most = sizeof thread.text - 2 - kMaxBuildIdBytes;
  const std::size_t length = strnlen(module.path, most);
  char* const text = thread.text;
  std::memcpy(text, module.path, length);
  text[length] = '\0';
  text[length + 1] = static_cast<char>(build_id.size());
  std::memcpy(text + length + 2, build_id.data(), build_id.size());
  return std::as_bytes(std::span(text, length + 2 + build_id.size()));
}

/// The table is made when Python is found; a forked child has a slot of its own and comes here
/// again.
void note_code_table() {
  const python::CodeTableMemory table = python::code_table_memory();
  wire::ProcessSlot& slot = process_slot();
  slot.code_table_bytes.store(table.bytes, std::memory_order_relaxed);
  slot.code_table_address.store(table.address, std::memory_order_release);
  note_own({table.address, table.address + table.bytes});
}

}  // namespace

void announce_module(const unwind::Module& module, std::uint32_t epoch) {
  // Page-aligned begin, so the low bits are free for the epoch.
  const std::uint64_t key = module.begin | (epoch & 0xfffU);
  if (is_announced(key))
    return;
  ThreadState* thread = current_thread();
  if (thread == nullptr)
    return;
  const std::uint64_t distance = (module.begin - module.bias) / wire::kPageBytes;
  with_text(*thread, [&] {
    write_payload(*thread,
                  wire::Module{.bias = module.bias,
                               .end = module.end,
                               .epoch = epoch,
                               .pages_before = static_cast<std::uint32_t>(distance)},
                  payload_of(module, *thread));
  });
  // Added last: another thread that finds the key relies on the record being in a ring.
  add_announced(key);
  if (control().python_frames == 0)
    return;
  if (const std::uint32_t unread = python::meet_module(module.dynamic, module.bias); unread != 0)
    control().unread_python.store(unread, std::memory_order_relaxed);
  note_code_table();
}

void record_load(const char* name, int flags) {
  ThreadState* thread = current_thread();
  if (thread == nullptr || name == nullptr)
    return;
  if ((flags & RTLD_DEEPBIND) != 0)
    control().deep_bound.store(1, std::memory_order_relaxed);
  write_text(*thread, wire::Load{}, {name, std::strlen(name)});
}

void record_unload() {
  python::forget_unloaded([](std::uint64_t address) {
    unwind::Module module;
    return unwind::find_module(address, module);
  });
  g_module_epoch.fetch_add(1);
  ThreadState* thread = current_thread();
  if (thread == nullptr)
    return;
  // Drops keys of past epochs, which would only fill the table. A key that another thread adds
  // meanwhile may get lost: then its module is announced again.
  for (std::atomic<std::uint64_t>& key : g_process->announced)
    key.store(0, std::memory_order_relaxed);
  write(*thread, wire::Unload{});
}

}  // namespace tidemark::preload
