#include "reference_loaders/nntrainer/model_writer.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/complete_file.hpp"
#include "reference_loaders/nntrainer/layer_data.hpp"
#include "reference_loaders/nntrainer/network_reader.hpp"
#include "reference_loaders/random_weights.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <system_error>
#include <vector>

namespace tidemark::loaders::nntrainer {
namespace {

void write_bytes(std::ostream& stream, std::span<const std::byte> bytes) {
  stream.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

/// Calls `write` with a stream whose file takes the name `file` in the end.
void write_file(const std::filesystem::path& file,
                const std::function<void(std::ostream&)>& write) {
  CompleteFile target(file);
  errno = 0;
  std::ofstream stream(target.incomplete(), std::ios::binary);
  if (stream) {
    write(stream);
    stream.close();
  }
  if (!stream) {
    throw std::system_error(errno, std::generic_category(), file.string() + ": cannot be written");
  }
  target.commit();
}

bool is_around_one(const WeightSpec& spec) {
  return spec.name.ends_with(":gamma") || spec.name.ends_with(":moving_variance");
}

/// Weights of a layer, each with its own row of random numbers.
void make_up(const Layer& layer, std::uint64_t seed, std::span<float> all) {
  const auto spans = weight_spans(layer, all);
  for (std::size_t at = 0; at < spans.size(); ++at) {
    RandomWeights(seed, layer.weights_offset + at).fill(spans[at]);
    if (is_around_one(layer.weights[at])) {
      for (float& weight : spans[at]) {
        weight += 1;
      }
    }
  }
}

Network network_of(const Ini& ini) {
  return read_network(ini, "the made-up network");
}

}  // namespace

std::filesystem::path weights_path(const std::filesystem::path& file) {
  return std::filesystem::path(file).replace_extension(".bin");
}

void write_weights(std::ostream& stream,
                   const Network& network,
                   const LayerSource& source,
                   const std::optional<TrainingState>& state) {
  for (LayerIndex layer = 0; layer < network.layers.size(); ++layer) {
    std::vector<float> weights(network.layers[layer].weight_elements());
    source(layer, weights);
    write_bytes(stream, std::as_bytes(std::span(weights)));
  }
  if (state) {
    write_bytes(stream, std::as_bytes(std::span(&*state, 1)));
  }
}

void write_random_model(const std::filesystem::path& file,
                        const ResnetSpec& spec,
                        std::uint64_t seed) {
  if (weights_path(file) == file) {
    throw UsageError(
        fmt::format("{} is the name that its weights will have; leave .bin out", file.string()));
  }
  const Ini ini = resnet_ini(spec);
  const Network network = network_of(ini);
  write_file(weights_path(file), [&](std::ostream& stream) {
    write_weights(stream, network, [&](LayerIndex layer, std::span<float> weights) {
      make_up(network.layers[layer], seed, weights);
    });
  });
  write_file(file, [&](std::ostream& stream) { stream << ini_text(ini); });
}

std::uint64_t random_model_bytes(const ResnetSpec& spec) {
  const Ini ini = resnet_ini(spec);
  return ini_text(ini).size() + network_of(ini).weight_elements() * sizeof(float);
}

}  // namespace tidemark::loaders::nntrainer
