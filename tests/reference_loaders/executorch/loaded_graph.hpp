#pragma once

#include "reference_loaders/executorch/compute_graph.hpp"
#include "reference_loaders/executorch/model_files.hpp"
#include "reference_loaders/executorch/weight_reader.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/support/catch.hpp"

#include <memory>

namespace tidemark::loaders::test {

/// True, and says so, where there is no device to test with.
inline bool is_skipped_without_vulkan() {
  const std::string why = executorch::why_no_vulkan_device();
  if (!why.empty()) {
    SKIP_TEST(why);
  }
  return !why.empty();
}

/// A model on disk, brought onto the device by the rules under test.
class LoadedGraph {
 public:
  LoadedGraph(const executorch::LlamaSpec& spec, const executorch::LoadRules& rules)
      : rules_(rules),
        memory_(device_, &footprint_, false),
        graph_(executorch::llama_model(spec).graph),
        data_(made_constants(spec)),
        commands_(device_),
        compute_(graph_, data_, memory_, commands_, rules_) {}

  void load() {
    compute_.build();
    compute_.prepare();
    compute_.prepack();
    compute_.execute();
  }

  /// As the check of a model does, one weight after the other, once the activations are gone.
  void read_back() {
    compute_.release_activations();
    for (const executorch::PackedWeight& weight : compute_.weights()) {
      const executorch::CountedBytes counted(&footprint_, executorch::Footprint::kHost,
                                             graph_.values[weight.value].bytes());
      executorch::WeightReader(memory_, commands_).read(weight.buffer.get(), weight.shape);
    }
  }

  [[nodiscard]] const executorch::DelegateGraph& graph() const { return graph_; }
  [[nodiscard]] const executorch::Footprint& footprint() const { return footprint_; }
  [[nodiscard]] const executorch::DeviceMemory& memory() const { return memory_; }
  [[nodiscard]] executorch::ComputeGraph& compute() { return compute_; }
  [[nodiscard]] executorch::CommandContext& commands() { return commands_; }
  [[nodiscard]] executorch::NamedDataMap& data() { return data_; }

 private:
  std::unique_ptr<executorch::DataLoader> made_constants(const executorch::LlamaSpec& spec) {
    const auto file = directory_.file("model");
    executorch::write_random_model(file, spec, 1);
    return executorch::open_file(executorch::ptd_path(file), &footprint_);
  }

  TemporaryFolder directory_;
  executorch::Footprint footprint_;
  executorch::LoadRules rules_;
  executorch::VulkanDevice device_;
  executorch::DeviceMemory memory_;
  executorch::DelegateGraph graph_;
  executorch::NamedDataMap data_;
  executorch::CommandContext commands_;
  executorch::ComputeGraph compute_;
};

}  // namespace tidemark::loaders::test
