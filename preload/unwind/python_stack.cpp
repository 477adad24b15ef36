#include "preload/unwind/python_stack.hpp"

#include "preload/python/code_table.hpp"
#include "preload/wire/stack_table.hpp"

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::unwind {
namespace {

using python::Chain;
using python::Layout;
using python::load;
using python::load_as;

bool is_pointer(std::uint64_t address) {
  return address != 0 && address % 8 == 0 && address >> 47 == 0;
}

/// True if the anchors form a list of their own.
bool has_anchor_list(const Layout& layout) {
  return layout.chain == Chain::kCFrames || layout.chain == Chain::kPairs;
}

/// The link to the innermost run: an anchor (has_anchor_list), or a frame.
std::uint64_t first_link(const Layout& layout, std::uint64_t start) {
  if (layout.chain != Chain::kCFrameEntry)
    return start;
  return is_pointer(start) ? load(start + layout.anchor_frame) : 0;
}

/// The innermost frame of the run that `link` leads to; 0: there is none.
/// @param beside with kPairs: that frame, from the list of frames.
template <bool kIsPaired>
std::uint64_t first_frame(const Layout& layout, std::uint64_t link, std::uint64_t beside) {
  if (!is_pointer(link))
    return 0;
  if constexpr (kIsPaired)
    return beside;
  else
    return layout.chain == Chain::kCFrames ? load(link + layout.anchor_frame) : link;
}
std::uint64_t first_frame(const Layout& layout, std::uint64_t link, std::uint64_t beside) {
  return layout.chain == Chain::kPairs ? first_frame<true>(layout, link, beside)
                                       : first_frame<false>(layout, link, beside);
}

/// The link from the run of `anchor` to the next outer run.
std::uint64_t next_link(const Layout& layout, std::uint64_t anchor) {
  return load(anchor + (has_anchor_list(layout) ? layout.anchor_previous : layout.frame_previous));
}

std::uint64_t previous(const Layout& layout, std::uint64_t frame) {
  return load(frame + layout.frame_previous);
}
/// With kPairs the code unit's number is put into the unused high bits of the code object's
/// address.
constexpr unsigned kAddressBits = 47;
constexpr std::uint64_t kMaxUnits = (std::uint64_t{1} << (64 - kAddressBits)) - 1;

std::uint64_t paired_instruction(const Layout& layout, std::uint64_t frame) {
  const auto unit = load_as<std::int32_t>(frame + layout.frame_instruction);
  const std::uint64_t begun = unit < 0 ? 0 : static_cast<std::uint64_t>(unit) + 1;
  return load(frame + layout.frame_code) | (begun < kMaxUnits ? begun : kMaxUnits) << kAddressBits;
}
/// @tparam kIsPaired the chain is kPairs. The comparison with the last walk is instantiated twice,
/// since it is most of the cost of Python frames.
template <bool kIsPaired>
std::uint64_t instruction(const Layout& layout, std::uint64_t frame) {
  if constexpr (kIsPaired)
    return paired_instruction(layout, frame);
  else
    return load(frame + layout.frame_instruction);
}
std::uint64_t instruction(const Layout& layout, std::uint64_t frame) {
  return layout.chain == Chain::kPairs ? instruction<true>(layout, frame)
                                       : instruction<false>(layout, frame);
}

/// The number of the code unit that `instruction` is in, of the code object at `code`; below 0: it
/// has not begun.
std::int64_t unit_of(const Layout& layout, std::uint64_t instruction, std::uint64_t code) {
  if (layout.chain == Chain::kPairs)
    return static_cast<std::int64_t>(instruction >> kAddressBits) - 1;
  return static_cast<std::int64_t>(instruction - code - layout.code_begin) / 2;
}

/// True for the entry between two runs in the list of frames.
bool is_anchor(const Layout& layout, std::uint64_t frame) {
  return !has_anchor_list(layout) &&
         load_as<std::uint8_t>(frame + layout.frame_owner) >= python::kOwnedByCStack;
}
/// True for the entry that ends the list of frames from 3.15 on; it lies in the thread's state.
bool is_base(const Layout& layout, std::uint64_t frame) {
  return layout.chain == Chain::kEntryFrames && is_anchor(layout, frame) &&
         previous(layout, frame) == 0;
}
/// True for the outermost frame of a run where no anchor follows it in the list.
bool is_entry(const Layout& layout, std::uint64_t frame) {
  return layout.chain == Chain::kPairs ||
         (layout.chain == Chain::kCFrames &&
          load_as<std::uint8_t>(frame + layout.frame_is_entry) != 0);
}

/// Python hides frames that have not reached their first line yet.
bool is_before_first_line(const Layout& layout,
                          std::uint64_t frame,
                          std::uint64_t code,
                          std::int64_t unit) {
  if (layout.chain == Chain::kPairs)
    return unit < 0;
  const bool is_generator =
      load_as<std::uint8_t>(frame + layout.frame_owner) == python::kOwnedByGenerator;
  return !is_generator && unit < load_as<std::int32_t>(code + layout.code_first_traceable);
}

std::uint32_t slot_of(std::uint64_t instruction, std::uint32_t slots) {
  return static_cast<std::uint32_t>((instruction * 0x9E3779B97F4A7C15U) >> 40) & (slots - 1);
}

}  // namespace

std::uint32_t PythonStack::begin(const python::Runtime& runtime,
                                 TellCode tell,
                                 std::uint32_t native) {
  runtime_ = &runtime;
  tell_ = tell;
  const std::uint64_t epoch = python::g_code_epoch.load(std::memory_order_acquire);
  if (epoch != code_epoch_) {
    code_epoch_ = epoch;
    native = run_count_ > 0 && runs_[0].evaluator < native ? runs_[0].evaluator : native;
    run_count_ = 0;
  }
  is_lost_ = false;
  is_dying_ = false;
  start_ = python::own_start(runtime);
  const std::uint64_t link = first_link(runtime.layout, start_.link);
  const bool is_paired = runtime.layout.chain == Chain::kPairs;
  if (!(is_paired ? is_unchanged<true>(link) : is_unchanged<false>(link))) {
    native = read_anew(link, native);
  } else {
    held_runs_ = run_count_;
    held_frames_ = frame_count();
  }
  unplaced_ = run_count_;
  anchor_ = unplaced_ > 0 ? runs_[unplaced_ - 1].anchor : kNoAnchor;
  return native;
}

/// True if the whole chain is unchanged since the last walk: the usual case.
template <bool kIsPaired>
bool PythonStack::is_unchanged(std::uint64_t link) const {
  if (run_count_ == 0 || link == 0)
    return false;
  const Layout& layout = runtime_->layout;
  const PythonFrame& innermost = frames_[frame_count() - 1];
  if ((kIsPaired || layout.chain == Chain::kCFrames) && link != runs_[run_count_ - 1].anchor)
    return false;
  return first_frame<kIsPaired>(layout, link, start_.frame) == innermost.frame &&
         instruction<kIsPaired>(layout, innermost.frame) == innermost.instruction &&
         holds<kIsPaired>(run_count_ - 1, frame_count());
}

/// @return as `begin`.
[[gnu::noinline]] std::uint32_t PythonStack::read_anew(std::uint64_t link, std::uint32_t native) {
  candidate_ = frame_count();
  read(link);
  if (held_frames_ + fresh_count_ > kMaxFrames || held_runs_ + fresh_run_count_ > kMaxRuns) {
    candidate_ = 0;
    read(link);
  }
  if (held_runs_ < run_count_ && runs_[held_runs_].evaluator < native)
    native = runs_[held_runs_].evaluator;
  append_fresh();
  return native;
}

void PythonStack::read(std::uint64_t link) {
  held_runs_ = 0;
  held_frames_ = 0;
  fresh_run_count_ = 0;
  fresh_count_ = 0;
  is_cut_ = false;
  const Layout& layout = runtime_->layout;
  std::uint64_t beside = start_.frame;
  while (fresh_run_count_ < kMaxRuns) {
    const std::uint64_t first = first_frame(layout, link, beside);
    if (!is_pointer(first) || (layout.chain == Chain::kPairs && link == start_.root))
      break;
    link = read_run(first, link);
    beside = layout.chain == Chain::kPairs && link != 0 ? previous(layout, first) : 0;
  }
  is_cut_ = is_cut_ || fresh_run_count_ == kMaxRuns;
  if (held_frames_ != 0)
    return;
  // Drops an incomplete run.
  fresh_count_ = fresh_run_count_ > 0 ? fresh_runs_[fresh_run_count_ - 1].frames_end : 0;
  if (!is_cut_ && !ends_in_pairs(link, beside)) {
    fresh_run_count_ = 0;
    fresh_count_ = 0;
  }
}

/// For kPairs, after reading both lists to their ends: false if one is longer, so that the pairing
/// is uncertain. A greenlet has an anchor of its own before the root.
bool PythonStack::ends_in_pairs(std::uint64_t link, std::uint64_t frame) const {
  const Layout& layout = runtime_->layout;
  if (layout.chain != Chain::kPairs)
    return true;
  return frame == 0 && is_pointer(link) &&
         (link == start_.root || next_link(layout, link) == start_.root);
}

/// Reads a run outwards, up to where everything is unchanged.
/// @param anchor its anchor, if the chain's links are anchors.
/// @return the link to the next outer run; 0 if there is nothing more to read.
std::uint64_t PythonStack::read_run(std::uint64_t first, std::uint64_t anchor) {
  const Layout& layout = runtime_->layout;
  std::uint64_t frame = first;
  for (std::uint32_t i = 0; i < kMaxChainFrames && is_pointer(frame); ++i) {
    if (is_anchor(layout, frame)) {
      close_run(frame);
      return next_link(layout, frame);
    }
    const std::uint64_t at = instruction(layout, frame);
    if (const std::uint32_t found = find_candidate(frame); found > 0) {
      if (frames_[found - 1].instruction == at && keep_held(found, anchor))
        return 0;
      candidate_ = found - 1;
    }
    if (fresh_count_ < kMaxFrames)
      fresh_[fresh_count_++] = {frame, at, 0, 0};
    else
      is_cut_ = true;
    if (is_entry(layout, frame)) {
      close_run(anchor);
      return next_link(layout, anchor);
    }
    frame = previous(layout, frame);
  }
  return 0;
}

void PythonStack::close_run(std::uint64_t anchor) {
  const std::uint32_t begin =
      fresh_run_count_ > 0 ? fresh_runs_[fresh_run_count_ - 1].frames_end : 0;
  if (begin == fresh_count_ && !is_cut_)
    return;  // its first frame is about to come
  fresh_runs_[fresh_run_count_++] = {anchor, fresh_count_, kNoEvaluator, 0};
}

/// @return 1 + the index of `frame` among the last walk's frames, searched near the last match; 0:
/// not found.
std::uint32_t PythonStack::find_candidate(std::uint64_t frame) const {
  for (std::uint32_t i = candidate_; i > 0 && candidate_ - i < kMaxLookBack; --i) {
    if (frames_[i - 1].frame == frame)
      return i;
  }
  return 0;
}

/// True if the `frames` outermost frames of the last walk, in its runs up to `run`, and their
/// anchors are unchanged. The innermost of them is known to be.
template <bool kIsPaired>
bool PythonStack::holds(std::uint32_t run, std::uint32_t frames) const {
  const Layout layout = runtime_->layout;
  const bool has_anchors = kIsPaired || layout.chain == Chain::kCFrames;
  const PythonFrame* known = &frames_[frames - 1];
  std::uint64_t frame = known->frame;
  for (;; --run) {
    const PythonFrame* const entry = &frames_[frames_begin(run)];
    while (known != entry) {
      --known;
      if (previous(layout, frame) != known->frame)
        return false;
      frame = known->frame;
      if (instruction<kIsPaired>(layout, frame) != known->instruction)
        return false;
    }
    const std::uint64_t anchor = runs_[run].anchor;
    const std::uint64_t behind = previous(layout, frame);
    if (!has_anchors && behind != anchor)
      return false;
    const std::uint64_t link = next_link(layout, anchor);
    const std::uint64_t next = first_frame<kIsPaired>(layout, link, behind);
    // The entry frame's link also tells which run the next frame belongs to.
    if (layout.chain == Chain::kCFrames && behind != next)
      return false;
    if (run == 0)
      return next == 0 || is_base(layout, next);
    if (has_anchors && link != runs_[run - 1].anchor)
      return false;
    --known;
    if (next != known->frame)
      return false;
    frame = next;
    if (instruction<kIsPaired>(layout, frame) != known->instruction)
      return false;
  }
}

/// Keeps the `frames` outermost frames of the last walk, if they are as they were.
bool PythonStack::keep_held(std::uint32_t frames, std::uint64_t anchor) {
  std::uint32_t run = run_count_ - 1;
  while (frames_begin(run) >= frames)
    --run;
  if (has_anchor_list(runtime_->layout) && runs_[run].anchor != anchor)
    return false;
  const bool is_paired = runtime_->layout.chain == Chain::kPairs;
  if (!(is_paired ? holds<true>(run, frames) : holds<false>(run, frames)))
    return false;
  held_frames_ = frames;
  const std::uint32_t closed =
      fresh_run_count_ > 0 ? fresh_runs_[fresh_run_count_ - 1].frames_end : 0;
  const bool is_whole = frames == runs_[run].frames_end && closed == fresh_count_;
  held_runs_ = is_whole ? run + 1 : run;
  if (!is_whole)
    fresh_runs_[fresh_run_count_++] = {runs_[run].anchor, fresh_count_, runs_[run].evaluator, 0};
  return true;
}

/// Appends the new frames to those held, reversed: the outermost first.
void PythonStack::append_fresh() {
  std::uint32_t count = held_frames_;
  run_count_ = held_runs_;
  for (std::uint32_t i = fresh_run_count_; i-- > 0 && run_count_ < kMaxRuns;) {
    const std::uint32_t begin = i > 0 ? fresh_runs_[i - 1].frames_end : 0;
    for (std::uint32_t j = fresh_runs_[i].frames_end; j-- > begin; ++count) {
      frames_[count] = fresh_[j];
      frames_[count].address = address_of(fresh_[j].frame, fresh_[j].instruction);
    }
    runs_[run_count_] = fresh_runs_[i];
    runs_[run_count_++].frames_end = count;
  }
}

std::uint64_t PythonStack::address_of(std::uint64_t frame, std::uint64_t instruction) {
  KnownAddress& known = known_[slot_of(instruction, kKnownSlots)];
  if (known.instruction == instruction && known.code_epoch == code_epoch_)
    return known.address;
  bool is_lasting = true;
  const std::uint64_t address = find_address(frame, instruction, is_lasting);
  if (is_lasting)
    known = {instruction, address, code_epoch_};
  return address;
}

std::uint64_t PythonStack::find_address(std::uint64_t frame,
                                        std::uint64_t instruction,
                                        bool& is_lasting) {
  const Layout& layout = runtime_->layout;
  const std::uint64_t code = load(frame + layout.frame_code) & ~python::kTagBits;
  if (!is_pointer(code) || load(code + python::kObjectType) != runtime_->code_type) {
    is_lasting = false;
    return wire::name_python_frame(wire::kUnknownCode, 0);
  }
  const std::int64_t unit = unit_of(layout, instruction, code);
  if (is_before_first_line(layout, frame, code, unit))
    return 0;
  python::CodeNumber found = python::find_code(code);
  if (found.number == 0 && load_as<std::uint32_t>(code + python::kObjectReferences) != 0)
    found.number = tell_(code, *runtime_);
  is_lasting = found.number != wire::kUnknownCode && !found.is_dying;
  is_dying_ = is_dying_ || found.is_dying;
  return wire::name_python_frame(found.number, static_cast<std::uint64_t>(unit < 0 ? 0 : unit));
}

void PythonStack::place(std::uint32_t index, std::uint64_t begin, std::uint64_t end) {
  while (anchor_ < end) {
    if (anchor_ >= begin && unplaced_ > 0)
      runs_[--unplaced_].fresh = index;
    else
      is_lost_ = true;
    anchor_ = unplaced_ > 0 && !is_lost_ ? runs_[unplaced_ - 1].anchor : kNoAnchor;
  }
}

}  // namespace tidemark::unwind
