#include "gui/app/options.hpp"

#include "analyzer/io/same_file.hpp"
#include "analyzer/picture/drawing/pixels.hpp"
#include "gui/view/session/view_state.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <system_error>
#include <utility>

namespace tidemark::gui {
namespace {

constexpr picture::PixelLimits kSizes{
    .least = {.width = 200, .height = 200}, .max_side = 8192, .example = "1600x900"};

/// A CLI11 check with our own sentence: CLI11's speak of sets and ranges.
template <typename Holds>
CLI::Validator check_that(Holds holds, const std::string& sentence) {
  return CLI::Validator(
      [holds, sentence](const std::string& text) {
        return holds(text) ? std::string() : fmt::format("'{}' is {}", text, sentence);
      },
      "");
}

CLI::Validator check_word(const std::vector<std::string>& words) {
  return check_that(
      [words](const std::string& text) { return std::ranges::count(words, text) != 0; },
      fmt::format("none of {}", fmt::join(words, ", ")));
}

bool is_factor(const std::string& text) {
  double factor = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), factor);
  return error == std::errc{} && rest == text.data() + text.size() && factor >= 0.5 &&
         factor <= 4.0;
}

/// Our own sentence for what is wrong with the arguments.
std::string sentence_for(const CLI::App& app, const CLI::ParseError& error) {
  if (const auto beyond = app.remaining(true); !beyond.empty()) {
    return fmt::format("there is no option '{}'", beyond.front());
  }
  const std::string what = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return what.starts_with("FILE") ? std::string("there is room for two traces")
                                    : what.substr(0, what.find(':')) + " needs one value";
  }
  return what;
}

Status set_size(const std::string& text, Options& options) {
  const auto pixels = picture::parse_pixels(text, kSizes);
  if (!pixels.ok()) {
    return pixels.error();
  }
  options.width = pixels.value().width;
  options.height = pixels.value().height;
  options.has_size = true;
  return success();
}

/// The picture is the only file that is written over.
Status keeps_inputs(const Options& options) {
  std::vector<std::string> read = options.files;
  read.insert(read.end(), {options.state, options.model});
  for (const std::string& file : read) {
    if (analyzer::is_same_file(options.screenshot, file)) {
      const bool is_trace = std::ranges::count(options.files, file) != 0;
      return Error{ErrorCode::kUsage,
                   fmt::format("--screenshot {} is a {} that is read; name another file",
                               options.screenshot, is_trace ? "trace" : "file")};
    }
  }
  return success();
}

/// @param size as it is typed: see set_size.
void declare_options(CLI::App& app, Options& options, std::string& size) {
  app.set_version_flag("--version", std::string("tidemark-gui ") + TIDEMARK_VERSION);
  app.add_option("FILE", options.files, "The trace, or the one before and the one after")
      ->expected(0, 2)
      ->type_name("[FILE2]");
  app.add_option("--screenshot", options.screenshot, "Picture of the window to write; none opens")
      ->type_name("OUT.png");
  app.add_option("--size", size, "Pixels (default: 1600x900)")->type_name("WxH");
  app.add_option("--state", options.state, "View to begin with, as saved from the window")
      ->type_name("FILE.json");
  app.add_option("--model", options.model,
                 "Size, file or folder of the model, for both; replaces what was recorded")
      ->type_name("SIZE|FILE");
  app.add_option(
         "--frames", options.frames,
         "Of stacks with Python frames: these and the native ones around them (default), or "
         "one kind")
      ->type_name("both|python|native")
      ->check(check_word({"both", "python", "native"}));
  app.add_option("--by", options.by, "What the footprint is layered by")
      ->type_name(fmt::format("{}", fmt::join(analyzer::grouping_words(), "|")))
      ->check(check_word(analyzer::grouping_words()));
  app.add_option("--pane", options.pane, "What to begin with below the timeline")
      ->type_name("PANE")
      ->check(check_word({kPaneWords.begin(), kPaneWords.end()}));
  app.add_option("--theme", options.theme, "Colours")
      ->type_name("light|dark")
      ->check(check_word({"light", "dark"}));
  app.add_option("--scale", options.scale,
                 "Size of everything, 2 for 200 % (default: the desktop's)")
      ->check(check_that(is_factor, "no factor from 0.5 to 4"))
      ->type_name("FACTOR");
  app.add_flag("--tour", options.tour)->group("");
}

/// What holds of each option alone is not looked at again.
Status check_together(const Options& options) {
  if (!options.screenshot.empty() && options.files.empty()) {
    return Error{ErrorCode::kUsage, "--screenshot needs a trace to show; see tidemark-gui --help"};
  }
  return keeps_inputs(options);
}

}  // namespace

Result<std::variant<Options, Answer>> parse_options(std::vector<std::string> words) {
  Options options;
  std::string size;
  CLI::App app("The window on traces of tidemark", "tidemark-gui");
  declare_options(app, options, size);
  std::ranges::reverse(words);  // CLI11 takes arguments from the back.
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      return Error{ErrorCode::kUsage, sentence_for(app, error) + "; see tidemark-gui --help"};
    }
    std::ostringstream out;
    app.exit(error, out, out);
    return std::variant<Options, Answer>(Answer{out.str()});
  }
  Status status = size.empty() ? success() : set_size(size, options);
  if (status.ok()) {
    status = check_together(options);
  }
  if (!status.ok()) {
    return status.error();
  }
  return std::variant<Options, Answer>(std::move(options));
}

}  // namespace tidemark::gui
