#include "reference_loaders/tvm/executable_writer.hpp"

#include "reference_loaders/tvm/field_writer.hpp"
#include "reference_loaders/tvm/ndarray_writer.hpp"
#include "reference_loaders/tvm/params_format.hpp"

#include <string>

namespace tidemark::loaders::tvm {
namespace {

void write_before_constants(Stream& stream, const Executable& executable) {
  write_value(stream, kExecutableMagic);
  write_string(stream, kExecutableVersion);
  write_value(stream, std::uint64_t{executable.devices.size()});
  stream.write(executable.devices.data(), executable.devices.size() * sizeof(Device));
  write_value(stream, executable.host_device_index);
  write_strings(stream, executable.globals);
}

void write_constant(Stream& stream, const Constant& constant) {
  if (constant.tensor) {
    write_value(stream, kImmediate);
    write_ndarray(stream, *constant.tensor);
  } else {
    write_value(stream, kLateBound);
    write_string(stream, constant.late_bound_name);
  }
}

void write_attributes(Stream& stream, const Attributes& attributes) {
  write_value(stream, std::uint64_t{attributes.size()});
  for (const auto& [primitive, pairs] : attributes) {
    write_value(stream, primitive);
    write_value(stream, std::uint64_t{pairs.size()});
    for (const auto& [key, value] : pairs) {
      write_string(stream, key);
      write_string(stream, value);
    }
  }
}

void write_function(Stream& stream, const VmFunction& function) {
  write_strings(stream, {function.name, std::to_string(function.registers),
                         std::to_string(function.instructions.size())});
  write_strings(stream, function.params);
  write_integers(stream, function.param_device_indexes);
  for (const VmInstruction& instruction : function.instructions) {
    std::vector<std::int64_t> all = {instruction.hash(), instruction.opcode};
    all.insert(all.end(), instruction.fields.begin(), instruction.fields.end());
    write_integers(stream, all);
  }
}

void write_after_constants(Stream& stream, const Executable& executable) {
  write_integers(stream, executable.const_device_indexes);
  write_strings(stream, executable.primitives);
  write_attributes(stream, executable.attributes);
  write_value(stream, std::uint64_t{executable.functions.size()});
  for (const VmFunction& function : executable.functions) {
    write_function(stream, function);
  }
}

/// All of a made-up executable but its constants.
Executable frame_of(const std::vector<TensorSpec>& model) {
  return {.code = {},
          .devices = {{kDeviceCpu, 0}},
          .host_device_index = 0,
          .globals = {},
          .constants = {},
          .const_device_indexes = std::vector<std::int64_t>(model.size(), 0),
          .primitives = {"tvmgen_default_fused_nn_dense"},
          .attributes = {{0, {{"kernel_layout", ""}}}},
          .functions = {}};
}

std::uint64_t code_bytes(const std::vector<TensorSpec>& model) {
  std::string frame;
  MemoryStringStream stream(&frame);
  const Executable executable = frame_of(model);
  write_before_constants(stream, executable);
  write_value(stream, std::uint64_t{model.size()});
  write_after_constants(stream, executable);
  std::uint64_t bytes = frame.size();
  for (const TensorSpec& tensor : model) {
    bytes += sizeof kImmediate + ndarray_file_bytes(tensor);
  }
  return bytes;
}

}  // namespace

void write_executable(Stream& stream, const Executable& executable) {
  write_before_constants(stream, executable);
  write_value(stream, std::uint64_t{executable.constants.size()});
  for (const Constant& constant : executable.constants) {
    write_constant(stream, constant);
  }
  write_after_constants(stream, executable);
}

std::uint64_t executable_file_bytes(const std::vector<TensorSpec>& model) {
  return kCodeLengthBytes + code_bytes(model);
}

void write_random_executable(Stream& stream,
                             const std::vector<TensorSpec>& model,
                             std::uint64_t seed) {
  const Executable executable = frame_of(model);
  write_value(stream, code_bytes(model));
  write_before_constants(stream, executable);
  write_value(stream, std::uint64_t{model.size()});
  for (std::uint64_t index = 0; index < model.size(); ++index) {
    write_value(stream, kImmediate);
    write_random_ndarray(stream, model[index], {seed, index});
  }
  write_after_constants(stream, executable);
}

}  // namespace tidemark::loaders::tvm
