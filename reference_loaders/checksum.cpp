#include "reference_loaders/checksum.hpp"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <new>

namespace tidemark::loaders {
namespace {

static_assert(std::endian::native == std::endian::little,
              "lengths are hashed as they lie in memory");

class Hasher {
 public:
  Hasher() : state_(XXH3_createState(), XXH3_freeState) {
    if (!state_) {
      throw std::bad_alloc();
    }
    XXH3_64bits_reset(state_.get());
  }

  void add_sized(const void* bytes, std::uint64_t count, std::uint64_t element_bytes = 1) {
    XXH3_64bits_update(state_.get(), &count, sizeof count);
    XXH3_64bits_update(state_.get(), bytes, count * element_bytes);
  }

  [[nodiscard]] std::uint64_t digest() const { return XXH3_64bits_digest(state_.get()); }

 private:
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state_;
};

}  // namespace

std::uint64_t checksum(std::vector<TensorView> tensors) {
  std::ranges::sort(tensors, {}, &TensorView::name);
  Hasher hasher;
  for (const TensorView& tensor : tensors) {
    hasher.add_sized(tensor.name.data(), tensor.name.size());
    hasher.add_sized(tensor.dtype.data(), tensor.dtype.size());
    hasher.add_sized(tensor.shape.data(), tensor.shape.size(), sizeof(std::int64_t));
    hasher.add_sized(tensor.bytes.data(), tensor.bytes.size());
  }
  return hasher.digest();
}

}  // namespace tidemark::loaders
