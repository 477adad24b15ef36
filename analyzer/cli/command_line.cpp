#include "analyzer/cli/command_line.hpp"

#include "analyzer/cli/build_facts.hpp"
#include "analyzer/cli/completion/completion.hpp"
#include "analyzer/text/nearest_word.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <sstream>
#include <string_view>
#include <system_error>
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
    "Help for one verb:  tidemark help VERB, and man tidemark-VERB";

class UsageLines : public CLI::Formatter {
 public:
  /// Unlike CLI11's text, says that the program's words are required and may begin with a dash.
  std::string make_option_usage(const CLI::Option* option) const override {
    return option->get_name(true) == "CMD" ? "[--] CMD [ARGS...]"
                                           : CLI::Formatter::make_option_usage(option);
  }
};

/// All verbs with their options, bound to the values they set.
class Parser {
 public:
  Parser() {
    app.set_version_flag("-V,--version", version_line(), "Print version and build, and exit");
    app.set_help_flag("-h,--help", "Print this help and exit");
    app.require_subcommand(1);
    app.footer(kFooter);
    const auto formatter = std::make_shared<UsageLines>();  // The verbs use it, too.
    app.formatter(formatter);
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
  ViewCommand& view() { return std::get<ViewCommand>(options_); }

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

std::vector<const CLI::App*> verbs_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

bool is_verb(const CLI::App& app, const std::string& word) {
  return std::ranges::any_of(verbs_of(app),
                             [&word](const CLI::App* verb) { return verb->get_name() == word; });
}

std::string without_line_ends(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

CommandOption described(const CLI::Option& option) {
  CommandOption out;
  for (const std::string& name : option.get_snames()) {
    out.names.push_back('-' + name);
  }
  for (const std::string& name : option.get_lnames()) {
    out.names.push_back("--" + name);
  }
  const bool is_flag = option.get_items_expected_max() == 0;
  out.value = is_flag ? std::string() : option.get_type_name();
  out.about = without_line_ends(option.get_description());
  out.required = option.get_required();
  out.repeated = option.get_items_expected_max() > 1;
  return out;
}

CommandVerb described(const CLI::App& app, const CLI::Formatter& formatter) {
  CommandVerb out{
      app.get_name(), without_line_ends(app.get_description()), {}, {}, app.get_footer()};
  for (const CLI::Option* const option : app.get_options()) {
    if (option->get_positional()) {
      out.arguments.push_back({option->get_name(true), formatter.make_option_usage(option),
                               without_line_ends(option->get_description())});
    } else {
      out.options.push_back(described(*option));
    }
  }
  return out;
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

/// The same for `view --record`: all after `--`. Without --record, a trace follows there.
std::vector<std::string> take_viewed_command(std::vector<std::string>& words) {
  const auto end = std::ranges::find(words, "--");
  if (end == words.end() || std::find(words.begin(), end, "--record") == end) {
    return {};
  }
  std::vector<std::string> command(std::next(end), words.end());
  words.erase(end, words.end());
  return command;
}

/// `--output` for `--ouptut`, and nothing for what is like no word.
std::string meant(std::string_view typed, const std::vector<std::string>& words) {
  constexpr std::size_t kLongest = 64;  // No verb or option is half as long.
  const std::string near = typed.size() <= kLongest ? analyzer::near_word(typed, words) : "";
  return near.empty() ? near : "; did you mean '" + near + "'?";
}

std::string unknown_verb(const CLI::App& app, const std::string& word) {
  std::vector<std::string> verbs{"help"};
  for (const CLI::App* const verb : verbs_of(app)) {
    verbs.push_back(verb->get_name());
  }
  // A trace as the only argument is shown.
  std::error_code error;
  if (word.ends_with(".tmk") && std::filesystem::is_regular_file(word, error)) {
    return fmt::format("there is no verb '{0}'; did you mean 'tidemark report {0}'?", word);
  }
  return "there is no verb '" + word + "'" + meant(word, verbs);
}

std::string unknown_option(const CLI::App& app, const std::string& word) {
  const CLI::App* chosen = &app;
  for (const CLI::App* const verb : app.get_subcommands()) {
    chosen = verb;
  }
  std::vector<std::string> names;
  for (const CLI::Option* const option : chosen->get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return "there is no option '" + word + "'" + (word.starts_with("--") ? meant(word, names) : "");
}

Error usage(const Parser& parser, const std::string& what) {
  std::string verb;
  for (const CLI::App* const sub : parser.app.get_subcommands()) {
    verb = sub->get_name() + ' ';
  }
  const std::string link = what.ends_with('?') ? " See" : "; see";
  return Error{ErrorCode::kUsage, what + link + " tidemark " + verb + "--help"};
}

/// The sentence for an argument too many: for `report`, a second trace, it names the verbs for two.
std::string second_trace(const CLI::App& app, const std::string& word) {
  const auto verbs = app.get_subcommands();
  return !verbs.empty() && verbs.front()->get_name() == "report"
             ? fmt::format(
                   "report shows one trace, and '{}' is another: tidemark diff BEFORE AFTER "
                   "compares two, tidemark compare records two commands",
                   word)
             : fmt::format("'{}' is one word too many", word);
}

std::string words_beyond(const CLI::App& app, const std::vector<std::string>& words) {
  const std::string& first = words.front();
  return first.starts_with('-') && first.size() > 1
             ? unknown_option(app, first.substr(0, first.find('=')))
             : second_trace(app, first);
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

/// Our own sentence for what is wrong with the arguments.
std::string sentence_for(const Parser& parser, const CLI::ParseError& error) {
  if (const auto beyond = parser.app.remaining(true); !beyond.empty()) {
    return words_beyond(parser.app, beyond);
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

CommandTree command_tree() {
  Parser parser;
  const UsageLines formatter;
  CommandTree tree{described(parser.app, formatter), {}};
  tree.command.about = kAbout;
  std::ranges::replace(tree.command.about, '\n', ' ');
  for (const CLI::App* const verb : verbs_of(parser.app)) {
    tree.verbs.push_back(described(*verb, formatter));
  }
  return tree;
}

Result<Command> parse_command_line(std::vector<std::string> words) {
  // The verb that the shells' completion calls; not for people.
  if (!words.empty() && words.front() == "__complete") {
    words.erase(words.begin());
    return Command(Answer{completion_text(complete(command_tree(), words))});
  }
  Parser parser;
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    if (words.size() > 1) {
      return usage(parser, fmt::format("'{}' is one word too many", words[1]));
    }
    words.emplace_back("--help");
  }
  if (words.empty()) {
    return Command(Answer{parser.app.help()});
  }
  if (!words.front().starts_with('-') && !is_verb(parser.app, words.front())) {
    return usage(parser, unknown_verb(parser.app, words.front()));
  }
  const bool records = words.front() == "record";
  const bool views = words.front() == "view";
  if (records) {
    parser.record().command = take_host_command(words, *parser.app.get_subcommand("record"));
  } else if (views) {
    parser.view().program = take_viewed_command(words);
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
  if (const std::string missing = views ? missing_in(parser.view()) : ""; !missing.empty()) {
    return usage(parser, missing);
  }
  return parser.command();
}

}  // namespace tidemark::cli
