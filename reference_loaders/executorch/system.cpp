#include "reference_loaders/executorch/system.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/executorch/loaded_model.hpp"
#include "reference_loaders/executorch/model_files.hpp"
#include "reference_loaders/executorch/suite.hpp"
#include "reference_loaders/executorch/vulkan_device.hpp"
#include "reference_loaders/size.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::loaders::executorch {
namespace {

constexpr const char* kDataLoader = "data-loader";
constexpr const char* kCommit = "commit";

bool maps_constants(const std::string& loader) {
  if (loader != "file" && loader != "mmap") {
    throw UsageError(fmt::format("--data-loader takes file or mmap, not '{}'", printable(loader)));
  }
  return loader == "mmap";
}

/// `facts.work_bytes` is the planned peak; the formula's first terms are taken out of it again, to
/// be shown. A mapping begins and ends within pages: half a page more at each end, on average.
Prediction predict(const ModelFacts& facts, std::uint64_t copies_of_weights) {
  constexpr std::uint64_t kPageBytes = 4096;
  const bool maps = maps_constants(facts.options.at(kDataLoader));
  const std::uint64_t weights = facts.weight_bytes();
  const std::uint64_t copies = copies_of_weights - (maps && copies_of_weights > 1 ? 1 : 0);
  const std::uint64_t peak = std::max(facts.work_bytes, copies * weights) + facts.driver_bytes;
  const std::string rest = format_size(peak - copies * weights);
  const std::string all = format_size(weights);
  const std::string numbers = copies > 1 ? fmt::format("{} x {} + {}", copies, all, rest)
                                         : fmt::format("{} + {}", all, rest);
  return {.footprint_bytes = peak,
          .mapped_bytes = maps ? weights + facts.tensors.size() * kPageBytes : 0,
          .numbers = maps ? fmt::format("{}, {} mapped", numbers, all) : numbers};
}

/// @param copies_of_weights that are there at the peak, as far as the formula says it.
Variant variant(const char* name,
                const char* summary,
                const char* formula,
                std::uint64_t copies_of_weights,
                const LoadRules& rules) {
  return {.name = name,
          .summary = summary,
          .peak_formula = formula,
          .predict = [=](const ModelFacts& facts) { return predict(facts, copies_of_weights); },
          .load =
              [rules](const LoadRequest& request) {
                return load_model(request.file, rules,
                                  {.maps_constants = maps_constants(request.text(kDataLoader)),
                                   .commits = request.flag(kCommit)});
              }};
}

std::vector<Variant> variants() {
  constexpr std::uint64_t kLimitOf2026 = 10 * kMegabyte;
  return {
      variant("eager", "all memory when the graph is built and prepared (before)", "2W + A + w + d",
              2, {.early_weights = true, .early_activations = true}),
      variant("half-applied", "each weight's memory when it is packed, activations before that",
              "W + A + w + q + d", 1, {.early_activations = true}),
      variant("lazy", "activations after the weights (after)", "max(W + A, W + w + q) + d", 1, {}),
      variant("lazy-10mb", "as lazy, staging flushed in models above 10 MB, not 500 (2026)",
              "max(W + A, W + w + q) + d", 1, {.flush_limit = kLimitOf2026}),
      variant("tied", "as lazy-10mb, and a constant is freed by its last consumer", "W + t + A + d",
              1, {.flush_limit = kLimitOf2026, .counts_uses = true}),
      variant("tied-cached", "as tied, and packed once for all consumers",
              "max(W + A, W + w + q) + d", 1,
              {.flush_limit = kLimitOf2026, .counts_uses = true, .caches_packed = true}),
  };
}

Model model(const NamedLlama& llama) {
  const LlamaSpec spec = llama.spec;
  return {.name = llama.name,
          .summary = llama.summary,
          .default_weight_bytes = constant_bytes(llama_model(spec).graph),
          .has_fixed_size = true,
          .file_bytes = [spec](std::uint64_t) { return model_bytes(spec); },
          .make =
              [spec](const MakeRequest& request) {
                write_random_model(request.file, spec, request.seed);
              },
          .files =
              [](const std::filesystem::path& file) {
                return std::vector{file, ptd_path(file)};
              }};
}

std::vector<Model> models() {
  std::vector<Model> all;
  for (const NamedLlama& llama : named_llamas()) {
    all.push_back(model(llama));
  }
  return all;
}

}  // namespace

System make_system() {
  return {
      .name = "executorch",
      .summary = "ExecuTorch's Vulkan delegate, Llama weights packed on the device",
      .published =
          "pytorch/executorch pull requests 13474 and 13500, Llama 3.2 1B: 4.05 GiB before, "
          "3.53 GiB after, resident and on the device",
      .models = models(),
      .options = {{kDataLoader, "KIND", "file", "How constants are read: file or mmap"},
                  {kCommit, "", "", "Write to device memory when it is allocated, as phones do"}},
      .variants = variants(),
      .suite = suite,
      .unavailable = why_no_vulkan_device};
}

}  // namespace tidemark::loaders::executorch
