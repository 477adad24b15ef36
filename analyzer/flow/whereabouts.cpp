#include "analyzer/flow/whereabouts.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>

namespace tidemark::analyzer {
namespace {

/// Whether a copy leads away from the file. What it leads to then comes later in this order, which
/// has no circles: a buffer grows into a block that was born after it.
bool leads_on(const FlowIndex& flow, const Departure& departure) {
  return flow.is_delivery(departure) &&
         (departure.is_growth ||
          flow.lives()[departure.target].depth > flow.lives()[departure.source].depth);
}

std::vector<std::uint32_t> last_steps_first(const std::vector<BlockLife>& lives) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    if (lives[i].holds_model()) {
      order.push_back(i);
    }
  }
  std::ranges::sort(order, std::ranges::greater{}, [&lives](std::uint32_t life) {
    return std::tuple(lives[life].depth, lives[life].born);
  });
  return order;
}

std::uint64_t bytes_inside(const FlowIndex& flow, std::uint32_t life, std::uint64_t peak) {
  return flow.lives()[life].is_alive_after(peak) ? flow.size_after(life, peak - 1) : 0;
}

/// `bytes` as a part of all that came into a block.
double share_of(const FlowIndex& flow, std::uint32_t life, std::uint64_t bytes) {
  const std::uint64_t arrived = std::max<std::uint64_t>(1, flow.arrived(life));
  return static_cast<double>(std::min(bytes, arrived)) / static_cast<double>(arrived);
}

Whereabouts::Place sum_of(const std::map<std::size_t, double>& shares) {
  Whereabouts::Place sum;
  double most = -1;
  for (const auto& [node, share] : shares) {
    sum.share += share;
    if (share > most) {
      most = share;
      sum.node = node;
    }
  }
  return sum;
}

}  // namespace

Whereabouts::Whereabouts(const FlowIndex& flow, const PlacedChain& placed, std::uint64_t peak)
    : places_(flow.lives().size()) {
  for (const std::uint32_t life : last_steps_first(flow.lives())) {
    const double inside = share_of(flow, life, bytes_inside(flow, life, peak));
    std::map<std::size_t, double> shares{{placed.node_of[life], inside}};
    double rest = 1 - inside;
    for (const Departure& departure : flow.departures(life)) {
      if (leads_on(flow, departure)) {
        const Place& next = places_[departure.target];
        const double passed = std::min(rest, next.share * share_of(flow, life, departure.bytes));
        shares[next.node] += passed;
        rest -= passed;
      }
    }
    places_[life] = sum_of(shares);
  }
}

}  // namespace tidemark::analyzer
