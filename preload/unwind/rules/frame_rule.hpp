/// How to get from one frame of a stack to its caller: the unwind rule of one program counter.
///
/// Nearly all compiled code on x86-64 has one shape: the canonical frame address (CFA) is rsp or
/// rbp plus a constant, the return address is at CFA - 8, and rbp is either untouched or saved at a
/// constant distance below the CFA. Such a rule packs into 16 bits. (DWARF 5, section 6.4; System V
/// ABI for x86-64, section 3.7.)
#pragma once

#include <cstdint>

namespace tidemark::unwind {

/// Registers of one frame, as far as unwinding needs them.
struct FrameState {
  std::uint64_t pc;  ///< Return address into the function (the exact pc just after a signal frame).
  std::uint64_t sp;  ///< Its stack pointer once the callee has returned.
  std::uint64_t bp;  ///< Its rbp.
};

enum class RuleKind : std::uint8_t {
  kUnknown,       ///< A rule of no kind below, or unreadable tables.
  kNone,          ///< No unwind table covers this code.
  kEnd,           ///< The outermost frame: the return address is undefined.
  kFromSp,        ///< CFA = sp + cfa_offset.
  kFromBp,        ///< CFA = bp + cfa_offset.
  kDerefBp,       ///< CFA = *(bp + cfa_offset): a function that realigned its stack.
  kFramePointer,  ///< Code without tables: as kFromBp, where rbp plausibly is a frame pointer.
  kSignal,        ///< The kernel's signal frame: the interrupted registers lie at fixed places.
};

struct FrameRule {
  RuleKind kind = RuleKind::kUnknown;
  bool saves_bp = false;
  std::int32_t cfa_offset = 0;
  std::int32_t bp_offset = 0;  ///< From the CFA; with kDerefBp from bp itself.
};

/// A rule in 16 bits: 1 bit base register, 10 bits CFA offset / 8, 5 bits distance of the saved
/// rbp. 0 = the rule does not fit (and is looked up each time).
using PackedRule = std::uint16_t;

constexpr PackedRule kPackedNone = 0;
constexpr PackedRule kPackedFromBp = 1U << 15;
constexpr unsigned kPackedCfaShift = 5;
constexpr unsigned kPackedCfaLimit = 1U << 10;
constexpr unsigned kPackedBpMask = 0x1f;  ///< 0 = not saved, n = saved at CFA - 8 * (n + 1).

constexpr PackedRule pack(const FrameRule& rule) {
  if (rule.kind != RuleKind::kFromSp && rule.kind != RuleKind::kFromBp)
    return kPackedNone;
  if (rule.cfa_offset <= 0 || rule.cfa_offset % 8 != 0)
    return kPackedNone;
  const auto cfa = static_cast<unsigned>(rule.cfa_offset) / 8;
  if (cfa >= kPackedCfaLimit)
    return kPackedNone;
  unsigned saved = 0;
  if (rule.saves_bp) {
    if (rule.bp_offset % 8 != 0 || rule.bp_offset > -16)
      return kPackedNone;
    saved = static_cast<unsigned>(-rule.bp_offset) / 8 - 1;
    if (saved > kPackedBpMask)
      return kPackedNone;
  }
  const unsigned base = rule.kind == RuleKind::kFromBp ? kPackedFromBp : 0U;
  return static_cast<PackedRule>(base | (cfa << kPackedCfaShift) | saved);
}

constexpr FrameRule unpack(PackedRule packed) {
  FrameRule rule;
  rule.kind = (packed & kPackedFromBp) != 0 ? RuleKind::kFromBp : RuleKind::kFromSp;
  rule.cfa_offset =
      static_cast<std::int32_t>((packed >> kPackedCfaShift) & (kPackedCfaLimit - 1)) * 8;
  const auto saved = static_cast<std::int32_t>(packed & kPackedBpMask);
  rule.saves_bp = saved != 0;
  rule.bp_offset = saved != 0 ? -8 * (saved + 1) : 0;
  return rule;
}

static_assert(unpack(pack({RuleKind::kFromBp, true, 16, -16})).bp_offset == -16);
static_assert(unpack(pack({RuleKind::kFromSp, false, 8, 0})).cfa_offset == 8);

}  // namespace tidemark::unwind
