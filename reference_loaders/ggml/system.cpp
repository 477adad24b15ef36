#include "reference_loaders/ggml/system.hpp"

#include "reference_loaders/ggml/loaders.hpp"
#include "reference_loaders/ggml/model_writer.hpp"
#include "reference_loaders/ggml/suite.hpp"
#include "reference_loaders/size.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <utility>

namespace tidemark::loaders::ggml {
namespace {

constexpr std::uint64_t kMaxTokens = std::numeric_limits<std::int32_t>::max() / 4;
constexpr std::uint64_t kMaxCursors = 1000;

/// 1450208 as "1,450,208 bytes".
std::string in_bytes(std::uint64_t bytes) {
  std::string digits = std::to_string(bytes);
  for (std::size_t left = digits.size(); left > 3; left -= 3) {
    digits.insert(left - 3, 1, ',');
  }
  return digits + " bytes";
}

class GgmlModel final : public LoadedModel {
 public:
  GgmlModel(LoadedGpt2 loaded, const Work& work) : loaded_(std::move(loaded)), work_(work) {
    std::vector<WeightSpec> specs = weight_specs(loaded_.file.sizes);
    if (loaded_.file.has_head) {
      specs.push_back(head_spec(loaded_.file.sizes));
    }
    for (WeightSpec& spec : specs) {
      // NumPy counts the other way round.
      shapes_.push_back(
          {{spec.extents.rbegin(), spec.extents.rend()}, loaded_.file.tensors.at(spec.name)});
    }
  }

  [[nodiscard]] std::vector<TensorView> tensors() const override {
    std::vector<TensorView> views;
    views.reserve(shapes_.size());
    for (const Shaped& shaped : shapes_) {
      const Tensor& tensor = *shaped.tensor;
      views.push_back({tensor.name.data(),
                       tensor.type == Type::kF16 ? "float16" : "float32",
                       shaped.shape,
                       {tensor.data<std::byte>(), tensor.bytes()}});
    }
    return views;
  }

  [[nodiscard]] std::uint64_t work_bytes() const override { return loaded_.work_bytes(); }
  [[nodiscard]] double work_seconds() const override { return loaded_.forward_seconds; }

  [[nodiscard]] std::vector<Note> notes() const override;

 private:
  struct Shaped {
    std::vector<std::int64_t> shape;
    const Tensor* tensor = nullptr;
  };

  LoadedGpt2 loaded_;
  Work work_;
  std::vector<Shaped> shapes_;
};

std::vector<Note> GgmlModel::notes() const {
  const Hyperparameters& sizes = loaded_.file.sizes;
  const auto n_tokens = static_cast<std::uint64_t>(work_.n_tokens);
  const std::uint64_t estimate =
      hard_coded_estimate(n_tokens + static_cast<std::uint64_t>(work_.n_generated));
  const std::uint64_t measured = measured_bytes(sizes, n_tokens);
  const std::uint64_t key_values = 2 * key_value_spec(sizes, "").bytes() * loaded_.cursors.size();
  std::vector<Note> notes = {
      {"execution memory", in_bytes(loaded_.cursors.front().memory->bytes())},
      {"measured need", in_bytes(measured)},
      {"hard-coded estimate", in_bytes(estimate)},
      {"ratio",
       fmt::format("{:.1f}", static_cast<double>(estimate) / static_cast<double>(measured))},
      {"KV memory", in_bytes(key_values)},
      {"tied head", in_bytes(loaded_.file.has_head ? 0 : head_spec(sizes).bytes())},
      {"forward", fmt::format("{:.3f} s", loaded_.forward_seconds)}};
  if (work_.compute) {
    notes.push_back(
        {"logits", fmt::format("{:016x} (XXH3-64)", loaded_.cursors.back().logits_checksum)});
  }
  return notes;
}

Work work_of(const LoadRequest& request) {
  return {.n_tokens = static_cast<std::int32_t>(request.number("tokens", 1, kMaxTokens)),
          .n_generated = static_cast<std::int32_t>(request.number("generate", 0, kMaxTokens)),
          .n_cursors = static_cast<std::int32_t>(request.number("cursors", 1, kMaxCursors)),
          .compute = !request.flag("no-compute")};
}

template <LoadedGpt2 (*Load)(const std::filesystem::path&, const Work&)>
std::unique_ptr<LoadedModel> load(const LoadRequest& request) {
  const Work work = work_of(request);
  return std::make_unique<GgmlModel>(Load(request.file, work), work);
}

Prediction predict(const ModelFacts& facts) {
  return {.footprint_bytes = facts.weight_bytes() + facts.work_bytes,
          .numbers = fmt::format("{} + {}", format_size(facts.weight_bytes()),
                                 format_size(facts.work_bytes))};
}

std::vector<Variant> variants() {
  return {{.name = "hardcoded",
           .summary = "execution memory as estimated, filled linearly (before)",
           .peak_formula = "W + head, KV, estimate",
           .predict = predict,
           .load = load<load_hardcoded>},
          {.name = "recorded",
           .summary = "execution memory as a recording of the graph measured it (after)",
           .peak_formula = "W + head, KV, measured",
           .predict = predict,
           .load = load<load_recorded>},
          {.name = "per-cursor",
           .summary = "as recorded, with KV and execution memory for each --cursors",
           .peak_formula = "W + head, c(KV, measured)",
           .predict = predict,
           .load = load<load_per_cursor>}};
}

Model model(const NamedShape& shape) {
  const Hyperparameters& sizes = shape.sizes;
  return {.name = shape.name,
          .summary = fmt::format("GPT-2 with {} layers of {} and {} heads", sizes.n_layer,
                                 sizes.n_embd, sizes.n_head),
          .default_weight_bytes = weight_bytes(sizes),
          .has_fixed_size = true,
          .file_bytes = [sizes](std::uint64_t) { return random_model_file_bytes(sizes); },
          .make =
              [sizes](const MakeRequest& request) {
                write_random_model_file(request.file, sizes, request.seed);
              }};
}

std::vector<Model> models() {
  std::vector<Model> all;
  for (const NamedShape& shape : named_shapes()) {
    all.push_back(model(shape));
  }
  return all;
}

}  // namespace

System make_system() {
  return {
      .name = "ggml",
      .summary = "ggml, GPT-2 in the legacy file, and the memory of its forward passes",
      .published =
          "ggml-gobject pull request 11: an estimate that is 207 times too large or too "
          "small, and a recording that is exact",
      .models = models(),
      .options = {{"tokens", "N", "7", "Tokens of the prompt, which is made up"},
                  {"generate", "N", "0", "Tokens to add, each in a forward pass of its own"},
                  {"cursors", "N", "1", "Texts at once; per-cursor alone gives each its memory"},
                  {"no-compute", "", "", "Lay graphs out and write to them, but compute nothing"}},
      .variants = variants(),
      .suite = suite};
}

}  // namespace tidemark::loaders::ggml
