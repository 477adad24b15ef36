#include "reference_loaders/cli/text_columns.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::loaders {
namespace {

constexpr std::size_t kMarkColumns = 2;

/// Numbers end where their column ends, so text needs more room beside them than they do.
std::size_t gap_before(const std::vector<Column>& columns, std::size_t index) {
  if (index == 0) {
    return 0;
  }
  return columns[index].is_text || columns[index - 1].is_text ? 2 : 1;
}

std::string padded(const std::string& text, std::size_t width, bool left) {
  const std::string space(width - std::min(width, text_width(text)), ' ');
  return left ? text + space : space + text;
}

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  for (const std::string& word : wrapped(text, 0)) {
    longest = std::max(longest, text_width(word));
  }
  return longest;
}

void trim_end(std::string* line) {
  line->erase(line->find_last_not_of(' ') + 1);
}

}  // namespace

std::size_t text_width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines = {""};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (text_width(line) + 1 + text_width(word) <= width) {
      line += " " + word;
    } else {
      lines.push_back(word);
    }
    at = end + 1;
  }
  return lines;
}

void TextColumns::add_row(char mark, std::vector<std::string> cells) {
  rows_.push_back({.line = {}, .mark = mark, .cells = std::move(cells)});
}

void TextColumns::add_line(const std::string& text) {
  rows_.push_back({.line = text, .mark = ' ', .cells = {}});
}

std::vector<std::string> TextColumns::titles() const {
  std::vector<std::string> titles;
  for (const Column& column : columns_) {
    titles.push_back(column.title);
  }
  return titles;
}

std::size_t TextColumns::widest_cell(std::size_t column,
                                     std::size_t (*width)(const std::string&)) const {
  std::size_t widest = width(columns_[column].title);
  for (const Row& row : rows_) {
    widest = std::max(widest, column < row.cells.size() ? width(row.cells[column]) : 0);
  }
  return widest;
}

std::vector<std::size_t> TextColumns::widths() const {
  std::vector<std::size_t> widths;
  std::vector<std::size_t> least;
  std::size_t whole = kMarkColumns;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(widest_cell(i, text_width));
    least.push_back(columns_[i].is_text ? widest_cell(i, longest_word) : widths.back());
    whole += widths.back() + gap_before(columns_, i);
  }
  while (whole > kWindowColumns) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (widths[i] > least[i] && (widest == nullptr || widths[i] > *widest)) {
        widest = &widths[i];
      }
    }
    if (widest == nullptr) {
      break;
    }
    --*widest;
    --whole;
  }
  return widths;
}

std::string TextColumns::row_text(const Row& row, const std::vector<std::size_t>& widths) const {
  if (row.cells.empty()) {
    return row.line + "\n";
  }
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    cells.push_back(columns_[i].is_text ? wrapped(row.cells[i], widths[i])
                                        : std::vector{row.cells[i]});
    height = std::max(height, cells.back().size());
  }
  std::string text;
  for (std::size_t y = 0; y < height; ++y) {
    std::string line = {y == 0 ? row.mark : ' ', ' '};
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      line += std::string(gap_before(columns_, i), ' ') +
              padded(y < cells[i].size() ? cells[i][y] : "", widths[i], columns_[i].is_text);
    }
    trim_end(&line);
    text += line + "\n";
  }
  return text;
}

std::string TextColumns::text() const {
  const std::vector<std::size_t> all = widths();
  std::string text = row_text({.line = {}, .mark = ' ', .cells = titles()}, all);
  for (const Row& row : rows_) {
    text += row_text(row, all);
  }
  return text;
}

}  // namespace tidemark::loaders
