/// Which phases of two loads are the same one.
#pragma once

#include "analyzer/report/facts/report.hpp"

#include <optional>
#include <vector>

namespace tidemark::analyzer {

/// One phase in both loads, or in one of them.
struct PhasePair {
  std::optional<Phase> before;
  std::optional<Phase> after;
};

/// The part of the model that was read or mapped when a phase began and when it ended: 0 to 1.
struct ModelShare {
  double begin = 0;
  double end = 0;
};

/// None while the report has no model files to measure by.
std::optional<ModelShare> share_of_model(const Report& report, const Phase& phase);

/// Pairs phases by name, in order for several of one name; those left over by the share of the
/// model loaded during them. Ordered as in the load after, with phases that went at their place
/// before.
std::vector<PhasePair> match_phases(const Report& before, const Report& after);

}  // namespace tidemark::analyzer
