#pragma once

#include "reference_loaders/tvm/ndarray.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// TVM's virtual machine executable (`.ro`), as at pull request 13877.
///
///     string version                          "0.11.dev0", after u64 kExecutableMagic
///     vector<device> devices                  i32 type, i32 id each
///     i32 host_device_index
///     vector<string> globals                  functions by name, in the order of their indexes
///     u64 count, then each constant:          u32 0 and a tensor, or u32 1 and the name of one
///     that
///                                             comes from a params file later
///     vector<i64> const_device_indexes        one a constant
///     vector<string> primitives               operators by name, in the order of their indexes
///     map<u64, map<string, string>> attributes of the operators
///     u64 count, then each function:
///       vector<string> {name, registers, instructions}    the numbers as text
///       vector<string> params, vector<i64> param_device_indexes
///       each instruction: vector<i64> {hash, opcode, fields...}
///
/// On disk all of it is one string: a u64 length goes before the magic. Little-endian, no padding.
namespace tidemark::loaders::tvm {

inline constexpr std::uint64_t kExecutableMagic = 0xD225DE2F4214151D;
inline constexpr const char* kExecutableVersion = "0.11.dev0";
/// Before each constant: the tensor itself, or the name of one.
inline constexpr std::uint32_t kImmediate = 0;
inline constexpr std::uint32_t kLateBound = 1;
inline constexpr std::uint64_t kCodeLengthBytes = 8;  ///< Before the magic, on disk only.

struct Device {
  std::int32_t type = 0;
  std::int32_t id = 0;
};
static_assert(sizeof(Device) == 8, "read and written as it lies in the file");

struct Constant {
  std::optional<NDArray> tensor;  ///< Empty for a late-bound one.
  std::string late_bound_name;
};

struct VmInstruction {
  std::int64_t opcode = 0;
  std::vector<std::int64_t> fields;

  /// The number in front of the opcode in the file, to detect damage.
  [[nodiscard]] std::int64_t hash() const;
};

struct VmFunction {
  std::string name;
  std::int64_t registers = 0;
  std::vector<std::string> params;
  std::vector<std::int64_t> param_device_indexes;
  std::vector<VmInstruction> instructions;
};

using Attributes = std::map<std::uint64_t, std::map<std::string, std::string>>;

struct Executable {
  /// The serialized executable, which TVM keeps for as long as the executable lives: a second W.
  /// Only the loaders fill it.
  std::string code;

  std::vector<Device> devices;
  std::int32_t host_device_index = 0;
  std::vector<std::string> globals;
  std::vector<Constant> constants;
  std::vector<std::int64_t> const_device_indexes;
  std::vector<std::string> primitives;
  Attributes attributes;
  std::vector<VmFunction> functions;
};

}  // namespace tidemark::loaders::tvm
