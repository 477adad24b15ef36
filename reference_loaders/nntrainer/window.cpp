#include "reference_loaders/nntrainer/window.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::loaders::nntrainer {
namespace {

/// Less than this is the time that a thread takes to be woken, not one of waiting for data.
constexpr double kMinStallSeconds = 0.0002;
constexpr std::size_t kIdleSteps = 4;

}  // namespace

Window::Window(const Network& network, const LayerWork& work, const WindowSize& size)
    : network_(network),
      work_(work),
      steps_(steps_of(network)),
      is_adaptive_(size.is_adaptive),
      states_(network.layers.size(), LayerState::kSwapped),
      memory_(network.layers.size()),
      derivatives_(network.layers.size()),
      n_(size.layers),
      stalls_(steps_.size()),
      widest_(size.layers) {}

template <typename Condition>
void Window::wait(Lock& lock, const Condition& condition) {
  changed_.wait(lock, [&] { return error_ || condition(); });
  if (error_) {
    std::rethrow_exception(error_);
  }
}

bool Window::may_load(std::size_t step) const {
  constexpr std::size_t kLoadingAndLeaving = 2;
  if (step < current_ || step > current_ + n_) {
    return step < current_;  // it ran without us: its layer had been kept
  }
  const LayerState state = states_[steps_[step].layer];
  return state == LayerState::kReady ||
         (state == LayerState::kSwapped && layers_in_memory_ < n_ + kLoadingAndLeaving);
}

bool Window::may_load_for_testing(std::size_t step) const {
  const std::lock_guard lock(mutex_);
  return may_load(step);
}

std::optional<Loading> Window::begin_load(std::size_t step) {
  Lock lock(mutex_);
  load_waits_for_window_ = step > current_ + n_;
  wait(lock, [&] { return may_load(step); });
  load_waits_for_window_ = false;
  next_load_ = step + 1;
  const LayerIndex layer = steps_[step].layer;
  if (step < current_ || states_[layer] == LayerState::kReady) {
    return std::nullopt;
  }
  states_[layer] = LayerState::kWaitForExec;
  memory_[layer].emplace(network_, layer);
  ++layers_in_memory_;
  bytes_ += network_.layer_bytes(layer);
  note_bytes();
  Loading loading{.memory = &*memory_[layer], .sources = sources_of(steps_[step])};
  derivatives_[layer] = loading.sources.size();
  return loading;
}

bool Window::has_run(LayerIndex layer, Pass pass) const {
  const auto step = step_of(network_, layer, pass);
  return step && *step < current_;
}

bool Window::is_in_memory(LayerIndex layer) const {
  return states_[layer] == LayerState::kWaitForExec || states_[layer] == LayerState::kReady;
}

std::vector<Loading::Source> Window::sources_of(const Step& step) const {
  std::vector<Loading::Source> sources;
  if (step.pass == Pass::kForward) {
    const auto& inputs = network_.layers[step.layer].inputs;
    for (std::size_t input = 0; input < inputs.size(); ++input) {
      if (inputs[input] != kImages && has_run(inputs[input], Pass::kForward)) {
        const bool is_kept = states_[inputs[input]] == LayerState::kReady;
        sources.push_back({inputs[input], input, is_kept});
      }
    }
    return sources;
  }
  // Backward the last reader runs first, and derivatives are added up in that order.
  std::vector<Edge> readers = network_.readers[step.layer];
  std::ranges::sort(readers, std::greater<>(), &Edge::reader);
  for (const Edge& edge : readers) {
    if (has_run(edge.reader, Pass::kBackward)) {
      sources.push_back({edge.reader, edge.input, false});
    }
  }
  return sources;
}

void Window::wait_until_swapped(LayerIndex layer) {
  Lock lock(mutex_);
  wait(lock, [&] { return states_[layer] == LayerState::kSwapped; });
}

void Window::end_load(LayerIndex layer) {
  const std::lock_guard lock(mutex_);
  states_[layer] = LayerState::kReady;
  changed_.notify_all();
}

void Window::wait_until_ready(Lock& lock, LayerIndex layer) {
  if (states_[layer] == LayerState::kReady) {
    return;
  }
  const auto begin = std::chrono::steady_clock::now();
  wait(lock, [&] { return states_[layer] == LayerState::kReady; });
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  stalls_[std::min(current_, stalls_.size() - 1)] += took.count();
  has_stalled_ |= took.count() >= kMinStallSeconds;
}

