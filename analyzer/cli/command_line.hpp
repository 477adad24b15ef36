/// The command line: words in, one command with its options out.
#pragma once

#include "analyzer/cli/shared/command_tree.hpp"
#include "analyzer/cli/verbs/checking/baseline_command.hpp"
#include "analyzer/cli/verbs/checking/check_command.hpp"
#include "analyzer/cli/verbs/reading/diff_command.hpp"
#include "analyzer/cli/verbs/reading/explain_command.hpp"
#include "analyzer/cli/verbs/reading/export_command.hpp"
#include "analyzer/cli/verbs/reading/plot_command.hpp"
#include "analyzer/cli/verbs/reading/report_command.hpp"
#include "analyzer/cli/verbs/recording/compare_command.hpp"
#include "analyzer/cli/verbs/recording/marks_command.hpp"
#include "analyzer/cli/verbs/recording/record_command.hpp"
#include "analyzer/cli/verbs/recording/view_command.hpp"
#include "collector/trace/types/result.hpp"

#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace tidemark::cli {

/// Text to print instead of doing anything: --help, --version.
struct Answer {
  std::string text;
};

/// The verbs, in the order of the help. A verb is its options, with two functions beside them:
///
///     Verb add_verb(CLI::App& app, Options& options);        // into the command line
///     int run(const Options& options);                       // the exit status
using Verbs = std::tuple<RecordOptions,
                         ReportCommand,
                         DiffCommand,
                         CompareCommand,
                         PlotCommand,
                         CheckCommand,
                         BaselineCommand,
                         ExportCommand,
                         ViewCommand,
                         ExplainCommand,
                         MarksCommand>;

template <typename Tuple>
struct OneOf;
template <typename... Options>
struct OneOf<std::tuple<Options...>> {
  using Type = std::variant<Options..., Answer>;
};
using Command = OneOf<Verbs>::Type;

/// `words` are the arguments without the program's own name.
/// @return kUsage, with a sentence that says which words cannot be and where the help is.
Result<Command> parse_command_line(std::vector<std::string> words);

/// The same parser's verbs and options.
CommandTree command_tree();

}  // namespace tidemark::cli
