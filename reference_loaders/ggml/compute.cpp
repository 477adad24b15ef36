#include "reference_loaders/ggml/compute.hpp"

#include "reference_loaders/ggml/half.hpp"
#include "reference_loaders/ggml/mul_mat.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

namespace tidemark::loaders::ggml {
namespace {

std::span<float> floats(const Tensor& tensor) {
  return {tensor.data<float>(), static_cast<std::size_t>(tensor.elements())};
}

/// The tensors of all operations below are contiguous: their rows follow one another.
template <typename Work>
void for_each_row(const Tensor& tensor, const Work& work) {
  const auto length = static_cast<std::size_t>(tensor.ne[0]);
  const std::span<float> all = floats(tensor);
  for (std::size_t at = 0; at < all.size(); at += length) {
    work(at, all.subspan(at, length));
  }
}

void add(const Tensor& sum) {
  std::ranges::transform(floats(*sum.src[0]), floats(*sum.src[1]), floats(sum).begin(),
                         [](float a, float b) { return a + b; });
}

void mul(const Tensor& product) {
  std::ranges::transform(floats(*product.src[0]), floats(*product.src[1]), floats(product).begin(),
                         [](float a, float b) { return a * b; });
}

void scale(const Tensor& scaled) {
  const float factor = *scaled.src[1]->data<float>();
  std::ranges::transform(floats(*scaled.src[0]), floats(scaled).begin(),
                         [factor](float value) { return value * factor; });
}

void norm(const Tensor& normal) {
  constexpr double kEpsilon = 1e-5;
  const float* const input = normal.src[0]->data<float>();
  for_each_row(normal, [input](std::size_t at, std::span<float> row) {
    const std::span<const float> from(input + at, row.size());
    double sum = 0;
    for (const float value : from) {
      sum += value;
    }
    const double mean = sum / static_cast<double>(row.size());
    double squares = 0;
    for (const float value : from) {
      squares += (value - mean) * (value - mean);
    }
    const double factor = 1 / std::sqrt(squares / static_cast<double>(row.size()) + kEpsilon);
    std::ranges::transform(from, row.begin(), [mean, factor](float value) {
      return static_cast<float>((value - mean) * factor);
    });
  });
}

void gelu(const Tensor& activated) {
  constexpr float kSqrt2OverPi = 0.79788456080286536F;
  std::ranges::transform(floats(*activated.src[0]), floats(activated).begin(), [](float x) {
    return 0.5F * x * (1 + std::tanh(kSqrt2OverPi * x * (1 + 0.044715F * x * x)));
  });
}

void soft_max(const Tensor& shares) {
  const float* const input = shares.src[0]->data<float>();
  for_each_row(shares, [input](std::size_t at, std::span<float> row) {
    const std::span<const float> from(input + at, row.size());
    const float largest = *std::ranges::max_element(from);
    double sum = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = std::exp(from[i] - largest);
      sum += row[i];
    }
    const auto factor = static_cast<float>(1 / sum);
    for (float& value : row) {
      value *= factor;
    }
  });
}

/// Token i of this pass sees positions up to n_past + i.
void diag_mask_inf(const Tensor& masked) {
  std::memmove(masked.data<void>(), masked.src[0]->data<void>(), masked.bytes());
  const std::int64_t positions = masked.ne[0];
  const std::int64_t tokens = masked.ne[1];
  for_each_row(masked, [&](std::size_t at, std::span<float> row) {
    const std::int64_t token = static_cast<std::int64_t>(at) / positions % tokens;
    const std::int64_t visible = std::min(positions, masked.n_past + token + 1);
    std::fill(row.begin() + visible, row.end(), -std::numeric_limits<float>::infinity());
  });
}

void repeat(const Tensor& repeated) {
  const float* const input = repeated.src[0]->data<float>();
  for_each_row(repeated, [input](std::size_t, std::span<float> row) {
    std::copy_n(input, row.size(), row.begin());
  });
}

void get_rows(const Tensor& rows) {
  const Tensor& table = *rows.src[0];
  const auto* const indices = rows.src[1]->data<std::int32_t>();
  for_each_row(rows, [&](std::size_t at, std::span<float> row) {
    const auto index = static_cast<std::uint64_t>(indices[at / row.size()]);
    const std::uintptr_t from = table.address + index * table.nb[1];
    if (table.type == Type::kF16) {
      to_float({reinterpret_cast<const std::uint16_t*>(from), row.size()}, row);
    } else {
      std::copy_n(reinterpret_cast<const float*>(from), row.size(), row.begin());
    }
  });
}

/// Any strides to dense memory: all copies of GPT-2 are of this kind.
void cpy(const Tensor& copy) {
  const Tensor& from = *copy.src[0];
  const auto stride = [&from](std::size_t i, std::int64_t at) {
    return from.nb[i] * static_cast<std::uint64_t>(at);
  };
  auto* to = copy.data<float>();
  for (std::int64_t i3 = 0; i3 < from.ne[3]; ++i3) {
    for (std::int64_t i2 = 0; i2 < from.ne[2]; ++i2) {
      for (std::int64_t i1 = 0; i1 < from.ne[1]; ++i1) {
        const std::uintptr_t row = from.address + stride(3, i3) + stride(2, i2) + stride(1, i1);
        for (std::int64_t i0 = 0; i0 < from.ne[0]; ++i0) {
          *to++ = *reinterpret_cast<const float*>(row + stride(0, i0));
        }
      }
    }
  }
}

void compute(const Tensor& node) {
  switch (node.op) {
    case Op::kAdd:
      return add(node);
    case Op::kMul:
      return mul(node);
    case Op::kNorm:
      return norm(node);
    case Op::kMulMat:
      return mul_mat(node);
    case Op::kScale:
      return scale(node);
    case Op::kCpy:
      return cpy(node);
    case Op::kGetRows:
      return get_rows(node);
    case Op::kDiagMaskInf:
      return diag_mask_inf(node);
    case Op::kSoftMax:
      return soft_max(node);
    case Op::kRepeat:
      return repeat(node);
    case Op::kGelu:
      return gelu(node);
    case Op::kNone:
    case Op::kReshape:
    case Op::kView:
    case Op::kPermute:
      return;  // other words for the same bytes
  }
}

}  // namespace

void compute(const Graph& graph) {
  for (const Tensor* node : graph.nodes()) {
    compute(*node);
  }
}

void touch(const Graph& graph) {
  for (const Tensor* node : graph.nodes()) {
    if (!node->is_view()) {
      std::memset(node->data<void>(), 0, node->bytes());
    }
  }
}

}  // namespace tidemark::loaders::ggml
