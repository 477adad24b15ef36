#pragma once

#include "reference_loaders/model_file.hpp"
#include "reference_loaders/nntrainer/network.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace tidemark::loaders::nntrainer {

/// Where training stopped; nntrainer writes it behind the weights.
struct TrainingState {
  std::uint32_t epoch = 0;
  std::uint32_t iteration = 0;
};

/// An open weights file: the float32 of all layers one behind the other, without a header, a name
/// or a shape. Only its size tells whether it belongs to the network, so it must be exact: the
/// weights alone; or with a training state behind them; or, from the optimizer adam, with "adam",
/// two more values a weight and a training state. The network is borrowed.
class WeightsFile {
 public:
  /// @throws BadInput when it is missing, not a regular file, or of another size.
  WeightsFile(const Network& network, const std::filesystem::path& file);

  [[nodiscard]] const std::string& name() const { return file_.name(); }
  [[nodiscard]] int descriptor() const { return file_.descriptor(); }
  [[nodiscard]] const std::optional<TrainingState>& training_state() const { return state_; }

  /// Fills all of `to`, from the float at `offset` on. Thread-safe. @throws BadInput
  void read(std::uint64_t offset, std::span<float> to) const;
  /// All weights of a layer.
  void read_layer(LayerIndex layer, std::span<float> to) const;

 private:
  void check_size(const Network& network);

  const Network& network_;
  ModelFile file_;
  std::optional<TrainingState> state_;
};

}  // namespace tidemark::loaders::nntrainer
