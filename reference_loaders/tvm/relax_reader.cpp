#include "reference_loaders/tvm/relax_reader.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/tvm/field_reader.hpp"
#include "reference_loaders/tvm/made_model.hpp"
#include "reference_loaders/tvm/ndarray_reader.hpp"

#include <fmt/format.h>

namespace tidemark::loaders::tvm {
namespace {

constexpr std::int32_t kLastFunctionKind = 2;

std::uint64_t read_header(FieldReader& fields) {
  const auto magic = fields.value<std::uint64_t>();
  if (magic != kRelaxMagicV1 && magic != kRelaxMagicV2) {
    fields.refuse(
        fmt::format("not a Relax executable: the magic number is {:#018x} instead of {:#018x} or "
                    "{:#018x}",
                    magic, kRelaxMagicV1, kRelaxMagicV2));
  }
  const std::string version = fields.string("a version");
  if (version != kRelaxVersion) {
    fields.refuse(
        fmt::format("version '{}' cannot be loaded, only '{}'", printable(version), kRelaxVersion));
  }
  return magic;
}

RelaxFunction read_function(FieldReader& fields) {
  RelaxFunction function;
  function.kind = fields.value<std::int32_t>();
  if (function.kind < 0 || function.kind > kLastFunctionKind) {
    fields.refuse(fmt::format("there is no kind {} of functions", function.kind));
  }
  function.name = fields.string("a function's name");
  function.start_instruction = fields.value<std::int64_t>();
  function.end_instruction = fields.value<std::int64_t>();
  function.args = fields.value<std::int64_t>();
  function.registers = fields.value<std::int64_t>();
  function.params = fields.strings("a parameter's name");
  return function;
}

void read_functions(FieldReader& fields, RelaxExecutable* executable) {
  constexpr std::uint64_t kMinEntryBytes = 52;
  fields.enter("the functions");
  const std::uint64_t count = fields.count(kMinEntryBytes, "a function");
  for (std::uint64_t i = 0; i < count; ++i) {
    executable->functions.push_back(read_function(fields));
  }
}

void read_memory_scopes(FieldReader& fields, RelaxExecutable* executable) {
  fields.enter("the memory scopes");
  const std::uint64_t count = fields.count(2 * sizeof(std::uint64_t), "a memory scope");
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto constant = fields.value<std::int64_t>();
    executable->memory_scopes.emplace_back(constant, fields.string("a memory scope"));
  }
}

RelaxConstant read_constant(FieldReader& fields, std::uint64_t index) {
  fields.enter(fmt::format("constant {}", index));
  const auto tag = fields.value<std::int32_t>();
  switch (static_cast<TypeIndex>(tag)) {
    case TypeIndex::kInt:
      return fields.value<std::int64_t>();
    case TypeIndex::kFloat:
      return fields.value<double>();
    case TypeIndex::kDataType:
      return read_dtype(fields);
    case TypeIndex::kString:
      return fields.string("a string");
    case TypeIndex::kShape:
      return fields.integers("a dimension");
    case TypeIndex::kTensor:
      return read_ndarray(fields, fmt::format("tensor '{}'", constant_name(index)));
  }
  fields.refuse(fmt::format(
      "constant {} has type index {}, which is none of 1, 3, 5, 65, 69 and 70", index, tag));
}

void read_constants(FieldReader& fields, RelaxExecutable* executable) {
  constexpr std::uint64_t kMinEntryBytes = 8;  // a tag and a data type
  fields.enter("the constants");
  const std::uint64_t count = fields.count(kMinEntryBytes, "a constant");
  for (const auto& [constant, scope] : executable->memory_scopes) {
    if (constant < 0 || static_cast<std::uint64_t>(constant) >= count) {
      fields.refuse(
          fmt::format("constant {} has a memory scope, but there are {}", constant, count));
    }
  }
  for (std::uint64_t index = 0; index < count; ++index) {
    executable->constants.push_back(read_constant(fields, index));
  }
}

void read_code(FieldReader& fields, RelaxExecutable* executable) {
  fields.enter("the bytecode");
  executable->instruction_offsets = fields.integers("an instruction's offset");
  const std::uint64_t offsets_end = fields.offset();
  executable->instructions = fields.integers("a word of bytecode");
  const auto words = static_cast<std::int64_t>(executable->instructions.size());
  for (const std::int64_t offset : executable->instruction_offsets) {
    if (offset < 0 || offset >= words) {
      fields.refuse_at(offsets_end,
                       fmt::format("an instruction begins at word {} of {}", offset, words));
    }
  }
}

}  // namespace

RelaxExecutable read_relax(Stream& stream, const std::string& source) {
  FieldReader fields(stream, source);
  RelaxExecutable executable;
  executable.magic = read_header(fields);
  read_functions(fields, &executable);
  if (executable.magic == kRelaxMagicV2) {
    read_memory_scopes(fields, &executable);
  }
  read_constants(fields, &executable);
  read_code(fields, &executable);
  fields.expect_end("the bytecode");
  return executable;
}

}  // namespace tidemark::loaders::tvm
