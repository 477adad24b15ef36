#include "reference_loaders/nntrainer/weights_file.hpp"

#include "reference_loaders/bad_input.hpp"

#include <fmt/format.h>

namespace tidemark::loaders::nntrainer {
namespace {

constexpr std::string_view kAdam = "adam";

}  // namespace

WeightsFile::WeightsFile(const Network& network, const std::filesystem::path& file)
    : network_(network), file_(file) {
  check_size(network);
}

void WeightsFile::check_size(const Network& network) {
  const std::uint64_t size = file_.size();
  const std::uint64_t weights = network.weight_elements() * sizeof(float);
  const std::uint64_t trained = weights + sizeof(TrainingState);
  const std::uint64_t with_adam = trained + kAdam.size() + 2 * weights;
  if (size != weights && size != trained && size != with_adam) {
    throw BadInput(
        file_.name(),
        fmt::format("the network has {} bytes of weights, but the file has {}", weights, size));
  }
  if (size == with_adam) {
    std::string tag(kAdam.size(), '\0');
    file_.read(weights, std::as_writable_bytes(std::span(tag)));
    if (tag != kAdam) {
      throw BadInput(file_.name(), weights,
                     fmt::format("'{}' is not the optimizer 'adam'", printable(tag)));
    }
  }
  if (size != weights) {
    state_.emplace();
    file_.read(size - sizeof(TrainingState), std::as_writable_bytes(std::span(&*state_, 1)));
  }
}

void WeightsFile::read(std::uint64_t offset, std::span<float> to) const {
  file_.read(offset * sizeof(float), std::as_writable_bytes(to));
}

void WeightsFile::read_layer(LayerIndex layer, std::span<float> to) const {
  read(network_.layers[layer].weights_offset, to);
}

}  // namespace tidemark::loaders::nntrainer
