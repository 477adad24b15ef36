#include "analyzer/cli/command_line.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

namespace tidemark::cli {
namespace {

constexpr const char* kAbout =
    "tidemark records every allocation of a program that loads a model, and shows the\n"
    "exact peak of its memory and what that peak is made of.";

constexpr const char* kFooter =
    "Try:  tidemark record -o load.tmk -- python3 load.py model.safetensors\n"
    "      tidemark report load.tmk\n"
    "Two loads:  tidemark compare --before './load old.bin' --after './load new.bin'\n"
    "Help for one verb:  tidemark VERB --help";

/// All verbs with their options, bound to the values they set.
class Parser {
 public:
  Parser() {
    app.set_version_flag("--version", std::string("tidemark ") + TIDEMARK_VERSION,
                         "Print the version and exit");
    app.set_help_flag("-h,--help", "Print this help and exit");
    app.require_subcommand(1);
    app.footer(kFooter);
    const auto formatter = app.get_formatter();  // Of the verbs, too.
    formatter->label("Positionals", "Arguments");
    formatter->label("REQUIRED", "(required)");
    std::apply([this](auto&... options) { (add(options), ...); }, options_);
    const auto short_names = std::make_shared<CLI::Formatter>();
    short_names->label("SUBCOMMAND", "VERB");
    short_names->column_width(13);
    app.formatter(short_names);
  }

  /// What was parsed.
  Command command() {
    for (const auto& [verb, chosen] : verbs_) {
      if (verb->parsed()) {
        return chosen();
      }
    }
    return Answer{app.help()};
  }

  RecordOptions& record() { return std::get<RecordOptions>(options_); }

  CLI::App app{kAbout, "tidemark"};

 private:
  template <typename Options>
  void add(Options& options) {
    CLI::App* const verb = &add_verb(app, options).app();
    verb->group("Verbs");
    verbs_.emplace_back(verb, [&options] { return Command(options); });
  }

  Verbs options_;
  std::vector<std::pair<CLI::App*, std::function<Command()>>> verbs_;
};

bool is_verb(CLI::App& app, const std::string& word) {
  const auto verbs =
      app.get_subcommands([&word](const CLI::App* verb) { return verb->get_name() == word; });
  return !verbs.empty();
}

bool takes_a_value(const CLI::App& verb, const std::string& word) {
  const CLI::Option* const option = verb.get_option_no_throw(word);
  return option != nullptr && option->get_items_expected_max() > 0;
}

/// Takes the host's command off the words of `record`: all after `--`, or from the first word on
/// that is neither an option nor an option's value. CLI11 must not see it: it would look for
/// options in it.
std::vector<std::string> take_host_command(std::vector<std::string>& words,
                                           const CLI::App& record) {
  std::size_t at = 1;
  while (at < words.size() && words[at].starts_with('-') && words[at] != "--") {
    const bool has_value = at + 1 < words.size() && words[at + 1] != "--";
    at += has_value && takes_a_value(record, words[at]) ? std::size_t{2} : std::size_t{1};
  }
  at = std::min(at, words.size());
  const std::size_t first = at < words.size() && words[at] == "--" ? at + 1 : at;
  const auto begin = std::next(words.begin(), static_cast<std::ptrdiff_t>(first));
  std::vector<std::string> command(std::make_move_iterator(begin),
                                   std::make_move_iterator(words.end()));
  words.resize(at);
  return command;
}

Error usage(const Parser& parser, const std::string& what) {
  std::string verb;
  for (const CLI::App* const sub : parser.app.get_subcommands()) {
    verb = sub->get_name() + ' ';
  }
  return Error{ErrorCode::kUsage, what + "; see tidemark " + verb + "--help"};
}

std::string words_beyond(const std::vector<std::string>& words) {
  const std::string& first = words.front();
  return first.starts_with('-') && first.size() > 1
             ? fmt::format("there is no option '{}'", first.substr(0, first.find('=')))
             : fmt::format("'{}' is one word too many", first);
}

/// CLI11 says `--at: 1 required peak|TIME missing`.
std::string missing_value(const std::string& what) {
  constexpr std::string_view kRequired = " required ";
  constexpr std::string_view kMissing = " missing";
  const std::size_t colon = what.find(':');
  const std::size_t required = what.find(kRequired);
  if (colon >= required || required == std::string::npos || !what.ends_with(kMissing)) {
    return what;
  }
  const std::size_t type = required + kRequired.size();
  return fmt::format("{} needs a value: {}", what.substr(0, colon),
                     what.substr(type, what.size() - kMissing.size() - type));
}

/// What is wrong with the words, in ours.
std::string sentence_for(const Parser& parser, const CLI::ParseError& error) {
  if (const auto beyond = parser.app.remaining(true); !beyond.empty()) {
    return words_beyond(beyond);
  }
  const std::string what = error.what();
  if (what.find("At Most 1 required") != std::string::npos) {  // CLI11's.
    return what.substr(0, what.find(':')) + " is given more than once";
  }
  return missing_value(what);
}

/// CLI11 says --help, --version and mistakes all by exceptions.
Result<Command> answer_to(const Parser& parser, const CLI::ParseError& error) {
  if (error.get_exit_code() != 0) {
    return usage(parser, sentence_for(parser, error));
  }
  std::ostringstream out;
  parser.app.exit(error, out, out);
  return Command(Answer{out.str()});
}

}  // namespace

Result<Command> parse_command_line(std::vector<std::string> words) {
  Parser parser;
  if (words.empty()) {
    return Command(Answer{parser.app.help()});
  }
  if (!words.front().starts_with('-') && !is_verb(parser.app, words.front())) {
    return usage(parser, "there is no verb '" + words.front() + "'");
  }
  const bool records = words.front() == "record";
  if (records) {
    parser.record().command = take_host_command(words, *parser.app.get_subcommand("record"));
  }
  std::ranges::reverse(words);  // CLI11 takes its words from the back.
  try {
    parser.app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return answer_to(parser, error);
  }
  if (records && parser.record().command.empty()) {
    return usage(parser, "record needs a program to run");
  }
  return parser.command();
}

}  // namespace tidemark::cli
