#include "reference_loaders/ggml/forward_pass.hpp"

#include <set>
#include <utility>

namespace tidemark::loaders::ggml {
namespace {

std::vector<std::uint64_t> offsets_in(const GraphAllocator& allocator, const Context& context) {
  const std::set<const Tensor*> own(context.tensors().begin(), context.tensors().end());
  std::vector<std::uint64_t> offsets;
  for (Tensor* tensor : context.tensors()) {
    if (own.contains(view_source(tensor))) {  // and not a view of the KV memory
      offsets.push_back(tensor->address - allocator.base());
    }
  }
  return offsets;
}

PassShape shape_of(const Pass& pass) {
  return {pass.tokens.size(), pass.n_past};
}

LaidOutPass lay_out_with(GraphAllocator& allocator, Context context, const Pass& pass) {
  LaidOutPass result{shape_of(pass), std::move(context), {}};
  Ops ops(result.context, &allocator);
  result.logits = build_gpt2(ops, result.graph, pass);
  allocator.allocate(result.graph);
  result.bytes = allocator.max_bytes();
  result.offsets = offsets_in(allocator, result.context);
  return result;
}

}  // namespace

LaidOutPass lay_out_linearly(std::span<std::byte> pool, const Pass& pass) {
  LaidOutPass result{shape_of(pass), Context(pool, Context::Data::kInPool), {}};
  Ops ops(result.context);
  result.logits = build_gpt2(ops, result.graph, pass);
  result.bytes = result.context.used();
  return result;
}

LaidOutPass record(const Pass& pass) {
  GraphAllocator allocator = GraphAllocator::measuring();
  return lay_out_with(allocator, Context(kMetadataBytes, Context::Data::kElsewhere), pass);
}

LaidOutPass lay_out(std::span<std::byte> memory, const Pass& pass, Fit fit) {
  GraphAllocator allocator(memory.subspan(kMetadataBytes), fit);
  Context headers(memory.first(kMetadataBytes), Context::Data::kElsewhere);
  return lay_out_with(allocator, std::move(headers), pass);
}

std::uint64_t measured_bytes(const Hyperparameters& sizes,
                             std::uint64_t n_tokens,
                             std::int32_t n_past) {
  const TensorSet model = weightless_model(sizes);
  const std::vector<std::int32_t> tokens(n_tokens);
  return record({sizes, model, key_values_in(model), tokens, n_past}).bytes;
}

TensorSet recorded_key_values(const Hyperparameters& sizes) {
  GraphAllocator allocator = GraphAllocator::measuring();
  return {key_value_specs(sizes), [&allocator](Tensor& tensor) {
            allocator.allocate(tensor);
            return tensor.address;
          }};
}

}  // namespace tidemark::loaders::ggml
