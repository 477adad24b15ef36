/// The formats of `tidemark export`: a new one is a row of the table in formats.cpp.
#pragma once

#include "analyzer/export/curves/time_span.hpp"
#include "analyzer/export/stacks/stack_values.hpp"
#include "analyzer/query/loaded_trace.hpp"
#include "collector/trace/types/definitions.hpp"
#include "collector/trace/types/result.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tidemark::exports {

/// Writes stacks. @param smallest_share as StackTree::fold.
using StackWriter = std::string (*)(const trace::Definitions& definitions,
                                    const StackTable& table,
                                    double smallest_share);
/// Writes the whole run, or a span of it. @param at_ns an instant to mark in it, if any.
using RunWriter = Result<std::string> (*)(analyzer::LoadedTrace& trace,
                                          const TimeSpan& span,
                                          std::optional<std::uint64_t> at_ns);

struct ExportFormat {
  std::string_view name;
  StackWriter stacks = nullptr;  ///< Null: it does not show stacks of an instant or a range.
  RunWriter run = nullptr;       ///< Null: it does not show the run.
  bool folds = false;            ///< `stacks` folds small ones by the share it is given.
  bool marks_instant = false;    ///< `run` shows `at_ns`.
  bool is_binary = false;
  const char* stacks_help = nullptr;  ///< Lines for `export --help`, indented.
  const char* run_help = nullptr;
};

/// In the order of the help.
std::span<const ExportFormat> export_formats();

/// Null for an unknown name.
const ExportFormat* find_export_format(std::string_view name);

}  // namespace tidemark::exports
