/// Which tensor of a weight file a block holds, told by its values: whatever moved them there, and
/// in whatever form of number they are kept.
#pragma once

#include "collector/os/file_descriptor.hpp"
#include "collector/trace/types/definitions.hpp"
#include "collector/weights/value_forms.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark::weights {

/// What was seen of a block at a time.
struct BlockSample {
  static constexpr std::size_t kFirstBytes = 256;
  static constexpr std::size_t kInnerBytes = 64;

  trace::AllocationNumber allocation = 0;
  std::uint64_t size = 0;
  std::uint64_t at_ns = 0;
  std::uint32_t first_count = 0;  ///< How many of `first` were seen.
  std::uint64_t inner_at = 0;     ///< In the block, a multiple of 64.
  std::array<std::byte, kFirstBytes> first{};
  std::array<std::byte, kInnerBytes> inner{};

  /// Where `inner` is taken from: not at half, so that it is within a tensor in a block that has
  /// room for two of them.
  static constexpr std::uint64_t inner_place(std::uint64_t size) {
    return size / 8 * 3 / kInnerBytes * kInnerBytes;
  }
};

/// The first values of tensors, by which a block is recognised. What is compared: 16 values from a
/// place in the first bytes of a block on, and those further inside, which are read from the file.
/// Values of which fewer than four differ (zeros, ones) tell nothing.
///
/// Holds the files open. Reads some hundred bytes for each tensor, and for each block that is
/// recognised.
class ValueIndex {
 public:
  /// Tensors of fewer bytes in their file are in no block that is looked at.
  static constexpr std::uint64_t kLeastTensorBytes = std::uint64_t{8} << 10U;
  static constexpr std::size_t kMaxTensors = 50'000;
  static constexpr std::size_t kMaxFiles = 256;

  /// Takes the file over. More than is within bounds is left out.
  void add(trace::FileId id, FileDescriptor file, std::span<const trace::Tensor> tensors);
  [[nodiscard]] bool is_empty() const { return tensors_.empty(); }

  [[nodiscard]] std::optional<trace::ValueMatch> find(const BlockSample& block) const;

 private:
  struct Known {
    std::uint32_t file = 0;  ///< Of `files_`.
    trace::FileId id{0};
    std::string type;
    std::uint64_t elements = 0;
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
  };
  struct Beginning {
    std::uint32_t tensor = 0;
    ValueForm form = ValueForm::kAsInFile;
    std::vector<std::byte> bytes;
  };

  void add_tensor(Known known);
  void add_beginning(std::uint32_t tensor, ValueForm form, std::vector<std::byte> bytes);
  [[nodiscard]] bool holds(const BlockSample& block,
                           const Beginning& beginning,
                           std::uint64_t place) const;
  [[nodiscard]] bool is_same_inside(const BlockSample& block,
                                    const Beginning& beginning,
                                    std::uint64_t place) const;

  std::vector<FileDescriptor> files_;
  std::vector<Known> tensors_;
  std::unordered_multimap<std::uint64_t, Beginning> beginnings_;  // By their first 8 bytes.
};

}  // namespace tidemark::weights
