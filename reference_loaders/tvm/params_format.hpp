#pragma once

#include <cstdint>

/// The constants of a TVM params file (`.params`, also the file of late-bound constants).
///
///     u64 kListMagic, u64 reserved
///     u64 count, then each name: u64 length, bytes
///     u64 count, then each tensor, in the order of the names:
///       u64 kNDArrayMagic, u64 reserved
///       i32 device type, i32 device id, i32 ndim
///       u8 code, u8 bits, u16 lanes
///       i64 shape[ndim], i64 byte_count, payload
///
/// Little-endian, nothing is padded: a payload starts at any offset and cannot be mapped in place.
namespace tidemark::loaders::tvm {

inline constexpr std::uint64_t kListMagic = 0xF7E58D4F05049CB7;
inline constexpr std::uint64_t kNDArrayMagic = 0xDD5E40F096B4A13F;
inline constexpr std::int32_t kDeviceCpu = 1;

/// The least bytes that one name with its tensor takes: a file cannot hold more tensors than fit.
inline constexpr std::uint64_t kNameHeadBytes = 8;
inline constexpr std::uint64_t kNDArrayHeadBytes = 40;

}  // namespace tidemark::loaders::tvm
