#include "preload/unwind/walker.hpp"

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

/// No frame is this large; a CFA further away comes from registers that do not mean what we think.
constexpr std::uint64_t kMaxFrameBytes = std::uint64_t{256} << 20;
/// The same for code without unwind information, where rbp is only probably a frame pointer.
constexpr std::uint64_t kMaxGuessedFrameBytes = std::uint64_t{1} << 20;

extern "C" void* __libc_stack_end;  // NOLINT(bugprone-reserved-identifier): glibc's name

/// Top of the thread's own stack when `sp` is on it: glibc puts the thread block at the top of a
/// thread's stack. 0 for a stack that we know nothing about (a coroutine's, a signal's).
std::uint64_t stack_top(std::uint64_t sp) {
  const auto thread_block = reinterpret_cast<std::uint64_t>(__builtin_thread_pointer());
  const auto main_end = reinterpret_cast<std::uint64_t>(__libc_stack_end);
  if (sp < thread_block && thread_block - sp < (std::uint64_t{64} << 20))
    return thread_block;
  if (sp < main_end && main_end - sp < (std::uint64_t{64} << 20))
    return main_end;
  return 0;
}

/// Code that no loaded object covers is generated code; V8, SpiderMonkey and interpreters keep rbp as
/// frame pointer. Taken only where the two words read are on the thread's own stack.
bool plausible_frame_pointer(const FrameState& state) {
  const std::uint64_t top = stack_top(state.sp);
  return top != 0 && state.bp % 8 == 0 && state.bp >= state.sp &&
         state.bp - state.sp < kMaxGuessedFrameBytes && state.bp + 16 <= top;
}

FrameRule rule_in(const Module& module, std::uint64_t address) {
  FrameRule rule = find_rule(module.tables, address);
  // The loader's entry is hand-written, without tables: there is nothing further out.
  if (rule.kind == RuleKind::kUnknown && module.is_loader)
    rule.kind = RuleKind::kEnd;
  return rule;
}

constexpr FrameRule kFramePointerRule{RuleKind::kFramePointer, true, 16, -16};

/// The memory that one step outwards read.
struct Sources {
  const std::uint64_t* bp_slot = nullptr;   ///< Where the caller's rbp was saved.
  const std::uint64_t* cfa_slot = nullptr;  ///< Where the CFA itself was saved (kDerefBp).
};

std::uint64_t offset(std::uint64_t base, std::int32_t distance) {
  return base + static_cast<std::uint64_t>(std::int64_t{distance});
}

/// rt_sigframe: the ucontext is at sp, uc_mcontext.gregs at its byte 40 (asm/sigcontext.h); rbp is the
/// 11th register there, rsp the 16th, rip the 17th.
FrameState interrupted_state(const FrameState& state) {
  return {load(state.sp + 168), load(state.sp + 160), load(state.sp + 120)};
}

/// One step outwards by any rule but a signal frame's.
Progress step_out(const FrameRule& rule, FrameState& state, Sources& sources) {
  std::uint64_t cfa = 0;
  switch (rule.kind) {
    case RuleKind::kFromSp:
      cfa = offset(state.sp, rule.cfa_offset);
      break;
    case RuleKind::kFramePointer:
      if (!plausible_frame_pointer(state))
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
    case RuleKind::kUnknown:
      return Progress::kUnknown;
  }
  if (cfa - state.sp - 1 >= kMaxFrameBytes)
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

}  // namespace

void Walker::forget(const WalkContext& context) {
  for (std::uint64_t& entry : rules_)
    entry = 0;
  for (SpecialRule& special : special_)
    special = {};
  last_count_ = 0;
  epoch_ = context.epoch;
}

FrameRule Walker::look_up(std::uint64_t pc, const WalkContext& context) {
  SpecialRule& special = special_[rule_index(pc, kSpecialSlots)];
  if (special.pc == pc && !exact_pc_)
    return special.rule;
  Module module;
  FrameRule rule = kFramePointerRule;
  if (find_module(pc, module)) {
    context.on_module(module, context.epoch);
    rule = rule_in(module, exact_pc_ ? pc : pc - 1);
  }
  if (exact_pc_)
    return rule;
  if (const PackedRule packed = pack(rule); packed != kPackedNone)
    rules_[rule_index(pc, kRuleSlots)] = (pc << 16) | packed;
  else
    special = {pc, rule};
  return rule;
}

std::uint32_t Walker::first_changed(std::uint32_t count) const {
  for (std::uint32_t i = count; i-- > 0;) {
    const Step& step = last_[i];
    if (((load(step.sp - 8) ^ step.pc) | (*step.bp_slot ^ step.bp)) != 0)
      return i + 1;
  }
  return 0;
}

bool Walker::try_join(const FrameState& state) {
  while (candidate_ > 0 && last_[candidate_ - 1].sp < state.sp)
    --candidate_;
  if (candidate_ == 0)
    return false;
  const Step& step = last_[candidate_ - 1];
  if (step.sp != state.sp || step.pc != state.pc || step.bp != state.bp || !step.is_frame)
    return false;
  // Frames further out than the first changed slot may be met again; the changed one may not.
  const std::uint32_t changed = first_changed(candidate_ - 1);
  if (changed == 0)
    return true;
  candidate_ = changed - 1;
  return false;
}

