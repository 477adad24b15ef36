/// The Python frames of one thread's stack, and which native frames they belong between.
///
/// Each call of the interpreter's evaluator runs Python frames: a *run*, which ends with the frame
/// that the evaluator was called for. What tells whose run it is is its *anchor*, which lies in the
/// evaluator's own C frame: the walk over native frames knows the evaluator by that alone, whatever
/// its code looks like. Of a stack without the anchors where they should be nothing is made.
///
///     native frames           runs
///     malloc
///     PyObject_Malloc
///     evaluator  [anchor] ->  load, main
///     _PyEval_Vector
///     evaluator  [anchor] ->  <module>
///     main
///
/// As the walker keeps the words of the stack that it read, the frames of the last walk are kept
/// with what was read of them, and compared: inwards to outwards, since they lie in memory that the
/// interpreter gives back: nothing is read before the link to it has proved to be what it was.
#pragma once

#include "preload/python/runtime.hpp"

#include <cstdint>

namespace tidemark::unwind {

struct PythonFrame {
  std::uint64_t frame;        ///< The interpreter's _PyInterpreterFrame.
  std::uint64_t instruction;  ///< Where in which code it is: no two code objects share one.
  std::uint64_t address;      ///< As a node's; 0: Python itself does not show it.
  std::uint32_t node;
};

/// What one call of the evaluator runs.
struct PythonRun {
  std::uint64_t anchor;
  std::uint32_t frames_end;  ///< It has the frames from the end of the run further out up to here.
  std::uint32_t evaluator;   ///< Whose run: a native frame of the last walk, the outermost is 0.
  std::uint32_t fresh;       ///< The same: a fresh frame of this walk, the innermost is 0.
};

/// Tells the collector of a code object at its first sight. @return its number.
using TellCode = std::uint32_t (*)(std::uint64_t code, const python::Runtime& runtime);

/// Of one thread. All zeros is the valid initial state.
class PythonStack {
 public:
  static constexpr std::uint32_t kMaxFrames = 1024;
  static constexpr std::uint32_t kMaxRuns = 512;

  /// A walk begins: reads the chain of Python frames as it is now.
  /// @param native frames of the last walk.
  /// @return of these, how many, from outside, have no Python frame further out that has changed.
  std::uint32_t begin(const python::Runtime& runtime, TellCode tell, std::uint32_t native);

  /// Where the innermost run that has no native frame yet has its anchor.
  [[nodiscard]] std::uint64_t anchor() const { return anchor_; }
  /// The walk has left the fresh native frame `index`, whose memory reaches from `begin` to `end`,
  /// beyond the anchor.
  void place(std::uint32_t index, std::uint64_t begin, std::uint64_t end);
  /// False when runs without a native frame are not those of frames that the walk has joined.
  [[nodiscard]] bool may_join() const { return unplaced_ <= held_runs_; }

  void forget() { run_count_ = 0; }

  // For the end of a walk. Runs, and the frames of each, have the outermost first.

  /// The outermost run that was placed in this walk.
  [[nodiscard]] std::uint32_t first_placed() const { return unplaced_; }
  [[nodiscard]] std::uint32_t run_count() const { return run_count_; }
  [[nodiscard]] PythonRun& run(std::uint32_t i) { return runs_[i]; }
  [[nodiscard]] std::uint32_t frames_begin(std::uint32_t run) const {
    return run > 0 ? runs_[run - 1].frames_end : 0;
  }
  [[nodiscard]] PythonFrame& frame(std::uint32_t i) { return frames_[i]; }
  [[nodiscard]] std::uint32_t frame_count() const {
    return run_count_ > 0 ? runs_[run_count_ - 1].frames_end : 0;
  }
  /// Frames below it, from outside, are those of the last walk. Their nodes are, where the native
  /// frames further out are, too.
  [[nodiscard]] std::uint32_t held_frames() const { return held_frames_; }
  /// There are more frames further out.
  [[nodiscard]] bool is_cut() const { return is_cut_; }
  /// False when the next walk must not take anything of this one for known.
  /// @param joined native frames of the last walk that this one has joined.
  [[nodiscard]] bool is_reusable(std::uint32_t joined) const {
    return !is_lost_ && !is_dying_ && (unplaced_ == 0 || runs_[unplaced_ - 1].evaluator < joined);
  }

 private:
  static constexpr std::uint64_t kNoAnchor = ~std::uint64_t{0};
  static constexpr std::uint32_t kNoEvaluator = ~std::uint32_t{0};
  static constexpr std::uint32_t kMaxLookBack = 16;
  static constexpr std::uint32_t kKnownSlots = 1024;
  /// No chain is longer; one that goes in a circle is not gone round for ever.
  static constexpr std::uint32_t kMaxChainFrames = 1U << 20;

  /// Where an instruction is, as a node says it. Holds while no code object with a number dies.
  struct KnownAddress {
    std::uint64_t instruction;
    std::uint64_t address;
    std::uint64_t code_epoch;
  };

  template <bool kIsPaired>
  [[nodiscard]] bool is_unchanged(std::uint64_t link) const;
  std::uint32_t read_anew(std::uint64_t link, std::uint32_t native);
  void read(std::uint64_t link);
  std::uint64_t read_run(std::uint64_t first, std::uint64_t anchor);
  [[nodiscard]] std::uint32_t find_candidate(std::uint64_t frame) const;
  template <bool kIsPaired>
  [[nodiscard]] bool holds(std::uint32_t run, std::uint32_t frames) const;
  bool keep_held(std::uint32_t frames, std::uint64_t anchor);
  [[nodiscard]] bool ends_in_pairs(std::uint64_t link, std::uint64_t frame) const;
  void close_run(std::uint64_t anchor);
  void append_fresh();
  std::uint64_t address_of(std::uint64_t frame, std::uint64_t instruction);
  std::uint64_t find_address(std::uint64_t frame, std::uint64_t instruction, bool& is_lasting);

  const python::Runtime* runtime_;
  python::Start start_;  ///< Of this walk.
  TellCode tell_;
  std::uint64_t anchor_;
  std::uint64_t code_epoch_;
  std::uint32_t run_count_;
  std::uint32_t unplaced_;
  std::uint32_t held_runs_;
  std::uint32_t held_frames_;
  std::uint32_t candidate_;  ///< Frames of the last walk that may still be held.
  bool is_cut_;
  bool is_lost_;   ///< An anchor was not where the native frames are.
  bool is_dying_;  ///< Some frame's code object is on its way out.
  PythonRun runs_[kMaxRuns];
  PythonFrame frames_[kMaxFrames];
  // Read in this walk: innermost first.
  std::uint32_t fresh_run_count_;
  std::uint32_t fresh_count_;
  PythonRun fresh_runs_[kMaxRuns];
  PythonFrame fresh_[kMaxFrames];
  KnownAddress known_[kKnownSlots];
};

}  // namespace tidemark::unwind
