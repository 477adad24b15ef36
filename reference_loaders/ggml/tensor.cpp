#include "reference_loaders/ggml/tensor.hpp"

#include <algorithm>
#include <stdexcept>

namespace tidemark::loaders::ggml {

std::uint64_t element_bytes(Type type) {
  return type == Type::kF16 ? 2 : 4;
}

std::int64_t Tensor::elements() const {
  return ne[0] * ne[1] * ne[2] * ne[3];
}

std::uint64_t Tensor::bytes() const {
  // As ggml counts: the outermost stride knows of gaps, the elements of a permuted order.
  return std::max(static_cast<std::uint64_t>(ne[3]) * nb[3],
                  static_cast<std::uint64_t>(elements()) * element_bytes(type));
}

bool Tensor::is_contiguous() const {
  std::uint64_t stride = element_bytes(type);
  for (std::size_t i = 0; i < kMaxDimensions; ++i) {
    if (nb[i] != stride) {
      return false;
    }
    stride *= static_cast<std::uint64_t>(ne[i]);
  }
  return true;
}

bool Tensor::is_view() const {
  return op == Op::kReshape || op == Op::kView || op == Op::kPermute || op == Op::kCpy;
}

std::span<Tensor* const> Tensor::sources() const {
  const auto* const end = std::ranges::find(src, nullptr);
  return {src.data(), static_cast<std::size_t>(end - src.begin())};
}

void Tensor::set_name(std::string_view text) {
  if (text.size() > kMaxNameCharacters) {
    throw std::length_error("a tensor's name is too long for its header");
  }
  *std::ranges::copy(text, name.begin()).out = '\0';
}

Tensor* view_source(Tensor* tensor) {
  while (tensor->is_view()) {
    tensor = tensor->op == Op::kCpy ? tensor->src[1] : tensor->src[0];
  }
  return tensor;
}

bool same_layout(const Tensor& a, const Tensor& b) {
  return a.type == b.type && a.ne == b.ne && a.nb == b.nb;
}

bool same_shape(const Tensor& a, const Tensor& b) {
  return a.ne == b.ne;
}

}  // namespace tidemark::loaders::ggml
