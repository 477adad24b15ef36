/// What somebody who mistyped a word may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tidemark::analyzer {

/// A word that begins with what was typed, else the one that takes the fewest letters added, left
/// out or replaced; the first of several. Empty where there are none. Time and memory by the
/// lengths of both words multiplied.
std::string nearest_word(std::string_view typed, std::span<const std::string> words);

/// The nearest word where it is near: it begins with what was typed, or two letters in five make
/// the difference at most. Else empty.
std::string near_word(std::string_view typed, std::span<const std::string> words);

}  // namespace tidemark::analyzer
