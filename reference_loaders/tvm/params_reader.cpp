#include "reference_loaders/tvm/params_reader.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/tvm/params_format.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace tidemark::loaders::tvm {
namespace {

class ParamsReader {
 public:
  ParamsReader(Stream& stream, const std::string& source) : stream_(stream), source_(source) {}

  Params read();

 private:
  std::vector<std::string> read_names();
  std::string read_name();
  NDArray read_ndarray();
  void read_device();
  std::uint64_t read_ndim();
  DataType read_dtype();
  std::vector<std::int64_t> read_shape(std::uint64_t ndim);
  void expect_payload(const std::vector<std::int64_t>& shape, DataType dtype);
  void expect_magic(std::uint64_t magic, const char* of);

  template <typename T>
  T read_value();
  void read_bytes(void* data, std::uint64_t size);

  /// Refuses the file because of the field read last, or of `offset`.
  [[noreturn]] void refuse(const std::string& what) const { refuse_at(field_offset_, what); }
  [[noreturn]] void refuse_at(std::uint64_t offset, const std::string& what) const;

  Stream& stream_;
  const std::string& source_;
  std::string part_ = "the header";  ///< What is being read, for messages.
  std::uint64_t field_offset_ = 0;   ///< Where the field read last begins.
};

Params ParamsReader::read() {
  expect_magic(kListMagic, "a TVM params file");
  read_value<std::uint64_t>();  // reserved
  std::vector<std::string> names = read_names();

  part_ = "the number of tensors";
  const auto count = read_value<std::uint64_t>();
  if (count != names.size()) {
    refuse(fmt::format("{} tensors follow {} names", count, names.size()));
  }
  Params params;
  for (std::string& name : names) {
    part_ = fmt::format("tensor '{}'", printable(name));
    const std::uint64_t begin = stream_.position();
    NDArray tensor = read_ndarray();
    if (!params.emplace(std::move(name), std::move(tensor)).second) {
      refuse_at(begin, fmt::format("{} appears twice", part_));
    }
  }
  if (stream_.remaining() > 0) {
    refuse_at(stream_.position(),
              fmt::format("{} bytes follow the last tensor", stream_.remaining()));
  }
  return params;
}

std::vector<std::string> ParamsReader::read_names() {
  part_ = "the names";
  const auto count = read_value<std::uint64_t>();
  const std::uint64_t most = stream_.remaining() / (kNameHeadBytes + kNDArrayHeadBytes);
  if (count > most) {
    refuse(fmt::format("{} tensors are announced, but the rest of the file has room for {} at most",
                       count, most));
  }
  std::vector<std::string> names(count);
  for (std::string& name : names) {
    name = read_name();
  }
  return names;
}

std::string ParamsReader::read_name() {
  const auto length = read_value<std::uint64_t>();
  if (length > stream_.remaining()) {
    refuse(fmt::format("a name of {} bytes does not fit into the {} bytes left", length,
                       stream_.remaining()));
  }
  std::string name(length, '\0');
  read_bytes(name.data(), length);
  return name;
}

NDArray ParamsReader::read_ndarray() {
  expect_magic(kNDArrayMagic, "a tensor");
  read_value<std::uint64_t>();  // reserved
  read_device();
  const std::uint64_t ndim = read_ndim();
  const DataType dtype = read_dtype();
  std::vector<std::int64_t> shape = read_shape(ndim);
  expect_payload(shape, dtype);

  NDArray tensor = NDArray::empty(std::move(shape), dtype);
  read_bytes(tensor.data().data(), tensor.data().size());
  return tensor;
}

void ParamsReader::read_device() {
  if (const auto type = read_value<std::int32_t>(); type != kDeviceCpu) {
    refuse(fmt::format("{} is on device type {}, only 1 (CPU) can be loaded", part_, type));
  }
  if (const auto id = read_value<std::int32_t>(); id != 0) {
    refuse(fmt::format("{} is on CPU {}, only 0 can be loaded", part_, id));
  }
}

std::uint64_t ParamsReader::read_ndim() {
  const auto ndim = read_value<std::int32_t>();
  if (ndim < 0) {
    refuse(fmt::format("{} has {} dimensions", part_, ndim));
  }
  return static_cast<std::uint64_t>(ndim);
}

DataType ParamsReader::read_dtype() {
  const auto dtype = read_value<DataType>();
  if (!dtype.is_loadable()) {
    refuse(fmt::format("{} has an unknown element type (code {}, {} bits, {} lanes)", part_,
                       dtype.code, dtype.bits, dtype.lanes));
  }
  return dtype;
}

std::vector<std::int64_t> ParamsReader::read_shape(std::uint64_t ndim) {
  if (ndim > stream_.remaining() / sizeof(std::int64_t)) {
    refuse_at(stream_.position(),
              fmt::format("{} has {} dimensions, more than fit into the {} bytes left", part_, ndim,
                          stream_.remaining()));
  }
  std::vector<std::int64_t> shape(ndim);
  read_bytes(shape.data(), ndim * sizeof(std::int64_t));
  return shape;
}

void ParamsReader::expect_payload(const std::vector<std::int64_t>& shape, DataType dtype) {
  const auto expected = tensor_bytes(shape, dtype);
  if (!expected) {
    refuse(fmt::format("{} has a negative dimension or more bytes than 64 bits can count", part_));
  }
  const auto byte_count = read_value<std::uint64_t>();
  if (byte_count != *expected) {
    refuse(fmt::format("{} says {} bytes, but its shape and type make {}", part_, byte_count,
                       *expected));
  }
  if (byte_count > stream_.remaining()) {
    refuse(fmt::format("{} needs {} bytes, but the file ends after {}", part_, byte_count,
                       stream_.remaining()));
  }
}

void ParamsReader::expect_magic(std::uint64_t magic, const char* of) {
  const auto found = read_value<std::uint64_t>();
  if (found != magic) {
    refuse(
        fmt::format("not {}: the magic number is {:#018x} instead of {:#018x}", of, found, magic));
  }
}

template <typename T>
T ParamsReader::read_value() {
  T value{};
  read_bytes(&value, sizeof value);
  return value;
}

void ParamsReader::read_bytes(void* data, std::uint64_t size) {
  field_offset_ = stream_.position();
  if (stream_.read(data, size) != size) {
    refuse_at(stream_.position(), fmt::format("the file ends in the middle of {}", part_));
  }
}

void ParamsReader::refuse_at(std::uint64_t offset, const std::string& what) const {
  throw BadInput(source_, offset, what);
}

}  // namespace

Params read_params(Stream& stream, const std::string& source) {
  return ParamsReader(stream, source).read();
}

}  // namespace tidemark::loaders::tvm