LayerMemory& Window::wait_to_run(std::size_t step) {
  Lock lock(mutex_);
  const LayerIndex layer = steps_[step].layer;
  wait_until_ready(lock, layer);
  note_bytes();
  return *memory_[layer];
}

Finished Window::finish(std::size_t step) {
  const std::lock_guard lock(mutex_);
  adapt();
  current_ = step + 1;
  const auto [layer, pass] = steps_[step];
  Finished finished{.layer = layer};
  const Layer& ran = network_.layers[layer];
  const bool is_forward = pass == Pass::kForward;
  finished.leaves = !is_kept(step);
  finished.inputs.assign(ran.inputs.size(), is_forward && network_.trains);
  // Going forward only the moving averages of a batch normalization change.
  finished.weights = is_forward ? network_.trains && ran.kind == LayerKind::kBatchNormalization
                                : !ran.weights.empty();
  states_[layer] = finished.leaves ? LayerState::kWaitForOff : LayerState::kReady;
  derivatives_[layer] = 0;
  add_targets(steps_[step], &finished);
  changed_.notify_all();
  return finished;
}

void Window::add_targets(const Step& step, Finished* finished) {
  if (step.pass == Pass::kForward) {
    for (const Edge& edge : network_.readers[step.layer]) {
      if (is_in_memory(edge.reader)) {
        finished->targets.push_back({edge.reader, edge.input});
      } else {
        finished->output = true;
      }
    }
    return;
  }
  const auto& producers = network_.layers[step.layer].inputs;
  for (std::size_t input = 0; input < producers.size(); ++input) {
    const LayerIndex producer = producers[input];
    if (producer != kImages && is_in_memory(producer)) {
      finished->targets.push_back({producer, input, derivatives_[producer]++ == 0});
    } else if (producer != kImages) {
      finished->inputs[input] = true;
    }
  }
}

/// A layer that the load thread has passed already, or finds in its window, for its next run would
/// only leave to come back.
bool Window::is_kept(std::size_t step) const {
  const auto next = step_of(network_, steps_[step].layer, Pass::kBackward);
  return next && *next > step && (*next < next_load_ || *next <= current_ + n_);
}

LayerMemory& Window::wait_for_target(LayerIndex layer) {
  Lock lock(mutex_);
  wait_until_ready(lock, layer);
  return *memory_[layer];
}

void Window::leave(Finished finished) {
  const std::lock_guard lock(mutex_);
  leaving_.push_back(std::move(finished));
  changed_.notify_all();
}

void Window::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  changed_.notify_all();
}

std::optional<Finished> Window::next_to_save() {
  Lock lock(mutex_);
  wait(lock, [this] { return is_closed_ || !leaving_.empty(); });
  if (leaving_.empty()) {
    return std::nullopt;
  }
  Finished next = std::move(leaving_.front());
  leaving_.pop_front();
  return next;
}

void Window::end_save(LayerIndex layer) {
  const std::lock_guard lock(mutex_);
  memory_[layer].reset();
  states_[layer] = LayerState::kSwapped;
  --layers_in_memory_;
  bytes_ -= network_.layer_bytes(layer);
  changed_.notify_all();
}

void Window::adapt() {
  if (!is_adaptive_) {
    return;
  }
  const bool is_saving = std::ranges::find(states_, LayerState::kWaitForOff) != states_.end();
  if (std::exchange(has_stalled_, false)) {
    n_ = std::min(n_ + 1, network_.layers.size());
    idle_steps_ = 0;
  } else if (load_waits_for_window_ && !is_saving && ++idle_steps_ == kIdleSteps) {
    n_ = std::max<std::size_t>(n_ - 1, 1);
    idle_steps_ = 0;
  }
  widest_ = std::max(widest_, n_);
}

void Window::note_bytes() {
  const Step& step = steps_[std::min(current_, steps_.size() - 1)];
  highest_bytes_ = std::max(highest_bytes_, bytes_ + work_.scratch_bytes(step.layer, step.pass));
}

void Window::fail(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  error_ = error_ ? error_ : std::move(error);
  changed_.notify_all();
}

void Window::rethrow_failure() const {
  const std::lock_guard lock(mutex_);
  if (error_) {
    std::rethrow_exception(error_);
  }
}

}  // namespace tidemark::loaders::nntrainer
