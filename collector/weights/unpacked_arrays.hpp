/// The arrays of a numpy archive that is compressed: their values are known once they are unpacked.
#pragma once

#include "collector/os/file_descriptor.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark::weights {

struct UnpackedArrays {
  /// Of all archives of a recording: it is memory.
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{512} << 20U;

  FileDescriptor file;  ///< In memory: the entries one behind the other, each with its header.
  std::uint64_t size = 0;
  std::vector<trace::Tensor> tensors;  ///< Where they are in `file`.
};

/// Unpacks the entries in the order of the directory, up to `max_bytes`, of no more than as many
/// packed ones: a second or two for each 512 MiB, whatever the bytes say. An entry that is damaged
/// ends where it is. None where nothing is packed, or could be unpacked.
std::optional<UnpackedArrays> unpack_arrays(const FileDescriptor& archive,
                                            std::uint64_t size,
                                            std::uint64_t max_bytes);

}  // namespace tidemark::weights