void Walker::push(const FrameState& state, const std::uint64_t* bp_slot, bool is_frame) {
  fresh_[fresh_count_++] = {state.pc, state.sp, state.bp, bp_slot, 0, is_frame};
}

Progress Walker::advance(FrameState& state, const WalkContext& context) {
  const std::uint64_t entry = rules_[rule_index(state.pc, kRuleSlots)];
  if (entry >> 16 == state.pc && !exact_pc_) [[likely]] {
    const auto packed = static_cast<PackedRule>(entry);
    const std::uint64_t base = (packed & kPackedFromBp) != 0 ? state.bp : state.sp;
    const std::uint64_t cfa = base + ((packed >> kPackedCfaShift) & (kPackedCfaLimit - 1)) * 8U;
    const unsigned saved = packed & kPackedBpMask;
    if (cfa - state.sp - 1 >= kMaxFrameBytes)
      return Progress::kUnknown;
    const std::uint64_t* bp_slot = nullptr;
    if (saved != 0) {
      bp_slot = slot(cfa - 8 * (saved + 1));
      state.bp = *bp_slot;
    }
    state.pc = load(cfa - 8);
    state.sp = cfa;
    if (state.pc == 0)
      return Progress::kEnd;
    push(state, bp_slot, true);
    return Progress::kGoOn;
  }
  return advance_uncached(state, context);
}

Progress Walker::advance_uncached(FrameState& state, const WalkContext& context) {
  const FrameRule rule = look_up(state.pc, context);
  if (rule.kind == RuleKind::kSignal) {
    reusable_ = false;
    exact_pc_ = true;
    state = interrupted_state(state);
    push(state, nullptr, true);
    return Progress::kGoOn;
  }
  Sources sources;
  const Progress progress = step_out(rule, state, sources);
  exact_pc_ = false;
  // One slot more that this walk depends on: checked as if it were a return address.
  if (sources.cfa_slot != nullptr)
    push({*sources.cfa_slot, reinterpret_cast<std::uint64_t>(sources.cfa_slot + 1), 0}, nullptr, false);
  if (progress == Progress::kGoOn)
    push(state, sources.bp_slot, true);
  return progress;
}

Capture Walker::capture(const FrameState& caller, const WalkContext& context) {
  if (epoch_ != context.epoch) [[unlikely]]
    forget(context);
  FrameState state = caller;
  fresh_count_ = 0;
  candidate_ = last_count_;
  reusable_ = true;
  exact_pc_ = false;
  if (try_join(state))
    return finish(context, false);
  push(state, nullptr, true);
  // Room for two steps at a time: kDerefBp pushes a check besides the frame.
  while (fresh_count_ + 2 <= kMaxDepth) {
    switch (advance(state, context)) {
      case Progress::kGoOn:
        if (!try_join(state))
          continue;
        --fresh_count_;  // the joined frame is last_'s
        return finish(context, false);
      case Progress::kEnd:
        candidate_ = 0;
        return finish(context, false);
      case Progress::kUnknown: {
        candidate_ = 0;
        Module module;
        const bool in_module = find_module(state.pc, module);
        Capture capture = finish(context, true);
        capture.needs_fallback = in_module;
        last_count_ = 0;
        return capture;
      }
    }
  }
  return finish_truncated(context);
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
      rule = rule_in(module, exact ? state.pc : state.pc - 1);
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

Capture Walker::finish(const WalkContext& context, bool truncated) {
  const std::uint32_t joined = candidate_;
  if (joined + fresh_count_ > context.depth_limit || joined + fresh_count_ > kMaxDepth)
    return finish_truncated(context);
  std::uint32_t node = joined > 0 ? last_[joined - 1].node : context.root;
  if (truncated)
    node = context.interner.intern(node, wire::kTruncatedMark);
  last_count_ = joined;
  for (std::uint32_t i = fresh_count_; i-- > 0;) {
    Step& step = last_[last_count_++];
    step = fresh_[i];
    if (step.bp_slot == nullptr)
      step.bp_slot = &step.bp;
    if (step.is_frame && node != wire::kNoNode)
      node = context.interner.intern(node, step.pc);
    step.node = node;
  }
  if (!reusable_ || node == wire::kNoNode)
    last_count_ = 0;
  return {node, truncated || node == wire::kNoNode, false};
}

/// Keeps the innermost frames. Such stacks are not reused: their outer end is not known.
Capture Walker::finish_truncated(const WalkContext& context) {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < fresh_count_ && count < context.depth_limit; ++i) {
    if (fresh_[i].is_frame)
      addresses_[count++] = fresh_[i].pc;
  }
  for (std::uint32_t i = candidate_; i-- > 0 && count < context.depth_limit;) {
    if (last_[i].is_frame)
      addresses_[count++] = last_[i].pc;
  }
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
