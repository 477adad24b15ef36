#include "reference_loaders/executorch/peak_plan.hpp"

#include "reference_loaders/executorch/activations.hpp"
#include "reference_loaders/executorch/footprint.hpp"
#include "reference_loaders/executorch/matrix_shape.hpp"
#include "reference_loaders/executorch/weight_reader.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace tidemark::loaders::executorch {
namespace {

class Replay {
 public:
  Replay(const DelegateGraph& graph, const LoadRules& rules, bool constants_on_host)
      : graph_(graph),
        rules_(rules),
        constants_on_host_(constants_on_host),
        order_(prepack_order(graph, rules.caches_packed)),
        activations_(activation_bytes(graph)) {}

  std::uint64_t peak() {
    build();
    prepack();
    read_back();
    return memory_.peak();
  }

 private:
  void build();
  void prepack();
  void flush_when_enough_is_queued(std::size_t step);
  void encode(std::size_t value);
  void flush();
  void read_back();

  void add(std::uint64_t bytes) { memory_.add(Footprint::kDevice, bytes); }
  void remove(std::uint64_t bytes) { memory_.remove(Footprint::kDevice, bytes); }
  [[nodiscard]] std::uint64_t host_bytes(std::size_t value) const {
    return constants_on_host_ ? graph_.values[value].bytes() : 0;
  }
  [[nodiscard]] std::uint64_t packed_bytes(std::size_t value) const {
    return matrix_shape(graph_.values[value]).packed_bytes();
  }

  const DelegateGraph& graph_;
  const LoadRules& rules_;
  bool constants_on_host_;
  std::vector<std::size_t> order_;
  std::uint64_t activations_;
  std::map<std::size_t, std::size_t> uses_left_;
  std::uint64_t staging_ = 0;         ///< Alive.
  std::uint64_t queued_staging_ = 0;  ///< Since the last submission.
  Footprint memory_;
};

void Replay::build() {
  for (std::size_t value = 0; value < graph_.values.size(); ++value) {
    if (graph_.values[value].is_constant()) {
      add(host_bytes(value));
    }
  }
  for (const std::size_t value : order_) {
    ++uses_left_[value];
    add(rules_.early_weights ? packed_bytes(value) : 0);
  }
  add(rules_.early_activations ? activations_ : 0);
}

void Replay::prepack() {
  for (std::size_t step = 0; step < order_.size(); ++step) {
    flush_when_enough_is_queued(step);
    encode(order_[step]);
  }
  flush();
  add(rules_.early_activations ? 0 : activations_);
}

void Replay::flush_when_enough_is_queued(std::size_t step) {
  if (step == 0 || step + 1 == order_.size() || queued_staging_ <= kSubmitBytes) {
    return;
  }
  queued_staging_ = 0;
  if (constant_bytes(graph_) > rules_.flush_limit) {
    flush();
  }
}

void Replay::encode(std::size_t value) {
  const std::uint64_t bytes = graph_.values[value].bytes();
  add(bytes);
  staging_ += bytes;
  queued_staging_ += bytes;
  if (--uses_left_[value] == 0 || !rules_.counts_uses) {
    remove(host_bytes(value));
  }
  add(rules_.early_weights ? 0 : packed_bytes(value));
}

void Replay::flush() {
  remove(staging_);
  staging_ = 0;
}

/// The check of the weights comes after the activations are gone.
void Replay::read_back() {
  remove(activations_);
  std::uint64_t most = 0;
  for (const std::size_t value : order_) {
    const GraphTensor& tensor = graph_.values[value];
    // A second packed copy is unpacked beside the first, to be compared with it.
    const bool is_compared = std::ranges::count(order_, value) > 1;
    most = std::max(most, read_back_bytes(tensor) + (is_compared ? tensor.bytes() : 0));
  }
  add(most);
}

}  // namespace

std::uint64_t planned_peak(const DelegateGraph& graph,
                           const LoadRules& rules,
                           bool constants_on_host) {
  return Replay(graph, rules, constants_on_host).peak();
}

}  // namespace tidemark::loaders::executorch
