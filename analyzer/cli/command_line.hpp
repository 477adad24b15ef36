/// The command line: words in, one command with its options out.
#pragma once

#include "analyzer/cli/verbs/baseline_command.hpp"
#include "analyzer/cli/verbs/check_command.hpp"
#include "analyzer/cli/verbs/compare_command.hpp"
#include "analyzer/cli/verbs/diff_command.hpp"
#include "analyzer/cli/verbs/export_command.hpp"
#include "analyzer/cli/verbs/marks_command.hpp"
#include "analyzer/cli/verbs/plot_command.hpp"
#include "analyzer/cli/verbs/record_command.hpp"
#include "analyzer/cli/verbs/report_command.hpp"
#include "analyzer/cli/verbs/view_command.hpp"
#include "collector/trace/types/result.hpp"

#include <string>
#include <variant>
#include <vector>

namespace tidemark::cli {

/// Text to print instead of doing anything: --help, --version.
struct Answer {
  std::string text;
};

using Command = std::variant<RecordOptions,
                             ReportCommand,
                             DiffCommand,
                             CompareCommand,
                             PlotCommand,
                             CheckCommand,
                             BaselineCommand,
                             ViewCommand,
                             ExportCommand,
                             MarksCommand,
                             Answer>;

/// `words` are the arguments without the program's own name.
/// @return kUsage, with a sentence that says which words cannot be and where the help is.
Result<Command> parse_command_line(std::vector<std::string> words);

}  // namespace tidemark::cli
