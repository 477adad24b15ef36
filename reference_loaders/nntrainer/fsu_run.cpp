// Inference with weights that pass through slots (flash storage utilization, 2024 on).
#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/nntrainer/layer_memory.hpp"
#include "reference_loaders/nntrainer/run.hpp"
#include "reference_loaders/nntrainer/task_queue.hpp"
#include "reference_loaders/nntrainer/tensor_table.hpp"
#include "reference_loaders/nntrainer/weight_slots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include <tidemark/marks.h>

namespace tidemark::loaders::nntrainer {
namespace {

enum class SlotState { kIdle, kLoading, kLoaded, kUnloading };

/// The states of all layers' weights. Thread-safe.
class SlotStates {
 public:
  explicit SlotStates(std::size_t layers) : states_(layers, SlotState::kIdle) {}

  void set(LayerIndex layer, SlotState state) {
    {
      const std::lock_guard lock(mutex_);
      states_[layer] = state;
    }
    changed_.notify_all();
  }
  void wait_for(LayerIndex layer, SlotState state) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return states_[layer] == state || has_failed_; });
  }
  /// Ends all waiting; who waited must ask its task queue what went wrong.
  void fail() {
    {
      const std::lock_guard lock(mutex_);
      has_failed_ = true;
    }
    changed_.notify_all();
  }
  [[nodiscard]] bool has_failed() {
    const std::lock_guard lock(mutex_);
    return has_failed_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<SlotState> states_;
  bool has_failed_ = false;
};

/// Places of the images and of what layers make, in one pool.
MemoryPlan plan_of_activations(const TensorTable& table) {
  std::vector<Lifespan> lifespans;
  for (const PlannedTensor& tensor : table.tensors()) {
    lifespans.push_back({.bytes = tensor.is_weight ? 0 : tensor.bytes(),
                         .first = tensor.first,
                         .last = tensor.last});
  }
  return plan_memory(lifespans);
}

class FsuRun final : public Run {
 public:
  FsuRun(const RunRequest& request, std::size_t lookahead)
      : request_(request),
        lookahead_(lookahead),
        steps_(steps_of(request.network)),
        table_(request.network),
        slots_(request.network, table_, lookahead),
        plan_(plan_of_activations(table_)),
        activations_(plan_.bytes / sizeof(float)),
        states_(request.network.layers.size()),
        runner_(request.network, request.work),
        loads_(kThreads),
        unloads_(kThreads) {}

  void iterate();

  /// Once more through its slot: there is no other memory for it.
  std::span<const float> weight(const WeightPlace& where, FloatBlock&) override {
    const TensorId id = table_.weights(where.layer)[where.index];
    load_mapped(request_.weights, table_.tensors()[id], slots_.place(id));
    return slots_.place(id);
  }
  [[nodiscard]] std::uint64_t planned_peak() const override;
  [[nodiscard]] double work_seconds() const override { return runner_.seconds(); }
  [[nodiscard]] std::vector<Note> notes() const override;

 private:
  static constexpr std::size_t kThreads = 2;

  void request_load(std::size_t step);
  void load(LayerIndex layer);
  void run(std::size_t at);
  [[nodiscard]] std::span<float> place(TensorId id) const;

  RunRequest request_;
  std::size_t lookahead_;
  std::vector<Step> steps_;
  TensorTable table_;
  WeightSlots slots_;
  MemoryPlan plan_;
  FloatBlock activations_;
  SlotStates states_;
  StepRunner runner_;
  TaskQueue loads_;
  TaskQueue unloads_;
};

std::span<float> FsuRun::place(TensorId id) const {
  const PlannedTensor& tensor = table_.tensors()[id];
  return tensor.is_weight
             ? slots_.place(id)
             : activations_.floats().subspan(plan_.offsets[id] / sizeof(float), tensor.elements);
}

void FsuRun::request_load(std::size_t step) {
  if (step < steps_.size()) {
    loads_.submit([this, step] {
      try {
        load(steps_[step].layer);
      } catch (...) {
        states_.fail();
        throw;
      }
    });
  }
}

/// A slot is taken over only when its owner before is done with it.
void FsuRun::load(LayerIndex layer) {
  for (const LayerIndex owner : slots_.owners_before(layer)) {
    states_.wait_for(owner, SlotState::kIdle);
  }
  states_.set(layer, SlotState::kLoading);
  {
    const std::string name = request_.network.layers[layer].name + " loading";
    const Phase phase(name.c_str());
    for (const TensorId id : table_.weights(layer)) {
      load_mapped(request_.weights, table_.tensors()[id], slots_.place(id));
    }
  }
  states_.set(layer, SlotState::kLoaded);
}

void FsuRun::run(std::size_t at) {
  const LayerIndex layer = steps_[at].layer;
  states_.wait_for(layer, SlotState::kLoaded);
  if (states_.has_failed()) {
    loads_.wait_until_idle();  // throws what went wrong
  }
  runner_.run(steps_[at], table_.data(steps_[at], [this](TensorId id) { return place(id); }));
  states_.set(layer, SlotState::kUnloading);
  unloads_.submit([this, layer] { states_.set(layer, SlotState::kIdle); });
  request_load(at + lookahead_);
}

void FsuRun::iterate() {
  const Phase phase("iteration");
  make_images(place(table_.images()));
  for (std::size_t at = 0; at < lookahead_; ++at) {
    request_load(at);
  }
  for (std::size_t at = 0; at < steps_.size(); ++at) {
    run(at);
  }
}

std::uint64_t FsuRun::planned_peak() const {
  std::uint64_t scratch = 0;
  for (const Step& step : steps_) {
    scratch = std::max(scratch, request_.work.scratch_bytes(step.layer, step.pass));
  }
  return slots_.bytes() + plan_.bytes + scratch;
}

std::vector<Note> FsuRun::notes() const {
  std::vector<Note> notes = runner_.notes();
  notes.push_back({"slots", fmt::format("{:.1f} MB", static_cast<double>(slots_.bytes()) / 1e6)});
  notes.push_back({"largest mapping",
                   fmt::format("{:.1f} MB", static_cast<double>(largest_mapping(table_)) / 1e6)});
  return notes;
}

}  // namespace

std::unique_ptr<Run> run_fsu(const RunRequest& request, std::size_t lookahead) {
  if (request.network.trains) {
    throw UsageError("fsu is for inference; the network has an optimizer, so it trains");
  }
  auto run = std::make_unique<FsuRun>(request, lookahead);
  run->iterate();
  return run;
}

}  // namespace tidemark::loaders::nntrainer
