#include "analyzer/cli/verbs/checking/wanted_checks.hpp"

#include "analyzer/gate/gate_bounds.hpp"
#include "analyzer/text/shown_text.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace tidemark::cli {
namespace {

using analyzer::Budget;
using analyzer::Check;
using analyzer::Reference;
using analyzer::Subject;

using Bound = std::variant<Budget, Reference>;
using Checks = std::vector<Check>;

Error usage(const std::string& message) {
  return Error{ErrorCode::kUsage, message};
}

Error of_option(const std::string& option, const Error& error) {
  return Error{error.code, option + ": " + error.message};
}

void add(Checks& checks, Subject subject, Bound bound) {
  Check check;
  check.subject = std::move(subject);
  check.bound = std::move(bound);
  check.name = default_name(check);
  checks.push_back(std::move(check));
}

Status add_budget(Checks& checks,
                  const std::string& option,
                  const Subject& subject,
                  const Result<Budget>& budget) {
  if (!budget.ok()) {
    return of_option(option, budget.error());
  }
  add(checks, subject, budget.value());
  return success();
}

Status add_lane_budget(Checks& checks, const std::string& text) {
  const auto parts = analyzer::parse_named_size(text);
  if (!parts.ok()) {
    return of_option("--max-lane", parts.error());
  }
  const auto gauge = analyzer::parse_lane(parts.value().name);
  if (!gauge.ok()) {
    return of_option("--max-lane", gauge.error());
  }
  return add_budget(checks, "--max-lane", {.gauge = gauge.value(), .phase = {}},
                    analyzer::size_budget(parts.value().size));
}

Status add_phase_budget(Checks& checks, const std::string& text) {
  const auto parts = analyzer::parse_named_size(text);
  if (!parts.ok()) {
    return of_option("--max-phase", parts.error());
  }
  return add_budget(checks, "--max-phase", {.phase = analyzer::shown_text(parts.value().name)},
                    analyzer::size_budget(parts.value().size));
}

Status add_budgets(Checks& checks, const CheckCommand& command) {
  Status status = success();
  if (!command.max_peak.empty()) {
    status = add_budget(checks, "--max-peak", {}, analyzer::size_budget(command.max_peak));
  }
  if (status.ok() && !command.max_ratio.empty()) {
    status = add_budget(checks, "--max-ratio", {}, analyzer::ratio_budget(command.max_ratio));
  }
  for (std::size_t i = 0; status.ok() && i < command.max_lanes.size(); ++i) {
    status = add_lane_budget(checks, command.max_lanes[i]);
  }
  for (std::size_t i = 0; status.ok() && i < command.max_phases.size(); ++i) {
    status = add_phase_budget(checks, command.max_phases[i]);
  }
  return status;
}

Result<Reference> reference_of(const CheckCommand& command) {
  Reference reference;
  reference.file = command.baseline;
  if (!command.tolerance.empty()) {
    const auto percent = analyzer::parse_percent(command.tolerance);
    if (!percent.ok()) {
      return of_option("--tolerance", percent.error());
    }
    reference.tolerance_percent = percent.value();
  }
  if (!command.slack.empty()) {
    const auto slack = analyzer::parse_size(command.slack);
    if (!slack.ok()) {
      return of_option("--slack", slack.error());
    }
    reference.slack_bytes = slack.value();
  }
  auto baseline = analyzer::read_baseline(command.baseline);
  if (!baseline.ok()) {
    return baseline.error();
  }
  reference.baseline = std::make_shared<const analyzer::Baseline>(std::move(baseline.value()));
  return reference;
}

/// A baseline is about the footprint. A single lane can grow while another shrinks, which is a
/// regression only on request.
Status add_comparisons(Checks& checks, const CheckCommand& command) {
  const auto reference = reference_of(command);
  if (!reference.ok()) {
    return reference.error();
  }
  add(checks, {}, reference.value());
  for (const std::string& lane : command.lanes) {
    const auto gauge = analyzer::parse_lane(lane);
    if (!gauge.ok()) {
      return of_option("--lane", gauge.error());
    }
    add(checks, {.gauge = gauge.value(), .phase = {}}, reference.value());
  }
  for (const std::string& phase : command.phases) {
    add(checks, {.phase = analyzer::shown_text(phase)}, reference.value());
  }
  return success();
}

/// Two checks of one name would be one test case for most that read JUnit files.
Status check_names(const Checks& checks) {
  for (const Check& check : checks) {
    if (std::ranges::count(checks, check.name, &Check::name) > 1) {
      return usage(fmt::format("two checks are called '{}'; ask for one, or name them in a policy",
                               check.name));
    }
  }
  return success();
}

Status refuse_useless_options(const CheckCommand& command) {
  const bool has_any = !(command.tolerance.empty() && command.slack.empty() &&
                         command.lanes.empty() && command.phases.empty());
  return command.baseline.empty() && has_any
             ? usage("--tolerance, --slack, --lane and --phase say how to compare: give --baseline")
             : success();
}

Status add_policy(analyzer::Policy& wanted, const std::string& path) {
  auto policy = analyzer::read_policy(path);
  if (!policy.ok()) {
    return policy.error();
  }
  std::ranges::move(policy.value().checks, std::back_inserter(wanted.checks));
  wanted.model = wanted.model.empty() ? policy.value().model : wanted.model;
  return success();
}

}  // namespace

Result<analyzer::Policy> wanted_checks(const CheckCommand& command) {
  analyzer::Policy wanted{.model = command.model, .checks = {}};
  Status status = refuse_useless_options(command);
  if (status.ok()) {
    status = add_budgets(wanted.checks, command);
  }
  if (status.ok() && !command.baseline.empty()) {
    status = add_comparisons(wanted.checks, command);
  }
  if (status.ok() && !command.policy.empty()) {
    status = add_policy(wanted, command.policy);
  }
  if (status.ok()) {
    status = check_names(wanted.checks);
  }
  if (!status.ok()) {
    return status.error();
  }
  if (wanted.checks.empty()) {
    return usage(
        "there is nothing to check: give --max-peak, --max-ratio, --max-lane, --max-phase, "
        "--baseline or --policy; see tidemark check --help");
  }
  for (Check& check : wanted.checks) {
    check.allow_loss = check.allow_loss || command.allow_loss;
  }
  return wanted;
}

}  // namespace tidemark::cli
