#include "analyzer/usage/suppressions.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::analyzer {
namespace {

/// Whether the pieces of a pattern, separated by `*`, are found in sequence.
bool are_pieces_found(std::string_view pieces, std::string_view text, bool at_begin, bool at_end) {
  const std::size_t star = pieces.find('*');
  const std::string_view piece = pieces.substr(0, star);
  if (star == std::string_view::npos && at_end) {
    return text.ends_with(piece) && (!at_begin || text == piece);
  }
  const std::size_t found =
      at_begin ? (text.starts_with(piece) ? 0 : std::string_view::npos) : text.find(piece);
  if (found == std::string_view::npos || star == std::string_view::npos) {
    return found != std::string_view::npos;
  }
  return are_pieces_found(pieces.substr(star + 1), text.substr(found + piece.size()), false,
                          at_end);
}

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = line.find_first_not_of(kBlanks);
  return first == std::string_view::npos
             ? std::string_view()
             : line.substr(first, line.find_last_not_of(kBlanks) + 1 - first);
}

}  // namespace

bool is_found(std::string_view pattern, std::string_view text) {
  const bool at_begin = pattern.starts_with('^');
  pattern.remove_prefix(at_begin ? 1 : 0);
  const bool at_end = pattern.ends_with('$');
  pattern.remove_suffix(at_end ? 1 : 0);
  return !text.empty() && are_pieces_found(pattern, text, at_begin, at_end);
}

bool Suppression::fits(const std::vector<NamedFrame>& stack) const {
  return std::ranges::any_of(stack, [this](const NamedFrame& frame) {
    return is_found(pattern, frame.function) || is_found(pattern, frame.file) ||
           is_found(pattern, frame.module);
  });
}

Result<std::vector<Suppression>> parse_suppressions(std::string_view text,
                                                    const std::string& name) {
  constexpr std::string_view kLeak = "leak:";
  std::vector<Suppression> suppressions;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with('#')) {
      continue;
    }
    if (!line.starts_with(kLeak) || line.size() == kLeak.size()) {
      return Error{
          ErrorCode::kUsage,
          fmt::format("{}, line {}: '{}' is no suppression, as leak:PATTERN", name, number, line)};
    }
    suppressions.push_back({std::string(line.substr(kLeak.size()))});
  }
  return suppressions;
}

}  // namespace tidemark::analyzer
