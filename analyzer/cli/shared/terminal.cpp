#include "analyzer/cli/shared/terminal.hpp"

#include "analyzer/cli/shared/pager.hpp"
#include "analyzer/io/out_of_memory.hpp"
#include "analyzer/io/whole_file.hpp"
#include "analyzer/text/shown_text.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tidemark::cli {
namespace {

constexpr std::size_t kMinColumns = 60;
constexpr std::size_t kDefault = 80;
constexpr std::size_t kMaxColumns = 240;

ColourChoice chosen_colour = ColourChoice::kAuto;

/// Empty if it is not set.
std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

/// COLUMNS, if it is a number.
std::optional<std::size_t> wanted_columns() {
  const std::string_view text = variable("COLUMNS");
  std::size_t columns = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
  const bool is_number = error == std::errc{} && rest == text.data() + text.size() && columns > 0;
  return is_number ? std::optional(columns) : std::nullopt;
}

std::optional<std::size_t> terminal_columns() {
  winsize size{};
  const bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0;
  return is_known ? std::optional<std::size_t>(size.ws_col) : std::nullopt;
}

std::size_t width() {
  const auto wanted = wanted_columns();
  const auto columns = wanted ? wanted : terminal_columns();
  return columns ? std::clamp(*columns, kMinColumns, kMaxColumns) : kDefault;
}

bool is_forced(const char* name) {
  const std::string_view value = variable(name);
  return !value.empty() && value != "0";
}

bool wants_colour() {
  if (chosen_colour != ColourChoice::kAuto) {
    return chosen_colour == ColourChoice::kAlways;
  }
  if (!variable("NO_COLOR").empty()) {
    return false;
  }
  if (is_forced("CLICOLOR_FORCE") || is_forced("FORCE_COLOR")) {
    return true;
  }
  const std::string_view terminal = variable("TERM");
  return isatty(STDOUT_FILENO) == 1 && !terminal.empty() && terminal != "dumb";
}

}  // namespace

void choose_colour(ColourChoice choice) {
  chosen_colour = choice;
}

analyzer::TextStyle output_style() {
  analyzer::TextStyle style;
  style.width = width();
  style.colour = wants_colour();
  style.utf8 = std::string_view(nl_langinfo(CODESET)) == "UTF-8";
  return style;
}

analyzer::TextStyle output_style(bool whole_stacks, const std::string& output) {
  analyzer::TextStyle style = output_style();
  if (!output.empty()) {
    style.width = wanted_columns() ? style.width : kDefault;
    style.colour = chosen_colour == ColourChoice::kAlways;
  }
  style.whole_stacks = whole_stacks;
  return style;
}

Status write_output(const std::string& text) {
  const bool all = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if ((all && std::fflush(stdout) == 0) || errno == EPIPE) {
    return success();
  }
  return Error{ErrorCode::kIo,
               std::string("cannot write to standard output: ") + std::strerror(errno)};
}

Status write_long_output(const std::string& text) {
  return show_in_pager(text) ? success() : write_output(text);
}

Status write_output_to(const std::string& path, const std::string& text) {
  return path.empty() ? write_output(text) : analyzer::write_whole_file(path, text);
}

void say(const std::string& sentence) {
  if (!sentence.empty()) {
    std::fprintf(stderr, "tidemark: %s\n", analyzer::shown_text(sentence).c_str());
  }
}

int fail(const Error& error) {
  if (error.message.empty()) {
    analyzer::say_without_memory("stopped, and nothing says why; please report it");
  }
  say(error.message);
  return 2;
}

namespace {

/// Without a pager: it is too much to be paged through.
Status write_pieces(const Output& output, const std::string& path) {
  if (!path.empty()) {
    bool is_first = !output.bytes.empty();
    return analyzer::write_whole_file(path, [&output, is_first]() mutable {
      return std::exchange(is_first, false) ? output.bytes : output.more();
    });
  }
  Status status = write_output(output.bytes);
  for (std::string piece = output.more(); !piece.empty(); piece = output.more()) {
    if (!status.ok() || std::ferror(stdout) != 0) {
      break;  // The reader has stopped.
    }
    status = write_output(piece);
  }
  return status;
}

}  // namespace

int deliver(const Result<Output>& output, const std::string& path) {
  if (!output.ok()) {
    return fail(output.error());
  }
  const std::string& bytes = output.value().bytes;
  const auto status = output.value().more ? write_pieces(output.value(), path)
                      : path.empty() && output.value().is_long_text ? write_long_output(bytes)
                                                                    : write_output_to(path, bytes);
  std::ranges::for_each(output.value().losses, say);
  return status.ok() ? 0 : fail(status.error());
}

}  // namespace tidemark::cli
