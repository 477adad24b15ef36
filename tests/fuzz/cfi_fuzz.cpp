// Arbitrary bytes as a module's unwind tables. Whatever they are, a look-up ends, and reads nothing
// outside the module's mapping: the bytes lie between two pages that may not be touched, first
// against the one, then against the other.
//
// Input: header16 (where .eh_frame_hdr is, modulo the size), offset32 (one more address to look up,
// from the header), then the mapping's bytes.
#include "preload/unwind/rules/cfi.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include <sys/mman.h>

namespace {

using namespace tidemark::unwind;

constexpr std::size_t kPage = 4096;
constexpr std::size_t kRoom = 64 * 1024;

/// Between two forbidden pages.
std::byte* room() {
  static std::byte* const memory = [] {
    void* all = ::mmap(nullptr, kRoom + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    auto* inner = static_cast<std::byte*>(all) + kPage;
    if (all == MAP_FAILED || ::mprotect(inner, kRoom, PROT_READ | PROT_WRITE) != 0)
      std::abort();
    return inner;
  }();
  return memory;
}

void look_up(const UnwindTables& tables, std::uint64_t address) {
  const FrameRule rule = find_rule(tables, address);
  // What the walker relies on.
  if (rule.kind > RuleKind::kSignal)
    std::abort();
  if (const PackedRule packed = pack(rule); packed != kPackedNone) {
    const FrameRule again = unpack(packed);
    if (again.kind != rule.kind || again.cfa_offset != rule.cfa_offset ||
        again.saves_bp != rule.saves_bp || (rule.saves_bp && again.bp_offset != rule.bp_offset))
      std::abort();
  }
  is_planted(tables, address);
}

void look_up_all(std::byte* place,
                 std::span<const std::byte> bytes,
                 std::size_t header,
                 std::int32_t offset) {
  std::copy(bytes.begin(), bytes.end(), place);
  const UnwindTables tables{place + header, place, place + bytes.size()};
  const auto base = reinterpret_cast<std::uint64_t>(tables.eh_frame_header);
  look_up(tables, base + static_cast<std::uint64_t>(std::int64_t{offset}));
  // Addresses that the table itself names lead furthest.
  for (std::size_t at = header + 12, i = 0; at + 4 <= bytes.size() && i < 16; at += 8, ++i) {
    std::int32_t begin = 0;
    std::memcpy(&begin, place + at, sizeof begin);
    for (const std::int64_t inside : {0, 1, 4, 9, 40, 255})
      look_up(tables, base + static_cast<std::uint64_t>(begin + inside));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kPrefix = 6;
  if (size <= kPrefix)
    return 0;
  const auto all = std::as_bytes(std::span(data, size));
  const auto bytes = all.subspan(kPrefix).first(std::min(size - kPrefix, kRoom));
  std::uint16_t header = 0;
  std::int32_t offset = 0;
  std::memcpy(&header, data, sizeof header);
  std::memcpy(&offset, data + 2, sizeof offset);
  look_up_all(room(), bytes, header % bytes.size(), offset);
  look_up_all(room() + kRoom - bytes.size(), bytes, header % bytes.size(), offset);
  return 0;
}
