/// What the stacks of a trace read like: the frames that matter, named. Hundreds of thousands of
/// stacks, as Python programs have them, read like some thousands, as they differ inside of the
/// Python function that asked.
#pragma once

#include "analyzer/stacks/alike/interned_frames.hpp"
#include "analyzer/stacks/frame_facts.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::gui {

struct StackFrame {
  analyzer::NamedFrame name;
  std::string build;  ///< The build id of its module; empty when it has none.
};

/// The frames of a whole stack that matter, as indices [first, second): from the function that
/// asked for the memory to the outermost one below the start-up code; all where nothing asks inside
/// of that.
std::pair<std::size_t, std::size_t> frames_that_matter(
    const std::vector<analyzer::NamedFrame>& stack);

/// Each step of the trace's tree of stacks is looked at once, and not again for each stack that
/// goes through it: a million stacks of two hundred frames have a few million steps.
class StackReadings {
 public:
  /// `definitions` stays borrowed.
  explicit StackReadings(const trace::Definitions& definitions) : recorded_(definitions, table_) {}

  /// A number that is equal for stacks that read the same. 0: there is nothing to read.
  std::uint32_t of(trace::StackId stack);
  /// What it reads like, innermost first: indices of frames.
  [[nodiscard]] std::vector<std::uint32_t> frames_of(std::uint32_t reading) const;
  /// All frames so far, by index.
  std::vector<StackFrame> take_frames();

 private:
  /// What is known of a step of `steps_` with all further out.
  struct Step {
    static constexpr std::uint32_t kUnknown = UINT32_MAX;

    std::uint32_t depth = 0;
    std::uint32_t own_python = 0;  ///< The innermost such step; 0: none. So with the next.
    std::uint32_t python = 0;
    std::uint32_t runtimes = 0;        ///< How many have the role kRuntime.
    std::uint32_t reading = kUnknown;  ///< Of a stack that ends here.
  };

  std::uint32_t step_of(trace::StackId stack);
  std::uint32_t step_inside(std::uint32_t outer, std::uint32_t frame);
  std::span<const std::uint32_t> frames_of(trace::FrameId recorded);
  [[nodiscard]] std::uint32_t telling_step(std::uint32_t step) const;
  std::uint32_t read(std::uint32_t step);

  analyzer::InternedFrames table_{analyzer::Reading::kModule};
  analyzer::RecordedFrames recorded_;
  analyzer::FrameFactsFinder finder_;
  std::vector<analyzer::FrameFacts> facts_;  // By index of the frame. So with the next.
  std::vector<std::string> builds_;

  std::vector<std::uint32_t> step_of_stack_;  // 0: not looked at.
  analyzer::ChildIndex tree_;                 // Whole stacks from the outside in, named.
  std::vector<Step> steps_{{}};               // By node of it.
  analyzer::ChildIndex readings_;             // The same of the frames that matter alone.
};

}  // namespace tidemark::gui
