/// Finds who asked for memory, for very many stacks: each frame of a trace is classified once, not
/// again for each stack that contains it, and each stack is looked at only once.
#pragma once

#include "analyzer/stacks/frame_facts.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tidemark::analyzer {

class AskerFinder {
 public:
  /// `definitions` stays borrowed.
  explicit AskerFinder(const trace::Definitions& definitions);

  /// A function of a recorded frame, which has several if calls were inlined.
  struct Function {
    trace::FrameId frame{0};
    std::uint32_t inlined = 0;

    auto operator<=>(const Function&) const = default;
  };
  struct Found {
    std::optional<Function> asking;  ///< As `asking_frame`; none for an empty stack.
    std::optional<Function> native;  ///< As `native_asker`.

    auto operator<=>(const Found&) const = default;
  };
  /// Each stack is walked once. The reference stays valid.
  const Found& find(trace::StackId stack) { return found_[number_of(stack)]; }
  /// Equal for stacks with the same result; from 0 on, without gaps.
  std::uint32_t number_of(trace::StackId stack);
  /// Names a function that was found.
  [[nodiscard]] NamedFrame named(const Function& function) const;

 private:
  /// Those of a recorded frame in `facts_`.
  struct Stretch {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    bool is_known = false;
  };
  struct Hash {
    std::size_t operator()(const Found& found) const;
  };
  const Stretch& facts_of(trace::FrameId frame);
  Found look_for(trace::StackId stack);

  const trace::Definitions& definitions_;
  std::vector<Stretch> by_frame_;
  std::vector<FrameFacts> facts_;
  FrameFactsFinder finder_;
  std::vector<std::uint32_t> numbers_;  ///< By StackId, plus 1; 0: not known yet.
  std::unordered_map<Found, std::uint32_t, Hash> number_by_found_;
  std::deque<Found> found_;        ///< By number.
  std::vector<FrameFacts> stack_;  ///< The one at hand, and its functions.
  std::vector<Function> functions_;
};

}  // namespace tidemark::analyzer
