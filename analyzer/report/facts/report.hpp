/// The report of one trace: everything that its text and its JSON say, computed once.
#pragma once

#include "analyzer/findings/anatomy.hpp"
#include "analyzer/load/load_facts.hpp"
#include "analyzer/query/footprint/timeline.hpp"
#include "analyzer/query/live/live_set.hpp"
#include "analyzer/report/facts/report_usage.hpp"
#include "analyzer/report/facts/sampled_stacks.hpp"
#include "analyzer/stacks/stack_names.hpp"
#include "analyzer/stacks/stack_text.hpp"
#include "analyzer/tensors/tensor_groups.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tidemark::analyzer {

struct ReportOptions {
  std::optional<std::uint64_t> at_ns;  ///< The live set's instant; none: the peak.
  std::size_t top = 10;                ///< Stacks to list; 0: all.
  std::string model;                   ///< --model; replaces the one the recording was given.
  std::size_t columns = 0;             ///< Columns of the timeline; 0: none is computed.
  bool anatomy = true;                 ///< Why the peak is as high.
  /// Use stacks that do not depend on sampling, to compare the live set with another recording's.
  /// See certain_live_set_at.
  bool certain_stacks = false;
  /// Name only the `kNamedStacks` largest stacks, and others when they are shown: naming all stacks
  /// of a large program takes gigabytes. The trace must then outlive the report.
  bool names_when_shown = false;
  /// List stacks of the live set that differ only in lines as one. See stack_groups.hpp.
  bool merged_by_function = false;
  TensorGrouping by = TensorGrouping::kNone;  ///< kNone: no tensors.
  UsageGrouping usage = UsageGrouping::kNone;
  std::vector<Suppression> suppressions{};  ///< Applied to leaks.
};

/// Number of rows whose names are made distinct, see telling_texts.
constexpr std::size_t kNamedStacks = kMaxToldRows;

/// One line of "what was alive": the stacks that read the same, function by function, are one.
struct ReportStack {
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  trace::Lane lane = trace::Lane::kHeap;
  /// Innermost first; empty if no stack was recorded, or if it is named only when shown.
  std::vector<NamedFrame> frames;
  trace::StackId unnamed = trace::kNoStack;  ///< The stack that is.
};

/// Tensors that are there at the live set's instant.
struct ReportTensors {
  TensorGrouping by = TensorGrouping::kNone;  ///< kNone: they were not asked for.
  HeldTensors held;
  std::vector<TensorRow> rows;                  ///< At most `top`.
  std::vector<std::vector<NamedFrame>> frames;  ///< For each row, its stack.
  TensorRow rest;                               ///< The rows beyond these, summed; no name.
  std::size_t row_count = 0;                    ///< How many there are in all.
  std::size_t listed_of_model = 0;              ///< Tensors that the model's files list.
};

/// The facts of a load, and what was made of them.
struct Report : LoadFacts {
  bool at_peak = true;  ///< The live set is that of the peak.
  std::uint64_t live_at_ns = 0;
  std::uint64_t live_bytes = 0;          ///< The footprint at that instant.
  LiveSet live;                          ///< All of it, by recorded stack, file mappings too.
  std::vector<ReportStack> live_stacks;  ///< Footprint lanes only, most bytes first, at most `top`.
  ReportStack live_rest;                 ///< The stacks beyond `top`, summed.
  std::size_t live_stack_count = 0;      ///< How many there are in all.
  std::uint64_t live_heap_blocks = 0;    ///< In all stacks.
  /// malloc's overhead for these, by glibc's rules. None if it makes no difference, or takes too
  /// long to compute.
  std::optional<std::uint64_t> malloc_added_bytes{};
  const trace::Definitions* definitions = nullptr;  ///< Null but for stacks named when shown.
  SampledStacks sampled;  ///< What a sample of their stacks says about small blocks.
  ReportTensors tensors;
  ReportUsage usage;
  std::int64_t unattributed_bytes = 0;  ///< live_bytes less all stacks; 0 in an intact trace.

  Anatomy anatomy;                ///< Empty unless it was asked for and a model is known.
  std::vector<Extents> timeline;  ///< Over [0, duration_ns].
};

/// The tensors that are there at the report's instant. @param top rows; 0: all.
ReportTensors report_tensors(LoadedTrace& trace,
                             const Report& report,
                             TensorGrouping by,
                             std::size_t top);

/// Names of one of its stacks.
std::vector<NamedFrame> frames_of(const Report& report, const ReportStack& stack);

/// @return kUsage when `options.model` is neither a size nor a file.
Result<Report> build_report(LoadedTrace& trace, const ReportOptions& options);

}  // namespace tidemark::analyzer
