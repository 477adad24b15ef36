#include "tests/reference_loaders/ggml/example_graph.hpp"

#include "reference_loaders/ggml/forward_pass.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace tidemark::loaders::test {
namespace {

using namespace ggml;

class ExampleGraph {
 public:
  ExampleGraph(const Hyperparameters& sizes, std::int64_t n_tokens, std::int64_t n_past)
      : sizes_(sizes),
        n_embd_(sizes.n_embd),
        head_(sizes.n_embd / sizes.n_head),
        n_tokens_(n_tokens),
        n_past_(n_past),
        model_(weightless_model(sizes)),
        memory_(key_values_in(model_)) {}

  std::uint64_t measure() {
    const std::vector<std::int32_t> tokens(static_cast<std::size_t>(n_tokens_));
    Tensor* words = inputs_.inputs(tokens);
    Tensor* positions = inputs_.inputs(tokens);
    scale_ = inputs_.scalar(0);
    Tensor* stream = ops_.add(ops_.get_rows(model_.at("model/wte"), words),
                              ops_.get_rows(model_.at("model/wpe"), positions));
    for (std::int64_t layer = 0; layer < sizes_.n_layer; ++layer) {
      stream = decoder_layer(stream, layer, fmt::format("model/h{}/", layer));
    }
    Tensor* normal = layer_norm(stream, "model/ln_f");
    graph_.build_forward_expand(ops_.mul_mat(model_.at(kHead), normal));
    allocator_.allocate(graph_);
    return allocator_.max_bytes();
  }

 private:
  Tensor* layer_norm(Tensor* input, const std::string& name) {
    Tensor* normal = ops_.norm(input);
    Tensor* gained = ops_.mul(ops_.repeat(model_.at(name + "/g"), normal), normal);
    return ops_.add(gained, ops_.repeat(model_.at(name + "/b"), normal));
  }

  Tensor* linear(Tensor* input, const std::string& name) {
    Tensor* product = ops_.mul_mat(model_.at(name + "/w"), input);
    return ops_.add(ops_.repeat(model_.at(name + "/b"), product), product);
  }

  Tensor* decoder_layer(Tensor* input, std::int64_t layer, const std::string& name) {
    Tensor* all = linear(layer_norm(input, name + "ln_1"), name + "attn/c_attn");
    store(ops_.view(all, {n_embd_, n_tokens_}, n_embd_), memory_.keys, layer);
    store(ops_.view(all, {n_embd_, n_tokens_}, 2 * n_embd_), memory_.values, layer);
    Tensor* attended = attention(ops_.view(all, {n_embd_, n_tokens_}, 0), layer);
    Tensor* sum = ops_.add(linear(attended, name + "attn/c_proj"), input);
    Tensor* up = linear(layer_norm(sum, name + "ln_2"), name + "mlp/c_fc");
    return ops_.add(linear(ops_.gelu(up), name + "mlp/c_proj"), sum);
  }

  Tensor* attention(Tensor* queries, std::int64_t layer) {
    const std::int64_t n_seen = n_past_ + n_tokens_;
    Tensor* q = ops_.cpy(queries, ops_.blank(Type::kF32, {head_, sizes_.n_head, n_tokens_}));
    Tensor* scores = ops_.mul_mat(ops_.permute(stored(memory_.keys, layer), {0, 2, 1, 3}),
                                  ops_.permute(q, {0, 2, 1, 3}));
    Tensor* scaled = ops_.scale_inplace(scores, scale_);
    Tensor* masked = ops_.diag_mask_inf_inplace(scaled, static_cast<std::int32_t>(n_past_));
    Tensor* shares = ops_.soft_max_inplace(masked);
    Tensor* v = ops_.cpy(ops_.permute(stored(memory_.values, layer), {1, 2, 0, 3}),
                         ops_.blank(Type::kF32, {n_seen, head_, sizes_.n_head}));
    Tensor* heads = ops_.permute(ops_.mul_mat(v, shares), {0, 2, 1, 3});
    return ops_.cpy(heads, ops_.blank(Type::kF32, {n_embd_, n_tokens_}));
  }

  void store(Tensor* rows, Tensor* memory, std::int64_t layer) {
    const std::int64_t first = (layer * sizes_.n_ctx + n_past_) * n_embd_;
    graph_.build_forward_expand(ops_.cpy(rows, ops_.view(memory, {n_tokens_ * n_embd_}, first)));
  }

  Tensor* stored(Tensor* memory, std::int64_t layer) {
    const std::int64_t n_seen = n_past_ + n_tokens_;
    Tensor* seen = ops_.view(memory, {n_seen * n_embd_}, layer * sizes_.n_ctx * n_embd_);
    return ops_.reshape(seen, {head_, sizes_.n_head, n_seen});
  }

  const Hyperparameters& sizes_;
  std::int64_t n_embd_;
  std::int64_t head_;
  std::int64_t n_tokens_;
  std::int64_t n_past_;
  TensorSet model_;
  KeyValues memory_;
  Context headers_{kMetadataBytes, Context::Data::kElsewhere};
  GraphAllocator allocator_ = GraphAllocator::measuring();
  Ops inputs_{headers_, &allocator_};  ///< Tokens, positions and scale have memory from the start,
  Ops ops_{headers_};                  ///< everything else when the graph is laid out.
  Graph graph_;
  Tensor* scale_ = nullptr;
};

}  // namespace

std::uint64_t measured_bytes_of_example(const Hyperparameters& sizes,
                                        std::int64_t n_tokens,
                                        std::int64_t n_past) {
  return ExampleGraph(sizes, n_tokens, n_past).measure();
}

}  // namespace tidemark::loaders::test
