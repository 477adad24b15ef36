/// Which tensor of a weight file a block holds, recognised by its values: however they got there,
/// in whatever type of number, and also transposed.
#pragma once

#include "collector/os/file_descriptor.hpp"
#include "collector/trace/types/definitions.hpp"
#include "collector/weights/block_sample.hpp"
#include "collector/weights/packed_types.hpp"
#include "collector/weights/value_forms.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark::weights {

/// An index of the first values of tensors. Compares 16 values at some place in the first bytes of
/// a block, and then those further inside, which are read from the file. Ignores values of which
/// fewer than four differ (zeros, ones).
///
/// Keeps the files open. Reads 16 values for each tensor (with a read for each value in columns,
/// and again when columns are compared), and 64 bytes for each block that begins like a tensor.
class ValueIndex {
 public:
  /// Smaller tensors, by bytes in their file, are in no block that is looked at.
  static constexpr std::uint64_t kMinTensorBytes = std::uint64_t{8} << 10U;
  static constexpr std::size_t kMaxTensors = 50'000;
  static constexpr std::size_t kMaxFiles = 256;
  /// Most comparisons further inside, of blocks that begin like a tensor, over all calls.
  static constexpr std::size_t kMaxComparisons = 500'000;

  /// Takes ownership of the file. Leaves out what exceeds the limits.
  void add(trace::FileId id, FileDescriptor file, std::span<const trace::Tensor> tensors);
  [[nodiscard]] bool is_empty() const { return beginnings_.empty(); }
  /// Whether a file, a tensor or a block was left out so far: then a block without a match may
  /// still hold a tensor.
  [[nodiscard]] bool has_left_out() const { return has_left_out_; }

  /// None also if several tensors have these values, since it may be any of them.
  [[nodiscard]] std::optional<trace::ValueMatch> find(const BlockSample& block);

 private:
  struct Known {
    std::uint32_t file = 0;  ///< Index into `files_`.
    trace::FileId id{0};
    std::string type;                    ///< A type of float; else empty.
    const PackedType* packed = nullptr;  ///< Its packed type, if it can be unpacked.
    std::uint64_t elements = 0;
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
    std::uint64_t columns = 0;  ///< 0: not a matrix.
  };
  struct Beginning {
    std::uint32_t tensor = 0;
    ValueForm form = ValueForm::kAsInFile;
    bool is_transposed = false;
    std::vector<std::byte> bytes;
  };

  void add_tensor(Known known);
  void add_beginnings(std::uint32_t tensor, bool is_transposed);
  void add_unpacked(std::uint32_t tensor);
  void add_beginning(Beginning beginning);
  /// `count` elements of a plain tensor from `first` on, in file order or column by column. Fewer
  /// if the file ends.
  [[nodiscard]] std::vector<std::byte> read_elements(const Known& tensor,
                                                     std::uint64_t first,
                                                     std::size_t count,
                                                     bool is_transposed) const;
  /// The same for a tensor of a packed type, as float32.
  [[nodiscard]] std::vector<std::byte> unpack_elements(const Known& tensor,
                                                       std::uint64_t first,
                                                       std::size_t count) const;
  static Known known_of(std::uint32_t file, trace::FileId id, const trace::Tensor& tensor);
  [[nodiscard]] bool holds(const BlockSample& block,
                           const Beginning& beginning,
                           std::uint64_t place) const;
  [[nodiscard]] bool is_same_inside(const BlockSample& block,
                                    const Beginning& beginning,
                                    std::uint64_t place) const;

  std::size_t comparisons_ = 0;
  bool has_left_out_ = false;
  std::vector<FileDescriptor> files_;
  std::vector<Known> tensors_;
  std::unordered_multimap<std::uint64_t, Beginning> beginnings_;  // By their first 8 bytes.
};

}  // namespace tidemark::weights
