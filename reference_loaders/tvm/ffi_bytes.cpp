#include "reference_loaders/tvm/ffi_bytes.hpp"

#include "reference_loaders/huge_pages.hpp"

#include <cstdint>
#include <cstring>
#include <new>

namespace tidemark::loaders::tvm {

/// Laid out as in TVM's C interface: what every object begins with, then the bytes.
struct FfiBytes::Head {
  std::uint64_t reference_counts;
  std::int32_t type_index;
  std::uint32_t padding;
  void* deleter;
  std::byte* data;
  std::size_t size;
};

FfiBytes::FfiBytes(const std::string& bytes) {
  constexpr std::int32_t kTypeIndexOfBytes = 66;
  const std::size_t whole = sizeof(Head) + bytes.size() + 1;  // ends with a zero, as strings do
  void* const block = ::operator new(whole);
  advise_huge_pages(block, whole);
  auto* const data = static_cast<std::byte*>(block) + sizeof(Head);
  head_.reset(new (block) Head{1, kTypeIndexOfBytes, 0, nullptr, data, bytes.size()});
  std::memcpy(data, bytes.c_str(), bytes.size() + 1);
}

std::span<const std::byte> FfiBytes::view() const {
  return {head_->data, head_->size};
}

void FfiBytes::Free::operator()(Head* head) const {
  ::operator delete(head);
}

}  // namespace tidemark::loaders::tvm
