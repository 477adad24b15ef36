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
  // In a new thread, or one wiped by a fork, all is zero already: clearing it again would touch ten
  // pages.
  if (epoch_ != kNeverUsed) {
    for (std::uint64_t& entry : rules_)
      entry = 0;
    for (SpecialRule& special : special_)
      special = {};
    for (KnownNode& known : nodes_)
      known = {};
  }
  forget_stack();
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
    // Copies, so that nothing here has its address taken and all of it stays in registers.
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

template <bool kPython>
[[gnu::always_inline]] inline Capture Walker::capture_frames(const FrameState& caller,
                                                             const WalkContext& context) {
  FrameState state{caller.pc, caller.sp, caller.bp};
  Sources sources;
  fresh_count_ = 0;
  reusable_ = true;
  exact_pc_ = false;
  needs_fallback_ = false;
  while (fresh_count_ < kMaxUnwindDepth) {
    if (try_join(state)) {
      if (!kPython || python_.may_join())
        return finish<kPython>(context, false);
      candidate_ = 0;
    }
    fresh_[fresh_count_++] = {state, sources};
    switch (advance(state, sources, context)) {
      case Progress::kGoOn:
        if (kPython && state.sp > python_.anchor() && !exact_pc_)
          python_.place(fresh_count_ - 1, fresh_[fresh_count_ - 1].state.sp, state.sp);
        break;
      case Progress::kEnd:
        candidate_ = 0;
        return finish<kPython>(context, false);
      case Progress::kUnknown:
        return stop_at_unknown<kPython>(context);
    }
  }
  return finish_truncated(context);
}

Capture Walker::capture(const FrameState& caller, const WalkContext& context) {
  if (epoch_ != context.epoch || generation_ != context.generation) [[unlikely]]
    forget(context);
  const python::Runtime* runtime = python::g_runtime.load(std::memory_order_acquire);
  if (runtime != nullptr) [[unlikely]]
    return capture_with_python(caller, context, *runtime);
  candidate_ = last_count_;
  return capture_frames<false>(caller, context);
}

[[gnu::noinline]] Capture Walker::capture_with_python(const FrameState& caller,
                                                      const WalkContext& context,
                                                      const python::Runtime& runtime) {
  candidate_ = python_.begin(runtime, context.tell_code, last_count_);
  return capture_frames<true>(caller, context);
}

