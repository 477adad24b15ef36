#include "reference_loaders/tvm/ndarray.hpp"

#include "reference_loaders/huge_pages.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <new>
#include <string_view>
#include <utility>

namespace tidemark::loaders::tvm {
namespace {

constexpr std::size_t kAllocAlignment = 64;
constexpr std::size_t kOpaqueHandle = 3;
constexpr std::array<std::string_view, 7> kCodeNames = {"int",    "uint",    "float", "handle",
                                                        "bfloat", "complex", "bool"};

}  // namespace

bool DataType::is_loadable() const {
  return code < kCodeNames.size() && code != kOpaqueHandle && bits > 0 && lanes > 0;
}

std::uint64_t DataType::element_bytes() const {
  return (std::uint64_t{bits} * lanes + 7) / 8;
}

std::string DataType::name() const {
  const std::string scalar = fmt::format("{}{}", kCodeNames.at(code), bits);
  return lanes == 1 ? scalar : fmt::format("{}x{}", scalar, lanes);
}

std::optional<DataType> dtype_named(std::string_view name) {
  for (std::size_t code = 0; code < kCodeNames.size(); ++code) {
    if (!name.starts_with(kCodeNames.at(code))) {
      continue;
    }
    const std::string_view rest = name.substr(kCodeNames.at(code).size());
    DataType dtype{static_cast<std::uint8_t>(code), 0, 1};
    const char* const end = rest.data() + rest.size();
    const auto [bits_end, error] = std::from_chars(rest.data(), end, dtype.bits);
    if (error == std::errc() && bits_end != end && *bits_end == 'x') {
      std::from_chars(bits_end + 1, end, dtype.lanes);
    }
    // Its own name must be the same: one lane is not written, and there are no leading zeros.
    if (dtype.is_loadable() && dtype.name() == name) {
      return dtype;
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> tensor_bytes(std::span<const std::int64_t> shape, DataType dtype) {
  std::uint64_t bytes = dtype.element_bytes();
  for (const std::int64_t dimension : shape) {
    const auto count = static_cast<std::uint64_t>(dimension);
    if (dimension < 0 || __builtin_mul_overflow(bytes, count, &bytes)) {
      return std::nullopt;
    }
  }
  return bytes;
}

NDArray NDArray::empty(std::vector<std::int64_t> shape, DataType dtype) {
  const auto bytes = tensor_bytes(shape, dtype);
  void* data = nullptr;
  if (!bytes || posix_memalign(&data, kAllocAlignment, *bytes) != 0) {
    throw std::bad_alloc();
  }
  std::unique_ptr<std::byte, Free> owned(static_cast<std::byte*>(data));
  advise_huge_pages(data, *bytes);
  return NDArray(
      std::make_shared<Container>(Container{std::move(shape), dtype, *bytes, std::move(owned)}));
}

std::span<std::byte> NDArray::data() const {
  return {container_->data.get(), container_->bytes};
}

void NDArray::Free::operator()(std::byte* data) const {
  std::free(data);
}

}  // namespace tidemark::loaders::tvm
