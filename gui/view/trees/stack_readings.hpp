/// Readings of a trace's stacks: the frames that matter, named. The hundreds of thousands of stacks
/// of a Python program have only some thousands of readings, since most stacks differ only inside
/// the Python function that asked.
#pragma once

#include "analyzer/stacks/alike/interned_frames.hpp"
#include "analyzer/stacks/alike/interned_outline.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tidemark::gui {

struct StackFrame {
  analyzer::NamedFrame name;
  std::string build;  ///< The build id of its module; empty when it has none.
};

/// Each step of the trace's tree of stacks is read once, not once per stack through it: a million
/// stacks of two hundred frames have a few million steps.
class StackReadings {
 public:
  /// `definitions` stays borrowed.
  explicit StackReadings(const trace::Definitions& definitions) : recorded_(definitions, table_) {}

  /// Equal numbers for stacks that read the same. 0: nothing to read.
  struct Reading {
    std::uint32_t called = 0;
    std::uint32_t asking = 0;
  };
  Reading of(trace::StackId stack);
  /// The frames of a reading, by index, innermost first.
  [[nodiscard]] analyzer::Outline<std::uint32_t> frames_of(Reading reading) const;
  /// All frames so far, by index.
  std::vector<StackFrame> take_frames();

 private:
  /// What is known of the frames from a step outwards.
  struct Step {
    std::uint32_t depth = 0;
    std::uint32_t own_python = 0;  ///< The innermost such step; 0: none. Likewise the next.
    std::uint32_t python = 0;
    std::uint32_t runtimes = 0;      ///< Frames with the role kRuntime.
    std::optional<Reading> reading;  ///< That of the stack that ends here; empty: not read yet.
  };

  std::uint32_t step_of(trace::StackId stack);
  std::uint32_t step_inside(std::uint32_t outer, std::uint32_t frame);
  std::span<const std::uint32_t> frames_of(trace::FrameId recorded);
  [[nodiscard]] std::uint32_t telling_step(std::uint32_t step) const;
  Reading read(std::uint32_t step);
  std::uint32_t read_called(std::uint32_t step, std::uint32_t asking);

  analyzer::InternedFrames table_{analyzer::Reading::kModule};
  analyzer::RecordedFrames recorded_;
  analyzer::InternedFacts facts_{table_};
  std::vector<std::string> builds_;  // By index of the frame.

  std::vector<std::uint32_t> step_of_stack_;  // 0: not looked at.
  analyzer::ChildIndex tree_;                 // Whole stacks, outermost frame first, named.
  std::vector<Step> steps_{{}};               // By node of `tree_`.
  analyzer::ChildIndex asking_;               // The same for only the frames that matter.
  analyzer::ChildIndex called_;
};

}  // namespace tidemark::gui
