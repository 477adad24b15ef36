#pragma once

#include "reference_loaders/ggml/context.hpp"
#include "reference_loaders/ggml/graph_allocator.hpp"

#include <cstdint>
#include <initializer_list>
#include <span>

namespace tidemark::loaders::ggml {

/// Makes the tensors of a graph, in the shapes that ggml gives them. Computes nothing.
///
/// Without an allocator a tensor's data comes from the pool at once. With one, blanks and inputs
/// get theirs here, as in ggml-gobject, and results when the graph is laid out.
class Ops {
 public:
  explicit Ops(Context& context, GraphAllocator* allocator = nullptr)
      : context_(context), allocator_(allocator) {}

  Tensor* blank(Type type, std::initializer_list<std::int64_t> extents);
  Tensor* inputs(std::span<const std::int32_t> values);
  Tensor* scalar(float value);

  /// Each row of `b` times each row of `a`: `a`'s rows are the result's columns.
  Tensor* mul_mat(Tensor* a, Tensor* b);
  Tensor* add(Tensor* a, Tensor* b);
  Tensor* mul(Tensor* a, Tensor* b);
  Tensor* norm(Tensor* a);
  /// `a` as often as it takes to have the shape of `b`; `a` itself when it has it already.
  Tensor* repeat(Tensor* a, Tensor* b);
  Tensor* gelu(Tensor* a);
  Tensor* get_rows(Tensor* table, Tensor* rows);
  Tensor* scale_inplace(Tensor* a, Tensor* factor);
  Tensor* diag_mask_inf_inplace(Tensor* a, std::int32_t n_past);
  Tensor* soft_max_inplace(Tensor* a);
  /// The result is `to`, once `from` is copied there.
  Tensor* cpy(Tensor* from, Tensor* to);

  Tensor* reshape(Tensor* a, std::initializer_list<std::int64_t> extents);
  /// Extents and offset in elements of `a`. A view of two dimensions keeps the rows' distance.
  Tensor* view(Tensor* a, std::initializer_list<std::int64_t> extents, std::int64_t offset);
  /// Dimension i of `a` becomes dimension `axes[i]`.
  Tensor* permute(Tensor* a, const std::array<std::size_t, kMaxDimensions>& axes);

 private:
  Tensor* result(Op op, Type type, const Extents& extents, std::initializer_list<Tensor*> sources);
  Tensor* view_result(Op op,
                      const Tensor& of,
                      std::span<const std::int64_t> extents,
                      std::initializer_list<Tensor*> sources);
  /// Nothing is written while a graph is only measured: there is no memory behind it.
  void write(const Tensor& tensor, const void* bytes, std::size_t count) const;

  Context& context_;
  GraphAllocator* allocator_;
};

}  // namespace tidemark::loaders::ggml
