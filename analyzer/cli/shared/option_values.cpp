#include "analyzer/cli/shared/option_values.hpp"

#include "analyzer/cli/shared/pager.hpp"
#include "analyzer/cli/shared/terminal.hpp"
#include "analyzer/layers/layer_keys.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

namespace tidemark::cli {
namespace {

/// As for ValueCheck: a sentence, or empty if the value is valid.
using Refusal = std::string;

Refusal refuse_other_words(const std::vector<std::string>& words, const std::string& text) {
  return std::ranges::find(words, text) != words.end()
             ? Refusal()
             : fmt::format("'{}' is none of {}", text, fmt::join(words, ", "));
}

Refusal refuse_other_numbers(std::uint64_t low, std::uint64_t high, const std::string& text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc{} && rest == end && low <= number && number <= high) {
    return {};
  }
  const std::string most = high == UINT64_MAX ? "up" : fmt::format("to {}", high);
  return fmt::format("'{}' is not a whole number from {} {}", text, low, most);
}

/// Refuses a size without a unit that is smaller than any weight file. With a unit, any size is
/// taken as meant.
Refusal refuse_forgotten_unit(const std::string& text) {
  const auto bytes = analyzer::parse_size(text);
  if (!bytes.ok() || (bytes.value() > 0 && !analyzer::has_forgotten_unit(text))) {
    return {};
  }
  return fmt::format(
      "'{0}' would be a model of {1}; give its unit, as {2}MiB, or name a file as ./{0}", text,
      analyzer::format_size(bytes.value()), bytes.value() == 0 ? "500" : text);
}

}  // namespace

ValueCheck one_of(std::vector<std::string> words) {
  return [words = std::move(words)](const std::string& text) {
    return refuse_other_words(words, text);
  };
}

ValueCheck whole_number(std::uint64_t low, std::uint64_t high) {
  return [low, high](const std::string& text) { return refuse_other_numbers(low, high, text); };
}

Option add_trace(Verb& verb,
                 const std::string& name,
                 std::string& target,
                 const std::string& about) {
  // The usage line says which ones may be left out; a type name would say it again.
  return verb.add_option(name, target, about).option_text(" ");
}

Option add_model(Verb& verb, std::string& target) {
  return verb.add_option("--model", target).type_name("SIZE|FILE").check(refuse_forgotten_unit);
}

ValueCheck a_size() {
  return [](const std::string& text) {
    return analyzer::parse_size(text).ok() ? Refusal()
                                           : fmt::format("'{}' is no size, as 64KiB", text);
  };
}

ValueCheck size_or_file() {
  return [](const std::string& text) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(text, ignored) ||
                   std::filesystem::is_directory(text, ignored) || analyzer::parse_size(text).ok()
               ? Refusal()
               : fmt::format("'{}' is neither a size, as 5GiB, nor a file or folder", text);
  };
}

void add_model_to_read_with(Verb& verb, std::string& target, bool for_both) {
  add_model(verb, target)
      .description(std::string("Size, file or folder of the model") +
                   (for_both ? ", for both" : "") + ";\nreplaces what was recorded");
}

void add_frames(Verb& verb, std::string& target) {
  verb.add_option("--frames", target,
                  "Of stacks with Python frames: these and the\nnative ones around them (default), "
                  "or one kind")
      .type_name("both|python|native")
      .check(one_of({"both", "python", "native"}));
}

void add_whole_stacks(Verb& verb, bool& target) {
  verb.add_flag(
      "--whole-stacks", target,
      "Every frame of the stacks, start-up code\nand all (in text; JSON has them anyway)");
}

void add_layers(Verb& verb, std::string& target) {
  verb.add_option("--by", target,
                  "What the footprint is layered by: who asked\n"
                  "(default), the layer of the model that is in it,\n"
                  "the kind of memory, the library or program, or\n"
                  "the phase in which it was allocated")
      .type_name(fmt::format("{}", fmt::join(analyzer::grouping_words(), "|")))
      .check(one_of(analyzer::grouping_words()));
}

void add_align(Verb& verb, std::string& target) {
  verb.add_option("--align", target,
                  "Draw below each other equal times (default),\n"
                  "phases of the same name, or equal shares of the\nmodel read")
      .type_name("time|phase|bytes")
      .check(one_of({"time", "phase", "bytes"}));
}

void add_no_pager(Verb& verb) {
  verb.add_flag(
      "--no-pager", [] { do_without_pager(); },
      "Do not show what is longer than the screen in\n$TIDEMARK_PAGER, $PAGER or less");
}

void add_color(Verb& verb) {
  verb.add_option(
          "--color",
          [](const std::string& word) {
            choose_colour(word == "always"  ? ColourChoice::kAlways
                          : word == "never" ? ColourChoice::kNever
                                            : ColourChoice::kAuto);
          },
          "Colours (default: auto, which is on a terminal and\nas NO_COLOR, CLICOLOR_FORCE and "
          "FORCE_COLOR say)")
      .type_name("auto|always|never")
      .check(one_of({"auto", "always", "never"}));
}

}  // namespace tidemark::cli
