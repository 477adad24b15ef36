#pragma once

#include "tests/support/temporary_folder.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

/// The verbs that the tests of the reference loaders are told in.
namespace tidemark::loaders::test {

using tidemark::tests::TemporaryFolder;

/// Bytes written as hex digits; spaces and line ends are skipped.
std::string from_hex(const std::string& digits);

std::string read_file(const std::filesystem::path& file);
void write_file(const std::filesystem::path& file, const std::string& bytes);

/// `bytes` with the little-endian u64 at `offset` replaced.
std::string with_u64(std::string bytes, std::size_t offset, std::uint64_t value);

/// A params file written by hand: "a", float32 [2] = {1, -2}, and "bc", int8 [1, 3] = {1, 2, 3}.
std::string tiny_params_file();

/// Offsets of fields in `tiny_params_file`.
namespace tiny {
inline constexpr std::size_t kNameCount = 16;
inline constexpr std::size_t kFirstNameLength = 24;
inline constexpr std::size_t kTensorCount = 43;
inline constexpr std::size_t kFirstTensor = 51;
inline constexpr std::size_t kDeviceType = kFirstTensor + 16;
inline constexpr std::size_t kNdim = kFirstTensor + 24;
inline constexpr std::size_t kDtype = kFirstTensor + 28;
inline constexpr std::size_t kShape = kFirstTensor + 32;
inline constexpr std::size_t kByteCount = kFirstTensor + 40;
}  // namespace tiny

}  // namespace tidemark::loaders::test
