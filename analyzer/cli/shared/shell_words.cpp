#include "analyzer/cli/shared/shell_words.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace tidemark::cli {
namespace {

/// Words that are the shell's own, and no programs or not the same ones.
constexpr std::array<std::string_view, 29> kBuiltins{
    "!",   ".",     ":",    "{",      "}",     "alias",  "bg",    "case", "cd",   "command",
    "do",  "done",  "eval", "exec",   "exit",  "export", "fg",    "for",  "if",   "read",
    "set", "shift", "trap", "ulimit", "umask", "unset",  "until", "wait", "while"};

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

/// Splits a text as far as no shell is needed.
class Splitter {
 public:
  explicit Splitter(std::string_view text) : rest_(text) {}

  /// None if only a shell can run the text. Sets `is_open` if a quote is left open.
  std::optional<std::vector<std::string>> words() {
    while (skip_blanks(), !rest_.empty()) {
      if (!read_word()) {
        return std::nullopt;
      }
    }
    return std::move(words_);
  }

  [[nodiscard]] bool is_open() const { return is_open_; }

 private:
  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) {
      rest_.remove_prefix(1);
    }
  }

  char take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  bool read_word() {
    std::string word;
    const bool is_plain_start = rest_.front() != '~' && rest_.front() != '#';
    bool was_quoted = false;
    while (is_plain_start && !rest_.empty() && !is_blank(rest_.front())) {
      const char c = take();
      const bool is_quote = c == '\'' || c == '"' || c == '\\';
      was_quoted = was_quoted || is_quote;
      if (is_quote ? !read_quoted(c, word) : !read_plain(c, word)) {
        return false;
      }
    }
    const bool is_for_a_shell =
        words_.empty() && !was_quoted &&
        (word.find('=') != std::string::npos ||
         std::ranges::find(kBuiltins, std::string_view(word)) != kBuiltins.end());
    words_.push_back(std::move(word));
    return is_plain_start && !is_for_a_shell;
  }

  static bool read_plain(char c, std::string& word) {
    constexpr std::string_view kOfTheShell = "|&;<>()$`*?[\n\r";
    word += c;
    return kOfTheShell.find(c) == std::string_view::npos;
  }

  bool read_quoted(char quote, std::string& word) {
    if (quote == '\\') {
      is_open_ = rest_.empty();
      word += is_open_ ? '\\' : take();
      return !is_open_;
    }
    while (!rest_.empty() && rest_.front() != quote) {
      const char c = take();
      if (quote == '"' && (c == '$' || c == '`')) {
        return false;
      }
      const bool is_escape =
          quote == '"' && c == '\\' && !rest_.empty() &&
          std::string_view("$`\"\\").find(rest_.front()) != std::string_view::npos;
      word += is_escape ? take() : c;
    }
    is_open_ = rest_.empty();
    if (!is_open_) {
      take();
    }
    return !is_open_;
  }

  std::string_view rest_;
  std::vector<std::string> words_;
  bool is_open_ = false;
};

}  // namespace

Result<std::vector<std::string>> words_of_command(std::string_view text) {
  Splitter splitter(text);
  auto words = splitter.words();
  if (splitter.is_open()) {
    return Error{ErrorCode::kUsage,
                 "in '" + std::string(text) + "' a quote is not closed, or a backslash ends it"};
  }
  if (!words) {
    return std::vector<std::string>{"/bin/sh", "-c", std::string(text)};
  }
  if (words->empty()) {
    return Error{ErrorCode::kUsage, "there is no program in '" + std::string(text) + "'"};
  }
  return std::move(*words);
}

}  // namespace tidemark::cli
