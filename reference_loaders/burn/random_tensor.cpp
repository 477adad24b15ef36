#include "reference_loaders/burn/random_tensor.hpp"

#include "reference_loaders/burn/record.hpp"
#include "reference_loaders/random_weights.hpp"

#include <algorithm>
#include <vector>

namespace tidemark::loaders::burn {
namespace {

constexpr std::size_t kChunkFloats = std::size_t{16} * 1024;
static_assert(kChunkFloats % RandomWeights::kLanes == 0, "chunks must join into one row");

void write_floats(Sink& sink, std::uint64_t count, RandomWeights weights) {
  std::vector<float> chunk(std::min<std::uint64_t>(count, kChunkFloats));
  for (std::uint64_t left = count; left > 0;) {
    const std::span<float> piece(chunk.data(), std::min<std::uint64_t>(left, chunk.size()));
    weights.fill(piece);
    sink.write(piece.data(), piece.size_bytes());
    left -= piece.size();
  }
}

void write_transposed(Sink& sink, const TensorSpec& tensor, RandomWeights weights) {
  std::vector<float> rows(tensor.elements());
  std::vector<float> columns(rows.size());
  weights.fill(rows);
  transpose(std::as_bytes(std::span(rows)), std::as_writable_bytes(std::span(columns)),
            static_cast<std::size_t>(tensor.shape[0]), static_cast<std::size_t>(tensor.shape[1]),
            sizeof(float));
  sink.write(columns.data(), columns.size() * sizeof(float));
}

}  // namespace

void write_random_tensor(Sink& sink,
                         const TensorSpec& tensor,
                         std::uint64_t seed,
                         std::uint64_t number,
                         bool transposed) {
  if (tensor.dtype == Dtype::kInt64) {
    const std::vector<std::uint64_t> numbers(tensor.elements(), 1000 + number);
    sink.write(numbers.data(), numbers.size() * sizeof(std::uint64_t));
  } else if (transposed) {
    write_transposed(sink, tensor, {seed, number});
  } else {
    write_floats(sink, tensor.elements(), {seed, number});
  }
}

}  // namespace tidemark::loaders::burn
