#pragma once

#include "reference_loaders/burn/byte_source.hpp"
#include "reference_loaders/burn/record.hpp"

namespace tidemark::loaders::burn {

/// Loads a NamedMpkGz record whose params hold arrays of numbers, as burn wrote them until the
/// middle of 2024. Each array is deserialised into a typed vector that begins with at most 1 MiB,
/// as serde does not trust announced lengths beyond that, and doubles. @throws BadInput
Module load_mpk_elements(ByteSource& source);

/// The same for params that hold bytes, as burn wrote them from then on: read into a buffer of the
/// reader, and copied out of it. @throws BadInput
Module load_mpk_bytes(ByteSource& source);

/// Capacity, in elements of `size` bytes, that serde gives a vector for an announced `count`.
constexpr std::uint64_t cautious_capacity(std::uint64_t count, std::uint64_t size) {
  constexpr std::uint64_t kTrusted = std::uint64_t{1} << 20;
  return count < kTrusted / size ? count : kTrusted / size;
}

}  // namespace tidemark::loaders::burn
