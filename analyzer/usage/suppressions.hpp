/// Known leaks, in LeakSanitizer's format for suppressions.
#pragma once

#include "analyzer/stacks/stack_names.hpp"
#include "collector/trace/types/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tidemark::analyzer {

/// `leak:PATTERN`.
struct Suppression {
  std::string pattern;

  /// True if it fits the function, the source file or the module of any frame.
  [[nodiscard]] bool fits(const std::vector<NamedFrame>& stack) const;
};

/// True if the pattern is found in the text: `*` is any characters, `^` at its begin that of the
/// text, `$` at its end that of the text. Nothing is found in an empty text.
bool is_found(std::string_view pattern, std::string_view text);

/// One suppression a line; empty lines and those that begin with `#` say nothing.
/// @param name of the file, for messages.
/// @return kUsage for a line of another kind.
Result<std::vector<Suppression>> parse_suppressions(std::string_view text, const std::string& name);

}  // namespace tidemark::analyzer
