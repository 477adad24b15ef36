#pragma once

#include "reference_loaders/ggml/tensor.hpp"

namespace tidemark::loaders::ggml {

/// `product` = each row of its second source times each row of its first, float16 or float32 times
/// float32. Rows are contiguous; whatever lies around them may have any stride.
void mul_mat(const Tensor& product);

}  // namespace tidemark::loaders::ggml
