#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

/// Tensors as ggml has them: a header of 272 bytes with up to four extents and strides, the
/// operation that makes it and the tensors that it is made from. A graph is nothing but such
/// headers.
namespace tidemark::loaders::ggml {

/// Values are those of ggml's files.
enum class Type : std::int32_t { kF32 = 0, kF16 = 1, kI32 = 18 };

std::uint64_t element_bytes(Type type);

enum class Op : std::int32_t {
  kNone,  ///< A leaf: weights, inputs, blanks that something is copied to.
  kAdd,
  kMul,
  kNorm,
  kMulMat,
  kScale,
  kCpy,
  kReshape,
  kView,
  kPermute,
  kGetRows,
  kDiagMaskInf,
  kSoftMax,
  kRepeat,
  kGelu,
};

inline constexpr std::size_t kMaxDimensions = 4;
inline constexpr std::size_t kMaxSources = 6;

using Extents = std::array<std::int64_t, kMaxDimensions>;   ///< Innermost first; 1 where unused.
using Strides = std::array<std::uint64_t, kMaxDimensions>;  ///< In bytes.

/// Lives in a Context and is never destroyed on its own. Plain data, as in ggml.
struct Tensor {
  static constexpr std::size_t kMaxNameCharacters = 47;

  Type type = Type::kF32;
  Op op = Op::kNone;
  std::int32_t n_dims = 0;
  std::int32_t n_past = 0;  ///< For kDiagMaskInf.
  Extents ne = {1, 1, 1, 1};
  Strides nb = {};
  std::array<Tensor*, kMaxSources> src = {};  ///< Those in use come first.
  std::uint64_t view_offset = 0;              ///< For kView, in bytes.
  /// Where its bytes are, 0 before it is known. A number and not a pointer: while a graph is only
  /// measured, nothing is there.
  std::uintptr_t address = 0;
  bool borrows = false;  ///< Made as a view of its source: no bytes of its own in a linear pool.
  std::array<char, kMaxNameCharacters + 1> name = {};
  /// ggml keeps gradients, timings and a backend's extras here.
  std::array<std::byte, 72> unused = {};

  [[nodiscard]] std::int64_t elements() const;
  /// Bytes from the first to the last one that it covers: more than its elements if it has gaps.
  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] bool is_contiguous() const;

  /// True for operations whose result is another tensor's memory: kReshape, kView, kPermute, kCpy.
  [[nodiscard]] bool is_view() const;

  [[nodiscard]] std::span<Tensor* const> sources() const;
  void set_name(std::string_view text);

  template <typename T>
  [[nodiscard]] T* data() const {
    return reinterpret_cast<T*>(address);
  }
};
static_assert(sizeof(Tensor) == 272, "ggml's header; pools are sized by it");

/// The tensor at the end of a chain of views: what a view, or a view of a view, lies in.
/// For anything but a view the tensor itself.
Tensor* view_source(Tensor* tensor);

/// Same type, extents and strides: one may take the other's place byte by byte.
bool same_layout(const Tensor& a, const Tensor& b);

bool same_shape(const Tensor& a, const Tensor& b);

}  // namespace tidemark::loaders::ggml
