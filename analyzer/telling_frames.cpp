// Rows of a list of stacks that would read the same, told apart by a caller.
#include "analyzer/stack_text.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace tidemark::analyzer {
namespace {

using Stack = std::vector<NamedFrame>;

// Nobody reads further, and every row is compared with others that read the same.
constexpr std::size_t kMostRows = 1000;
constexpr std::size_t kMostAlike = 32;

/// As it would read with all the room it needs.
std::string whole_text(const NamedFrame& frame) {
  constexpr std::size_t kPlenty = 1000;
  return frame_text({.width = kPlenty, .colour = false, .utf8 = true}, frame, kPlenty);
}

bool reads_the_same(const NamedFrame& a, const NamedFrame& b) {
  return a == b || whole_text(a) == whole_text(b);
}

/// How many frames further out than the asking one the first is that reads otherwise than in
/// `other`; none when `stack` ends before.
std::optional<std::size_t> first_difference(const Stack& stack, const Stack& other) {
  const std::size_t asking = asking_frame(stack);
  const std::size_t other_asking = asking_frame(other);
  for (std::size_t out = 1; asking + out < stack.size(); ++out) {
    if (other_asking + out >= other.size() ||
        !reads_the_same(stack[asking + out], other[other_asking + out])) {
      return out;
    }
  }
  return std::nullopt;
}

/// The nearest frame by which `stack` differs from all `alike` that differ from it at all.
std::string telling_text(const Stack& stack, const std::vector<const Stack*>& alike) {
  std::size_t out = 0;
  for (const Stack* const other : alike) {
    out = std::max(out, first_difference(stack, *other).value_or(0));
  }
  return out == 0 ? std::string() : "from " + whole_text(stack[asking_frame(stack) + out]);
}

}  // namespace

std::vector<std::string> telling_texts(const std::vector<const Stack*>& stacks) {
  std::vector<std::string> texts(stacks.size());
  std::map<std::string, std::vector<const Stack*>> by_text;
  const auto alike = [&by_text](const Stack& stack) -> std::vector<const Stack*>& {
    return by_text[stack.empty() ? std::string() : whole_text(stack[asking_frame(stack)])];
  };
  const std::size_t rows = std::min(stacks.size(), kMostRows);
  for (std::size_t i = 0; i < rows; ++i) {
    if (auto& others = alike(*stacks[i]); others.size() < kMostAlike) {
      others.push_back(stacks[i]);
    }
  }
  for (std::size_t i = 0; i < rows; ++i) {
    texts[i] = telling_text(*stacks[i], alike(*stacks[i]));
  }
  return texts;
}

std::string row_text(const TextStyle& style,
                     const Stack& stack,
                     const std::string& telling,
                     std::size_t width) {
  if (telling.empty()) {
    return asking_text(style, stack, width);
  }
  // Both ends matter: what is too long gives way on either side of the middle.
  const std::string caller = printable(style, telling);
  const std::string asking = asking_text(style, stack, width);
  const std::size_t all = width_of(asking) + 2 + width_of(caller);
  const std::size_t behind =
      all <= width ? width_of(caller) : std::min(width_of(caller), (width - 2) / 2);
  return asking_text(style, stack, width - 2 - behind) + "  " + fit(style, caller, behind);
}

}  // namespace tidemark::analyzer
