/// Captures the calling thread's stack and identifies it by one number.
///
/// Between two allocations most of a thread's stack does not change. The walker keeps its last
/// walk: for each frame the registers, and where in memory they were loaded from. A new walk goes
/// outwards from the innermost frame by cached unwind rules; as soon as it reaches a frame of the
/// last walk (same pc, sp and bp), the rest of the stack is the same if every slot that the last
/// walk read from there on still holds its value. That check costs half a nanosecond a slot, and it
/// is a proof, not a guess: unwinding reads nothing else.
///
///     innermost   [ fresh_: by rules ][ last_: checks_ hold ]   outermost
///                                      ^ the joined frame, its node already interned
///
/// Python frames (python_stack.hpp) come right after the native frame of the evaluator that runs
/// them.
#pragma once

#include "preload/unwind/frame_steps.hpp"
#include "preload/unwind/modules.hpp"
#include "preload/unwind/python_stack.hpp"
#include "preload/unwind/rules/frame_rule.hpp"
#include "preload/unwind/stack_interner.hpp"

#include <cstdint>

namespace tidemark::unwind {

constexpr std::uint32_t kMaxUnwindDepth = 1024;

/// What a walk needs from its surroundings.
struct WalkContext {
  StackInterner interner;
  std::uint32_t root = 0;         ///< Root node of the stacks of this module epoch.
  std::uint32_t epoch = 0;        ///< The module map's. A change empties every cache.
  std::uint32_t generation = 0;   ///< The stack table's. A change empties every cache, too.
  std::uint32_t depth_limit = 0;  ///< 1..kMaxUnwindDepth frames are kept, innermost first.
  /// Called when code of a module is reached that is not in this thread's cache.
  void (*on_module)(const Module& module, std::uint32_t epoch) = nullptr;
  TellCode tell_code = nullptr;
};

struct Capture {
  std::uint32_t node = 0;
  bool truncated = false;  ///< Deeper than the limit, or its outer end could not be unwound.
  bool needs_fallback =
      false;  ///< Stopped where the rule has a form that the walker does not know.
};

/// Caches of one thread. All zeros is the valid initial state.
class Walker {
 public:
  /// @param caller Frame of whoever called the hook; its stack must be the live one.
  Capture capture(const FrameState& caller, const WalkContext& context);

  /// Another thread takes over: drops the last walk's stack, keeps what is known about code.
  void forget_stack() {
    last_count_ = 0;
    python_.forget();
  }

  /// Like `capture`, but without caches or state, for a signal handler that interrupted `capture`
  /// itself. Slower; stacks beyond kPlainDepth frames are cut.
  static Capture capture_plain(const FrameState& caller, const WalkContext& context);
  static constexpr std::uint32_t kPlainDepth = 256;

  /// Interns what another unwinder found, innermost first, with the Python frames between.
  /// @param stack_pointers of each frame.
  Capture intern_found(const std::uint64_t* addresses,
                       const std::uint64_t* stack_pointers,
                       std::uint32_t count,
                       bool truncated,
                       const WalkContext& context);

  /// Interns addresses that another unwinder found, innermost first.
  static Capture intern_all(const std::uint64_t* addresses,
                            std::uint32_t count,
                            bool truncated,
                            const WalkContext& context);

 private:
  /// What one step outwards read, besides the pc just below the CFA.
  struct Sources {
    const std::uint64_t* bp_slot = nullptr;   ///< Where rbp was saved; nullptr: it was not.
    const std::uint64_t* cfa_slot = nullptr;  ///< Where the CFA itself was saved (kDerefBp).
  };
  /// A frame of the walk at hand.
  struct FreshFrame {
    FrameState state;
    Sources sources;
  };
  /// A frame of the last walk.
  struct KnownFrame {
    FrameState state;
    std::uint32_t node;
    std::uint32_t checks_end;  ///< checks_ up to here are of this frame and those further out.
  };
  /// A node interned before. The cache is indexed by pc and level, not by parent, so that look-ups
  /// of successive frames do not depend on each other.
  struct KnownNode {
    std::uint64_t pc;
    std::uint32_t parent;
    std::uint32_t node;
  };
  /// A word of the stack that the last walk read.
  struct Check {
    const std::uint64_t* slot;
    std::uint64_t value;
  };
  struct SpecialRule {
    std::uint64_t pc;
    FrameRule rule;
  };

  void forget(const WalkContext& context);
  template <bool kPython>
  Capture capture_frames(const FrameState& caller, const WalkContext& context);
  Capture capture_with_python(const FrameState& caller,
                              const WalkContext& context,
                              const python::Runtime& runtime);
  bool try_join(const FrameState& state);
  [[nodiscard]] std::uint32_t first_changed(std::uint32_t count) const;
  Progress advance(FrameState& state, Sources& sources, const WalkContext& context);
  Progress advance_uncached(FrameState& state, Sources& sources, const WalkContext& context);
  static Progress step_out(const FrameRule& rule, FrameState& state, Sources& sources);
  template <bool kPython>
  Capture stop_at_unknown(const WalkContext& context);
  FrameRule look_up(std::uint64_t pc, const WalkContext& context);
  std::uint32_t intern(std::uint32_t parent,
                       std::uint64_t pc,
                       std::uint32_t level,
                       const WalkContext& context);
  template <bool kPython>
  Capture finish(const WalkContext& context, bool truncated);
  std::uint32_t intern_run(std::uint32_t run,
                           std::uint32_t node,
                           bool is_known,
                           const WalkContext& context);
  Capture finish_truncated(const WalkContext& context);
  std::uint32_t add_run_addresses(std::uint32_t run, std::uint32_t count, std::uint32_t limit);

  static constexpr std::uint32_t kRuleSlots = 4096;
  static constexpr std::uint32_t kSpecialSlots = 64;
  static constexpr std::uint32_t kNodeSlots = 512;

  std::uint64_t rules_[kRuleSlots];  ///< pc << 16 | packed rule.
  SpecialRule special_[kSpecialSlots];
  KnownNode nodes_[kNodeSlots];
  KnownFrame last_[kMaxUnwindDepth];   ///< [0] is the outermost.
  Check checks_[3 * kMaxUnwindDepth];  ///< In the order of last_.
  FreshFrame fresh_[kMaxUnwindDepth];  ///< [0] is the innermost.
  std::uint64_t
      addresses_[kMaxUnwindDepth];  ///< Here and not on the stack, which may be a tiny one.
  std::uint32_t last_count_;
  std::uint32_t fresh_count_;
  std::uint32_t candidate_;  ///< Frames of last_ that may still be joined.
  std::uint32_t epoch_;      ///< kNeverUsed, no valid epoch, in the all-zero state.
  static constexpr std::uint32_t kNeverUsed = 0;
  std::uint32_t generation_;
  bool needs_fallback_;  ///< This walk stopped at a rule of another form.
  bool reusable_;        ///< This walk may serve the next one.
  bool exact_pc_;        ///< The state's pc is an interrupted instruction, not a return address.
  PythonStack python_;
};

}  // namespace tidemark::unwind
