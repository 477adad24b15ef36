#include "reference_loaders/nntrainer/schedule.hpp"

#include <algorithm>

namespace tidemark::loaders::nntrainer {
namespace {

/// Bytes of the layers of steps [first, last], each counted once: at the turn they run twice.
std::uint64_t bytes_of(const Network& network,
                       const std::vector<Step>& steps,
                       std::size_t first,
                       std::size_t last) {
  std::vector<bool> is_counted(network.layers.size(), false);
  std::uint64_t sum = 0;
  for (std::size_t at = first; at <= std::min(last, steps.size() - 1); ++at) {
    const LayerIndex layer = steps[at].layer;
    sum += is_counted[layer] ? 0 : network.layer_bytes(layer);
    is_counted[layer] = true;
  }
  return sum;
}

}  // namespace

std::vector<Step> steps_of(const Network& network) {
  std::vector<Step> steps;
  for (LayerIndex layer = 0; layer < network.layers.size(); ++layer) {
    steps.push_back({layer, Pass::kForward});
  }
  for (LayerIndex left = network.trains ? network.layers.size() : 0; left > 0; --left) {
    steps.push_back({left - 1, Pass::kBackward});
  }
  return steps;
}

std::optional<std::size_t> step_of(const Network& network, LayerIndex layer, Pass pass) {
  if (pass == Pass::kForward) {
    return layer;
  }
  return network.trains ? std::optional(2 * network.layers.size() - 1 - layer) : std::nullopt;
}

std::uint64_t resident_peak(const Network& network, const LayerWork& work) {
  std::uint64_t scratch = 0;
  for (const Step& step : steps_of(network)) {
    scratch = std::max(scratch, work.scratch_bytes(step.layer, step.pass));
  }
  return network.all_layer_bytes() + scratch;
}

std::uint64_t window_peak(const Network& network, const LayerWork& work, std::size_t n) {
  const std::vector<Step> steps = steps_of(network);
  std::uint64_t peak = 0;
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const std::size_t leaving = at == 0 ? 0 : at - 1;
    peak = std::max(peak, bytes_of(network, steps, leaving, at + n) +
                              work.scratch_bytes(steps[at].layer, steps[at].pass));
  }
  return peak;
}

}  // namespace tidemark::loaders::nntrainer
