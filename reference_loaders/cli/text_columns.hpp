#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

/// Text laid out in a window of a hundred columns.
namespace tidemark::loaders {

inline constexpr std::size_t kWindowColumns = 100;

/// Characters of UTF-8, which is what a column holds.
std::size_t text_width(const std::string& text);

/// `text` in lines of at most `width` characters, broken at spaces; a longer word stays whole.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

struct Column {
  std::string title;
  bool is_text = false;  ///< Left-aligned, and may be wrapped. Numbers are neither.
};

/// Rows under column titles; columns are as wide as their content. If that exceeds the window, the
/// widest text columns are wrapped.
class TextColumns {
 public:
  explicit TextColumns(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// @param mark one character in front of the row, or a space.
  void add_row(char mark, std::vector<std::string> cells);
  /// Adds a full-width line between rows.
  void add_line(const std::string& text);

  [[nodiscard]] std::string text() const;

 private:
  struct Row {
    std::string line;  ///< In place of cells.
    char mark = ' ';
    std::vector<std::string> cells;
  };

  [[nodiscard]] std::vector<std::size_t> widths() const;
  [[nodiscard]] std::size_t widest_cell(std::size_t column,
                                        std::size_t (*width)(const std::string&)) const;
  [[nodiscard]] std::string row_text(const Row& row, const std::vector<std::size_t>& widths) const;
  [[nodiscard]] std::vector<std::string> titles() const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace tidemark::loaders
