#include "analyzer/report/facts/report.hpp"

#include "analyzer/flow/following/model_follower.hpp"
#include "analyzer/query/wrapping.hpp"
#include "analyzer/report/facts/malloc_headers.hpp"
#include "analyzer/stacks/alike/stack_groups.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <utility>

namespace tidemark::analyzer {
namespace {

void list_live_set(Report& report, LoadedTrace& trace, const ReportOptions& options) {
  const Instant at = options.at_ns ? trace.instant_at(*options.at_ns) : report.peak.at;
  report.live = options.certain_stacks ? certain_live_set_at(trace, at) : live_set_at(trace, at);
  report.at_peak = !options.at_ns.has_value();
  report.live_at_ns = at.at_ns;
  report.live_bytes = report.at_peak ? report.peak.footprint_bytes : report.live.totals.footprint();
  auto groups = group_stacks(report.live, trace.definitions());
  if (options.merged_by_function) {
    groups = merged_by_function(groups, trace.definitions());
  }
  report.live_stack_count = groups.size();
  report.definitions = options.names_when_shown ? &trace.definitions() : nullptr;
  report.unattributed_bytes = static_cast<std::int64_t>(report.live_bytes);
  for (const StackGroup& group : groups) {
    report.unattributed_bytes = wrapping_sum(report.unattributed_bytes, minus(group.bytes));
    report.live_heap_blocks += group.lane == trace::Lane::kHeap ? group.blocks : 0;
    if (options.top == 0 || report.live_stacks.size() < options.top) {
      ReportStack& row = report.live_stacks.emplace_back();
      row = {.bytes = group.bytes, .blocks = group.blocks, .lane = group.lane, .frames = {}};
      if (options.names_when_shown && report.live_stacks.size() > kNamedStacks) {
        row.unnamed = group.stack;
      } else {
        row.frames = named_stack(trace.definitions(), group.stack);
      }
    } else {
      report.live_rest.bytes += group.bytes;
      report.live_rest.blocks += group.blocks;
    }
  }
}

/// If the report may mention them.
void add_up_headers(Report& report, LoadedTrace& trace) {
  if (report.at_peak && may_explain(report.live_heap_blocks * kMaxMallocAdds,
                                    report.unexplained_bytes, report.peak.footprint_bytes)) {
    report.malloc_added_bytes = malloc_added_at(trace, report.peak.at);
  }
}

void list_sampled(Report& report, LoadedTrace& trace, const ReportOptions& options) {
  report.sampled = sampled_stacks_at(trace, report.live.at);
  std::vector<SampledFunction>& functions = report.sampled.functions;
  if (options.top != 0 && functions.size() > options.top) {
    report.sampled.unlisted = functions.size() - options.top;
    functions.resize(options.top);
  }
}

}  // namespace

namespace {

std::size_t listed_of_model(const trace::Definitions& definitions, const Report& report) {
  std::set<std::string_view> paths;
  for (const std::size_t file : report.model.files) {
    paths.insert(report.files[file].path);
  }
  return static_cast<std::size_t>(
      std::ranges::count_if(definitions.tensors, [&](const trace::Tensor& tensor) {
        return paths.contains(definitions.files[trace::index(tensor.file)].path);
      }));
}

}  // namespace

ReportTensors report_tensors(LoadedTrace& trace,
                             const Report& report,
                             TensorGrouping by,
                             std::size_t top) {
  ReportTensors list;
  list.by = by;
  if (by == TensorGrouping::kNone) {
    return list;
  }
  const auto& sized = report.anatomy.sized;
  list.held = tensors_held_at(trace, report.live.at,
                              report.at_peak ? std::span(sized) : std::span<const SizedBlock>());
  list.rows = tensor_rows(list.held, trace.definitions(), by);
  list.row_count = list.rows.size();
  list.listed_of_model = listed_of_model(trace.definitions(), report);
  while (top != 0 && list.rows.size() > top) {
    const TensorRow& row = list.rows.back();
    list.rest.tensors += row.tensors;
    list.rest.file_bytes += row.file_bytes;
    list.rest.bytes += row.bytes;
    list.rest.mapped_bytes += row.mapped_bytes;
    list.rows.pop_back();
  }
  for (const TensorRow& row : list.rows) {
    list.frames.push_back(named_stack(trace.definitions(), row.stack));
  }
  return list;
}

namespace {

/// Null if no anatomy is asked for, or nothing looks like a model.
std::unique_ptr<ModelFollower> follower_for(const LoadedTrace& trace,
                                            const Peak& peak,
                                            const ReportOptions& options) {
  ModelFiles files = ModelFiles::expected(trace.definitions(), options.model);
  return options.anatomy && !files.empty()
             ? std::make_unique<ModelFollower>(trace, peak, std::move(files))
             : nullptr;
}

}  // namespace

std::vector<NamedFrame> frames_of(const Report& report, const ReportStack& stack) {
  return stack.unnamed == trace::kNoStack || report.definitions == nullptr
             ? stack.frames
             : named_stack(*report.definitions, stack.unnamed);
}

Result<Report> build_report(LoadedTrace& trace, const ReportOptions& options) {
  const Peak peak = find_peak(trace);
  const auto follower = follower_for(trace, peak, options);
  std::vector<PassListener*> listeners;
  if (follower != nullptr) {
    listeners.push_back(follower.get());
  }
  Timeline timeline(trace);
  auto facts = gather_facts(trace, timeline, peak, options.model, listeners);
  if (!facts.ok()) {
    return facts.error();
  }
  Report report;
  static_cast<LoadFacts&>(report) = std::move(facts.value());
  list_live_set(report, trace, options);
  list_sampled(report, trace, options);
  add_up_headers(report, trace);
  if (options.anatomy) {
    report.anatomy = build_anatomy(trace, report, follower.get());
  }
  report.tensors = report_tensors(trace, report, options.by, options.top);
  report.usage =
      report_usage(trace, report.peak.at, options.usage, options.top, options.suppressions);
  report.timeline = timeline.columns(0, report.duration_ns + 1, options.columns);
  report.loss = trace.loss();  // Each pass may find damage that none before it did.
  return report;
}

}  // namespace tidemark::analyzer
