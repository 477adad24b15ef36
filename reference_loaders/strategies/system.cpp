#include "reference_loaders/strategies/system.hpp"

#include "reference_loaders/size.hpp"
#include "reference_loaders/strategies/loaders.hpp"
#include "reference_loaders/strategies/model_in_memory.hpp"
#include "reference_loaders/strategies/model_writer.hpp"
#include "reference_loaders/strategies/suite.hpp"

#include <fmt/format.h>

namespace tidemark::loaders::strategies {
namespace {

using Prefetch = Mapping::Prefetch;

/// What a variant holds at its peak, in terms of the file. What the header says stays in memory
/// with every variant: its bytes are the file's that are not weights.
struct Shape {
  std::uint64_t copies_of_weights = 0;
  std::uint64_t copies_of_file = 0;
  std::uint64_t ring_bytes = 0;
  bool largest_tensor = false;
  bool maps_file = false;
};

std::string numbers(const Shape& shape, const ModelFacts& facts) {
  const std::string weights = format_size(facts.weight_bytes());
  const std::uint64_t copies = shape.copies_of_weights + shape.copies_of_file;
  std::string text = copies > 1             ? fmt::format("{} x {}", copies, weights)
                     : copies == 1          ? weights
                     : shape.largest_tensor ? format_size(facts.largest_tensor_bytes())
                                            : "0";
  if (shape.ring_bytes > 0) {
    text += " + " + format_size(shape.ring_bytes);
  }
  return shape.maps_file ? text + fmt::format(", {} mapped", format_size(facts.file_bytes)) : text;
}

Prediction predict(const Shape& shape, const ModelFacts& facts) {
  const std::uint64_t header = facts.file_bytes - facts.weight_bytes();
  return {.footprint_bytes = shape.copies_of_weights * facts.weight_bytes() +
                             shape.copies_of_file * facts.file_bytes + shape.ring_bytes + header +
                             (shape.largest_tensor ? facts.largest_tensor_bytes() : 0),
          .mapped_bytes = shape.maps_file ? facts.file_bytes : 0,
          .numbers = numbers(shape, facts)};
}

using Load = std::function<Weights(const LoadRequest&)>;

Variant variant(const char* name,
                const char* summary,
                const char* formula,
                const Shape& shape,
                const Load& load) {
  return {.name = name,
          .summary = summary,
          .peak_formula = formula,
          .predict = [shape](const ModelFacts& facts) { return predict(shape, facts); },
          .load = [load](const LoadRequest& request) -> std::unique_ptr<LoadedModel> {
            const UseClock clock;
            return std::make_unique<ModelInMemory>(load(request), clock);
          }};
}

template <Weights (*LoadFile)(const std::filesystem::path&)>
Weights of_file(const LoadRequest& request) {
  return LoadFile(request.file);
}

template <Prefetch kPrefetch>
Weights mapped(const LoadRequest& request) {
  return load_mapped(request.file, kPrefetch);
}

Weights pread_parallel(const LoadRequest& request) {
  return load_pread_parallel(request.file, request.number("threads", 1, kMaxThreads));
}

Variant lazy() {
  return {
      .name = "lazy",
      .summary = "each tensor read when it is asked for, and freed before the next",
      .peak_formula = "w",
      .predict = [](const ModelFacts& facts) { return predict({.largest_tensor = true}, facts); },
      .load = [](const LoadRequest& request) { return load_lazy(request.file); }};
}

std::vector<Variant> variants() {
  constexpr Shape kWeights{.copies_of_weights = 1};
  constexpr Shape kMapped{.maps_file = true};
  return {
      variant("blob", "the whole file into memory, then copied into the tensors", "2W",
              {.copies_of_weights = 1, .copies_of_file = 1}, of_file<load_blob>),
      variant("init-replace", "random weights, the loaded ones beside them, then exchanged", "2W",
              {.copies_of_weights = 2}, of_file<load_init_replace>),
      variant("init-overwrite", "random weights, and the file read over them", "W", kWeights,
              of_file<load_init_overwrite>),
      variant("mmap-copy", "mapped, copied into the tensors, unmapped", "W, W mapped",
              {.copies_of_weights = 1, .maps_file = true}, of_file<load_mapped_copy>),
      variant("stream", "from the file straight into the tensors", "W", kWeights,
              of_file<load_stream>),
      variant("chunk-ring", "through a staging ring of 4 x 1 MiB, as into a device", "W + 4 MiB",
              {.copies_of_weights = 1, .ring_bytes = kRingBuffers * kChunkBytes},
              of_file<load_chunk_ring>),
      variant("pread-parallel", "chunks of 2 MiB from several threads (--threads)", "W", kWeights,
              pread_parallel),
      variant("direct", "past the page cache, through a ring of 4 x 4 MiB", "W + 16 MiB",
              {.copies_of_weights = 1, .ring_bytes = kRingBuffers * kDirectBytes},
              of_file<load_direct>),
      variant("mmap", "mapped and used in place", "0, W mapped", kMapped, mapped<Prefetch::kNone>),
      variant("mmap-populate", "mapped with MAP_POPULATE, used in place", "0, W mapped", kMapped,
              mapped<Prefetch::kPopulate>),
      variant("mmap-willneed", "mapped with MADV_WILLNEED, used in place", "0, W mapped", kMapped,
              mapped<Prefetch::kWillNeed>),
      lazy(),
  };
}

Model model(const char* name, const char* summary, Format format) {
  return {.name = name,
          .summary = summary,
          .default_weight_bytes = std::uint64_t{512} << 20,
          .file_bytes = [format](std::uint64_t bytes) { return model_file_bytes(format, bytes); },
          .make =
              [format](const MakeRequest& request) {
                write_model(format, request.file, request.weight_bytes, request.seed);
              }};
}

}  // namespace

System make_system() {
  return {
      .name = "strategies",
      .summary = "The ways that loaders choose between, over GGUF and safetensors",
      .published =
          "llama.cpp, safetensors, PyTorch, Run:ai: reference_loaders/strategies/README.md",
      .models = {model(kGgufModel, "a Llama in bfloat16, GGUF v3", Format::kGguf),
                 model(kSafetensorsModel, "the same weights, safetensors", Format::kSafetensors)},
      .options = {{.name = "threads",
                   .value_name = "N",
                   .default_value = "4",
                   .summary = "Threads of pread-parallel"}},
      .variants = variants(),
      .suite = suite};
}

}  // namespace tidemark::loaders::strategies
