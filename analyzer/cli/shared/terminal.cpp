#include "analyzer/cli/shared/terminal.hpp"

#include "analyzer/io/out_of_memory.hpp"
#include "analyzer/io/whole_file.hpp"
#include "analyzer/text/shown_text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tidemark::cli {
namespace {

constexpr std::size_t kMinColumns = 60;
constexpr std::size_t kDefault = 80;
constexpr std::size_t kMaxColumns = 120;

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return kDefault;
  }
  return std::clamp<std::size_t>(size.ws_col, kMinColumns, kMaxColumns);
}

bool wants_colour() {
  const char* const no_colour = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return (no_colour == nullptr || *no_colour == '\0') && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

}  // namespace

analyzer::TextStyle output_style() {
  analyzer::TextStyle style;
  if (isatty(STDOUT_FILENO) == 1) {
    style.width = terminal_width();
    style.colour = wants_colour();
  }
  style.utf8 = std::string_view(nl_langinfo(CODESET)) == "UTF-8";
  return style;
}

analyzer::TextStyle output_style(bool whole_stacks) {
  analyzer::TextStyle style = output_style();
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

int deliver(const Result<Output>& output, const std::string& path) {
  if (!output.ok()) {
    return fail(output.error());
  }
  const auto status = write_output_to(path, output.value().bytes);
  std::ranges::for_each(output.value().losses, say);
  return status.ok() ? 0 : fail(status.error());
}

}  // namespace tidemark::cli
