/// `tidemark report`: the peak, what it was made of, phases, files, loss.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace tidemark::cli {

enum class ReportFormat { kText, kJson, kMarkdown, kHtml };

struct ReportCommand {
  std::string file;
  ReportFormat format = ReportFormat::kText;
  std::string at = "peak";         ///< `peak`, or a time since the session's start.
  std::optional<std::size_t> top;  ///< None: what suits the format. 0: all.
  std::string model;               ///< A size or a file; empty: as recorded.
  std::string output;              ///< The file to write; empty: standard output.
};

/// @return 0, also for a damaged trace (the report says what is lost); 2 for bad input.
int run_report(const ReportCommand& command);

}  // namespace tidemark::cli
