#pragma once

#include "reference_loaders/tvm/ndarray.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// The executable of the Relax virtual machine, as TVM writes it in 2026.
///
///     u64 magic, string version "0.14"
///     vector<function>                        i32 kind; string name; i64 start, end, args,
///     registers;
///                                             vector<string> params
///     vector<{i64 constant, string scope}>    memory scopes; version 2 of the magic only
///     u64 count, then each constant:          i32 type index of the FFI, and by it
///       1 i64   3 f64   5 data type   65 string   69 vector<i64>, a shape   70 tensor
///     vector<i64> instruction_offsets, vector<i64> instructions
///
/// Little-endian, no padding. Unlike its predecessor it lies in the file bare, without a length.
/// The tags that TVM wrote before its FFI types (0 to 5, in another order) are not modelled.
namespace tidemark::loaders::tvm {

inline constexpr std::uint64_t kRelaxMagicV1 = 0xD225DE2F4214151D;
inline constexpr std::uint64_t kRelaxMagicV2 = 0xD225DE2F4214151E;
inline constexpr const char* kRelaxVersion = "0.14";

enum class TypeIndex : std::int32_t {
  kInt = 1,
  kFloat = 3,
  kDataType = 5,
  kString = 65,
  kShape = 69,
  kTensor = 70,
};

struct RelaxFunction {
  std::int32_t kind = 0;  ///< 0 packed, 1 bytecode, 2 TIR.
  std::string name;
  std::int64_t start_instruction = 0;
  std::int64_t end_instruction = 0;
  std::int64_t args = 0;
  std::int64_t registers = 0;
  std::vector<std::string> params;
};

using RelaxShape = std::vector<std::int64_t>;
using RelaxConstant =
    std::variant<std::int64_t, double, DataType, std::string, RelaxShape, NDArray>;

struct RelaxExecutable {
  std::uint64_t magic = kRelaxMagicV2;
  std::vector<RelaxFunction> functions;
  std::vector<std::pair<std::int64_t, std::string>> memory_scopes;
  std::vector<RelaxConstant> constants;
  std::vector<std::int64_t> instruction_offsets;
  std::vector<std::int64_t> instructions;
};

}  // namespace tidemark::loaders::tvm
