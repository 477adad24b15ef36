/// What each kind of finding means, in words for whoever gets one: the one place that says what
/// people do about it.
#pragma once

#include "analyzer/findings/finding.hpp"

#include <span>
#include <string_view>

namespace tidemark::analyzer {

/// Texts without line breaks, but for the example.
struct Explanation {
  FindingKind kind;
  bool needs_model = true;  ///< Whether it is about a model that the program loads.
  const char* summary;      ///< One line of a list: no capital in front, no full stop.
  const char* meaning;      ///< What it is, and what it costs.
  const char* evidence;     ///< From which events it is told, and from which threshold on.
  const char* not_blamed;   ///< What looks like it, and is left alone.
  const char* advice;       ///< What helps, in the few words that stand beside a finding.
  const char* remedies;     ///< The same at length.
  const char* example;      ///< A line of code before, one after it; empty where none helps.
};

/// In the order of FindingKind.
std::span<const Explanation> explanations();

const Explanation& explanation_of(FindingKind kind);

/// What helps: of its kind, unless it has an advice of its own.
std::string_view advice_of(const Finding& finding);

}  // namespace tidemark::analyzer
