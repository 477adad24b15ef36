#include "reference_loaders/burn/checkpoint.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/burn/pickle_reader.hpp"

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <utility>

namespace tidemark::loaders::burn {
namespace {

constexpr std::string_view kPickle = "data.pkl";

/// Tensors may share storages (tied weights), but a small file must not make many large tensors.
constexpr std::uint64_t kMaxTimesFileBytes = 4;

/// Elements from the first to the last one of a tensor that has some, or nothing when that
/// overflows or a stride is negative.
std::optional<std::uint64_t> span_elements(const StoredTensor& tensor) {
  std::uint64_t last = 0;
  for (std::size_t dimension = 0; dimension < tensor.shape.size(); ++dimension) {
    const auto steps = static_cast<std::uint64_t>(tensor.shape[dimension] - 1);
    std::uint64_t reach = 0;
    if (tensor.stride[dimension] < 0 ||
        __builtin_mul_overflow(static_cast<std::uint64_t>(tensor.stride[dimension]), steps,
                               &reach) ||
        __builtin_add_overflow(last, reach, &last)) {
      return std::nullopt;
    }
  }
  return last + 1 == 0 ? std::nullopt : std::optional(last + 1);
}

bool is_contiguous(const StoredTensor& tensor) {
  std::int64_t step = 1;
  for (std::size_t dimension = tensor.shape.size(); dimension-- > 0;) {
    if (tensor.shape[dimension] != 1 && tensor.stride[dimension] != step) {
      return false;
    }
    step *= tensor.shape[dimension];
  }
  return true;
}

/// Copies the elements of a strided tensor, whose storage begins at `from`, in row-major order.
void gather(const StoredTensor& tensor, const std::byte* from, std::span<std::byte> to) {
  const std::uint64_t size = traits(tensor.dtype).bytes;
  std::vector<std::int64_t> index(tensor.shape.size(), 0);
  std::int64_t at = 0;
  for (std::size_t done = 0; done < to.size(); done += size) {
    std::memcpy(to.data() + done, from + static_cast<std::uint64_t>(at) * size, size);
    for (std::size_t dimension = index.size(); dimension-- > 0;) {
      at += tensor.stride[dimension];
      if (++index[dimension] < tensor.shape[dimension]) {
        break;
      }
      at -= tensor.stride[dimension] * tensor.shape[dimension];
      index[dimension] = 0;
    }
  }
}

}  // namespace

Checkpoint::Checkpoint(Opener opener, bool reopen) : opener_(std::move(opener)), reopen_(reopen) {
  open();
  const std::string& name = index_.name_ending(*source_, "/" + std::string(kPickle));
  folder_ = name.substr(0, name.size() - kPickle.size());
  const ZipEntry& entry = *index_.find(name);
  pickle_offset_ = index_.payload_offset(*source_, entry);
  if (entry.bytes > kMaxPickleBytes) {
    throw BadInput(source_->name(), pickle_offset_,
                   fmt::format("a pickle of {} bytes is no state_dict", entry.bytes));
  }
  tensors_ = read_state_dict(read_entry(*source_, index_, entry), source_->name(), pickle_offset_);

  std::uint64_t bytes = 0;
  for (const StoredTensor& tensor : tensors_) {
    check(tensor);
    bytes += element_count(tensor.shape).value() * traits(tensor.dtype).bytes;
    if (bytes / kMaxTimesFileBytes > source_->size()) {
      refuse(tensor, fmt::format("brings the tensors to {} times the size of the file",
                                 kMaxTimesFileBytes));
    }
  }
}

void Checkpoint::open() {
  source_ = opener_();
  index_ = ZipIndex::read(*source_);
  ++times_opened_;
}

void Checkpoint::refuse(const StoredTensor& tensor, const std::string& what) const {
  throw BadInput(source_->name(), pickle_offset_,
                 fmt::format("tensor '{}' {}", printable(tensor.name), what));
}

const ZipEntry& Checkpoint::storage_of(const StoredTensor& tensor) const {
  const ZipEntry* entry = index_.find(fmt::format("{}data/{}", folder_, tensor.storage));
  if (entry == nullptr) {
    refuse(tensor, fmt::format("needs the storage '{}', which is not in the file",
                               printable(tensor.storage)));
  }
  if (entry->bytes / traits(tensor.dtype).bytes != tensor.storage_elements ||
      entry->bytes % traits(tensor.dtype).bytes != 0) {
    refuse(tensor, fmt::format("has a storage of {} elements of {}, but {} bytes",
                               tensor.storage_elements, traits(tensor.dtype).name, entry->bytes));
  }
  return *entry;
}

void Checkpoint::check(const StoredTensor& tensor) const {
  static_cast<void>(storage_of(tensor));
  const auto elements = element_count(tensor.shape);
  // More elements than the storage has would be one element in many places, which no layer saves.
  if (!elements || *elements > tensor.storage_elements) {
    refuse(tensor, fmt::format("has a shape of more elements than the {} of its storage",
                               tensor.storage_elements));
  }
  if (*elements == 0) {
    return;
  }
  const auto span = span_elements(tensor);
  if (!span || tensor.offset > tensor.storage_elements ||
      *span > tensor.storage_elements - tensor.offset) {
    refuse(tensor,
           fmt::format("points outside its storage of {} elements", tensor.storage_elements));
  }
}

Buffer Checkpoint::read(const StoredTensor& tensor) {
  if (reopen_) {
    open();
  }
  const ZipEntry& entry = storage_of(tensor);
  const std::uint64_t size = traits(tensor.dtype).bytes;
  const std::uint64_t elements = element_count(tensor.shape).value();
  Buffer data = Buffer::zeroed(elements * size);
  if (elements == 0) {
    return data;
  }
  const std::uint64_t begin = index_.payload_offset(*source_, entry) + tensor.offset * size;
  if (is_contiguous(tensor)) {
    source_->read_at(begin, data.bytes().data(), data.bytes().size());
    return data;
  }
  Buffer strided = Buffer::of(span_elements(tensor).value() * size);
  source_->read_at(begin, strided.bytes().data(), strided.bytes().size());
  gather(tensor, strided.bytes().data(), data.bytes());
  return data;
}

}  // namespace tidemark::loaders::burn
