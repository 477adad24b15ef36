#pragma once

#include "reference_loaders/nntrainer/float_block.hpp"
#include "reference_loaders/nntrainer/layer_work.hpp"
#include "reference_loaders/nntrainer/network.hpp"
#include "reference_loaders/nntrainer/schedule.hpp"
#include "reference_loaders/nntrainer/swap_file.hpp"
#include "reference_loaders/nntrainer/weights_file.hpp"
#include "reference_loaders/system.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

/// One iteration of a network, in each of the ways to cope with too little memory.
namespace tidemark::loaders::nntrainer {

/// What a run works with. Everything is borrowed, and outlives the run.
struct RunRequest {
  const Network& network;
  const WeightsFile& weights;
  LayerWork& work;
  std::filesystem::path folder;  ///< Where swap files go.
  SwapFile::Writes writes = SwapFile::Writes::kToTheDisk;
};

/// One weight: the index counts within its layer, the offset floats within the layer's weights.
struct WeightPlace {
  LayerIndex layer = 0;
  std::size_t index = 0;
  std::uint64_t offset = 0;
  std::uint64_t elements = 0;
};

/// A completed iteration, and the resulting weights.
class Run {
 public:
  Run() = default;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  virtual ~Run() = default;

  /// One weight of a layer: where it is, or read into `room`.
  [[nodiscard]] virtual std::span<const float> weight(const WeightPlace& place,
                                                      FloatBlock& room) = 0;

  /// Bytes at the peak, from the network and the order of execution.
  [[nodiscard]] virtual std::uint64_t planned_peak() const = 0;
  /// Seconds of the work itself.
  [[nodiscard]] virtual double work_seconds() const = 0;
  [[nodiscard]] virtual std::vector<Note> notes() const = 0;
};

/// Runs steps: each a phase, its time added up. What the last layer makes of the images is kept as
/// a checksum: it must be the same in every run.
class StepRunner {
 public:
  StepRunner(const Network& network, LayerWork& work) : network_(network), work_(work) {}

  void run(const Step& step, const LayerData& data);

  [[nodiscard]] double seconds() const { return seconds_; }
  /// Time, beside what was published, and the checksum.
  [[nodiscard]] std::vector<Note> notes() const;

 private:
  const Network& network_;
  LayerWork& work_;
  double seconds_ = 0;
  std::uint64_t probabilities_ = 0;
};

/// Everything in memory at once.
std::unique_ptr<Run> run_resident(const RunRequest& request);

/// As resident; then weights and inputs of all layers to a file, and back, one after the other.
std::unique_ptr<Run> run_serial(const RunRequest& request);

/// How many layers are ready ahead of the work.
struct WindowSize {
  std::size_t layers = 2;
  bool is_adaptive = false;  ///< Then it only begins with `layers`.
};

/// A window of layers, moved along by three threads.
std::unique_ptr<Run> run_window(const RunRequest& request, const WindowSize& size);

struct SwapOptions {
  bool trims = false;         ///< malloc_trim after every swap out.
  std::size_t lookahead = 0;  ///< Steps whose tensors are swapped in ahead, by a task thread.
};

/// One swap element a tensor.
std::unique_ptr<Run> run_swap(const RunRequest& request, const SwapOptions& options);

/// Inference alone: weights through slots, from the weights file itself. @throws UsageError when
/// the network trains.
std::unique_ptr<Run> run_fsu(const RunRequest& request, std::size_t lookahead);

}  // namespace tidemark::loaders::nntrainer
