#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace tidemark::loaders::test {

/// An executable written by hand, as it lies on disk: one device, the global "main", const_0
/// float32 [2] = {1, -2}, const_1 late-bound, the operator "add" with one attribute, and one
/// function that returns register 1.
std::string tiny_executable_file();

/// Offsets of fields in `tiny_executable_file`.
namespace tiny_executable {
inline constexpr std::size_t kMagic = 8;
inline constexpr std::size_t kVersion = 24;
inline constexpr std::size_t kDeviceCount = 33;
inline constexpr std::size_t kHost = 49;
inline constexpr std::size_t kGlobalCount = 53;
inline constexpr std::size_t kConstantCount = 73;
inline constexpr std::size_t kFirstTag = 81;
inline constexpr std::size_t kFirstTensor = 85;
inline constexpr std::size_t kIndexCount = 160;
inline constexpr std::size_t kFirstIndex = 168;
inline constexpr std::size_t kAttributesKey = 211;
inline constexpr std::size_t kFunctionCount = 245;
inline constexpr std::size_t kRegisters = 281;
inline constexpr std::size_t kInstruction = 324;
inline constexpr std::size_t kHash = 332;
}  // namespace tiny_executable

/// A Relax executable of version 2 written by hand: the function "main", a memory scope, and one
/// constant of each kind; the tensor, float32 [2] = {1, -2}, is the last of six.
std::string tiny_relax_file();

namespace tiny_relax {
inline constexpr std::size_t kVersion = 16;
inline constexpr std::size_t kKind = 28;
inline constexpr std::size_t kScopeConstant = 101;
inline constexpr std::size_t kConstantCount = 123;
inline constexpr std::size_t kFirstTag = 131;
inline constexpr std::size_t kTensor = 209;
inline constexpr std::size_t kOffsets = 265;
}  // namespace tiny_relax

/// True when `survives` holds for every flipped bit of `file`, and for large and odd numbers in
/// place of every eight bytes of it, in a process with little memory.
bool survives_damage(const std::string& file,
                     const std::function<bool(const std::string&)>& survives);

/// `bytes` with those at `offset` replaced.
std::string with_bytes(std::string bytes, std::size_t offset, const std::string& others);

}  // namespace tidemark::loaders::test
