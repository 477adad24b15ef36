#include "preload/python/code_table.hpp"

#include "preload/os/seccomp.hpp"
#include "preload/os/sys.hpp"
#include "preload/python/layout.hpp"
#include "preload/python/memory.hpp"
#include "preload/wire/stack_table.hpp"

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::python {

constinit std::atomic<std::uint64_t> g_code_epoch = 1;

namespace {

using Dealloc = void (*)(void*);

/// Key of a table slot: the object's address, with state flags in its low bits, which are 0 in any
/// object's address.
constexpr std::uint64_t kEmpty = 0;
constexpr std::uint64_t kBusy = 1;   ///< Its number is being written.
constexpr std::uint64_t kDying = 2;  ///< Its tp_dealloc has begun: free for another object.
constexpr std::uint64_t kStateMask = 3;

struct Place {
  std::atomic<std::uint64_t> key;
  std::atomic<std::uint32_t> number;
};

constexpr std::uint32_t kPlaces = 1U << 17;
/// Slots probed for one object. The table is so sparse that more than two are hardly ever needed.
constexpr std::uint32_t kProbes = 64;

/// Wiped in a forked child, which must announce its code objects again.
struct CodeTable {
  std::atomic<std::uint32_t> numbers;  ///< Given out.
  Place places[kPlaces];
};

constinit std::atomic<CodeTable*> g_table = nullptr;
constinit std::atomic<Dealloc> g_real_dealloc = nullptr;

std::uint32_t first_place(std::uint64_t code) {
  return static_cast<std::uint32_t>((code * 0x9E3779B97F4A7C15U) >> 40) & (kPlaces - 1);
}

/// Calls `visit` with each place where `code` may be, until that returns true.
template <typename Visitor>
void visit_places(CodeTable& table, std::uint64_t code, Visitor&& visit) {
  const std::uint32_t first = first_place(code);
  for (std::uint32_t i = 0; i < kProbes; ++i) {
    if (visit(table.places[(first + i) & (kPlaces - 1)]))
      return;
  }
}

void forget_code(std::uint64_t code) {
  visit_places(*g_table.load(std::memory_order_acquire), code, [&](Place& place) {
    std::uint64_t seen = place.key.load(std::memory_order_acquire);
    if (seen == code && place.key.compare_exchange_strong(seen, code | kDying)) {
      g_code_epoch.fetch_add(1);
      return true;
    }
    return seen == kEmpty;
  });
}

/// Replaces the interpreter's code_dealloc, and jumps to it.
void forget_and_dealloc(void* code) {
  forget_code(reinterpret_cast<std::uint64_t>(code));
  g_real_dealloc.load(std::memory_order_relaxed)(code);
}

CodeTable* map_table() {
  if (!preload::may(preload::kMayMap))
    return nullptr;
  std::byte* memory = sys::map(sizeof(CodeTable), PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
  if (memory == nullptr)
    return nullptr;
  if (sys::advise(memory, sizeof(CodeTable), MADV_WIPEONFORK) == 0)
    return reinterpret_cast<CodeTable*>(memory);
  sys::unmap(memory, sizeof(CodeTable));
  return nullptr;
}

}  // namespace

CodeNumber find_code(std::uint64_t code) {
  CodeNumber found;
  visit_places(*g_table.load(std::memory_order_acquire), code, [&](const Place& place) {
    const std::uint64_t seen = place.key.load(std::memory_order_acquire);
    if ((seen & ~kStateMask) == code && seen != (code | kBusy)) {
      found = {place.number.load(std::memory_order_relaxed), (seen & kDying) != 0};
      return true;
    }
    return seen == kEmpty;
  });
  // A dying object had no references left; one that has some is a new object.
  if (found.is_dying && load_as<std::uint32_t>(code + kObjectReferences) != 0)
    return {};
  return found;
}

std::uint32_t take_code_number() {
  CodeTable& table = *g_table.load(std::memory_order_acquire);
  const std::uint32_t number = table.numbers.fetch_add(1, std::memory_order_relaxed) + 1;
  if (number <= wire::kMaxCodeNumber)
    return number;
  table.numbers.store(wire::kMaxCodeNumber, std::memory_order_relaxed);
  return wire::kUnknownCode;
}

void keep_code_number(std::uint64_t code, std::uint32_t number) {
  visit_places(*g_table.load(std::memory_order_acquire), code, [&](Place& place) {
    std::uint64_t seen = place.key.load(std::memory_order_acquire);
    const bool is_ours = (seen & ~kStateMask) == code;
    if (is_ours && (seen & kDying) == 0)
      return true;
    if (seen != kEmpty && (seen & kDying) == 0)
      return false;
    if (!place.key.compare_exchange_strong(seen, code | kBusy))
      return false;
    place.number.store(number, std::memory_order_relaxed);
    place.key.store(code, std::memory_order_release);
    return true;
  });
}

void forget_all_code() {
  CodeTable* table = g_table.load(std::memory_order_acquire);
  if (table == nullptr)
    return;
  for (Place& place : table->places)
    place.key.store(kEmpty);
  g_code_epoch.fetch_add(1);
}

CodeTableMemory code_table_memory() {
  const CodeTable* table = g_table.load(std::memory_order_acquire);
  if (table == nullptr)
    return {};
  return {reinterpret_cast<std::uint64_t>(table), sizeof(CodeTable)};
}

bool watch_code_objects(std::uint64_t code_type) {
  if (g_table.load(std::memory_order_acquire) == nullptr) {
    CodeTable* table = map_table();
    if (table == nullptr)
      return false;
    g_table.store(table, std::memory_order_release);
  }
  auto& slot = *reinterpret_cast<std::atomic<Dealloc>*>(code_type + kTypeDealloc);
  Dealloc real = slot.load();
  if (real == nullptr)
    return false;
  if (real == forget_and_dealloc)
    return true;
  g_real_dealloc.store(real);
  return slot.compare_exchange_strong(real, forget_and_dealloc);
}

}  // namespace tidemark::python
