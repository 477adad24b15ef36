/// Decodes the number formats of .eh_frame and DWARF from a module's unwind tables.
#pragma once

#include "preload/unwind/rules/dwarf.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tidemark::unwind {

/// A position in a module's mapping that cannot leave it: past the end it reads zeros and `ok` is
/// false.
class Cursor {
 public:
  Cursor(const std::byte* at, const std::byte* begin, const std::byte* end)
      : at_(at), begin_(begin), end_(end), ok_(at >= begin && at <= end) {}

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] const std::byte* at() const { return at_; }
  [[nodiscard]] bool before(const std::byte* limit) const { return ok_ && at_ < limit; }

  [[nodiscard]] Cursor from(const std::byte* at) const { return {at, begin_, end_}; }
  void skip(std::uint64_t bytes) {
    if (!ok_ || bytes > static_cast<std::uint64_t>(end_ - at_))
      ok_ = false;
    else
      at_ += bytes;
  }

  template <typename T>
  T fixed() {
    T value{};
    if (!ok_ || static_cast<std::size_t>(end_ - at_) < sizeof(T)) {
      ok_ = false;
      return value;
    }
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  std::uint64_t uleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = fixed<std::uint8_t>();
      if (shift < 64)
        value |= std::uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80U) == 0 || !ok_)
        return value;
    }
  }

  std::int64_t sleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const auto byte = fixed<std::uint8_t>();
      if (shift < 64)
        value |= std::uint64_t{byte & 0x7fU} << shift;
      shift += 7;
      if ((byte & 0x80U) != 0 && ok_)
        continue;
      if ((byte & 0x40U) != 0 && shift < 64)
        value |= ~std::uint64_t{0} << shift;
      return static_cast<std::int64_t>(value);
    }
  }

  /// A pointer in one of the DW_EH_PE encodings. `data` is the base of the data-relative ones.
  std::uint64_t pointer(std::uint8_t encoding, const std::byte* data) {
    const auto here = reinterpret_cast<std::uint64_t>(at_);
    std::uint64_t value = encoded_value(encoding & kPointerFormatBits);
    switch (encoding & kPointerBaseBits) {
      case DW_EH_PE_absptr:
        break;
      case DW_EH_PE_pcrel:
        value += here;
        break;
      case DW_EH_PE_datarel:
        value += reinterpret_cast<std::uint64_t>(data);
        break;
      default:
        ok_ = false;
    }
    // An indirect pointer names a personality routine, which we never follow.
    return value;
  }

 private:
  std::uint64_t encoded_value(unsigned format) {
    switch (format) {
      case DW_EH_PE_absptr:
      case DW_EH_PE_udata8:
      case DW_EH_PE_sdata8:
        return fixed<std::uint64_t>();
      case DW_EH_PE_uleb128:
        return uleb();
      case DW_EH_PE_udata2:
        return fixed<std::uint16_t>();
      case DW_EH_PE_udata4:
        return fixed<std::uint32_t>();
      case DW_EH_PE_sleb128:
        return static_cast<std::uint64_t>(sleb());
      case DW_EH_PE_sdata2:
        return static_cast<std::uint64_t>(std::int64_t{fixed<std::int16_t>()});
      case DW_EH_PE_sdata4:
        return static_cast<std::uint64_t>(std::int64_t{fixed<std::int32_t>()});
      default:
        ok_ = false;
        return 0;
    }
  }

  const std::byte* at_;
  const std::byte* begin_;
  const std::byte* end_;
  bool ok_;
};

}  // namespace tidemark::unwind
