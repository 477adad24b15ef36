/// What somebody who mistyped a word may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tidemark::analyzer {

/// A word that begins with what was typed, else the one that needs the fewest letters added, left
/// out or replaced; the first of several. Empty if there are no words. Time and memory are
/// proportional to the product of both words' lengths.
std::string nearest_word(std::string_view typed, std::span<const std::string> words);

/// The nearest word if it is near: it begins with what was typed, or at most two letters in five
/// differ. Else empty.
std::string near_word(std::string_view typed, std::span<const std::string> words);

}  // namespace tidemark::analyzer
