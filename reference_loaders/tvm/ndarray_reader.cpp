#include "reference_loaders/tvm/ndarray_reader.hpp"

#include "reference_loaders/tvm/params_format.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace tidemark::loaders::tvm {
namespace {

void read_device(FieldReader& fields) {
  if (const auto type = fields.value<std::int32_t>(); type != kDeviceCpu) {
    fields.refuse(
        fmt::format("{} is on device type {}, only 1 (CPU) can be loaded", fields.part(), type));
  }
  if (const auto id = fields.value<std::int32_t>(); id != 0) {
    fields.refuse(fmt::format("{} is on CPU {}, only 0 can be loaded", fields.part(), id));
  }
}

std::uint64_t read_ndim(FieldReader& fields) {
  const auto ndim = fields.value<std::int32_t>();
  if (ndim < 0) {
    fields.refuse(fmt::format("{} has {} dimensions", fields.part(), ndim));
  }
  return static_cast<std::uint64_t>(ndim);
}

std::vector<std::int64_t> read_shape(FieldReader& fields, std::uint64_t ndim) {
  if (ndim > fields.remaining() / sizeof(std::int64_t)) {
    fields.refuse_at(fields.offset(),
                     fmt::format("{} has {} dimensions, more than fit into the {} bytes left",
                                 fields.part(), ndim, fields.remaining()));
  }
  std::vector<std::int64_t> shape(ndim);
  fields.bytes(shape.data(), ndim * sizeof(std::int64_t));
  return shape;
}

void expect_payload(FieldReader& fields, const std::vector<std::int64_t>& shape, DataType dtype) {
  const auto expected = tensor_bytes(shape, dtype);
  if (!expected) {
    fields.refuse(fmt::format("{} has a negative dimension or more bytes than 64 bits can count",
                              fields.part()));
  }
  const auto byte_count = fields.value<std::uint64_t>();
  if (byte_count != *expected) {
    fields.refuse(fmt::format("{} says {} bytes, but its shape and type make {}", fields.part(),
                              byte_count, *expected));
  }
  if (byte_count > fields.remaining()) {
    fields.refuse(fmt::format("{} needs {} bytes, but the file ends after {}", fields.part(),
                              byte_count, fields.remaining()));
  }
}

}  // namespace

DataType read_dtype(FieldReader& fields) {
  const auto dtype = fields.value<DataType>();
  if (!dtype.is_loadable()) {
    fields.refuse(fmt::format("{} has an unknown element type (code {}, {} bits, {} lanes)",
                              fields.part(), dtype.code, dtype.bits, dtype.lanes));
  }
  return dtype;
}

NDArray read_ndarray(FieldReader& fields, std::string part) {
  fields.enter(std::move(part));
  fields.expect_magic(kNDArrayMagic, "a tensor");
  fields.value<std::uint64_t>();  // reserved
  read_device(fields);
  const std::uint64_t ndim = read_ndim(fields);
  const DataType dtype = read_dtype(fields);
  std::vector<std::int64_t> shape = read_shape(fields, ndim);
  expect_payload(fields, shape, dtype);

  NDArray tensor = NDArray::empty(std::move(shape), dtype);
  fields.bytes(tensor.data().data(), tensor.data().size());
  return tensor;
}

}  // namespace tidemark::loaders::tvm
