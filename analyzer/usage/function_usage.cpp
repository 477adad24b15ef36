#include "analyzer/usage/function_usage.hpp"

#include "analyzer/stacks/stack_names.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace tidemark::analyzer {
namespace {

/// Its name, then its file or module.
using FunctionKey = std::pair<std::string, std::string>;

struct Found {
  FunctionUsage usage;
  std::uint32_t line = 0;
};

/// Adds up rows; each function of the trace is named once, however many stacks ask in it.
class FunctionSums {
 public:
  explicit FunctionSums(AskerFinder& askers) : askers_(askers) {}

  void add(const UsageRow& row) {
    const std::uint32_t asker = askers_.number_of(row.stack);
    places_.resize(std::max<std::size_t>(places_.size(), asker + 1));
    Place& place = places_[asker];
    if (place.found == nullptr) {
      const auto& asking = askers_.find(row.stack).asking;
      place = place_of(asking ? askers_.named(*asking) : NamedFrame());
    }
    auto& [function, line] = *place.found;
    if (function.stacks++ == 0) {
      function.heaviest = row;
      line = place.line;
    }
    function.has_one_line = function.has_one_line && line == place.line;
    function.counts += row.counts;
  }

  [[nodiscard]] const std::map<FunctionKey, Found>& functions() const { return functions_; }

 private:
  struct Place {
    Found* found = nullptr;  ///< In `functions_`.
    std::uint32_t line = 0;
  };

  Place place_of(const NamedFrame& frame) {
    const FunctionKey key{frame.function, frame.file.empty() ? frame.module : frame.file};
    return {.found = &functions_[key], .line = frame.line};
  }

  AskerFinder& askers_;
  std::map<FunctionKey, Found> functions_;
  std::vector<Place> places_;  // By AskerFinder::number_of.
};

}  // namespace

std::vector<FunctionUsage> functions_of(AskerFinder& askers, const Usage& stacks) {
  FunctionSums sums(askers);
  for (const UsageRow& row : stacks.rows) {
    sums.add(row);
  }
  std::vector<FunctionUsage> functions;
  functions.reserve(sums.functions().size());
  for (const auto& [key, entry] : sums.functions()) {
    functions.push_back(entry.usage);
  }
  std::ranges::stable_sort(
      functions, std::ranges::greater(),
      [&stacks](const FunctionUsage& function) { return rank_of(stacks.by, function.counts); });
  return functions;
}

}  // namespace tidemark::analyzer
