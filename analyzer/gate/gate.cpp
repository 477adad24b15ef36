#include "analyzer/gate/gate.hpp"

#include "analyzer/gate/gate_loss.hpp"
#include "analyzer/report/facts/report_sentences.hpp"
#include "analyzer/text/exit_status.hpp"
#include "analyzer/text/loss_text.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace tidemark::analyzer {
namespace {

/// One trace, with all that its checks share.
struct Load {
  LoadedTrace& trace;
  Report report;
};

std::uint64_t sum_or_most(std::uint64_t a, std::uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

std::uint64_t share(std::uint64_t bytes, double percent) {
  constexpr double kTooLarge = 18446744073709551616.0;  // 2^64
  const double part = std::floor(static_cast<double>(bytes) * percent / 100);
  return part >= kTooLarge ? UINT64_MAX : static_cast<std::uint64_t>(part);
}

/// `; there are: read, deserialize`, so that a name can be put right without another command.
std::string known_phases(const Report& report) {
  std::set<std::string> names;
  for (const Phase& phase : report.phases) {
    names.insert(phase.name);
  }
  return names.empty() ? "; it has none" : fmt::format("; it has: {}", fmt::join(names, ", "));
}

bool is_multiple_of_model(const Budget& budget) {
  return budget.size.find('W') != std::string::npos;
}

/// Why W is not known, if the user only has to say which file is the model.
std::string why_no_model(const Report& report) {
  return report.model.is_known() ? std::string() : missed_model_sentence(report.files);
}

Status set_limit(CheckResult& result, const Budget& budget, const Report& report) {
  const std::string why = is_multiple_of_model(budget) ? why_no_model(report) : std::string();
  if (!why.empty()) {
    return Error{ErrorCode::kUsage, fmt::format("check '{}': '{}' needs the model's size: {}",
                                                result.check.name, budget.size, why)};
  }
  const auto model =
      report.model.is_known() ? std::optional(report.model.bytes) : std::optional<std::uint64_t>();
  const auto limit = parse_size(budget.size, model);
  if (!limit.ok()) {
    return Error{ErrorCode::kUsage,
                 fmt::format("check '{}': {}", result.check.name, limit.error().message)};
  }
  result.limit_bytes = limit.value();
  return success();
}

Status set_limit(CheckResult& result, const Reference& reference, const Report&) {
  result.baseline_bytes = baseline_bytes(*reference.baseline, result.check.subject);
  if (!result.baseline_bytes) {
    return Error{ErrorCode::kUsage,
                 fmt::format("check '{}': {} knows no phase '{}'; make it anew from a trace that "
                             "has one",
                             result.check.name, reference.file, result.check.subject.phase)};
  }
  const std::uint64_t base = *result.baseline_bytes;
  const std::uint64_t allowance =
      std::max(share(base, reference.tolerance_percent), reference.slack_bytes);
  result.limit_bytes = sum_or_most(base, allowance);
  return success();
}

/// A load of less is lower for a reason that has nothing to do with the code.
std::string smaller_model(const Report& report, const Reference& reference) {
  const std::uint64_t before = reference.baseline->model_bytes;
  const std::uint64_t least = before - std::min(before, share(before, reference.tolerance_percent));
  if (report.model.bytes >= least) {
    return {};
  }
  return report.model.is_known()
             ? fmt::format("the model is {}, the baseline's was {}",
                           format_size(report.model.bytes), format_size(before))
             : fmt::format("no model was found, the baseline's was {}", format_size(before));
}

/// Memory that may be resident and is in no limit: thread stacks, an allocator's overhead, and a
/// sample's error. It is a part of the limit whatever its size: in a small program, a fixed number
/// of bytes could exceed what a limit is there to find.
std::uint64_t resident_allowance(const CheckResult& result) {
  constexpr double kPercent = 2;
  return share(result.limit_bytes, kPercent);
}

/// How much resident memory differs between two runs of a small program that ask for the same.
constexpr std::uint64_t kResidentNoise = std::uint64_t{1} << 20U;

/// What was resident in the baseline's load, plus what may have been added since.
std::uint64_t resident_with(const Reference& reference, const CheckResult& result) {
  const Baseline& baseline = *reference.baseline;
  const auto before = baseline_bytes(baseline, {.gauge = Gauge::kRssAnon, .phase = {}});
  const auto shared = baseline_bytes(baseline, {.gauge = Gauge::kShared, .phase = {}});
  const std::uint64_t then =
      before ? sum_or_most(std::max(*before, baseline.private_by_mark), shared.value_or(0))
             : UINT64_MAX;
  const std::uint64_t more = result.limit_bytes - *result.baseline_bytes +
                             std::max(resident_allowance(result), kResidentNoise);
  return sum_or_most(then, more);
}

/// More private memory was resident than the footprint accounts for, and it exceeds the limit: the
/// difference may be a copy of the model. Against a baseline only what was added since counts.
std::string unaccounted_memory(const Load& load, const CheckResult& result) {
  const Report& report = load.report;
  if (result.check.subject != Subject{}) {
    return {};
  }
  // Between two samples the kernel's mark knows better, and behind the last one.
  const bool is_by_mark = report.high_water.private_by_mark > report.resident.anon_bytes;
  const std::uint64_t resident =
      sum_or_most(std::max(report.high_water.private_by_mark, report.resident.anon_bytes),
                  report.peak.lanes[trace::Lane::kShared]);
  const std::uint64_t limit = sum_or_most(result.limit_bytes, resident_allowance(result));
  const auto* const reference = std::get_if<Reference>(&result.check.bound);
  // Memory that is beside the footprint in any case was sampled: what was touched late comes on
  // top.
  const bool is_too_much =
      reference != nullptr
          ? resident > std::max(limit, resident_with(*reference, result))
          : resident > limit || sum_or_most(*result.measured_bytes, report.touched_late_bytes()) >
                                    result.limit_bytes;
  return is_too_much
             ? fmt::format(
                   "{}{} of private and shared memory were resident, and the footprint accounts "
                   "for {}",
                   is_by_mark ? "by the kernel's mark " : "", format_size(resident),
                   format_size(*result.measured_bytes))
             : std::string();
}

std::string why_inconclusive(Load& load, const CheckResult& result) {
  const Check& check = result.check;
  const auto* const budget = std::get_if<Budget>(&check.bound);
  const bool needs_found_model = budget != nullptr && is_multiple_of_model(*budget) &&
                                 load.report.model.source == ModelSource::kFiles;
  std::string why;
  if (!check.allow_loss) {
    why = what_could_hide_more(load.trace, load.report,
                               {check.subject, needs_found_model, result.limit_bytes});
    if (why.empty()) {
      why = unaccounted_memory(load, result);
    }
  }
  const auto* const reference = std::get_if<Reference>(&check.bound);
  return why.empty() && reference != nullptr ? smaller_model(load.report, *reference) : why;
}

ExcessStacks excess_stacks(Load& load, const CheckResult& result) {
  const auto* const reference = std::get_if<Reference>(&result.check.bound);
  // A baseline holds the stacks of the session's peak, not those of every lane's and phase's own.
  if (reference != nullptr && result.check.subject == Subject{}) {
    return grown_stacks(load.trace.definitions(), load.report, *reference->baseline);
  }
  return alive_stacks(load.trace, load.report, result.check.subject, *result.measured_bytes);
}

/// A phase that is not there: lost with its marks, or never there at all.
Result<CheckResult> without_phase(Load& load, CheckResult result) {
  result.reason = what_could_hide_more(load.trace, load.report, {.subject = result.check.subject});
  if (result.reason.empty()) {
    return Error{ErrorCode::kUsage,
                 fmt::format("check '{}': the trace has no phase '{}'{}", result.check.name,
                             result.check.subject.phase, known_phases(load.report))};
  }
  result.reason += ", and with it the phase";
  result.verdict = Verdict::kInconclusive;
  return result;
}

/// A multiple of W, if the model may be a file whose reads were not seen: then any W that was found
/// is meaningless.
std::optional<CheckResult> without_model(Load& load, const Check& check) {
  const auto* const budget = std::get_if<Budget>(&check.bound);
  if (budget == nullptr || !is_multiple_of_model(*budget) || check.allow_loss) {
    return std::nullopt;
  }
  CheckResult result;
  result.check = check;
  result.reason = what_could_hold_the_model(load.report, load.trace.loss());
  result.measured_bytes = measured_bytes(load.report, check.subject);
  if (result.reason.empty() || !result.measured_bytes) {
    return std::nullopt;
  }
  result.verdict = Verdict::kInconclusive;
  result.is_limit_known = set_limit(result, *budget, load.report).ok();
  return result;
}

Result<CheckResult> decide(Load& load, const Check& check) {
  if (auto unknown = without_model(load, check)) {
    return std::move(*unknown);
  }
  CheckResult result;
  result.check = check;
  const Status limited = std::visit(
      [&](const auto& bound) { return set_limit(result, bound, load.report); }, check.bound);
  if (!limited.ok()) {
    return limited.error();
  }
  result.measured_bytes = measured_bytes(load.report, check.subject);
  if (!result.measured_bytes) {
    return without_phase(load, std::move(result));
  }
  if (*result.measured_bytes > result.limit_bytes) {
    result.verdict = Verdict::kRegression;
    result.stacks = excess_stacks(load, result);
    return result;
  }
  result.reason = why_inconclusive(load, result);
  result.verdict = result.reason.empty() ? Verdict::kPass : Verdict::kInconclusive;
  return result;
}

/// Empty unless the program ended badly.
std::string ending_note(const trace::Session& session) {
  if (!session.ended || session.exit_status == 0) {
    return {};
  }
  const std::string signal = ending_signal_described(session.exit_status);
  return (signal.empty() ? fmt::format("the program ended with status {}", session.exit_status)
                         : signal + " ended the program") +
         ": the load may be incomplete";
}

/// How much a footprint may leave out unmentioned: thread stacks and the like, or all that a check
/// calls noise.
std::uint64_t unseen_allowance(const Check& check) {
  const auto* const reference = std::get_if<Reference>(&check.bound);
  return reference == nullptr ? kUsualUnexplained
                              : std::max(kUsualUnexplained, reference->slack_bytes);
}

/// Private pages that no lane explains, such as those of a file that was mapped and then written,
/// can be a copy of the model that a passing footprint does not include.
std::string unseen_note(const Report& report, const std::vector<CheckResult>& results) {
  const auto passes_unseen = [&](const CheckResult& result) {
    return result.verdict == Verdict::kPass && result.check.subject.gauge == Gauge::kFootprint &&
           bytes_beyond_peak(report) > unseen_allowance(result.check);
  };
  return std::ranges::any_of(results, passes_unseen) ? unexplained_sentence(report) : std::string();
}

/// A baseline has no other word on it than the stack itself.
bool has_sampled_stacks(const Check& check) {
  const auto* const reference = std::get_if<Reference>(&check.bound);
  return reference != nullptr &&
         std::ranges::any_of(reference->baseline->stacks, [](const ReportStack& stack) {
           return !stack.frames.empty() &&
                  stack.frames.front().function == trace::kUnsampledStackName;
         });
}

/// Which of a function's small blocks have stacks is chance. So whatever names functions leaves all
/// of them out: that is only the stacks of an excess, since limits are about totals.
std::string sampling_note(const trace::Session& session, const std::vector<CheckResult>& results) {
  bool names_functions = false;
  bool is_baseline_sampled = false;
  for (const CheckResult& result : results) {
    const bool is_regression = result.verdict == Verdict::kRegression;
    names_functions = names_functions || is_regression;
    is_baseline_sampled =
        is_baseline_sampled || (is_regression && has_sampled_stacks(result.check));
  }
  if (session.sample_bytes != 0 && names_functions) {
    return fmt::format(
        "stacks were sampled (--sample {}): who asked for smaller heap blocks is not said here",
        format_size(session.sample_bytes));
  }
  return is_baseline_sampled
             ? "the baseline's stacks were sampled: its small heap blocks are not among these"
             : std::string();
}

std::vector<std::string> notes_of(const Load& load, const std::vector<CheckResult>& results) {
  const trace::Loss loss = load.trace.loss();
  std::string missing = loses_anything(loss) ? describe_loss(loss) : std::string();
  if (load.report.is_peak_above_unrecorded()) {
    missing += "; " + std::string(kNoHigherPeak);
  }
  std::vector<std::string> notes{std::move(missing), sampling_note(load.report.session, results),
                                 ending_note(load.report.session), load.report.model_note,
                                 unseen_note(load.report, results)};
  std::erase(notes, std::string());
  return notes;
}

}  // namespace

std::string default_name(const Check& check) {
  const std::string subject = subject_text(check.subject);
  const auto* const budget = std::get_if<Budget>(&check.bound);
  if (budget == nullptr) {
    return subject + " against baseline";
  }
  return is_multiple_of_model(*budget) ? subject + " ratio" : subject;
}

std::string_view verdict_name(Verdict verdict) {
  constexpr std::array<std::string_view, 3> kNames{"pass", "regression", "inconclusive"};
  return kNames.at(static_cast<std::size_t>(verdict));
}

std::size_t GateResult::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::ranges::count(checks, verdict, &CheckResult::verdict));
}

Verdict GateResult::verdict() const {
  if (count(Verdict::kRegression) != 0) {
    return Verdict::kRegression;
  }
  return count(Verdict::kInconclusive) != 0 ? Verdict::kInconclusive : Verdict::kPass;
}

Result<GateResult> run_gate(LoadedTrace& trace,
                            const std::vector<Check>& checks,
                            const std::string& model) {
  auto report = build_report(trace, comparison_options(model));
  if (!report.ok()) {
    return report.error();
  }
  Load load{trace, std::move(report.value())};
  GateResult gate;
  gate.model_bytes = load.report.model.bytes;
  for (const Check& check : checks) {
    auto result = decide(load, check);
    if (!result.ok()) {
      return result.error();
    }
    gate.checks.push_back(std::move(result.value()));
  }
  gate.notes = notes_of(load, gate.checks);
  return gate;
}

}  // namespace tidemark::analyzer
