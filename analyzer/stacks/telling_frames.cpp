// Rows of a list of stacks that would read the same, told apart by arguments or by a caller.
#include "analyzer/stacks/stack_text.hpp"
#include "analyzer/stacks/telling_arguments.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string_view>

namespace tidemark::analyzer {
namespace {

using Stack = std::vector<NamedFrame>;
/// From the asking one outwards.
using Frames = std::span<const NamedFrame>;

// How many of the rows that read the same are compared.
constexpr std::size_t kMaxAlikeStacks = 32;

// More columns than any row needs.
constexpr std::size_t kPlenty = 1000;

Frames from_asking(const Stack& stack) {
  return stack.empty() ? Frames() : Frames(stack).subspan(asking_frame(stack));
}

/// The text with all the space it needs.
std::string whole_text(const NamedFrame& frame) {
  return frame_text({.width = kPlenty, .colour = false, .utf8 = true}, frame, kPlenty);
}

/// What distinguishes the arguments of `frame` from those of `others` that read the same.
std::string arguments_of(const NamedFrame& frame, const std::vector<const NamedFrame*>& others) {
  std::vector<std::string_view> functions;
  for (const NamedFrame* const other : others) {
    if (frame.named && other->named && other->function != frame.function) {
      functions.emplace_back(other->function);
    }
  }
  return functions.empty() ? std::string() : telling_arguments(frame.function, functions);
}

bool is_told(const NamedFrame& frame, const NamedFrame& other) {
  return !(frame == other) &&
         (whole_text(frame) != whole_text(other) || !arguments_of(frame, {&other}).empty());
}

/// How many frames outwards from the asking one is the first that distinguishes a stack from
/// `other`: 0 for the asking one itself; none if the stack ends before.
std::optional<std::size_t> first_difference(Frames frames, Frames other) {
  for (std::size_t out = 0; out < frames.size(); ++out) {
    if (out >= other.size() || is_told(frames[out], other[out])) {
      return out;
    }
  }
  return std::nullopt;
}

/// The arguments of the frame `out`, if only they distinguish it from those of `alike`.
std::string arguments_at(Frames frames, const std::vector<Frames>& alike, std::size_t out) {
  std::vector<const NamedFrame*> others;
  for (const Frames other : alike) {
    if (out < other.size() && first_difference(frames, other) == out &&
        whole_text(other[out]) == whole_text(frames[out])) {
      others.push_back(&other[out]);
    }
  }
  return arguments_of(frames[out], others);
}

/// The arguments of the asking frame, and the nearest caller, by which a stack differs from all
/// `alike` that differ from it at all.
Telling telling_text(Frames frames, const std::vector<Frames>& alike) {
  if (frames.empty()) {
    return {};
  }
  std::size_t out = 0;
  for (const Frames other : alike) {
    out = std::max(out, first_difference(frames, other).value_or(0));
  }
  Telling telling{.arguments = arguments_at(frames, alike, 0)};
  if (out > 0) {
    const std::string arguments = arguments_at(frames, alike, out);
    telling.caller =
        "from " + whole_text(frames[out]) + (arguments.empty() ? "" : "  " + arguments);
  }
  return telling;
}

/// `from load_shard`: if there is no space for its place, the caller's name says more.
std::string caller_text(const TextStyle& style, const std::string& caller, std::size_t width) {
  constexpr std::string_view kFrom = "from ";
  if (width_of(caller) <= width || !caller.starts_with(kFrom) || width <= kFrom.size()) {
    return fit(style, caller, width);
  }
  const std::string_view name =
      std::string_view(caller).substr(kFrom.size(), caller.find("  ") - kFrom.size());
  return std::string(kFrom) + fit_function(style, name, width - kFrom.size());
}

/// What distinguishes a row, in at most `width` columns. Arguments may differ at either end.
std::string told_text(const TextStyle& style, const Telling& telling, std::size_t width) {
  const std::string caller = printable(style, telling.caller);
  if (telling.arguments.empty()) {
    return caller_text(style, caller, width);
  }
  const std::string arguments = fit_middle(style, printable(style, telling.arguments), width);
  return fit(style, arguments + (caller.empty() ? "" : ", ") + caller, width);
}

}  // namespace

std::vector<Telling> telling_texts(const std::vector<const Stack*>& stacks) {
  std::vector<Telling> texts(stacks.size());
  std::map<std::string, std::vector<Frames>> by_text;
  const auto alike = [&by_text](Frames frames) -> std::vector<Frames>& {
    return by_text[frames.empty() ? std::string() : whole_text(frames.front())];
  };
  const std::size_t rows = std::min(stacks.size(), kMaxToldRows);
  for (std::size_t i = 0; i < rows; ++i) {
    const Frames frames = from_asking(*stacks[i]);
    if (auto& others = alike(frames); others.size() < kMaxAlikeStacks) {
      others.push_back(frames);
    }
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const Frames frames = from_asking(*stacks[i]);
    texts[i] = telling_text(frames, alike(frames));
  }
  return texts;
}

std::string row_text(const TextStyle& style,
                     const Stack& stack,
                     const Telling& telling,
                     std::size_t width) {
  constexpr std::size_t kMinColumns = 8;  // Below this there is no space for two texts and a gap.
  if (telling == Telling{} || width < kMinColumns) {
    return asking_text(style, stack, width);
  }
  // Both ends matter: what is too long gives way on either side of the middle.
  const std::size_t told = width_of(told_text(style, telling, kPlenty));
  const std::size_t asking = width_of(asking_text(style, stack, width));
  const std::size_t behind = asking + 2 + told <= width ? told : std::min(told, (width - 2) / 2);
  const std::string front = asking_text(style, stack, width - 2 - behind);
  return front + "  " + told_text(style, telling, width - 2 - width_of(front));
}

}  // namespace tidemark::analyzer
