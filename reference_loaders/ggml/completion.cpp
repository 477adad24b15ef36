#include "reference_loaders/ggml/completion.hpp"

#include "reference_loaders/checksum.hpp"
#include "reference_loaders/ggml/compute.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace tidemark::loaders::ggml {
namespace {

std::span<const float> values(const Tensor& logits) {
  return {logits.data<float>(), static_cast<std::size_t>(logits.elements())};
}

std::int32_t likeliest_token(const Tensor& logits) {
  const auto last = values(logits).last(static_cast<std::size_t>(logits.ne[0]));
  return static_cast<std::int32_t>(std::ranges::max_element(last) - last.begin());
}

std::uint64_t checksum_of(const Tensor& logits) {
  const std::array<std::int64_t, 2> shape = {logits.ne[1], logits.ne[0]};
  return checksum({{"logits", "float32", shape, std::as_bytes(values(logits))}});
}

}  // namespace

std::vector<std::int32_t> made_up_prompt(const Hyperparameters& sizes, std::int32_t n_tokens) {
  constexpr std::int64_t kStep = 7919;  // a prime: tokens from all over the vocabulary
  std::vector<std::int32_t> tokens;
  for (std::int64_t i = 0; i < n_tokens; ++i) {
    tokens.push_back(static_cast<std::int32_t>((i + 1) * kStep % sizes.n_vocab));
  }
  return tokens;
}

std::uint64_t complete(ExecutionMemory& memory,
                       const Pass& prompt,
                       std::int32_t n_generated,
                       Arithmetic arithmetic) {
  std::array<std::int32_t, 1> generated = {0};
  std::uint64_t logits_checksum = 0;
  Pass pass = prompt;
  for (std::int32_t done = 0; done <= n_generated; ++done) {
    const LaidOutPass laid_out = memory.lay_out(pass);
    if (arithmetic == Arithmetic::kReal) {
      compute(laid_out.graph);
      generated = {likeliest_token(*laid_out.logits)};
      logits_checksum = checksum_of(*laid_out.logits);
    } else {
      touch(laid_out.graph);
    }
    pass.n_past += static_cast<std::int32_t>(pass.tokens.size());
    pass.tokens = generated;
  }
  return logits_checksum;
}

}  // namespace tidemark::loaders::ggml
