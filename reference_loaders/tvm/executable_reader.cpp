#include "reference_loaders/tvm/executable_reader.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/tvm/field_reader.hpp"
#include "reference_loaders/tvm/made_model.hpp"
#include "reference_loaders/tvm/ndarray_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace tidemark::loaders::tvm {
namespace {

void read_version(FieldReader& fields) {
  fields.enter("the version");
  const std::string version = fields.string("a version");
  if (version != kExecutableVersion) {
    fields.refuse(fmt::format("version '{}' cannot be loaded, only '{}'", printable(version),
                              kExecutableVersion));
  }
}

void read_devices(FieldReader& fields, Executable* executable) {
  fields.enter("the devices");
  const std::uint64_t count = fields.count(sizeof(Device), "a device");
  executable->devices.resize(count);
  fields.bytes(executable->devices.data(), count * sizeof(Device));

  fields.enter("the index of the host");
  executable->host_device_index = fields.value<std::int32_t>();
  if (executable->host_device_index < 0 ||
      static_cast<std::uint64_t>(executable->host_device_index) >= count) {
    fields.refuse(fmt::format("the host is device {}, but there are {} devices",
                              executable->host_device_index, count));
  }
}

std::vector<std::string> read_distinct_names(FieldReader& fields, const char* of) {
  const std::uint64_t begin = fields.offset();
  std::vector<std::string> names = fields.strings(of);
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) {
      fields.refuse_at(begin, fmt::format("{} '{}' appears twice", of, printable(name)));
    }
  }
  return names;
}

Constant read_constant(FieldReader& fields, std::uint64_t index) {
  fields.enter(fmt::format("constant {}", index));
  const auto tag = fields.value<std::uint32_t>();
  if (tag == kImmediate) {
    return {read_ndarray(fields, fmt::format("tensor '{}'", constant_name(index))), {}};
  }
  if (tag == kLateBound) {
    return {std::nullopt, fields.string("a late-bound name")};
  }
  fields.refuse(fmt::format(
      "constant {} is neither immediate (0) nor late-bound (1): its tag is {}", index, tag));
}

void expect_device_indexes(FieldReader& fields,
                           const std::vector<std::int64_t>& indexes,
                           const Executable& executable) {
  const auto devices = static_cast<std::int64_t>(executable.devices.size());
  const auto wrong =
      std::ranges::find_if(indexes, [&](std::int64_t i) { return i < 0 || i >= devices; });
  if (wrong != indexes.end()) {
    fields.refuse(
        fmt::format("{} name device {}, but there are {}", fields.part(), *wrong, devices));
  }
}

void read_constants(FieldReader& fields, Executable* executable) {
  constexpr std::uint64_t kMinEntryBytes = sizeof(std::uint32_t) + sizeof(std::uint64_t);
  fields.enter("the constants");
  const std::uint64_t count = fields.count(kMinEntryBytes, "a constant");
  for (std::uint64_t index = 0; index < count; ++index) {
    executable->constants.push_back(read_constant(fields, index));
  }
  fields.enter("the constants' devices");
  executable->const_device_indexes = fields.integers("a device index");
  if (executable->const_device_indexes.size() != count) {
    fields.refuse(fmt::format("{} device indexes follow {} constants",
                              executable->const_device_indexes.size(), count));
  }
  expect_device_indexes(fields, executable->const_device_indexes, *executable);
}

std::map<std::string, std::string> read_attributes_of_one(FieldReader& fields) {
  const std::uint64_t count = fields.count(2 * sizeof(std::uint64_t), "an attribute");
  std::map<std::string, std::string> attributes;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t begin = fields.offset();
    std::string key = fields.string("an attribute's name");
    // A map is written in the order of its keys.
    if (!attributes.empty() && key <= attributes.rbegin()->first) {
      fields.refuse_at(begin, fmt::format("attribute '{}' is out of order", printable(key)));
    }
    attributes.emplace_hint(attributes.end(), std::move(key), fields.string("an attribute"));
  }
  return attributes;
}