template <bool kPython>
Capture Walker::stop_at_unknown(const WalkContext& context) {
  candidate_ = 0;
  Capture capture = finish<kPython>(context, true);
  capture.needs_fallback = needs_fallback_;
  forget_stack();
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

/// Interns the frames of a run that was placed in this walk.
/// @param is_known its frames from the last walk still have their nodes.
std::uint32_t Walker::intern_run(std::uint32_t run,
                                 std::uint32_t node,
                                 bool is_known,
                                 const WalkContext& context) {
  std::uint32_t i = python_.frames_begin(run);
  const std::uint32_t end = python_.run(run).frames_end;
  const std::uint32_t held = python_.held_frames() < end ? python_.held_frames() : end;
  if (is_known && held > i) {
    i = held;
    node = python_.frame(i - 1).node;
  }
  for (; i < end && node != wire::kNoNode; ++i) {
    PythonFrame& frame = python_.frame(i);
    if (frame.address != 0)
      node = intern(node, frame.address, i, context);
    frame.node = node;
  }
  return node;
}

template <bool kPython>
Capture Walker::finish(const WalkContext& context, bool truncated) {
  const std::uint32_t joined = candidate_;
  const std::uint32_t python_frames = kPython ? python_.frame_count() : 0;
  if (joined + fresh_count_ + python_frames > context.depth_limit ||
      joined + fresh_count_ > kMaxUnwindDepth || (kPython && python_.is_cut()))
    return finish_truncated(context);
  std::uint32_t node = joined > 0 ? last_[joined - 1].node : context.root;
  if (truncated)
    node = context.interner.intern(node, wire::kTruncatedMark);
  last_count_ = joined;
  std::uint32_t checks = joined > 0 ? last_[joined - 1].checks_end : 0;
  std::uint32_t run = kPython ? python_.first_placed() : 0;
  if (kPython && !python_.is_reusable(joined))
    reusable_ = false;
  for (std::uint32_t i = fresh_count_; i-- > 0;) {
    const FreshFrame& frame = fresh_[i];
    checks_[checks++] = {slot(frame.state.sp - 8), frame.state.pc};
    if (frame.sources.bp_slot != nullptr)
      checks_[checks++] = {frame.sources.bp_slot, frame.state.bp};
    if (frame.sources.cfa_slot != nullptr)
      checks_[checks++] = {frame.sources.cfa_slot, frame.state.sp};
    if (kPython && run < python_.run_count() && python_.run(run).fresh == i) {
      const bool is_known = last_count_ == joined && python_.run(run).evaluator == joined;
      if (node != wire::kNoNode)
        node = intern_run(run, node, is_known && !truncated, context);
      python_.run(run++).evaluator = last_count_;
    }
    if (node != wire::kNoNode)
      node = intern(node, frame.state.pc, last_count_, context);
    last_[last_count_++] = {{frame.state.pc, frame.state.sp, frame.state.bp}, node, checks};
  }
  if (!reusable_ || node == wire::kNoNode)
    kPython ? forget_stack() : void(last_count_ = 0);
  return {node, truncated || node == wire::kNoNode, false};
}

/// Appends the addresses of a run's frames to `addresses_`, the innermost first.
/// @return how many there are then, at most `limit`.
std::uint32_t Walker::add_run_addresses(std::uint32_t run,
                                        std::uint32_t count,
                                        std::uint32_t limit) {
  for (std::uint32_t i = python_.run(run).frames_end; i-- > python_.frames_begin(run);) {
    if (python_.frame(i).address != 0 && count < limit)
      addresses_[count++] = python_.frame(i).address;
  }
  return count;
}

/// Keeps the innermost frames. Such stacks are not reused: their outer end is not known.
Capture Walker::finish_truncated(const WalkContext& context) {
  std::uint32_t count = 0;
  const std::uint32_t limit = context.depth_limit;
  const bool has_python = python::g_runtime.load(std::memory_order_relaxed) != nullptr;
  std::uint32_t run = has_python ? python_.run_count() : 0;
  for (std::uint32_t i = 0; i < fresh_count_ && count < limit; ++i) {
    addresses_[count++] = fresh_[i].state.pc;
    if (run > python_.first_placed() && python_.run(run - 1).fresh == i)
      count = add_run_addresses(--run, count, limit);
  }
  for (std::uint32_t i = candidate_; i-- > 0 && count < limit;) {
    addresses_[count++] = last_[i].state.pc;
    if (run > 0 && python_.run(run - 1).evaluator == i)
      count = add_run_addresses(--run, count, limit);
  }
  forget_stack();
  return intern_all(addresses_, count, true, context);
}

Capture Walker::intern_found(const std::uint64_t* addresses,
                             const std::uint64_t* stack_pointers,
                             std::uint32_t count,
                             bool truncated,
                             const WalkContext& context) {
  const python::Runtime* runtime = python::g_runtime.load(std::memory_order_acquire);
  std::uint32_t run = 0;
  if (runtime != nullptr) {
    python_.begin(*runtime, context.tell_code, 0);
    run = python_.run_count();
  }
  const std::uint32_t limit = context.depth_limit;
  std::uint32_t total = 0;
  std::uint32_t i = 0;
  for (; i < count && total < limit; ++i) {
    addresses_[total++] = addresses[i];
    const std::uint64_t anchor = run > 0 ? python_.run(run - 1).anchor : 0;
    if (i + 1 < count && anchor >= stack_pointers[i] && anchor < stack_pointers[i + 1])
      total = add_run_addresses(--run, total, limit);
  }
  forget_stack();
  const bool is_cut = i < count || (runtime != nullptr && python_.is_cut());
  return intern_all(addresses_, total, truncated || is_cut, context);
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
