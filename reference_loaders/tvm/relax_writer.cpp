#include "reference_loaders/tvm/relax_writer.hpp"

#include "reference_loaders/tvm/field_writer.hpp"
#include "reference_loaders/tvm/ndarray_writer.hpp"

#include <string>

namespace tidemark::loaders::tvm {
namespace {

void write_function(Stream& stream, const RelaxFunction& function) {
  write_value(stream, function.kind);
  write_string(stream, function.name);
  write_value(stream, function.start_instruction);
  write_value(stream, function.end_instruction);
  write_value(stream, function.args);
  write_value(stream, function.registers);
  write_strings(stream, function.params);
}

void write_before_constants(Stream& stream, const RelaxExecutable& executable) {
  write_value(stream, executable.magic);
  write_string(stream, kRelaxVersion);
  write_value(stream, std::uint64_t{executable.functions.size()});
  for (const RelaxFunction& function : executable.functions) {
    write_function(stream, function);
  }
  if (executable.magic == kRelaxMagicV2) {
    write_value(stream, std::uint64_t{executable.memory_scopes.size()});
    for (const auto& [constant, scope] : executable.memory_scopes) {
      write_value(stream, constant);
      write_string(stream, scope);
    }
  }
}

/// One overload for each kind of constant.
struct ConstantWriter {
  Stream& stream;

  template <typename T>
  void tagged(TypeIndex index, T value) const {
    write_value(stream, index);
    write_value(stream, value);
  }
  void operator()(std::int64_t number) const { tagged(TypeIndex::kInt, number); }
  void operator()(double number) const { tagged(TypeIndex::kFloat, number); }
  void operator()(DataType dtype) const { tagged(TypeIndex::kDataType, dtype); }
  void operator()(const std::string& text) const {
    write_value(stream, TypeIndex::kString);
    write_string(stream, text);
  }
  void operator()(const RelaxShape& shape) const {
    write_value(stream, TypeIndex::kShape);
    write_integers(stream, shape);
  }
  void operator()(const NDArray& tensor) const {
    write_value(stream, TypeIndex::kTensor);
    write_ndarray(stream, tensor);
  }
};

void write_after_constants(Stream& stream, const RelaxExecutable& executable) {
  write_integers(stream, executable.instruction_offsets);
  write_integers(stream, executable.instructions);
}

}  // namespace

void write_relax(Stream& stream, const RelaxExecutable& executable) {
  write_before_constants(stream, executable);
  write_value(stream, std::uint64_t{executable.constants.size()});
  for (const RelaxConstant& constant : executable.constants) {
    std::visit(ConstantWriter{stream}, constant);
  }
  write_after_constants(stream, executable);
}

std::uint64_t relax_file_bytes(const std::vector<TensorSpec>& model) {
  std::string frame;
  MemoryStringStream stream(&frame);
  write_relax(stream, {});
  std::uint64_t bytes = frame.size();
  for (const TensorSpec& tensor : model) {
    bytes += sizeof(TypeIndex) + ndarray_file_bytes(tensor);
  }
  return bytes;
}

void write_random_relax(Stream& stream, const std::vector<TensorSpec>& model, std::uint64_t seed) {
  write_before_constants(stream, {});
  write_value(stream, std::uint64_t{model.size()});
  for (std::uint64_t index = 0; index < model.size(); ++index) {
    write_value(stream, TypeIndex::kTensor);
    write_random_ndarray(stream, model[index], {seed, index});
  }
  write_after_constants(stream, {});
}

}  // namespace tidemark::loaders::tvm
