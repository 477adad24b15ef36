#include "analyzer/cli/command_line.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

namespace tidemark::cli {
namespace {

constexpr const char* kAbout =
    "tidemark records every allocation of a program that loads a model, and shows the\n"
    "exact peak of its memory and what that peak is made of.";

constexpr const char* kFooter =
    "Try:  tidemark record -o load.tmk -- python3 load.py model.safetensors\n"
    "      tidemark report load.tmk\n"
    "Help for one verb:  tidemark VERB --help";

/// The type name in the help lists the words already.
CLI::Validator one_of(const std::vector<std::string>& words) {
  return CLI::Validator(CLI::IsMember(words)).description("");
}

/// All verbs with their options, bound to the values they set.
struct Parser {
  CLI::App app{kAbout, "tidemark"};
  RecordOptions record;
  ReportCommand report;
  DiffCommand diff;
  CompareCommand compare;
  PlotCommand plot;
  CheckCommand check;
  BaselineCommand baseline;
  ViewCommand view;
  ExportCommand exported;
  std::string overflow = "block";
  std::string format = "text";
  unsigned depth = 0;
  std::size_t top = 0;
  CLI::App* record_verb = nullptr;
  CLI::App* report_verb = nullptr;
  CLI::App* diff_verb = nullptr;
  CLI::App* compare_verb = nullptr;
  CLI::App* plot_verb = nullptr;
  CLI::App* check_verb = nullptr;
  CLI::App* baseline_verb = nullptr;
  CLI::App* export_verb = nullptr;
  CLI::App* view_verb = nullptr;
  CLI::App* marks_verb = nullptr;

  Parser() {
    app.set_version_flag("--version", std::string("tidemark ") + TIDEMARK_VERSION);
    app.require_subcommand(1);
    app.footer(kFooter);
    add_record();
    add_report();
    diff_verb = add_diff_verb(app, diff);
    compare_verb = add_compare_verb(app, compare);
    plot_verb = add_plot_verb(app, plot);
    check_verb = add_check_verb(app, check);
    baseline_verb = add_baseline_verb(app, baseline);
    export_verb = add_export_verb(app, exported);
    view_verb = add_view_verb(app, view);
    marks_verb = app.add_subcommand("marks", "Print how to add phases to a loader");
  }

  void add_record() {
    record_verb = app.add_subcommand("record", "Run a program and record it");
    // Never filled by CLI11, which does not get to see the host's words; it is here for the help.
    record_verb->add_option("CMD", record.command, "Program to run, with its arguments")
        ->type_name("[ARGS]");
    record_verb
        ->add_option("-o,--output", record.output,
                     "Trace to write (default: tidemark-<program>-<pid>.tmk)")
        ->type_name("FILE.tmk");
    record_verb
        ->add_option("--overflow", overflow,
                     "When the recorder falls behind: make the program wait, or drop records")
        ->type_name("block|drop")
        ->check(one_of({"block", "drop"}));
    record_verb->add_option("--model", record.model, "Size of the model, or its file")
        ->type_name("SIZE|FILE");
    record_verb->add_option("--depth", depth, "Most frames of a stack to keep")->type_name("N");
    record_verb
        ->add_option(
            "--unwinder", record.unwinder,
            "How stacks are taken: our own unwinder, libunwind (slow; the reference), not at all")
        ->type_name("fast|libunwind|none")
        ->check(one_of({"fast", "libunwind", "none"}));
    record_verb->add_flag("-q,--quiet", record.quiet, "Say nothing unless something is wrong");
    record_verb->add_flag("--wait-children", record.wait_children,
                          "Go on until the last child process ended");
    record_verb->add_flag("--no-copies", record.no_copies,
                          "Leave memcpy, memmove and memset alone: no copy chain in the report");
    record_verb->add_flag("--no-symbol-cache", record.no_symbol_cache,
                          "Look all names up anew; leave $XDG_CACHE_HOME/tidemark alone");
    record_verb->footer(
        "Everything from CMD on belongs to the program. The exit status is the program's own;\n"
        "2 when it could not be recorded.");
  }

  void add_report() {
    report_verb = app.add_subcommand("report", "Show the peak and what it was made of");
    report_verb->add_option("FILE", report.file, "The trace")->required()->type_name(" ");
    report_verb->add_option("--format", format, "How to print it (default: text)")
        ->type_name("text|json|markdown|html")
        ->check(one_of({"text", "json", "markdown", "html"}));
    report_verb
        ->add_option("-o,--output", report.output, "File to write (default: standard output)")
        ->type_name("FILE");
    report_verb
        ->add_option("--at", report.at, "Instant of the list of stacks (default: peak), as 3.2s")
        ->type_name("peak|TIME");
    report_verb->add_option("--top", top, "Stacks to list, 0 for all (default: 10, in JSON 100)")
        ->type_name("N");
    report_verb
        ->add_option("--model", report.model,
                     "Size of the model, or its file; replaces what was recorded")
        ->type_name("SIZE|FILE");
  }

  Command command() {
    if (diff_verb->parsed()) {
      return diff;
    }
    if (compare_verb->parsed()) {
      return compare;
    }
    if (plot_verb->parsed()) {
      return plot;
    }
    if (check_verb->parsed()) {
      return check;
    }
    if (baseline_verb->parsed()) {
      return baseline;
    }
    if (export_verb->parsed()) {
      return exported;
    }
    if (view_verb->parsed()) {
      return view;
    }
    if (report_verb->parsed()) {
      report.format = format == "json"       ? ReportFormat::kJson
                      : format == "markdown" ? ReportFormat::kMarkdown
                      : format == "html"     ? ReportFormat::kHtml
                                             : ReportFormat::kText;
      if (report_verb->count("--top") > 0) {
        report.top = top;
      }
      return report;
    }
    if (record_verb->parsed()) {
      record.drop_on_overflow = overflow == "drop";
      if (record_verb->count("--depth") > 0) {
        record.depth = depth;
      }
      return record;
    }
    return MarksCommand{};
  }
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
    at += takes_a_value(record, words[at]) ? std::size_t{2} : std::size_t{1};
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

/// CLI11 says --help, --version and mistakes all by exceptions.
Result<Command> answer_to(const Parser& parser, const CLI::ParseError& error) {
  if (error.get_exit_code() != 0) {
    return usage(parser, error.what());
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
  if (words.front() == "record") {
    parser.record.command = take_host_command(words, *parser.record_verb);
  }
  std::ranges::reverse(words);  // CLI11 takes its words from the back.
  try {
    parser.app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return answer_to(parser, error);
  }
  if (parser.record_verb->parsed() && parser.record.command.empty()) {
    return usage(parser, "record needs a program to run");
  }
  return parser.command();
}

}  // namespace tidemark::cli
