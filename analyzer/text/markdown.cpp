#include "analyzer/text/markdown.hpp"

#include "analyzer/text/shown_text.hpp"

#include <algorithm>

namespace tidemark::analyzer {
namespace {

std::size_t longest_run(std::string_view text, char wanted) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == wanted ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

/// A table is cut at its bars before anything else is looked at, code included.
std::string with_bars_escaped(const std::string& cell) {
  std::string escaped;
  for (const char c : cell) {
    escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  }
  return escaped;
}

std::string row_text(const std::vector<std::string>& cells, std::size_t columns) {
  std::string text = "|";
  for (std::size_t i = 0; i < columns; ++i) {
    const std::string cell = i < cells.size() ? with_bars_escaped(cells[i]) : std::string();
    text += ' ' + cell + (cell.empty() ? "|" : " |");
  }
  return text + '\n';
}

}  // namespace

std::string md_text(std::string_view text) {
  constexpr std::string_view kSpecial = "\\`*_[]#~@|$";
  std::string shown;
  for (const char c : shown_text(text)) {
    if (c == '<' || c == '>' || c == '&') {
      shown += c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&amp;";
    } else {
      shown +=
          kSpecial.find(c) == std::string_view::npos ? std::string(1, c) : std::string{'\\', c};
    }
  }
  return shown;
}

std::string md_code(std::string_view text) {
  if (text.empty()) {
    return {};
  }
  const std::string fence(longest_run(text, '`') + 1, '`');
  const std::string pad(text.front() == '`' || text.back() == '`' ? 1 : 0, ' ');
  return fence + pad + shown_text(text) + pad + fence;
}

std::string md_block(std::string_view text) {
  constexpr std::size_t kMinFenceCharacters = 3;
  const std::string fence(std::max(kMinFenceCharacters, longest_run(text, '`') + 1), '`');
  return fence + "text\n" + std::string(text) + fence + '\n';
}

std::string md_table(const std::vector<MdColumn>& columns,
                     const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> headings;
  std::string rule = "|";
  for (const MdColumn& column : columns) {
    headings.push_back(column.heading);
    rule += column.is_number ? " ---: |" : " :--- |";
  }
  std::string text = row_text(headings, columns.size()) + rule + '\n';
  for (const auto& row : rows) {
    text += row_text(row, columns.size());
  }
  return text + '\n';
}

}  // namespace tidemark::analyzer
