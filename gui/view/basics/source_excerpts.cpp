#include "gui/view/basics/source_excerpts.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace tidemark::gui {
namespace {

constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{8} << 20U;
constexpr std::uint32_t kAround = 4;
constexpr std::size_t kMaxCharacters = 120;

bool is_readable(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) &&
         std::filesystem::file_size(path, error) <= kMaxFileBytes && !error;
}

/// One line of a source as it can be shown.
std::string shown(std::string text) {
  for (std::size_t tab = 0; (tab = text.find('\t', tab)) != std::string::npos;) {
    text.replace(tab, 1, "    ");
  }
  std::erase_if(text, [](unsigned char c) { return c < 0x20; });
  text.resize(std::min(text.size(), kMaxCharacters));
  return text;
}

}  // namespace

std::vector<SourceLine> source_around(const std::string& path, std::uint32_t line) {
  std::vector<SourceLine> lines;
  if (line == 0 || !is_readable(path)) {
    return lines;
  }
  std::ifstream file(path);
  std::string text;
  for (std::uint32_t number = 1; number <= line + kAround && std::getline(file, text); ++number) {
    if (number + kAround >= line) {
      lines.push_back({number, shown(text)});
    }
  }
  const bool has_line =
      std::ranges::any_of(lines, [line](const SourceLine& one) { return one.number == line; });
  return has_line ? lines : std::vector<SourceLine>();
}

const std::vector<SourceLine>& SourceExcerpts::of(const std::string& path, std::uint32_t line) {
  const auto [known, is_new] = known_.try_emplace({path, line});
  if (is_new) {
    known->second = source_around(path, line);
  }
  return known->second;
}

}  // namespace tidemark::gui
