#include "analyzer/stacks/asker_finder.hpp"

#include "analyzer/stacks/asker_rules.hpp"

#include <algorithm>
#include <span>

namespace tidemark::analyzer {
AskerFinder::AskerFinder(const trace::Definitions& definitions)
    : definitions_(definitions),
      by_frame_(definitions.frames.size()),
      numbers_(std::max<std::size_t>(definitions.stacks.size(), 1)) {}

std::size_t AskerFinder::Hash::operator()(const Found& found) const {
  const auto key = [](const std::optional<Function>& function) {
    return function ? (std::uint64_t{trace::index(function->frame)} << 16U) + function->inlined + 1
                    : 0;
  };
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  return (key(found.asking) * kOdd + key(found.native)) * kOdd >> 16U;
}

const AskerFinder::Stretch& AskerFinder::facts_of(trace::FrameId frame) {
  Stretch& known = by_frame_[trace::index(frame)];
  if (!known.is_known) {
    known.is_known = true;
    known.begin = static_cast<std::uint32_t>(facts_.size());
    for (const NamedFrame& named : named_frame(definitions_, frame)) {
      facts_.push_back(finder_.of(named));
    }
    known.end = static_cast<std::uint32_t>(facts_.size());
  }
  return known;
}

std::uint32_t AskerFinder::number_of(trace::StackId stack) {
  const std::size_t index = trace::index(stack);
  std::uint32_t& number = numbers_[index < numbers_.size() ? index : 0];
  if (number == 0) {
    const auto [known, is_new] =
        number_by_found_.try_emplace(look_for(stack), static_cast<std::uint32_t>(found_.size()));
    if (is_new) {
      found_.push_back(known->first);
    }
    number = known->second + 1;
  }
  return number - 1;
}

AskerFinder::Found AskerFinder::look_for(trace::StackId stack) {
  stack_.clear();
  functions_.clear();
  bool has_own_python = false;
  walk_frames(definitions_, stack, [&](trace::FrameId frame) {
    if (trace::index(frame) >= by_frame_.size()) {
      return true;
    }
    const Stretch& known = facts_of(frame);
    for (std::uint32_t i = known.begin; i < known.end; ++i) {
      stack_.push_back(facts_[i]);
      functions_.push_back({.frame = frame, .inlined = i - known.begin});
      has_own_python =
          has_own_python || (facts_[i].is_python && facts_[i].origin != PythonOrigin::kStandard);
    }
    // The interpreter's function that ran it is the last that counts.
    return !has_own_python || stack_.back().is_python;
  });
  if (stack_.empty()) {
    return {};
  }
  const std::span<const FrameFacts> facts(stack_);
  const std::size_t native = find_native_asker(facts);
  return {.asking = functions_[find_asking(facts)],
          .native = native < facts.size() ? std::optional(functions_[native]) : std::nullopt};
}

NamedFrame AskerFinder::named(const Function& function) const {
  return named_frame(definitions_, function.frame)[function.inlined];
}

}  // namespace tidemark::analyzer
