// Everything in memory at once; and everything to a file and back, as the issue measured it.
#include "reference_loaders/nntrainer/layer_memory.hpp"
#include "reference_loaders/nntrainer/published.hpp"
#include "reference_loaders/nntrainer/run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>

#include <tidemark/marks.h>

namespace tidemark::loaders::nntrainer {
namespace {

class ResidentRun : public Run {
 public:
  explicit ResidentRun(const RunRequest& request)
      : request_(request), runner_(request.network, request.work) {}

  void iterate();

  std::span<const float> weight(const WeightPlace& place, FloatBlock&) override {
    return memory_[place.layer]->weights().subspan(place.offset, place.elements);
  }
  [[nodiscard]] std::uint64_t planned_peak() const override {
    return resident_peak(request_.network, request_.work);
  }
  [[nodiscard]] double work_seconds() const override { return runner_.seconds(); }
  [[nodiscard]] std::vector<Note> notes() const override { return runner_.notes(); }

 protected:
  [[nodiscard]] const Network& network() const { return request_.network; }

  RunRequest request_;
  std::vector<std::optional<LayerMemory>> memory_;

 private:
  void allocate();
  void read_weights();
  void run(const Step& step);
  void hand_outputs_over(LayerIndex layer);
  void hand_derivatives_over(LayerIndex layer);

  StepRunner runner_;
  std::vector<bool> has_derivative_;
};

void ResidentRun::allocate() {
  const Phase phase("allocate");
  for (LayerIndex layer = 0; layer < network().layers.size(); ++layer) {
    memory_.emplace_back(std::in_place, network(), layer);
  }
}

void ResidentRun::read_weights() {
  const Phase phase("read weights");
  for (LayerIndex layer = 0; layer < network().layers.size(); ++layer) {
    request_.weights.read_layer(layer, memory_[layer]->weights());
    if (network().layers[layer].inputs.front() == kImages) {
      make_images(memory_[layer]->input(0));
    }
  }
}

void ResidentRun::iterate() {
  allocate();
  read_weights();
  has_derivative_.assign(network().layers.size(), false);
  const Phase phase("iteration");
  for (const Step& step : steps_of(network())) {
    run(step);
  }
}

void ResidentRun::run(const Step& step) {
  runner_.run(step, memory_[step.layer]->data(network().layers[step.layer]));
  if (step.pass == Pass::kForward) {
    hand_outputs_over(step.layer);
  } else {
    hand_derivatives_over(step.layer);
  }
}

void ResidentRun::hand_outputs_over(LayerIndex layer) {
  for (const Edge& edge : network().readers[layer]) {
    hand_over(memory_[layer]->output(), memory_[edge.reader]->input(edge.input), true);
  }
}

void ResidentRun::hand_derivatives_over(LayerIndex layer) {
  const std::vector<LayerIndex>& producers = network().layers[layer].inputs;
  for (std::size_t input = 0; input < producers.size(); ++input) {
    const LayerIndex producer = producers[input];
    if (producer != kImages) {
      hand_over(memory_[layer]->input(input), memory_[producer]->output(),
                !has_derivative_[producer]);
      has_derivative_[producer] = true;
    }
  }
}

/// How long it took to move so many bytes.
struct Move {
  double seconds = 0;
  std::uint64_t bytes = 0;

  [[nodiscard]] std::string text() const {
    return fmt::format("{:.1f} ms, {:.0f} MB/s", 1000 * seconds,
                       static_cast<double>(bytes) / seconds / 1e6);
  }
};

/// The bench of the issue: saveModel and readModel, extended with the inputs of all layers.
class SerialRun final : public ResidentRun {
 public:
  explicit SerialRun(const RunRequest& request)
      : ResidentRun(request),
        file_(request.folder, network().moved_bytes(), SwapFile::Writes::kToThePageCache) {}

  void move() {
    offloaded_ = timed("offload", [this] { offload(); });
    synced_ = timed("wait for the disk", [this] { file_.wait_for_disk(); });
    fresh_ = timed("onload into fresh memory", [this] { onload(); });
    warm_ = timed("onload warm", [this] { onload(); });
    file_.drop_from_page_cache();
    cold_ = timed("onload cold", [this] { onload(); });
  }

  [[nodiscard]] std::vector<Note> notes() const override;

 private:
  template <typename Work>
  Move timed(const char* name, const Work& work) {
    const Phase phase(name);
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    return {took.count(), network().moved_bytes()};
  }

  void offload();
  void onload();

  SwapFile file_;
  Move offloaded_;
  Move synced_;
  Move fresh_;
  Move warm_;
  Move cold_;
};

/// Calls `visit(values)` for the weights and the inputs of a layer.
template <typename Visit>
void for_each_moved(const Layer& layer, const LayerMemory& memory, const Visit& visit) {
  visit(memory.weights());
  for (std::size_t input = 0; input < layer.inputs.size(); ++input) {
    visit(memory.input(input));
  }
}

void SerialRun::offload() {
  std::uint64_t offset = 0;
  for (LayerIndex layer = 0; layer < memory_.size(); ++layer) {
    for_each_moved(network().layers[layer], *memory_[layer], [&](std::span<const float> values) {
      file_.write(offset, values);
      offset += values.size_bytes();
    });
    memory_[layer].reset();
  }
}

void SerialRun::onload() {
  std::uint64_t offset = 0;
  for (LayerIndex layer = 0; layer < memory_.size(); ++layer) {
    if (!memory_[layer]) {
      memory_[layer].emplace(network(), layer);
    }
    for_each_moved(network().layers[layer], *memory_[layer], [&](std::span<float> values) {
      file_.read(offset, values);
      offset += values.size_bytes();
    });
  }
}

std::vector<Note> SerialRun::notes() const {
  std::vector<Note> notes = ResidentRun::notes();
  const Move on_disk{offloaded_.seconds + synced_.seconds, offloaded_.bytes};
  notes.push_back({"moved", fmt::format("{:.1f} MB", static_cast<double>(warm_.bytes) / 1e6)});
  if (const PublishedTimes* const times = published_times(network().batch); times != nullptr) {
    notes.push_back({"published", fmt::format("offload {:.1f} ms, onload {:.1f} ms",
                                              1000 * times->offload, 1000 * times->onload)});
  }
  notes.push_back({"offload", offloaded_.text()});
  notes.push_back({"offload to the disk", on_disk.text()});
  notes.push_back({"onload into fresh memory", fresh_.text()});
  notes.push_back({"onload warm", warm_.text()});
  notes.push_back({"onload cold", cold_.text()});
  return notes;
}

}  // namespace

std::unique_ptr<Run> run_resident(const RunRequest& request) {
  auto run = std::make_unique<ResidentRun>(request);
  run->iterate();
  return run;
}

std::unique_ptr<Run> run_serial(const RunRequest& request) {
  auto run = std::make_unique<SerialRun>(request);
  run->iterate();
  run->move();
  return run;
}

}  // namespace tidemark::loaders::nntrainer
