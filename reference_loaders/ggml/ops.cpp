#include "reference_loaders/ggml/ops.hpp"

#include <algorithm>
#include <cstring>

namespace tidemark::loaders::ggml {
namespace {

void make(Tensor* tensor, Op op, std::initializer_list<Tensor*> sources) {
  tensor->op = op;
  std::ranges::copy(sources, tensor->src.begin());
}

}  // namespace

Tensor* Ops::blank(Type type, std::initializer_list<std::int64_t> extents) {
  Tensor* tensor = context_.new_tensor(type, {extents.begin(), extents.size()});
  if (allocator_ != nullptr) {
    allocator_->allocate(*tensor);
  }
  return tensor;
}

Tensor* Ops::inputs(std::span<const std::int32_t> values) {
  Tensor* tensor = blank(Type::kI32, {static_cast<std::int64_t>(values.size())});
  write(*tensor, values.data(), values.size_bytes());
  return tensor;
}

Tensor* Ops::scalar(float value) {
  Tensor* tensor = blank(Type::kF32, {1});
  write(*tensor, &value, sizeof value);
  return tensor;
}

Tensor* Ops::mul_mat(Tensor* a, Tensor* b) {
  return result(Op::kMulMat, Type::kF32, {a->ne[1], b->ne[1], b->ne[2], b->ne[3]}, {a, b});
}

Tensor* Ops::add(Tensor* a, Tensor* b) {
  return result(Op::kAdd, a->type, a->ne, {a, b});
}

Tensor* Ops::mul(Tensor* a, Tensor* b) {
  return result(Op::kMul, a->type, a->ne, {a, b});
}

Tensor* Ops::norm(Tensor* a) {
  return result(Op::kNorm, a->type, a->ne, {a});
}

Tensor* Ops::repeat(Tensor* a, Tensor* b) {
  if (same_shape(*a, *b)) {
    return a;
  }
  return result(Op::kRepeat, a->type, b->ne, {a, b});
}

Tensor* Ops::gelu(Tensor* a) {
  return result(Op::kGelu, a->type, a->ne, {a});
}

Tensor* Ops::get_rows(Tensor* table, Tensor* rows) {
  return result(Op::kGetRows, Type::kF32, {table->ne[0], rows->ne[0], 1, 1}, {table, rows});
}

Tensor* Ops::scale_inplace(Tensor* a, Tensor* factor) {
  return view_result(Op::kScale, *a, a->ne, {a, factor});
}

Tensor* Ops::diag_mask_inf_inplace(Tensor* a, std::int32_t n_past) {
  Tensor* tensor = view_result(Op::kDiagMaskInf, *a, a->ne, {a});
  tensor->n_past = n_past;
  return tensor;
}

Tensor* Ops::soft_max_inplace(Tensor* a) {
  return view_result(Op::kSoftMax, *a, a->ne, {a});
}

Tensor* Ops::cpy(Tensor* from, Tensor* to) {
  return view_result(Op::kCpy, *to, to->ne, {from, to});
}

Tensor* Ops::reshape(Tensor* a, std::initializer_list<std::int64_t> extents) {
  return view_result(Op::kReshape, *a, {extents.begin(), extents.size()}, {a});
}

Tensor* Ops::view(Tensor* a, std::initializer_list<std::int64_t> extents, std::int64_t offset) {
  Tensor* tensor = view_result(Op::kView, *a, {extents.begin(), extents.size()}, {a});
  tensor->view_offset = static_cast<std::uint64_t>(offset) * element_bytes(a->type);
  if (extents.size() == 2) {
    const auto rows = static_cast<std::uint64_t>(tensor->ne[1]);
    tensor->nb = {a->nb[0], a->nb[1], a->nb[1] * rows, a->nb[1] * rows};
  }
  if (tensor->address != 0) {
    tensor->address += tensor->view_offset;
  }
  return tensor;
}

Tensor* Ops::permute(Tensor* a, const std::array<std::size_t, kMaxDimensions>& axes) {
  Tensor* tensor = view_result(Op::kPermute, *a, a->ne, {a});
  for (std::size_t i = 0; i < kMaxDimensions; ++i) {
    tensor->ne[axes[i]] = a->ne[i];
    tensor->nb[axes[i]] = a->nb[i];
  }
  return tensor;
}

Tensor* Ops::result(Op op,
                    Type type,
                    const Extents& extents,
                    std::initializer_list<Tensor*> sources) {
  Tensor* tensor = context_.new_tensor(type, extents);
  make(tensor, op, sources);
  return tensor;
}

Tensor* Ops::view_result(Op op,
                         const Tensor& of,
                         std::span<const std::int64_t> extents,
                         std::initializer_list<Tensor*> sources) {
  Tensor* tensor = context_.new_view(of, extents);
  if (std::ranges::equal(tensor->ne, of.ne)) {
    tensor->nb = of.nb;  // a view of the same shape has the same gaps
  }
  make(tensor, op, sources);
  return tensor;
}

void Ops::write(const Tensor& tensor, const void* bytes, std::size_t count) const {
  const bool has_memory = allocator_ != nullptr ? !allocator_->is_measuring() : context_.has_data();
  if (has_memory) {
    std::memcpy(tensor.data<void>(), bytes, count);
  }
}

}  // namespace tidemark::loaders::ggml
