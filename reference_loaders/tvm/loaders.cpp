#include "reference_loaders/tvm/loaders.hpp"

#include "reference_loaders/tvm/binary_file.hpp"
#include "reference_loaders/tvm/executable_reader.hpp"
#include "reference_loaders/tvm/ffi_bytes.hpp"
#include "reference_loaders/tvm/field_reader.hpp"
#include "reference_loaders/tvm/params_reader.hpp"
#include "reference_loaders/tvm/relax_reader.hpp"
#include "reference_loaders/tvm/stream.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include <tidemark/marks.h>

namespace tidemark::loaders::tvm {
namespace {

/// dmlc's `Read(&string)`. Zeros are written where the bytes are then read to, as by resize.
void read_code(Stream& stream, const std::string& source, std::string* code) {
  const Phase phase("read code");
  FieldReader fields(stream, source);
  fields.enter("the length of the executable");
  const auto length = fields.value<std::uint64_t>();
  if (length != fields.remaining()) {
    fields.refuse(fmt::format("an executable of {} bytes is announced, but {} follow", length,
                              fields.remaining()));
  }
  reserve_huge(code, length);
  code->resize(length);
  fields.enter("the executable");
  fields.bytes(code->data(), length);
}

/// TVM's `Executable::Load`: keeps a copy of the code and reads from that.
std::unique_ptr<Executable> load_executable(const std::string& code, const std::string& source) {
  auto executable = std::make_unique<Executable>();
  {
    const Phase phase("copy code");
    reserve_huge(&executable->code, code.size());
    executable->code = code;
  }
  const Phase phase("deserialize");
  MemoryStringStream stream(&executable->code);
  read_executable(stream, source, kCodeLengthBytes, executable.get());
  return executable;
}

/// TVM's `ExecutableLoadBinary`, the same before and after the fix.
std::unique_ptr<Executable> load_executable(Stream& stream, const std::string& source) {
  std::string code;
  read_code(stream, source, &code);
  return load_executable(code, source);
}

}  // namespace

Params load_blob(const std::filesystem::path& file) {
  std::string blob;
  {
    const Phase phase("read file");
    load_binary_from_file(file, &blob);
  }
  const Phase phase("deserialize");
  MemoryStringStream stream(&blob);
  return read_params(stream, file.string());
}

Params load_stream(const std::filesystem::path& file) {
  const Phase phase("deserialize");
  SimpleBinaryFileStream stream(file, SimpleBinaryFileStream::Mode::kRead);
  return read_params(stream, file.string());
}

std::unique_ptr<Executable> load_exec_blob(const std::filesystem::path& file) {
  std::string data;
  {
    const Phase phase("read file");
    load_binary_from_file(file, &data);
  }
  MemoryStringStream stream(&data);
  return load_executable(stream, file.string());
}

std::unique_ptr<Executable> load_exec_stream(const std::filesystem::path& file) {
  SimpleBinaryFileStream stream(file, SimpleBinaryFileStream::Mode::kRead);
  return load_executable(stream, file.string());
}

std::unique_ptr<RelaxExecutable> load_relax(const std::filesystem::path& file) {
  std::string data;
  {
    const Phase phase("read file");
    load_binary_from_file(file, &data);
  }
  const FfiBytes bytes = [&] {
    const Phase phase("copy bytes");
    return FfiBytes(data);
  }();
  const Phase phase("deserialize");
  MemoryFixedSizeStream stream(bytes.view());
  return std::make_unique<RelaxExecutable>(read_relax(stream, file.string()));
}

}  // namespace tidemark::loaders::tvm
