#include "reference_loaders/executorch/llama_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tidemark::loaders::executorch {
namespace {

constexpr std::uint32_t kLayers = 16;
constexpr std::uint32_t kHeadWidth = 64;
constexpr std::uint32_t kHeadsPerPair = 4;  // of key and value
constexpr std::uint32_t kFeedForward = 4;   // times as wide as the model
constexpr std::uint32_t kVocabularyPerHead = 128256 / 32;
/// What every device must at least allow in one storage buffer.
constexpr std::uint64_t kMaxBufferBytes = std::uint64_t{128} << 20;
constexpr std::uint32_t kRowsPacked = 4;

using Dims = std::vector<std::uint32_t>;
using Value = std::int32_t;

/// Adds operators one after the other, each with the activation that it makes.
class Builder {
 public:
  explicit Builder(const LlamaSpec& spec) : spec_(spec), width_(spec.heads * kHeadWidth) {}

  DelegateModel model() &&;

 private:
  /// Slots of one layer's shared memory. What takes the same one is never alive at the same time.
  enum Slot : std::int32_t { kStream, kQuery, kKey, kVal, kScores, kShares, kGate, kUp, kSlots };

  Value constant(const std::string& name, Dims dims);
  Value activation(Dims dims, std::int32_t mem_obj_id);
  Value call(const char* name, std::vector<Value> args, Dims dims, Slot slot);
  Value linear(const std::string& name, Value input, std::uint32_t rows, Slot slot);
  Value norm(const std::string& name, Value input, Slot slot);
  void add_vocabulary();
  Value embedded(Value tokens);
  Value attention(const std::string& layer, Value stream);
  Value feed_forward(const std::string& layer, Value stream);
  void head(Value stream);

  [[nodiscard]] Dims per_token(std::uint32_t extent) const { return {spec_.tokens, extent}; }

  const LlamaSpec& spec_;
  std::uint32_t width_;
  std::int32_t layer_ = 0;
  std::vector<Value> vocabulary_;  ///< Pieces of one table, by rows.
  DelegateModel model_;
};

Value Builder::constant(const std::string& name, Dims dims) {
  DelegateGraph& graph = model_.graph;
  model_.tensors.push_back({.key = name, .sizes = {dims.begin(), dims.end()}});
  graph.constants.push_back(name);
  graph.values.push_back(
      {.dims = std::move(dims), .constant_id = static_cast<Value>(graph.constants.size() - 1)});
  return static_cast<Value>(graph.values.size() - 1);
}

Value Builder::activation(Dims dims, std::int32_t mem_obj_id) {
  model_.graph.values.push_back({.dims = std::move(dims), .mem_obj_id = mem_obj_id});
  return static_cast<Value>(model_.graph.values.size() - 1);
}

Value Builder::call(const char* name, std::vector<Value> args, Dims dims, Slot slot) {
  const Value made = activation(std::move(dims), layer_ * kSlots + slot);
  args.push_back(made);
  model_.graph.chain.push_back({.name = name, .args = std::move(args)});
  return made;
}

Value Builder::linear(const std::string& name, Value input, std::uint32_t rows, Slot slot) {
  const std::uint32_t columns = model_.graph.values[static_cast<std::size_t>(input)].dims.back();
  const Value weight = constant(name + ".weight", {rows, columns});
  return call("aten.linear.default", {input, weight}, per_token(rows), slot);
}

Value Builder::norm(const std::string& name, Value input, Slot slot) {
  const Value weight = constant(name + ".weight", {width_});
  return call("et_vk.rms_norm.default", {input, weight}, per_token(width_), slot);
}

/// In as many pieces as it takes to keep each within one storage buffer.
void Builder::add_vocabulary() {
  const std::uint32_t rows = spec_.heads * kVocabularyPerHead;
  const std::uint64_t row_bytes = width_ * sizeof(float);
  const auto most_rows = static_cast<std::uint32_t>(kMaxBufferBytes / row_bytes);
  const std::uint32_t pieces = (rows + most_rows - 1) / most_rows;
  const std::uint32_t each =
      ((rows + pieces - 1) / pieces + kRowsPacked - 1) / kRowsPacked * kRowsPacked;
  for (std::uint32_t done = 0; done < rows; done += each) {
    vocabulary_.push_back(constant(fmt::format("tok_embeddings.{}.weight", vocabulary_.size()),
                                   {std::min(each, rows - done), width_}));
  }
}

Value Builder::embedded(Value tokens) {
  if (!spec_.is_tied) {
    return tokens;  // embedded by the caller
  }
  std::vector<Value> args = vocabulary_;
  args.push_back(tokens);
  return call("aten.embedding.default", std::move(args), per_token(width_), kStream);
}

Value Builder::attention(const std::string& layer, Value stream) {
  const Value input = norm(layer + "attention_norm", stream, kStream);
  const Value query = linear(layer + "attention.wq", input, width_, kQuery);
  const Value key = linear(layer + "attention.wk", input, width_ / kHeadsPerPair, kKey);
  const Value val = linear(layer + "attention.wv", input, width_ / kHeadsPerPair, kVal);
  const Dims square = {spec_.heads, spec_.tokens, spec_.tokens};
  const Value scores = call("et_vk.attention_scores.default", {query, key}, square, kScores);
  const Value shares = call("aten.softmax.int", {scores}, square, kShares);
  const Value mixed = call("et_vk.attention_mix.default", {shares, val}, per_token(width_), kQuery);
  return linear(layer + "attention.wo", mixed, width_, kStream);
}

Value Builder::feed_forward(const std::string& layer, Value stream) {
  const Value input = norm(layer + "ffn_norm", stream, kQuery);
  const Value gate = linear(layer + "feed_forward.w1", input, kFeedForward * width_, kGate);
  const Value up = linear(layer + "feed_forward.w3", input, kFeedForward * width_, kUp);
  const Value gated =
      call("et_vk.silu_mul.default", {gate, up}, per_token(kFeedForward * width_), kGate);
  return linear(layer + "feed_forward.w2", gated, width_, kStream);
}

/// One logits tensor for each piece of the table.
void Builder::head(Value stream) {
  const Value input = norm("norm", stream, kStream);
  for (const Value piece : vocabulary_) {
    const std::uint32_t rows = model_.graph.values[static_cast<std::size_t>(piece)].dims.front();
    const Value logits = activation(per_token(rows), kNone);
    model_.graph.chain.push_back({.name = "aten.linear.default", .args = {input, piece, logits}});
    model_.graph.outputs.push_back(static_cast<std::uint32_t>(logits));
  }
}

DelegateModel Builder::model() && {
  add_vocabulary();
  const Value tokens = activation(spec_.is_tied ? Dims{spec_.tokens} : per_token(width_), kNone);
  model_.graph.inputs.push_back(static_cast<std::uint32_t>(tokens));
  Value stream = embedded(tokens);
  for (std::uint32_t at = 0; at < kLayers; ++at) {
    const std::string layer = fmt::format("layers.{}.", at);
    stream = feed_forward(layer, attention(layer, stream));
    ++layer_;
  }
  head(stream);
  return std::move(model_);
}

}  // namespace

DelegateModel llama_model(const LlamaSpec& spec) {
  return Builder(spec).model();
}

}  // namespace tidemark::loaders::executorch
