#include "preload/unwind/walker.hpp"

#include "preload/unwind/frame_steps.hpp"

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::unwind {
namespace {

std::uint64_t load(std::uint64_t address) {
  return *reinterpret_cast<const std::uint64_t*>(address);
}
const std::uint64_t* slot(std::uint64_t address) {
  return reinterpret_cast<const std::uint64_t*>(address);
}

std::uint32_t rule_index(std::uint64_t pc, std::uint32_t slots) {
  return static_cast<std::uint32_t>((pc * 0x9E3779B97F4A7C15U) >> 40) & (slots - 1);
}

constexpr FrameRule kFramePointerRule{RuleKind::kFramePointer, true, 16, -16};

/// @param is_exact `pc` is an interrupted instruction, not a return address.
FrameRule rule_in(const Module& module, std::uint64_t pc, bool is_exact) {
  const FrameRule rule = find_rule(module.tables, is_exact ? pc : pc - 1);
  if (rule.kind != RuleKind::kNone)
    return rule;
  return is_outermost(module, pc, is_exact) ? FrameRule{RuleKind::kEnd} : kFramePointerRule;
}

std::uint64_t offset(std::uint64_t base, std::int32_t distance) {
  return base + static_cast<std::uint64_t>(std::int64_t{distance});
}

FrameState interrupted_state(const FrameState& state) {
  const Registers registers = interrupted_registers(state.sp);
  return {registers.get(kReturnAddress), registers.get(kRsp), registers.get(kRbp)};
}

}  // namespace

/// One step outwards by any rule but a signal frame's.
Progress Walker::step_out(const FrameRule& rule, FrameState& state, Sources& sources) {
  std::uint64_t cfa = 0;
  switch (rule.kind) {
    case RuleKind::kFromSp:
      cfa = offset(state.sp, rule.cfa_offset);
      break;
    case RuleKind::kFramePointer:
      if (!is_plausible_frame_pointer(state))
        return Progress::kUnknown;
      [[fallthrough]];
    case RuleKind::kFromBp:
      cfa = offset(state.bp, rule.cfa_offset);
      break;
    case RuleKind::kDerefBp:
      if (offset(state.bp, rule.cfa_offset) - state.sp > kMaxFrameBytes)
        return Progress::kUnknown;
      sources.cfa_slot = slot(offset(state.bp, rule.cfa_offset));
      cfa = *sources.cfa_slot;
      break;
    case RuleKind::kEnd:
      return Progress::kEnd;
    case RuleKind::kSignal:
    case RuleKind::kNone:
    case RuleKind::kUnknown:
      return Progress::kUnknown;
  }
  if (!is_plausible_frame(state.sp, cfa))
    return Progress::kUnknown;
  if (rule.saves_bp) {
    const std::uint64_t base = rule.kind == RuleKind::kDerefBp ? state.bp : cfa;
    sources.bp_slot = slot(offset(base, rule.bp_offset));
    state.bp = *sources.bp_slot;
  }
  state.pc = load(cfa - 8);
  state.sp = cfa;
  return state.pc == 0 ? Progress::kEnd : Progress::kGoOn;
}

void Walker::forget(const WalkContext& context) {
  // Of a thread that starts, or that a fork has wiped, all is zero: to say so once more would touch
  // ten pages of it.
  if (epoch_ != kNeverUsed) {
    for (std::uint64_t& entry : rules_)
      entry = 0;
    for (SpecialRule& special : special_)
      special = {};
    for (KnownNode& known : nodes_)
      known = {};
  }
  last_count_ = 0;
  epoch_ = context.epoch;
  generation_ = context.generation;
}

FrameRule Walker::look_up(std::uint64_t pc, const WalkContext& context) {
  SpecialRule& special = special_[rule_index(pc, kSpecialSlots)];
  if (special.pc == pc && !exact_pc_)
    return special.rule;
  Module module;
  FrameRule rule = kFramePointerRule;
  if (find_module(pc, module)) {
    context.on_module(module, context.epoch);
    rule = rule_in(module, pc, exact_pc_);
  }
  if (exact_pc_)
    return rule;
  if (const PackedRule packed = pack(rule); packed != kPackedNone)
    rules_[rule_index(pc, kRuleSlots)] = (pc << 16) | packed;
  else
    special = {pc, rule};
  return rule;
}

/// @return 1 + the innermost of the `count` outermost frames of the last walk that depends on a
/// word which has changed since; 0 when none does.
std::uint32_t Walker::first_changed(std::uint32_t count) const {
  if (count == 0)
    return 0;
  const auto is_changed = [](const Check& check) { return (*check.slot ^ check.value) != 0; };
  const Check* check = checks_ + last_[count - 1].checks_end;
  // Four at a time: nearly always nothing has changed.
  for (; check - checks_ >= 4; check -= 4) {
    if (((*check[-1].slot ^ check[-1].value) | (*check[-2].slot ^ check[-2].value) |
         (*check[-3].slot ^ check[-3].value) | (*check[-4].slot ^ check[-4].value)) != 0)
      break;
  }
  while (check > checks_ && !is_changed(check[-1]))
    --check;
  const auto changed_end = static_cast<std::uint32_t>(check - checks_);
  if (changed_end == 0)
    return 0;
  while (count > 1 && last_[count - 2].checks_end >= changed_end)
    --count;
  return count;
}

[[gnu::always_inline]] inline bool Walker::try_join(const FrameState& state) {
  while (candidate_ > 0 && last_[candidate_ - 1].state.sp < state.sp)
    --candidate_;
  if (candidate_ == 0)
    return false;
  const FrameState& known = last_[candidate_ - 1].state;
  if (known.sp != state.sp || known.pc != state.pc || known.bp != state.bp)
    return false;
  // Frames further out than the first changed slot may be met again; the changed one may not.
  const std::uint32_t changed = first_changed(candidate_ - 1);
  if (changed == 0)
    return true;
  candidate_ = changed - 1;
  return false;
}

[[gnu::always_inline]] inline Progress Walker::advance(FrameState& state,
                                                       Sources& sources,
                                                       const WalkContext& context) {
  const std::uint64_t entry = rules_[rule_index(state.pc, kRuleSlots)];
  if (entry >> 16 != state.pc || exact_pc_) [[unlikely]] {
    // By way of copies: nothing here has an address then, and all of it stays in registers.
    FrameState outer = state;
    Sources read;
    const Progress progress = advance_uncached(outer, read, context);
    state = outer;
    sources = read;
    return progress;
  }
  const auto packed = static_cast<PackedRule>(entry);
  const std::uint64_t base = (packed & kPackedFromBp) != 0 ? state.bp : state.sp;
  const std::uint64_t cfa = base + ((packed >> kPackedCfaShift) & (kPackedCfaLimit - 1)) * 8U;
  const unsigned saved = packed & kPackedBpMask;
  if (!is_plausible_frame(state.sp, cfa))
    return Progress::kUnknown;
  sources = {};
  if (saved != 0) {
    sources.bp_slot = slot(cfa - 8 * (saved + 1));
    state.bp = *sources.bp_slot;
  }
  state.pc = load(cfa - 8);
  state.sp = cfa;
  return state.pc == 0 ? Progress::kEnd : Progress::kGoOn;
}

Progress Walker::advance_uncached(FrameState& state, Sources& sources, const WalkContext& context) {
  const FrameRule rule = look_up(state.pc, context);
  if (rule.kind == RuleKind::kSignal) {
    reusable_ = false;
    exact_pc_ = true;
    state = interrupted_state(state);
    return Progress::kGoOn;
  }
  exact_pc_ = false;
  const Progress progress = step_out(rule, state, sources);
  needs_fallback_ = progress == Progress::kUnknown && rule.kind != RuleKind::kFramePointer;
  return progress;
}

Capture Walker::capture(const FrameState& caller, const WalkContext& context) {
  if (epoch_ != context.epoch || generation_ != context.generation) [[unlikely]]
    forget(context);
  FrameState state{caller.pc, caller.sp, caller.bp};
  Sources sources;
  fresh_count_ = 0;
  candidate_ = last_count_;
  reusable_ = true;
  exact_pc_ = false;
  needs_fallback_ = false;
  while (fresh_count_ < kMaxDepth) {
    if (try_join(state))
      return finish(context, false);
    fresh_[fresh_count_++] = {state, sources};
    switch (advance(state, sources, context)) {
      case Progress::kGoOn:
        break;
      case Progress::kEnd:
        candidate_ = 0;
        return finish(context, false);
      case Progress::kUnknown:
        return stop_at_unknown(context);
    }
  }
  return finish_truncated(context);
}

Capture Walker::stop_at_unknown(const WalkContext& context) {
  candidate_ = 0;
  Capture capture = finish(context, true);
  capture.needs_fallback = needs_fallback_;
  last_count_ = 0;
  return capture;
}

Capture Walker::capture_plain(const FrameState& caller, const WalkContext& context) {
  std::uint64_t addresses[kPlainDepth];
  std::uint32_t count = 0;
  FrameState state = caller;
  bool exact = false;
  Progress progress = Progress::kGoOn;
  while (progress == Progress::kGoOn && count < kPlainDepth) {
    addresses[count++] = state.pc;
    Module module;
    FrameRule rule = kFramePointerRule;
    if (find_module(state.pc, module)) {
      context.on_module(module, context.epoch);
      rule = rule_in(module, state.pc, exact);
    }
    exact = rule.kind == RuleKind::kSignal;
    Sources sources;
    if (exact)
      state = interrupted_state(state);
    else
      progress = step_out(rule, state, sources);
  }
  return intern_all(addresses, count, progress != Progress::kEnd, context);
}

[[gnu::always_inline]] inline std::uint32_t Walker::intern(std::uint32_t parent,
                                                           std::uint64_t pc,
                                                           std::uint32_t level,
                                                           const WalkContext& context) {
  KnownNode& known = nodes_[rule_index(pc ^ (std::uint64_t{level} << 32), kNodeSlots)];
  if (known.pc != pc || known.parent != parent) [[unlikely]] {
    const std::uint32_t node = context.interner.intern(parent, pc);
    if (node == wire::kNoNode)
      return node;
    known = {pc, parent, node};
  }
  return known.node;
}

Capture Walker::finish(const WalkContext& context, bool truncated) {
  const std::uint32_t joined = candidate_;
  if (joined + fresh_count_ > context.depth_limit || joined + fresh_count_ > kMaxDepth)
    return finish_truncated(context);
  std::uint32_t node = joined > 0 ? last_[joined - 1].node : context.root;
  if (truncated)
    node = context.interner.intern(node, wire::kTruncatedMark);
  last_count_ = joined;
  std::uint32_t checks = joined > 0 ? last_[joined - 1].checks_end : 0;
  for (std::uint32_t i = fresh_count_; i-- > 0;) {
    const FreshFrame& frame = fresh_[i];
    checks_[checks++] = {slot(frame.state.sp - 8), frame.state.pc};
    if (frame.sources.bp_slot != nullptr)
      checks_[checks++] = {frame.sources.bp_slot, frame.state.bp};
    if (frame.sources.cfa_slot != nullptr)
      checks_[checks++] = {frame.sources.cfa_slot, frame.state.sp};
    if (node != wire::kNoNode)
      node = intern(node, frame.state.pc, last_count_, context);
    last_[last_count_++] = {{frame.state.pc, frame.state.sp, frame.state.bp}, node, checks};
  }
  if (!reusable_ || node == wire::kNoNode)
    last_count_ = 0;
  return {node, truncated || node == wire::kNoNode, false};
}

/// Keeps the innermost frames. Such stacks are not reused: their outer end is not known.
Capture Walker::finish_truncated(const WalkContext& context) {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < fresh_count_ && count < context.depth_limit; ++i)
    addresses_[count++] = fresh_[i].state.pc;
  for (std::uint32_t i = candidate_; i-- > 0 && count < context.depth_limit;)
    addresses_[count++] = last_[i].state.pc;
  last_count_ = 0;
  return intern_all(addresses_, count, true, context);
}

Capture Walker::intern_all(const std::uint64_t* addresses,
                           std::uint32_t count,
                           bool truncated,
                           const WalkContext& context) {
  const StackInterner& interner = context.interner;
  std::uint32_t node = context.root;
  if (truncated)
    node = interner.intern(node, wire::kTruncatedMark);
  for (std::uint32_t i = count; i-- > 0 && node != wire::kNoNode;)
    node = interner.intern(node, addresses[i]);
  return {node, truncated || node == wire::kNoNode, false};
}

}  // namespace tidemark::unwind
