#include "reference_loaders/ggml/gpt2_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace tidemark::loaders::ggml {
namespace {

void add_layer(std::vector<WeightSpec>& specs, const std::string& layer, std::int64_t n, Type w) {
  for (const char* const norm : {"ln_1", "ln_2"}) {
    specs.push_back({fmt::format("{}/{}/g", layer, norm), Type::kF32, {n}});
    specs.push_back({fmt::format("{}/{}/b", layer, norm), Type::kF32, {n}});
  }
  struct Linear {
    const char* name;
    std::int64_t in;
    std::int64_t out;
  };
  for (const Linear& linear : {Linear{"attn/c_attn", n, 3 * n}, Linear{"attn/c_proj", n, n},
                               Linear{"mlp/c_fc", n, 4 * n}, Linear{"mlp/c_proj", 4 * n, n}}) {
    specs.push_back({fmt::format("{}/{}/w", layer, linear.name), w, {linear.in, linear.out}});
    specs.push_back({fmt::format("{}/{}/b", layer, linear.name), Type::kF32, {linear.out}});
  }
}

Type matrix_type(const Hyperparameters& sizes) {
  return sizes.ftype == 0 ? Type::kF32 : Type::kF16;
}

}  // namespace

const std::vector<NamedShape>& named_shapes() {
  static const std::vector<NamedShape> all = {{"117M", {50257, 1024, 768, 12, 12, 1}},
                                              {"345M", {50257, 1024, 1024, 16, 24, 1}},
                                              {"774M", {50257, 1024, 1280, 20, 36, 1}},
                                              {"1558M", {50257, 1024, 1600, 25, 48, 1}},
                                              {"tiny", {256, 64, 32, 4, 2, 1}}};
  return all;
}

const Hyperparameters& shape_named(std::string_view name) {
  const auto found = std::ranges::find(named_shapes(), name, &NamedShape::name);
  if (found == named_shapes().end()) {
    throw std::out_of_range("there is no GPT-2 of the size " + std::string(name));
  }
  return found->sizes;
}

std::uint64_t WeightSpec::bytes() const {
  std::uint64_t bytes = element_bytes(type);
  for (const std::int64_t extent : extents) {
    bytes *= static_cast<std::uint64_t>(extent);
  }
  return bytes;
}

std::vector<WeightSpec> weight_specs(const Hyperparameters& sizes) {
  const std::int64_t n = sizes.n_embd;
  std::vector<WeightSpec> specs = {
      {"model/ln_f/b", Type::kF32, {n}},
      {"model/ln_f/g", Type::kF32, {n}},
      {"model/wpe", Type::kF32, {n, sizes.n_ctx}},
      {kTokenEmbedding, matrix_type(sizes), {n, sizes.n_vocab}},
  };
  for (std::int32_t layer = 0; layer < sizes.n_layer; ++layer) {
    add_layer(specs, fmt::format("model/h{}", layer), n, matrix_type(sizes));
  }
  std::ranges::sort(specs, {}, &WeightSpec::name);
  return specs;
}

WeightSpec head_spec(const Hyperparameters& sizes) {
  return {kHead, matrix_type(sizes), {sizes.n_embd, sizes.n_vocab}};
}

std::uint64_t weight_bytes(const Hyperparameters& sizes) {
  std::uint64_t bytes = 0;
  for (const WeightSpec& spec : weight_specs(sizes)) {
    bytes += spec.bytes();
  }
  return bytes;
}

WeightSpec key_value_spec(const Hyperparameters& sizes, const std::string& name) {
  return {name, Type::kF32, {std::int64_t{sizes.n_layer} * sizes.n_ctx * sizes.n_embd}};
}

}  // namespace tidemark::loaders::ggml
