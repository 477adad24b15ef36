#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// ExecuTorch's .ptd file: named tensors in segments, which a flatbuffer at the front describes.
///
///     0  u32 offset of the flatbuffer's root table, shifted by the header's padded length
///     4  "FT01"
///     8  "FH01", u32 length = 40, u64 flatbuffer offset, u64 flatbuffer size,
///        u64 segment base, u64 segment bytes; padding to 16
///    56  the rest of the flatbuffer (schema/flat_tensor.fbs), padding to 128
///        segments, each aligned to 128 from the segment base; nothing follows the last
namespace tidemark::loaders::executorch {

inline constexpr std::uint64_t kPtdHeaderEnd = 48;
inline constexpr std::int8_t kFloat32Scalar = 6;

struct PtdTensor {
  std::string key;
  std::int8_t scalar_type = 0;
  std::vector<std::int64_t> sizes;
  std::uint64_t offset = 0;  ///< In the file.
  std::uint64_t bytes = 0;
};

struct PtdHeader {
  std::uint64_t flatbuffer_end = 0;  ///< Where the front of the file, flatbuffer included, ends.
  std::uint64_t segment_base = 0;
  std::uint64_t segment_bytes = 0;
};

/// Checks the header against the size of the file.
/// @param begin the first `kPtdHeaderEnd` bytes, or all of a shorter file.
/// @param file the file's name, for messages.
/// @throws BadInput
PtdHeader parse_ptd_header(std::span<const std::byte> begin,
                           std::uint64_t file_bytes,
                           const std::string& file);

/// The tensors in the order of the flatbuffer; every one lies within the file and has the bytes
/// that its shape says. Keys are unique; several may name the same bytes.
/// @param front the first `header.flatbuffer_end` bytes.
/// @throws BadInput
std::vector<PtdTensor> parse_ptd(std::span<const std::byte> front,
                                 const PtdHeader& header,
                                 const std::string& file);

/// Everything in front of the first segment, for float32 tensors in this order: the file is this
/// and then the tensors' bytes, each at its `offset`, which is set here along with `bytes`.
std::string lay_out_ptd(std::vector<PtdTensor>* tensors);

}  // namespace tidemark::loaders::executorch
