#include "reference_loaders/executorch/loaded_model.hpp"

#include "reference_loaders/executorch/buffer_limits.hpp"
#include "reference_loaders/executorch/compute_graph.hpp"
#include "reference_loaders/executorch/model_files.hpp"
#include "reference_loaders/executorch/peak_plan.hpp"
#include "reference_loaders/executorch/resident_bytes.hpp"
#include "reference_loaders/executorch/weight_reader.hpp"
#include "reference_loaders/size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <stdexcept>

#include <tidemark/marks.h>

namespace tidemark::loaders::executorch {
namespace {

DelegateGraph read_graph(const std::filesystem::path& file, Footprint* footprint) {
  const Phase phase("read delegate");
  const auto loader = open_file(file, footprint);
  return parse_delegate(loader->load(0, loader->size()).bytes(), loader->name());
}

NamedDataMap open_data(const std::filesystem::path& file, bool maps, Footprint* footprint) {
  return NamedDataMap(maps ? map_file(ptd_path(file)) : open_file(ptd_path(file), footprint));
}

class VulkanModel final : public LoadedModel {
 public:
  VulkanModel(const std::filesystem::path& file,
              const LoadRules& rules,
              const LoadEnvironment& environment);

  /// None: the host sees packed weights only once they have been read back.
  [[nodiscard]] std::vector<TensorView> tensors() const override { return {}; }
  /// Reads every packed copy of a weight back; two copies must be alike. The activations go first.
  void for_each_tensor(const std::function<void(const TensorView&)>& visit) override;

  [[nodiscard]] std::uint64_t work_bytes() const override { return planned_peak_; }
  [[nodiscard]] std::uint64_t driver_bytes() const override { return device_.driver_bytes(); }
  [[nodiscard]] double work_seconds() const override { return execute_seconds_; }
  [[nodiscard]] std::vector<Note> notes() const override;

 private:
  using Copies = std::vector<const PackedWeight*>;

  void load();
  void execute();
  void note_memory(const char* point);
  [[nodiscard]] std::map<std::string_view, Copies> copies_by_key() const;
  void require_alike(std::string_view key, const PackedWeight& copy, std::span<const float> first);

  Footprint footprint_;
  DelegateGraph graph_;
  std::uint64_t planned_peak_;
  VulkanDevice device_;
  DeviceMemory memory_;
  NamedDataMap data_;
  CommandContext commands_;
  ComputeGraph compute_;
  std::string points_;  ///< Resident and device memory on the way, for a note.
  double execute_seconds_ = 0;
};

VulkanModel::VulkanModel(const std::filesystem::path& file,
                         const LoadRules& rules,
                         const LoadEnvironment& environment)
    : graph_(read_graph(file, &footprint_)),
      planned_peak_(planned_peak(graph_, rules, !environment.maps_constants)),
      memory_(device_, &footprint_, environment.commits),
      data_(open_data(file, environment.maps_constants, &footprint_)),
      commands_(device_),
      compute_(require_room(graph_, device_, file.string()), data_, memory_, commands_, rules) {
  load();
}

void VulkanModel::load() {
  note_memory("at first");
  {
    const Phase phase("build graph");
    compute_.build();
  }
  note_memory("built");
  {
    const Phase phase("prepare");
    compute_.prepare();
  }
  note_memory("prepared");
  {
    const Phase phase("prepack");
    compute_.prepack();
  }
  note_memory("packed");
  execute();
  note_memory("executed");
}

void VulkanModel::execute() {
  const Phase phase("execute");
  const auto begin = std::chrono::steady_clock::now();
  compute_.execute();
  execute_seconds_ =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void VulkanModel::note_memory(const char* point) {
  points_ += fmt::format("{}{}/{} {}", points_.empty() ? "" : ", ",
                         resident_bytes().now / kMegabyte, footprint_.device() / kMegabyte, point);
}

std::map<std::string_view, VulkanModel::Copies> VulkanModel::copies_by_key() const {
  std::map<std::string_view, Copies> all;
  for (const PackedWeight& weight : compute_.weights()) {
    const auto constant = static_cast<std::size_t>(graph_.values[weight.value].constant_id);
    all[graph_.constants[constant]].push_back(&weight);
  }
  return all;
}

void VulkanModel::for_each_tensor(const std::function<void(const TensorView&)>& visit) {
  compute_.release_activations();
  for (const auto& [key, copies] : copies_by_key()) {
    const PackedWeight& first = *copies.front();
    const auto& dims = graph_.values[first.value].dims;
    const std::vector<std::int64_t> shape(dims.begin(), dims.end());
    const CountedBytes counted(&footprint_, Footprint::kHost, graph_.values[first.value].bytes());
    const auto elements = WeightReader(memory_, commands_).read(first.buffer.get(), first.shape);
    for (std::size_t copy = 1; copy < copies.size(); ++copy) {
      require_alike(key, *copies[copy], elements);
    }
    visit({key, "float32", shape, std::as_bytes(std::span(elements))});
  }
}

void VulkanModel::require_alike(std::string_view key,
                                const PackedWeight& copy,
                                std::span<const float> first) {
  const CountedBytes counted(&footprint_, Footprint::kHost, first.size_bytes());
  const auto second = WeightReader(memory_, commands_).read(copy.buffer.get(), copy.shape);
  if (second.size() != first.size() ||
      std::memcmp(second.data(), first.data(), first.size_bytes()) != 0) {
    throw std::runtime_error(fmt::format("the two packed copies of '{}' differ", key));
  }
}

std::vector<Note> VulkanModel::notes() const {
  return {
      {"device", device_.name()},
      {"counted peak", fmt::format("{}, at most {} on the device", format_size(footprint_.peak()),
                                   format_size(footprint_.device_peak()))},
      {"resident peak", format_size(resident_bytes().peak)},
      {"resident/device", points_ + " (MiB)"}};
}

}  // namespace

std::unique_ptr<LoadedModel> load_model(const std::filesystem::path& file,
                                        const LoadRules& rules,
                                        const LoadEnvironment& environment) {
  return std::make_unique<VulkanModel>(file, rules, environment);
}

}  // namespace tidemark::loaders::executorch
