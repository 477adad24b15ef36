#include "reference_loaders/nntrainer/section_reader.hpp"

#include "reference_loaders/bad_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace tidemark::loaders::nntrainer {
namespace {

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t'; });
  return text;
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

std::vector<std::string> pieces_of(const std::string& text, char separator) {
  std::vector<std::string> pieces;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(separator, begin);
    pieces.push_back(text.substr(begin, end - begin));
  }
  return pieces;
}

template <typename T>
std::optional<T> parsed(const std::string& text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

const std::string& SectionReader::value(std::string_view key) const {
  const IniValue* const found = section_.find(key);
  if (found == nullptr) {
    refuse(key, fmt::format("the section '{}' has no '{}'", printable(section_.name), key));
  }
  return found->text;
}

std::string SectionReader::text(std::string_view key) const {
  return key == "save_path" ? value(key) : lower_case(value(key));
}

std::uint64_t SectionReader::number(std::string_view key,
                                    std::uint64_t low,
                                    std::uint64_t high) const {
  return numbers(key, ',', 1, low, high).front();
}

float SectionReader::fraction(std::string_view key) const {
  const auto number = parsed<float>(value(key));
  // Written so that a NaN is refused as well.
  if (!number || !(*number >= 0 && *number <= 1)) {
    refuse(key, fmt::format("{} = '{}' is not between 0 and 1", key, printable(value(key))));
  }
  return *number;
}

std::vector<std::uint64_t> SectionReader::numbers(std::string_view key,
                                                  char separator,
                                                  std::size_t count,
                                                  std::uint64_t low,
                                                  std::uint64_t high) const {
  const std::vector<std::string> pieces = pieces_of(without_blanks(value(key)), separator);
  if (pieces.size() != count) {
    refuse(key, fmt::format("{} = '{}' has {} numbers instead of {}", key, printable(value(key)),
                            pieces.size(), count));
  }
  std::vector<std::uint64_t> numbers;
  for (const std::string& piece : pieces) {
    const auto number = parsed<std::uint64_t>(piece);
    if (!number || *number < low || *number > high) {
      refuse(key,
             fmt::format("{} = '{}' is not between {} and {}", key, printable(piece), low, high));
    }
    numbers.push_back(*number);
  }
  return numbers;
}

std::uint64_t SectionReader::square(std::string_view key,
                                    std::uint64_t low,
                                    std::uint64_t high) const {
  const auto both = numbers(key, ',', 2, low, high);
  if (both[0] != both[1]) {
    refuse(key, fmt::format("{} = '{}' is not a square", key, printable(value(key))));
  }
  return both[0];
}

std::vector<std::string> SectionReader::names(std::string_view key) const {
  return pieces_of(without_blanks(lower_case(value(key))), ',');
}

void SectionReader::refuse(std::string_view key, const std::string& what) const {
  const IniValue* const found = section_.find(key);
  throw BadInput(source_, found == nullptr ? section_.offset : found->offset, what);
}

}  // namespace tidemark::loaders::nntrainer
