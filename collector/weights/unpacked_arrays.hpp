/// The arrays of a compressed numpy archive, unpacked so that their values are known.
#pragma once

#include "collector/os/file_descriptor.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark::weights {

struct UnpackedArrays {
  /// For all archives of a recording together, since this is held in memory.
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{512} << 20U;

  FileDescriptor file;  ///< In memory: the entries in sequence, each with its header.
  std::uint64_t size = 0;
  std::vector<trace::Tensor> tensors;  ///< Where they are in `file`.
};

/// Unpacks the entries in the order of the directory, up to `max_bytes`, from at most as many
/// packed bytes: a second or two for each 512 MiB, whatever the bytes say. A damaged entry ends at
/// the damage. None if nothing is packed, or nothing could be unpacked.
std::optional<UnpackedArrays> unpack_arrays(const FileDescriptor& archive,
                                            std::uint64_t size,
                                            std::uint64_t max_bytes);

}  // namespace tidemark::weights
