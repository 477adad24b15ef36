#include "analyzer/cli/manual/markdown_page.hpp"

#include "analyzer/cli/manual/roff.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <vector>

namespace tidemark::cli {
namespace {

constexpr std::string_view kFence = "```";
constexpr std::string_view kCodeIndent = "    ";
constexpr std::size_t kNarrow = 18;  // Cells of a column that is never broken into lines.

std::string between(std::string_view text, std::string_view before, std::string_view after) {
  return std::string(before) + roff_text(text) + std::string(after);
}

/// `code`, *emphasis*, **strong** and [links](to) of one paragraph.
std::string spans(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t at = text.find_first_of("`*[");
    out += roff_text(text.substr(0, at));
    if (at == std::string_view::npos) {
      break;
    }
    text.remove_prefix(at);
    const bool strong = text.starts_with("**");
    const std::string_view mark = text.substr(0, strong ? 2 : 1);
    const std::string_view end = mark == "[" ? std::string_view("](") : mark;
    const std::size_t close = text.find(end, mark.size());
    const bool is_mark =
        close != std::string_view::npos && (mark != "*" || (text.size() > 1 && text[1] != ' '));
    if (!is_mark) {
      out += roff_text(mark);
      text.remove_prefix(mark.size());
      continue;
    }
    const std::string_view inside = text.substr(mark.size(), close - mark.size());
    out += mark == "["   ? roff_text(inside)
           : mark == "*" ? between(inside, "\\fI", "\\fR")
                         : between(inside, "\\fB", "\\fR");
    text.remove_prefix(close + end.size());
    if (mark == "[") {
      text.remove_prefix(std::min(text.find(')'), text.size() - 1) + 1);
    }
  }
  return out;
}

std::string span_line(std::string_view text) {
  const std::string line = spans(text);
  return (line.starts_with('.') ? "\\&" : "") + line + '\n';
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string_view::npos
             ? std::string()
             : std::string(text.substr(begin, text.find_last_not_of(' ') - begin + 1));
}

std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string> cells;
  row.remove_prefix(1);
  while (!row.empty()) {
    const std::string_view cell = row.substr(0, row.find('|'));
    cells.push_back(trimmed(cell));
    row.remove_prefix(std::min(cell.size() + 1, row.size()));
  }
  return cells;
}

bool is_rule(const std::vector<std::string>& cells) {
  return std::ranges::all_of(cells, [](const std::string& cell) {
    return cell.find_first_not_of("-:") == std::string::npos;
  });
}

using Rows = std::vector<std::vector<std::string>>;

/// For tbl: columns with a long cell share the width and are filled.
std::string table(const Rows& rows) {
  std::vector<bool> wide(rows.front().size(), false);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < std::min(row.size(), wide.size()); ++i) {
      wide[i] = wide[i] || row[i].size() > kNarrow;
    }
  }
  std::string head;
  std::string body;
  for (const bool is_wide : wide) {
    head += "lb ";
    body += is_wide ? "lx " : "l ";
  }
  std::string out = ".TS\ntab(@) nokeep;\n" + head + '\n' + body + ".\n";
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < wide.size(); ++i) {
      const std::string cell = i < row.size() ? spans(row[i]) : std::string();
      out += (i > 0 ? "@" : "") + (wide[i] ? "T{\n.nh\n" + cell + "\nT}" : cell);
    }
    out += '\n';
  }
  return out + ".TE\n";
}

class Page {
 public:
  void add(const std::string& line) {
    if (line.starts_with(kFence)) {
      end_block();
      out_ += in_fence_ ? ".EE\n" : ".PP\n.EX\n";
      in_fence_ = !in_fence_;
    } else if (in_fence_) {
      out_ += roff_line(line);
    } else if (line.empty()) {
      end_block();
    } else if (line.starts_with('|')) {
      add_row(line);
    } else if (line.starts_with(kCodeIndent) && text_.empty()) {
      out_ += (in_code_ ? "" : ".PP\n.EX\n") + roff_line(line);
      in_code_ = true;
    } else {
      add_text(line);
    }
  }

  std::string text() {
    end_block();
    return out_;
  }

 private:
  void add_row(const std::string& line) {
    if (rows_.empty()) {
      end_block();
    }
    auto cells = cells_of(line);
    if (!is_rule(cells)) {
      rows_.push_back(std::move(cells));
    }
  }

  void add_text(const std::string& line) {
    if (line.starts_with("## ") || line.starts_with("### ")) {
      end_block();
      out_ += line.starts_with("## ") ? ".SH " : ".SS ";
      out_ += spans(line.substr(line.find(' ') + 1)) + '\n';
    } else if (line.starts_with("- ")) {
      end_block();
      is_item_ = true;
      text_ = line.substr(2);
    } else {
      text_ += (text_.empty() ? "" : " ") + trimmed(line);
    }
  }

  void end_block() {
    if (in_code_) {
      out_ += ".EE\n";
    } else if (!rows_.empty()) {
      out_ += ".PP\n" + table(rows_);
    } else if (!text_.empty()) {
      out_ += (is_item_ ? ".IP \\(bu 2\n" : ".PP\n") + span_line(text_);
    }
    in_code_ = false;
    is_item_ = false;
    rows_.clear();
    text_.clear();
  }

  std::string out_;
  std::string text_;  ///< The paragraph or item so far.
  Rows rows_;
  bool is_item_ = false;
  bool in_code_ = false;
  bool in_fence_ = false;
};

}  // namespace

std::string markdown_page(std::string_view name,
                          std::string_view section,
                          const std::string& markdown,
                          std::string_view version) {
  std::istringstream lines(markdown);
  std::string about;
  std::getline(lines, about);
  about.erase(0, about.find_first_not_of("# "));
  about[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(about[0])));
  Page page;
  for (std::string line; std::getline(lines, line);) {
    page.add(line);
  }
  return page_head(name, section, about, version) + ".SH DESCRIPTION\n" + page.text();
}

}  // namespace tidemark::cli
