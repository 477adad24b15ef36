/// Bounds as people write them, for the command line and the policy file.
#pragma once

#include "analyzer/gate/gate.hpp"

#include <string>
#include <string_view>

namespace tidemark::analyzer {

/// `600MiB`, `1.2xW`. W itself may still be unknown.
/// @return kUsage for text that is no size, also for negative sizes and NaN, and for a number that
///     has forgotten its unit.
Result<Budget> size_budget(const std::string& text);

/// `deserialize=1GiB`.
struct NamedSize {
  std::string name;
  std::string size;
};

/// A phase may have an equals sign in its name, a size has none.
/// @return kUsage for text without a name.
Result<NamedSize> parse_named_size(const std::string& text);

/// `1.1`, `1.1x`, `1.1xW`: multiples of the model.
/// @return kUsage for text that is no ratio, also for negative ones and NaN.
Result<Budget> ratio_budget(const std::string& text);

/// `2`, `2.5%`.
/// @return kUsage for text that is no percentage, also for negative ones and NaN.
Result<double> parse_percent(std::string_view text);

/// @return kUsage for a name that is no lane's, with those that are.
Result<Gauge> parse_lane(const std::string& name);

}  // namespace tidemark::analyzer
