#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::loaders::tvm {

/// DLPack's type of an element, as it lies in the file.
struct DataType {
  std::uint8_t code = 0;
  std::uint8_t bits = 0;
  std::uint16_t lanes = 0;

  /// False for codes that DLPack does not know, for opaque handles, which no file can hold, and for
  /// elements of no size.
  [[nodiscard]] bool is_loadable() const;
  [[nodiscard]] std::uint64_t element_bytes() const;
  [[nodiscard]] std::string name() const;  ///< "float32", "int8x4"

  friend bool operator==(const DataType&, const DataType&) = default;
};
static_assert(sizeof(DataType) == 4, "read and written as it lies in the file");

inline constexpr DataType kFloat32{2, 32, 1};

/// The type that has this name, or nothing. Knows what `DataType::name` gives and no more.
std::optional<DataType> dtype_named(std::string_view name);

/// Bytes of a dense tensor, or nothing when a dimension is negative or the product overflows.
std::optional<std::uint64_t> tensor_bytes(std::span<const std::int64_t> shape, DataType dtype);

/// A reference-counted tensor on the CPU. Copies share the data.
class NDArray {
 public:
  /// A tensor whose data is 64-byte aligned and not initialised, as TVM's `NDArray::Empty`.
  /// @throws std::bad_alloc
  static NDArray empty(std::vector<std::int64_t> shape, DataType dtype);

  [[nodiscard]] std::span<const std::int64_t> shape() const { return container_->shape; }
  [[nodiscard]] DataType dtype() const { return container_->dtype; }
  [[nodiscard]] std::span<std::byte> data() const;

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };
  struct Container {
    std::vector<std::int64_t> shape;
    DataType dtype;
    std::uint64_t bytes = 0;
    std::unique_ptr<std::byte, Free> data;
  };

  explicit NDArray(std::shared_ptr<Container> container) : container_(std::move(container)) {}

  std::shared_ptr<Container> container_;
};

using Params = std::map<std::string, NDArray>;

}  // namespace tidemark::loaders::tvm
