// A window of layers, moved along by a thread that loads, one that works and one that saves.
#include "reference_loaders/nntrainer/run.hpp"
#include "reference_loaders/nntrainer/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <thread>
#include <utility>

#include <tidemark/marks.h>

namespace tidemark::loaders::nntrainer {
namespace {

/// Where each layer has its place in the swap file: weights, inputs, output.
class SwapLayout {
 public:
  explicit SwapLayout(const Network& network) : network_(network) {
    std::uint64_t end = 0;
    for (LayerIndex layer = 0; layer < network.layers.size(); ++layer) {
      offsets_.push_back(end);
      end += network.layer_bytes(layer);
    }
  }

  [[nodiscard]] std::uint64_t weights(LayerIndex layer) const { return offsets_[layer]; }
  [[nodiscard]] std::uint64_t input(LayerIndex layer, std::size_t index) const {
    return offsets_[layer] + network_.layers[layer].weight_bytes() +
           index * network_.input_elements(layer) * sizeof(float);
  }
  [[nodiscard]] std::uint64_t output(LayerIndex layer) const {
    return input(layer, network_.layers[layer].inputs.size());
  }

 private:
  const Network& network_;
  std::vector<std::uint64_t> offsets_;
};

class WindowRun final : public Run {
 public:
  WindowRun(const RunRequest& request, const WindowSize& size)
      : request_(request),
        size_(size),
        steps_(steps_of(request.network)),
        window_(request.network, request.work, size),
        runner_(request.network, request.work),
        layout_(request.network),
        swap_(request.folder, request.network.all_layer_bytes(), request.writes),
        is_saved_(request.network.layers.size()) {}

  void iterate();

  std::span<const float> weight(const WeightPlace& place, FloatBlock& room) override;
  [[nodiscard]] std::uint64_t planned_peak() const override {
    return size_.is_adaptive ? window_.highest_bytes()
                             : window_peak(request_.network, request_.work, size_.layers);
  }
  [[nodiscard]] double work_seconds() const override { return runner_.seconds(); }
  [[nodiscard]] std::vector<Note> notes() const override;

 private:
  void load_all();
  void work_all();
  void save_all();
  void load(const Step& step, const Loading& loading);
  /// From so many floats into the layer's weights on.
  void load_weights(LayerIndex layer, std::uint64_t offset, std::span<float> to) const;
  void load_saved_inputs(LayerIndex layer, const LayerMemory& memory) const;
  void load_output(const Loading::Source& source, std::span<float> to);
  void hand_over_all(const Step& step, const Finished& finished);
  void save(const Finished& leaving);

  /// A thread whose failure ends the others.
  template <typename Body>
  std::thread thread(const Body& body) {
    return std::thread([this, body] { guarded(body); });
  }
  template <typename Body>
  void guarded(const Body& body) {
    try {
      body();
    } catch (...) {
      window_.fail(std::current_exception());
    }
  }

