/// The Python frames of one thread's stack, and which native frames they belong between.
///
/// Each call of the interpreter's evaluator runs a sequence of Python frames, a *run*, which ends
/// with the frame that the evaluator was called for. A run belongs to the native frame that
/// contains its *anchor*, a variable in the evaluator's own C frame: the native walk recognises the
/// evaluator by that alone, not by its code. If the anchors are not where they should be, no Python
/// frames are reported.
///
///     native frames           runs
///     malloc
///     PyObject_Malloc
///     evaluator  [anchor] ->  load, main
///     _PyEval_Vector
///     evaluator  [anchor] ->  <module>
///     main
///
/// Like the walker's stack words, the frames of the last walk are kept with what was read of them,
/// and compared with memory, from the innermost outwards. The interpreter frees frames: none is
/// read before the link that leads to it is found unchanged.
#pragma once

#include "preload/python/runtime.hpp"

#include <cstdint>

namespace tidemark::unwind {

struct PythonFrame {
  std::uint64_t frame;        ///< The interpreter's _PyInterpreterFrame.
  std::uint64_t instruction;  ///< Identifies code object and place: no two share one.
  std::uint64_t address;      ///< As in a node; 0: a frame that Python hides.
  std::uint32_t node;
};

/// What one call of the evaluator runs.
struct PythonRun {
  std::uint64_t anchor;
  std::uint32_t frames_end;  ///< Its frames go from the next outer run's end to here.
  std::uint32_t evaluator;   ///< Native frame of the last walk that runs it; 0: the outermost.
  std::uint32_t fresh;       ///< The same among this walk's fresh frames; 0: the innermost.
};

/// Announces a code object to the collector when it is first seen. @return its number.
using TellCode = std::uint32_t (*)(std::uint64_t code, const python::Runtime& runtime);

/// One per thread. All zeros is the valid initial state.
class PythonStack {
 public:
  static constexpr std::uint32_t kMaxFrames = 1024;
  static constexpr std::uint32_t kMaxRuns = 512;

  /// Begins a walk: reads the current chain of Python frames.
  /// @param native frames of the last walk.
  /// @return how many of these, counted from the outermost, have only unchanged Python frames
  /// further out.
  std::uint32_t begin(const python::Runtime& runtime, TellCode tell, std::uint32_t native);

  /// Anchor of the innermost run that has no native frame yet.
  [[nodiscard]] std::uint64_t anchor() const { return anchor_; }
  /// Call when the walk has left the fresh native frame `index`, which occupies [begin, end), and
  /// whose `end` is beyond the anchor.
  void place(std::uint32_t index, std::uint64_t begin, std::uint64_t end);
  /// False if some run still without a native frame is new in this walk.
  [[nodiscard]] bool may_join() const { return unplaced_ <= held_runs_; }

  void forget() { run_count_ = 0; }

  // For the end of a walk. Runs, and the frames in each, are ordered from the outermost.

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
  /// This many outermost frames are those of the last walk. They keep their nodes if the native
  /// frames further out do.
  [[nodiscard]] std::uint32_t held_frames() const { return held_frames_; }
  /// There were more frames than fit: outer ones are missing.
  [[nodiscard]] bool is_cut() const { return is_cut_; }
  /// False when the next walk must not reuse anything of this one.
  /// @param joined native frames of the last walk that this one has joined.
  [[nodiscard]] bool is_reusable(std::uint32_t joined) const {
    return !is_lost_ && !is_dying_ && (unplaced_ == 0 || runs_[unplaced_ - 1].evaluator < joined);
  }

 private:
  static constexpr std::uint64_t kNoAnchor = ~std::uint64_t{0};
  static constexpr std::uint32_t kNoEvaluator = ~std::uint32_t{0};
  static constexpr std::uint32_t kMaxLookBack = 16;
  static constexpr std::uint32_t kKnownSlots = 1024;
  /// Limit on a chain's length, which ends the walk of a circular one.
  static constexpr std::uint32_t kMaxChainFrames = 1U << 20;

  /// Node address of an instruction. Valid until a numbered code object dies.
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
  python::Start start_;  ///< Where this walk began.
  TellCode tell_;
  std::uint64_t anchor_;
  std::uint64_t code_epoch_;
  std::uint32_t run_count_;
  std::uint32_t unplaced_;
  std::uint32_t held_runs_;
  std::uint32_t held_frames_;
  std::uint32_t candidate_;  ///< Frames of the last walk that may still be held.
  bool is_cut_;
  bool is_lost_;   ///< An anchor was not in any native frame.
  bool is_dying_;  ///< Some frame's code object is being destroyed.
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
