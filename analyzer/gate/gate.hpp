/// The gate: whether a load stays within its budgets and near its baseline.
#pragma once

#include "analyzer/gate/baseline.hpp"
#include "analyzer/gate/gate_stacks.hpp"
#include "analyzer/gate/gate_subject.hpp"
#include "analyzer/report/anatomy/why_list.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tidemark::analyzer {

constexpr double kDefaultTolerancePercent = 2;
/// Allows for the length of paths and of the environment of a small program.
constexpr std::uint64_t kDefaultSlackBytes = std::uint64_t{64} << 10U;

/// A size that must not be exceeded.
struct Budget {
  std::string size;  ///< As `parse_size` reads it: `600MiB`, `1.2xW`.
};

/// A stored load that must not be exceeded by more than the larger of tolerance and slack.
struct Reference {
  std::shared_ptr<const Baseline> baseline;  ///< Never null.
  std::string file;                          ///< Where it was read; for messages.
  double tolerance_percent = kDefaultTolerancePercent;
  std::uint64_t slack_bytes = kDefaultSlackBytes;
};

struct Check {
  std::string name;  ///< Unique among the checks of a run.
  Subject subject;
  std::variant<Budget, Reference> bound;
  bool allow_loss = false;  ///< Passes if only loss speaks against it.
};

/// What the command line calls a check: `peak`, `peak ratio`, `heap`, `peak against baseline`.
std::string default_name(const Check& check);

enum class Verdict : std::uint8_t { kPass, kRegression, kInconclusive };

/// `pass`, `regression`, `inconclusive`.
std::string_view verdict_name(Verdict verdict);

struct CheckResult {
  Check check;
  Verdict verdict = Verdict::kPass;
  std::optional<std::uint64_t> measured_bytes;  ///< None for a phase that was lost with its marks.
  std::uint64_t limit_bytes = 0;                ///< Inclusive.
  bool is_limit_known = true;                   ///< False: a multiple of an unknown W.
  std::optional<std::uint64_t> baseline_bytes;  ///< Only for a Reference.
  std::string reason;                           ///< Why it is inconclusive; else empty.
  ExcessStacks stacks;                          ///< Only for a regression.

  [[nodiscard]] std::uint64_t excess_bytes() const {
    return measured_bytes.value_or(0) > limit_bytes ? *measured_bytes - limit_bytes : 0;
  }
};

struct GateResult {
  std::string trace;  ///< As the caller named it.
  std::uint64_t model_bytes = 0;
  std::vector<CheckResult> checks;
  std::vector<std::string> notes;   ///< Sentences that hold for all checks; usually none.
  std::vector<WhySentence> why;     ///< For the peak of a regression, set by `explain`.
  std::string curve;                ///< The footprint over time in characters; may be empty.
  std::string page;                 ///< The report page that was written; empty: none.
  std::string picture;              ///< The graph that was written; empty: none.
  std::vector<std::string> unmade;  ///< Sentences: why one of these could not be made.

  /// A regression outweighs an inconclusive check, and that a pass.
  [[nodiscard]] Verdict verdict() const;
  [[nodiscard]] std::size_t count(Verdict verdict) const;
};

/// Decides all checks over one trace.
///
/// A subject above its limit is a regression, whatever the trace lost. Otherwise it passes only if
/// nothing is missing that could have exceeded the limit (gate_loss.hpp) and, against a baseline,
/// if the model was not smaller.
/// @return kUsage for a budget in W while W is unknown, for a phase that neither trace nor loss can
///     account for, for a `model` that is neither size nor file.
Result<GateResult> run_gate(LoadedTrace& trace,
                            const std::vector<Check>& checks,
                            const std::string& model);

/// Explains the peak as a report does. `report` must be of the same trace, with its anatomy; with a
/// timeline there is a curve, too.
void explain(GateResult& gate, const Report& report);

}  // namespace tidemark::analyzer
