/// One stack as lines of text.
#pragma once

#include "analyzer/stacks/stack_names.hpp"
#include "analyzer/text/text_style.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tidemark::analyzer {

/// Shortens a function's name: first drops outer scopes, then the middle of its own name, which
/// readers look for.
std::string fit_function(const TextStyle& style, std::string_view name, std::size_t width);

/// `loader.cpp:40`; the module's base name if the line is unknown.
std::string frame_place(const NamedFrame& frame);

/// `load_params  loader.cpp:40`: the function, shortened, and where it is; the module when the line
/// is unknown.
std::string frame_text(const TextStyle& style, const NamedFrame& frame, std::size_t width);

/// The function that asked for the memory, on one line.
std::string asking_text(const TextStyle& style,
                        const std::vector<NamedFrame>& stack,
                        std::size_t width);

/// What distinguishes a stack from others whose asking frame reads the same. Both are empty if it
/// is distinct already, or cannot be distinguished.
struct Telling {
  std::string arguments{};  ///< The asking function's: `with <float>`.
  std::string caller{};     ///< `from load_shard  loader.cpp:40`.

  bool operator==(const Telling&) const = default;
  /// For a row with its callers below it.
  [[nodiscard]] Telling without_caller() const { return {.arguments = arguments}; }
};

/// Limit, since nobody reads further, and every row is compared with others that read the same.
constexpr std::size_t kMaxToldRows = 1000;

/// One for each stack, empty after the first kMaxToldRows. The stacks are borrowed during the call.
std::vector<Telling> telling_texts(const std::vector<const std::vector<NamedFrame>*>& stacks);

/// The same of rows that have their stack as `frames`.
template <typename Row>
std::vector<Telling> telling_texts(const std::vector<Row>& rows) {
  std::vector<const std::vector<NamedFrame>*> stacks;
  stacks.reserve(rows.size());
  for (const Row& row : rows) {
    stacks.push_back(&row.frames);
  }
  return telling_texts(stacks);
}

/// `asking_text`, followed by what distinguishes it.
std::string row_text(const TextStyle& style,
                     const std::vector<NamedFrame>& stack,
                     const Telling& telling,
                     std::size_t width);

/// The rest of the stack: functions that the request went through, and callers. Lines without
/// newlines, each at most `width` columns. Unless the style wants whole stacks, the middle of a
/// deep one becomes `… 14 frames`, and start-up code below main is left out.
std::vector<std::string> chain_text(const TextStyle& style,
                                    const std::vector<NamedFrame>& stack,
                                    std::size_t width);

}  // namespace tidemark::analyzer