  RunRequest request_;
  WindowSize size_;
  std::vector<Step> steps_;
  Window window_;
  StepRunner runner_;
  SwapLayout layout_;
  SwapFile swap_;
  /// Whether the newest weights are in the swap file. Written by the save thread before the layer
  /// is swapped, read by the load thread after.
  std::vector<char> is_saved_;
};

void WindowRun::iterate() {
  const Phase phase("iteration");
  std::thread loading = thread([this] { load_all(); });
  std::thread saving = thread([this] { save_all(); });
  guarded([this] { work_all(); });
  window_.close();
  loading.join();
  saving.join();
  window_.rethrow_failure();
}

void WindowRun::load_all() {
  for (std::size_t step = 0; step < steps_.size(); ++step) {
    if (const auto loading = window_.begin_load(step)) {
      const LayerIndex layer = steps_[step].layer;
      const std::string name = request_.network.layers[layer].name + " loading";
      const Phase phase(name.c_str());
      load(steps_[step], *loading);
      window_.end_load(layer);
    }
  }
}

void WindowRun::load(const Step& step, const Loading& loading) {
  const LayerMemory& memory = *loading.memory;
  load_weights(step.layer, 0, memory.weights());
  if (step.pass == Pass::kBackward) {
    load_saved_inputs(step.layer, memory);
  } else if (request_.network.layers[step.layer].inputs.front() == kImages) {
    make_images(memory.input(0));
  }
  bool is_first = true;
  for (const Loading::Source& source : loading.sources) {
    if (!source.is_kept) {
      window_.wait_until_swapped(source.layer);
    }
    if (step.pass == Pass::kForward) {
      load_output(source, memory.input(source.input));
    } else if (std::exchange(is_first, false)) {
      swap_.read(layout_.input(source.layer, source.input), memory.output());
    } else {
      swap_.add(layout_.input(source.layer, source.input), memory.output());
    }
  }
}

void WindowRun::load_weights(LayerIndex layer, std::uint64_t offset, std::span<float> to) const {
  if (is_saved_[layer] != 0) {
    swap_.read(layout_.weights(layer) + offset * sizeof(float), to);
  } else {
    request_.weights.read(request_.network.layers[layer].weights_offset + offset, to);
  }
}

void WindowRun::load_saved_inputs(LayerIndex layer, const LayerMemory& memory) const {
  for (std::size_t input = 0; input < request_.network.layers[layer].inputs.size(); ++input) {
    swap_.read(layout_.input(layer, input), memory.input(input));
  }
}

void WindowRun::load_output(const Loading::Source& source, std::span<float> to) {
  if (source.is_kept) {
    hand_over(window_.memory(source.layer).output(), to, true);
  } else {
    swap_.read(layout_.output(source.layer), to);
  }
}

void WindowRun::work_all() {
  for (std::size_t at = 0; at < steps_.size(); ++at) {
    const Step& step = steps_[at];
    const LayerMemory& memory = window_.wait_to_run(at);
    runner_.run(step, memory.data(request_.network.layers[step.layer]));
    Finished finished = window_.finish(at);
    hand_over_all(step, finished);
    if (finished.leaves) {
      window_.leave(std::move(finished));
    }
  }
}

void WindowRun::hand_over_all(const Step& step, const Finished& finished) {
  const LayerMemory& from = window_.memory(step.layer);
  for (const Finished::Target& target : finished.targets) {
    const LayerMemory& to = window_.wait_for_target(target.layer);
    if (step.pass == Pass::kForward) {
      hand_over(from.output(), to.input(target.input), true);
    } else {
      hand_over(from.input(target.input), to.output(), target.is_first);
    }
  }
}

void WindowRun::save_all() {
  while (const auto leaving = window_.next_to_save()) {
    const std::string name = request_.network.layers[leaving->layer].name + " leaving";
    const Phase phase(name.c_str());
    save(*leaving);
    window_.end_save(leaving->layer);
  }
}

void WindowRun::save(const Finished& leaving) {
  const LayerIndex layer = leaving.layer;
  const LayerMemory& memory = window_.memory(layer);
  if (leaving.weights) {
    swap_.write(layout_.weights(layer), memory.weights());
    is_saved_[layer] = 1;
  }
  for (std::size_t input = 0; input < leaving.inputs.size(); ++input) {
    if (leaving.inputs[input]) {
      swap_.write(layout_.input(layer, input), memory.input(input));
    }
  }
  if (leaving.output) {
    swap_.write(layout_.output(layer), memory.output());
  }
}

std::span<const float> WindowRun::weight(const WeightPlace& place, FloatBlock& room) {
  room = FloatBlock(place.elements);
  load_weights(place.layer, place.offset, room.floats());
  return room.floats();
}

std::vector<Note> WindowRun::notes() const {
  std::vector<Note> notes = runner_.notes();
  const std::vector<double>& stalls = window_.stalls();
  const auto longest = static_cast<std::size_t>(std::ranges::max_element(stalls) - stalls.begin());
  const double all = std::accumulate(stalls.begin(), stalls.end(), 0.0);
  notes.push_back({"stalled", fmt::format("{:.3f} s, {:.2f} ms a step, {:.1f} ms before {}", all,
                                          1000 * all / static_cast<double>(stalls.size()),
                                          1000 * stalls[longest],
                                          request_.network.layers[steps_[longest].layer].name)});
  if (size_.is_adaptive) {
    notes.push_back({"widest window", fmt::format("{} layers", window_.widest())});
  }
  return notes;
}

}  // namespace

std::unique_ptr<Run> run_window(const RunRequest& request, const WindowSize& size) {
  auto run = std::make_unique<WindowRun>(request, size);
  run->iterate();
  return run;
}

}  // namespace tidemark::loaders::nntrainer
