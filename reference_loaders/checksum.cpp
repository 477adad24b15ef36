#include "reference_loaders/checksum.hpp"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <new>

namespace tidemark::loaders {

static_assert(std::endian::native == std::endian::little,
              "lengths are hashed as they lie in memory");

void Checksum::Free::operator()(XXH3_state_s* state) const {
  XXH3_freeState(state);
}

Checksum::Checksum() : state_(XXH3_createState()) {
  if (!state_) {
    throw std::bad_alloc();
  }
  XXH3_64bits_reset(state_.get());
}

void Checksum::add(const TensorView& tensor) {
  add_sized(tensor.name.data(), tensor.name.size());
  add_sized(tensor.dtype.data(), tensor.dtype.size());
  add_sized(tensor.shape.data(), tensor.shape.size(), sizeof(std::int64_t));
  add_sized(tensor.bytes.data(), tensor.bytes.size());
}

std::uint64_t Checksum::digest() const {
  return XXH3_64bits_digest(state_.get());
}

void Checksum::add_sized(const void* bytes, std::uint64_t count, std::uint64_t element_bytes) {
  XXH3_64bits_update(state_.get(), &count, sizeof count);
  XXH3_64bits_update(state_.get(), bytes, count * element_bytes);
}

std::uint64_t checksum(std::vector<TensorView> tensors) {
  std::ranges::sort(tensors, {}, &TensorView::name);
  Checksum sum;
  for (const TensorView& tensor : tensors) {
    sum.add(tensor);
  }
  return sum.digest();
}

}  // namespace tidemark::loaders
