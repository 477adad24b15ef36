#include "reference_loaders/ggml/gpt2_graph.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace tidemark::loaders::ggml {
namespace {

class Gpt2Builder {
 public:
  Gpt2Builder(Ops& ops, Graph& graph, const Pass& pass)
      : ops_(ops),
        graph_(graph),
        pass_(pass),
        n_embd_(pass.sizes.n_embd),
        n_head_(pass.sizes.n_head),
        n_tokens_(static_cast<std::int64_t>(pass.tokens.size())),
        n_seen_(pass.n_past + n_tokens_) {}

  Tensor* build() {
    Tensor* stream = embedding();
    for (std::int64_t layer = 0; layer < pass_.sizes.n_layer; ++layer) {
      stream = decoder_layer(stream, layer);
    }
    Tensor* logits = linear(layer_norm(stream, "model/ln_f"), kHead, nullptr);
    graph_.build_forward_expand(logits);
    return logits;
  }

 private:
  Tensor* embedding();
  Tensor* decoder_layer(Tensor* input, std::int64_t layer);
  Tensor* attention(Tensor* input, std::int64_t layer);
  Tensor* attended_values(Tensor* queries, std::int64_t layer);
  void store(Tensor* rows, Tensor* memory, std::int64_t layer);
  Tensor* stored(Tensor* memory, std::int64_t layer);

  Tensor* layer_norm(Tensor* input, const std::string& name) {
    Tensor* normal = ops_.norm(input);
    Tensor* gain = ops_.repeat(weight(name + "/g"), normal);
    Tensor* bias = ops_.repeat(weight(name + "/b"), normal);
    return ops_.add(ops_.mul(normal, gain), bias);
  }

  Tensor* linear(Tensor* input, const std::string& name) {
    return linear(input, name + "/w", weight(name + "/b"));
  }

  Tensor* linear(Tensor* input, const std::string& matrix, Tensor* bias) {
    Tensor* product = ops_.mul_mat(weight(matrix), input);
    return bias == nullptr ? product : ops_.add(product, ops_.repeat(bias, product));
  }

  Tensor* weight(const std::string& name) { return pass_.weights.at(name); }

  static std::string in_layer(std::int64_t layer, const char* name) {
    return fmt::format("model/h{}/{}", layer, name);
  }

  Ops& ops_;
  Graph& graph_;
  const Pass& pass_;
  std::int64_t n_embd_;
  std::int64_t n_head_;
  std::int64_t n_tokens_;
  std::int64_t n_seen_;  ///< Positions to attend to: those before and those of this pass.
};

Tensor* Gpt2Builder::embedding() {
  std::vector<std::int32_t> positions(pass_.tokens.size());
  std::iota(positions.begin(), positions.end(), pass_.n_past);
  Tensor* token_rows = ops_.inputs(pass_.tokens);
  Tensor* position_rows = ops_.inputs(positions);
  Tensor* tokens = ops_.get_rows(weight(kTokenEmbedding), token_rows);
  return ops_.add(tokens, ops_.get_rows(weight("model/wpe"), position_rows));
}

Tensor* Gpt2Builder::decoder_layer(Tensor* input, std::int64_t layer) {
  Tensor* normal = layer_norm(input, in_layer(layer, "ln_1"));
  Tensor* attended = ops_.add(attention(normal, layer), input);
  Tensor* up = linear(layer_norm(attended, in_layer(layer, "ln_2")), in_layer(layer, "mlp/c_fc"));
  Tensor* down = linear(ops_.gelu(up), in_layer(layer, "mlp/c_proj"));
  return ops_.add(down, attended);
}

Tensor* Gpt2Builder::attention(Tensor* input, std::int64_t layer) {
  Tensor* all = linear(input, in_layer(layer, "attn/c_attn"));
  Tensor* queries = ops_.view(all, {n_embd_, n_tokens_}, 0);
  Tensor* keys = ops_.view(all, {n_embd_, n_tokens_}, n_embd_);
  Tensor* values = ops_.view(all, {n_embd_, n_tokens_}, 2 * n_embd_);
  store(keys, pass_.memory.keys, layer);
  store(values, pass_.memory.values, layer);
  return linear(attended_values(queries, layer), in_layer(layer, "attn/c_proj"));
}

Tensor* Gpt2Builder::attended_values(Tensor* queries, std::int64_t layer) {
  const std::int64_t head = n_embd_ / n_head_;
  Tensor* q_rows = ops_.cpy(queries, ops_.blank(Type::kF32, {head, n_head_, n_tokens_}));
  Tensor* q = ops_.permute(q_rows, {0, 2, 1, 3});
  Tensor* k = ops_.permute(stored(pass_.memory.keys, layer), {0, 2, 1, 3});
  Tensor* v_columns = ops_.permute(stored(pass_.memory.values, layer), {1, 2, 0, 3});
  Tensor* v = ops_.cpy(v_columns, ops_.blank(Type::kF32, {n_seen_, head, n_head_}));

  Tensor* scores = ops_.mul_mat(k, q);
  Tensor* factor = ops_.scalar(1.0F / std::sqrt(static_cast<float>(head)));
  Tensor* scaled = ops_.scale_inplace(scores, factor);
  Tensor* masked = ops_.diag_mask_inf_inplace(scaled, pass_.n_past);
  Tensor* shares = ops_.soft_max_inplace(masked);

  Tensor* heads = ops_.permute(ops_.mul_mat(v, shares), {0, 2, 1, 3});
  return ops_.cpy(heads, ops_.blank(Type::kF32, {n_embd_, n_tokens_}));
}

void Gpt2Builder::store(Tensor* rows, Tensor* memory, std::int64_t layer) {
  const std::int64_t first = layer * pass_.sizes.n_ctx + pass_.n_past;
  Tensor* place = ops_.view(memory, {n_tokens_ * n_embd_}, first * n_embd_);
  graph_.build_forward_expand(ops_.cpy(rows, place));
}

/// All positions of a layer, as heads: {n_embd / n_head, n_head, positions}.
Tensor* Gpt2Builder::stored(Tensor* memory, std::int64_t layer) {
  const std::int64_t first = layer * pass_.sizes.n_ctx;
  Tensor* seen = ops_.view(memory, {n_seen_ * n_embd_}, first * n_embd_);
  return ops_.reshape(seen, {n_embd_ / n_head_, n_head_, n_seen_});
}

}  // namespace

Tensor* build_gpt2(Ops& ops, Graph& graph, const Pass& pass) {
  return Gpt2Builder(ops, graph, pass).build();
}

}  // namespace tidemark::loaders::ggml
