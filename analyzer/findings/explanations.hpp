/// What each kind of finding means, in words for those who get one. The only place that says what
/// to do about it.
#pragma once

#include "analyzer/findings/finding.hpp"

#include <span>
#include <string_view>

namespace tidemark::analyzer {

/// Texts have no line breaks, except the example.
struct Explanation {
  FindingKind kind;
  bool needs_model = true;  ///< Only for programs that load a model.
  const char* summary;      ///< One line of a list: no capital first, no full stop.
  const char* meaning;      ///< What it is, and what it costs.
  const char* evidence;     ///< The events it is based on, and the threshold.
  const char* not_blamed;   ///< What looks like it, but is not reported.
  const char* advice;       ///< What helps, in the few words beside a finding.
  const char* remedies;     ///< The same at length.
  const char* example;      ///< A line of code before, one after; empty if none helps.
};

/// In the order of FindingKind.
std::span<const Explanation> explanations();

const Explanation& explanation_of(FindingKind kind);

/// The finding's own advice, else that of its kind.
std::string_view advice_of(const Finding& finding);

}  // namespace tidemark::analyzer
