#include "reference_loaders/strategies/llama_model.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/size.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::loaders::strategies {
namespace {

constexpr std::uint64_t kMinWidth = 32;
constexpr std::uint64_t kMaxWidth = 8192;
constexpr std::uint64_t kMinLayers = 12;
constexpr std::uint64_t kFeedForward = 4;   // times as wide as the model
constexpr std::uint64_t kHeadsPerPair = 4;  // of key and value
constexpr std::uint64_t kHalf = 2;          // bytes of a bfloat16

std::uint64_t layer_bytes(std::uint64_t width) {
  const std::uint64_t attention = 2 * width * width + 2 * width * width / kHeadsPerPair;
  const std::uint64_t feed_forward = 3 * kFeedForward * width * width;
  return (attention + feed_forward) * kHalf + 2 * width * sizeof(float);
}

/// The widest model that is still deep, when most of the weights are in layers.
std::uint64_t width_for(std::uint64_t layers_budget) {
  std::uint64_t width = kMaxWidth;
  while (width > kMinWidth && layers_budget / layer_bytes(width) < kMinLayers) {
    width /= 2;
  }
  return width;
}

class Builder {
 public:
  void matrix(const std::string& name, std::uint64_t rows, std::uint64_t columns) {
    model_.tensors.push_back(
        {.name = name + ".weight",
         .type = &bfloat16(),
         .shape = {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)}});
  }

  void vector(const std::string& name, std::uint64_t extent) {
    model_.tensors.push_back({.name = name + ".weight",
                              .type = &float32(),
                              .shape = {static_cast<std::int64_t>(extent)}});
  }

  void layer(std::uint64_t index, std::uint64_t width) {
    const std::string block = fmt::format("blk.{}.", index);
    vector(block + "attn_norm", width);
    matrix(block + "attn_q", width, width);
    matrix(block + "attn_k", width / kHeadsPerPair, width);
    matrix(block + "attn_v", width / kHeadsPerPair, width);
    matrix(block + "attn_output", width, width);
    vector(block + "ffn_norm", width);
    matrix(block + "ffn_gate", kFeedForward * width, width);
    matrix(block + "ffn_up", kFeedForward * width, width);
    matrix(block + "ffn_down", width, kFeedForward * width);
  }

  WeightsIndex take() && { return std::move(model_); }

 private:
  WeightsIndex model_;
};

template <typename T>
std::string raw_of(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

MetadataEntry text(const std::string& key, const std::string& value) {
  return {.key = key, .type = ValueType::kString, .raw = value};
}

MetadataEntry number(const std::string& key, std::uint64_t value) {
  return {.key = key, .type = ValueType::kUint32, .raw = raw_of(static_cast<std::uint32_t>(value))};
}

MetadataEntry real(const std::string& key, float value) {
  return {.key = key, .type = ValueType::kFloat32, .raw = raw_of(value)};
}

MetadataEntry tokens(std::uint64_t count) {
  std::string raw = raw_of(static_cast<std::uint32_t>(ValueType::kString)) + raw_of(count);
  for (std::uint64_t at = 0; at < count; ++at) {
    const std::string token = fmt::format("tok{}", at);
    raw += raw_of(std::uint64_t{token.size()}) + token;
  }
  return {.key = "tokenizer.ggml.tokens", .type = ValueType::kArray, .raw = std::move(raw)};
}

}  // namespace

WeightsIndex llama_model(std::uint64_t weight_bytes) {
  const std::uint64_t layers_budget = weight_bytes / 20 * 17;
  const std::uint64_t width = width_for(layers_budget);
  const std::uint64_t layers = layers_budget / layer_bytes(width);
  if (layers == 0 || weight_bytes % sizeof(float) != 0) {
    throw UsageError(
        fmt::format("a Llama of {} bytes cannot be made: give a multiple of 4, at least {}",
                    weight_bytes, format_size(layer_bytes(kMinWidth) * 20 / 17 + 1024)));
  }
  const std::uint64_t left = weight_bytes - layers * layer_bytes(width) - width * sizeof(float);
  const std::uint64_t row = width * kHalf;

  Builder model;
  model.matrix("token_embd", left / row, width);
  for (std::uint64_t layer = 0; layer < layers; ++layer) {
    model.layer(layer, width);
  }
  model.vector("output_norm", width);
  if (left % row > 0) {
    model.vector("rope_freqs", left % row / sizeof(float));
  }
  return std::move(model).take();
}

std::vector<MetadataEntry> gguf_metadata(const WeightsIndex& model) {
  constexpr std::uint64_t kMostlyBf16 = 32;  // llama.cpp's LLAMA_FTYPE_MOSTLY_BF16
  constexpr std::uint64_t kHeadWidth = 16;
  const auto vocabulary = static_cast<std::uint64_t>(model.tensors.front().shape[0]);
  const auto width = static_cast<std::uint64_t>(model.tensors.front().shape[1]);
  const auto layers = static_cast<std::uint64_t>(std::ranges::count_if(
      model.tensors,
      [](const TensorEntry& tensor) { return tensor.name.ends_with("attn_q.weight"); }));
  const std::uint64_t heads = std::max<std::uint64_t>(width / (kHeadWidth * 8), kHeadsPerPair);
  return {text("general.architecture", "llama"),
          text("general.name", "Llama of random weights"),
          number("general.file_type", kMostlyBf16),
          number("general.quantization_version", 2),
          number("llama.block_count", layers),
          number("llama.context_length", 8192),
          number("llama.embedding_length", width),
          number("llama.feed_forward_length", kFeedForward * width),
          number("llama.attention.head_count", heads),
          number("llama.attention.head_count_kv", heads / kHeadsPerPair),
          number("llama.vocab_size", vocabulary),
          number("llama.rope.dimension_count", width / heads),
          real("llama.rope.freq_base", 500000.0F),
          real("llama.attention.layer_norm_rms_epsilon", 1e-5F),
          text("tokenizer.ggml.model", "gpt2"),
          tokens(vocabulary)};
}

std::vector<MetadataEntry> safetensors_metadata() {
  return {text("format", "pt")};
}

}  // namespace tidemark::loaders::strategies