void read_primitives(FieldReader& fields, Executable* executable) {
  fields.enter("the operators");
  executable->primitives = read_distinct_names(fields, "operator");
  fields.enter("the attributes");
  const std::uint64_t count = fields.count(2 * sizeof(std::uint64_t), "an operator's attributes");
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto key = fields.value<std::uint64_t>();
    if (key >= executable->primitives.size()) {
      fields.refuse(fmt::format("attributes of operator {}, but there are {}", key,
                                executable->primitives.size()));
    }
    if (!executable->attributes.empty() && key <= executable->attributes.rbegin()->first) {
      fields.refuse(fmt::format("the attributes of operator {} are out of order", key));
    }
    executable->attributes.emplace(key, read_attributes_of_one(fields));
  }
}

/// Numbers in a function's head are text, written by std::to_string.
std::int64_t number_in(FieldReader& fields, const std::string& text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  if (number < 0 || std::to_string(number) != text) {
    fields.refuse(
        fmt::format("{} counts '{}', which is no number", fields.part(), printable(text)));
  }
  return number;
}

VmInstruction read_instruction(FieldReader& fields) {
  const std::uint64_t begin = fields.offset();
  const std::vector<std::int64_t> all = fields.integers("a field of an instruction");
  if (all.size() < 2) {
    fields.refuse_at(begin, "an instruction has no opcode");
  }
  VmInstruction instruction{all[1], {all.begin() + 2, all.end()}};
  if (instruction.hash() != all[0]) {
    fields.refuse_at(begin, fmt::format("an instruction with opcode {} does not match its hash",
                                        instruction.opcode));
  }
  return instruction;
}

VmFunction read_function(FieldReader& fields, const Executable& executable) {
  const std::uint64_t begin = fields.offset();
  const std::vector<std::string> head = fields.strings("a part of a function's head");
  if (head.size() != 3 ||
      std::ranges::find(executable.globals, head[0]) == executable.globals.end()) {
    fields.refuse_at(begin, "the head of a function is not a global's name and two numbers");
  }
  fields.enter(fmt::format("function '{}'", printable(head[0])));
  VmFunction function;
  function.name = head[0];
  function.registers = number_in(fields, head[1]);
  const std::int64_t instructions = number_in(fields, head[2]);
  function.params = fields.strings("a parameter's name");
  function.param_device_indexes = fields.integers("a device index");
  expect_device_indexes(fields, function.param_device_indexes, executable);
  for (std::int64_t i = 0; i < instructions; ++i) {
    function.instructions.push_back(read_instruction(fields));
  }
  return function;
}

void read_functions(FieldReader& fields, Executable* executable) {
  constexpr std::uint64_t kMinEntryBytes = 3 * sizeof(std::uint64_t);
  fields.enter("the code");
  const std::uint64_t count = fields.count(kMinEntryBytes, "a function");
  for (std::uint64_t i = 0; i < count; ++i) {
    fields.enter("the code");
    executable->functions.push_back(read_function(fields, *executable));
  }
}

}  // namespace

std::int64_t VmInstruction::hash() const {
  auto key = static_cast<std::uint64_t>(opcode);
  for (const std::int64_t field : fields) {
    key ^= static_cast<std::uint64_t>(field) + 0x9e3779b9 + (key << 6) + (key >> 2);
  }
  return static_cast<std::int64_t>(key);
}

void read_executable(Stream& stream,
                     const std::string& source,
                     std::uint64_t begin,
                     Executable* executable) {
  FieldReader fields(stream, source, begin);
  fields.expect_magic(kExecutableMagic, "a TVM executable");
  read_version(fields);
  read_devices(fields, executable);
  fields.enter("the globals");
  executable->globals = read_distinct_names(fields, "global");
  read_constants(fields, executable);
  read_primitives(fields, executable);
  read_functions(fields, executable);
  fields.expect_end("the last function");
}

}  // namespace tidemark::loaders::tvm
