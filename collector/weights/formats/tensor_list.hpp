/// The bounded list of tensors that the readers of all formats fill.
#pragma once

#include "collector/trace/types/definitions.hpp"
#include "collector/weights/formats/element_type.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::weights {

/// The product of a tensor's dimensions; 0 if one of them is 0, or if it is unreasonably large.
inline std::uint64_t element_count(std::span<const std::uint64_t> dimensions) {
  constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 48U;
  std::uint64_t count = 1;
  for (const std::uint64_t dimension : dimensions) {
    if (dimension == 0 || dimension > kMaxElements / count) {
      return 0;
    }
    count *= dimension;
  }
  return count;
}

/// ggml has the innermost dimension first.
inline std::vector<std::uint64_t> outermost_first(std::span<const std::uint64_t> dimensions) {
  return {dimensions.rbegin(), dimensions.rend()};
}

/// Takes the tensors of a file as its reader finds them.
class TensorList {
 public:
  static constexpr std::size_t kMaxTensors = 200'000;
  static constexpr std::size_t kMaxNameBytes = 512;

  explicit TensorList(std::uint64_t file_bytes) : file_bytes_(file_bytes) {}

  /// Ignores a tensor without elements.
  /// @param shape the outermost dimension first.
  /// @return false if the list is full, or the tensor's bytes are not in the file: then the file is
  /// not what it seems, and the list is worthless.
  bool add(std::string_view name,
           std::string_view type,
           std::span<const std::uint64_t> shape,
           std::uint64_t begin,
           std::uint64_t bytes) {
    const std::uint64_t elements = element_count(shape);
    if (elements == 0 || tensors_.size() >= kMaxTensors) {
      return tensors_.size() < kMaxTensors;
    }
    if (begin > file_bytes_ || bytes > file_bytes_ - begin) {
      return false;
    }
    tensors_.push_back({.name = std::string(name.substr(0, kMaxNameBytes)),
                        .type = std::string(type),
                        .elements = elements,
                        .begin = begin,
                        .bytes = bytes});
    if (shape.size() <= trace::Tensor::kMaxDimensions) {
      tensors_.back().shape.assign(shape.begin(), shape.end());
    }
    return true;
  }
  [[nodiscard]] std::uint64_t file_bytes() const { return file_bytes_; }
  /// `bytes`, but no more than the file has.
  [[nodiscard]] std::size_t at_most(std::size_t bytes) const {
    return static_cast<std::size_t>(std::min<std::uint64_t>(bytes, file_bytes_));
  }
  [[nodiscard]] std::vector<trace::Tensor>& all() { return tensors_; }

 private:
  std::uint64_t file_bytes_;
  std::vector<trace::Tensor> tensors_;
};

}  // namespace tidemark::weights
