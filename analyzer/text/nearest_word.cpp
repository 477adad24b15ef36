#include "analyzer/text/nearest_word.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// Levenshtein's distance, row by row.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

std::size_t letters_missed(std::string_view typed, const std::string& word) {
  return word.starts_with(typed) ? 0 : distance(typed, word);
}

}  // namespace

std::string nearest_word(std::string_view typed, std::span<const std::string> words) {
  const auto nearest = std::ranges::min_element(
      words, {}, [typed](const std::string& word) { return letters_missed(typed, word); });
  return nearest == words.end() ? std::string() : *nearest;
}

std::string near_word(std::string_view typed, std::span<const std::string> words) {
  if (typed.find_first_not_of('-') == std::string_view::npos) {
    return {};  // Every word begins with nothing.
  }
  std::string nearest = nearest_word(typed, words);
  return 5 * letters_missed(typed, nearest) <= 2 * typed.size() ? nearest : std::string();
}

}  // namespace tidemark::analyzer
