// Tensors swapped in for each step and out after it, as nntrainer shipped it in 2022.
#include "reference_loaders/nntrainer/layer_memory.hpp"
#include "reference_loaders/nntrainer/resident_bytes.hpp"
#include "reference_loaders/nntrainer/run.hpp"
#include "reference_loaders/nntrainer/swap_pool.hpp"
#include "reference_loaders/nntrainer/task_queue.hpp"
#include "reference_loaders/nntrainer/tensor_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include <tidemark/marks.h>

namespace tidemark::loaders::nntrainer {
namespace {

class SwapRun final : public Run {
 public:
  SwapRun(const RunRequest& request, const SwapOptions& options)
      : request_(request),
        options_(options),
        steps_(steps_of(request.network)),
        table_(request.network),
        pool_(request_, table_, options.trims),
        runner_(request.network, request.work) {
    if (options.lookahead > 0) {
      ahead_.emplace(1);
    }
  }

  void iterate();

  std::span<const float> weight(const WeightPlace& place, FloatBlock& room) override;
  [[nodiscard]] std::uint64_t planned_peak() const override;
  [[nodiscard]] double work_seconds() const override { return runner_.seconds(); }
  [[nodiscard]] std::vector<Note> notes() const override;

 private:
  void take_weights();
  void run(std::size_t at);
  /// What steps [first, last] need, as far as there are such steps.
  [[nodiscard]] std::vector<TensorId> needs(std::size_t first, std::size_t last) const;
  [[nodiscard]] std::vector<TensorId> kept_at(std::size_t at) const;
  void swap_in(const std::vector<TensorId>& ids);

  RunRequest request_;
  SwapOptions options_;
  std::vector<Step> steps_;
  TensorTable table_;
  SwapPool pool_;
  StepRunner runner_;
  std::optional<TaskQueue> ahead_;
  std::uint64_t resident_after_ = 0;
};

std::vector<TensorId> SwapRun::needs(std::size_t first, std::size_t last) const {
  std::vector<TensorId> all;
  for (std::size_t at = first; at <= std::min(last, steps_.size() - 1); ++at) {
    const std::vector<TensorId> more = table_.needs(steps_[at]);
    all.insert(all.end(), more.begin(), more.end());
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Without lookahead only what the step needs; with it the step before stays, too, and what has
/// been swapped in ahead.
std::vector<TensorId> SwapRun::kept_at(std::size_t at) const {
  return options_.lookahead == 0 ? needs(at, at)
                                 : needs(at == 0 ? 0 : at - 1, at + options_.lookahead - 1);
}

void SwapRun::swap_in(const std::vector<TensorId>& ids) {
  for (const TensorId id : ids) {
    pool_.swap_in(id);
  }
}

void SwapRun::take_weights() {
  const Phase phase("take weights");
  for (LayerIndex layer = 0; layer < request_.network.layers.size(); ++layer) {
    for (const TensorId id : table_.weights(layer)) {
      pool_.take_weight(id);
    }
  }
}

void SwapRun::run(std::size_t at) {
  if (ahead_) {
    const Phase phase("waiting for the task thread");
    ahead_->wait_until_idle();
  }
  {
    const Phase phase("swapping");
    pool_.flush_except(kept_at(at), at);
    swap_in(table_.needs(steps_[at]));
  }
  if (at == 0) {
    make_images(pool_.place(table_.images()));
  }
  const LayerData data = table_.data(steps_[at], [this](TensorId id) { return pool_.place(id); });
  if (ahead_) {
    ahead_->submit([this, at] {
      const Phase phase("swapping in ahead");
      swap_in(needs(at + 1, at + options_.lookahead));
    });
  }
  runner_.run(steps_[at], data);
}

void SwapRun::iterate() {
  take_weights();
  {
    const Phase phase("iteration");
    for (std::size_t at = 0; at < steps_.size(); ++at) {
      run(at);
    }
    if (ahead_) {
      ahead_->wait_until_idle();
    }
  }
  pool_.flush_except({}, steps_.size());
  resident_after_ = resident_bytes();
}

std::span<const float> SwapRun::weight(const WeightPlace& place, FloatBlock& room) {
  room = FloatBlock(place.elements);
  pool_.read(table_.weights(place.layer)[place.index], room.floats());
  return room.floats();
}

std::uint64_t SwapRun::planned_peak() const {
  std::uint64_t peak = 0;
  for (std::size_t at = 0; at < steps_.size(); ++at) {
    const std::size_t first = options_.lookahead == 0 || at == 0 ? at : at - 1;
    peak = std::max(peak, table_.bytes(needs(first, at + options_.lookahead)) +
                              request_.work.scratch_bytes(steps_[at].layer, steps_[at].pass));
  }
  return peak;
}

std::vector<Note> SwapRun::notes() const {
  std::vector<Note> notes = runner_.notes();
  notes.push_back({"swap file", fmt::format("{:.1f} MB, sparse",
                                            static_cast<double>(pool_.file_bytes()) / 1e6)});
  notes.push_back({"resident when all is swapped out",
                   fmt::format("{:.1f} MB", static_cast<double>(resident_after_) / 1e6)});
  return notes;
}

}  // namespace

std::unique_ptr<Run> run_swap(const RunRequest& request, const SwapOptions& options) {
  auto run = std::make_unique<SwapRun>(request, options);
  run->iterate();
  return run;
}

}  // namespace tidemark::loaders::nntrainer
