#include "reference_loaders/strategies/gguf.hpp"

namespace tidemark::loaders::strategies {
namespace {

class Header {
 public:
  explicit Header(std::string& bytes) : bytes_(bytes) {}

  template <typename T>
  void add(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  void add_string(std::string_view text) {
    add(std::uint64_t{text.size()});
    bytes_ += text;
  }

  void add_metadata(const MetadataEntry& entry) {
    add_string(entry.key);
    add(static_cast<std::uint32_t>(entry.type));
    if (entry.type == ValueType::kString) {
      add_string(entry.raw);
    } else {
      bytes_ += entry.raw;
    }
  }

  void add_tensor(const TensorEntry& tensor, std::uint64_t data_begin) {
    add_string(tensor.name);
    add(static_cast<std::uint32_t>(tensor.shape.size()));
    for (auto extent = tensor.shape.rbegin(); extent != tensor.shape.rend(); ++extent) {
      add(*extent);
    }
    add(tensor.type->gguf.value());
    add(tensor.offset - data_begin);
  }

 private:
  std::string& bytes_;
};

std::string unpadded_header(const WeightsIndex& index) {
  std::string bytes(kGgufMagic);
  Header header(bytes);
  header.add(kGgufVersion);
  header.add(std::uint64_t{index.tensors.size()});
  header.add(std::uint64_t{index.metadata.size()});
  for (const MetadataEntry& entry : index.metadata) {
    header.add_metadata(entry);
  }
  for (const TensorEntry& tensor : index.tensors) {
    header.add_tensor(tensor, index.data_begin);
  }
  return bytes;
}

}  // namespace

std::string lay_out_gguf(WeightsIndex& index) {
  const std::uint64_t alignment = gguf_alignment(index);
  // Offsets are counted from the data, so the header's size does not depend on them.
  index.data_begin = align_up(unpadded_header(index).size(), alignment);
  index.data_end = index.data_begin;
  for (TensorEntry& tensor : index.tensors) {
    tensor.offset = align_up(index.data_end, alignment);
    tensor.bytes = tensor_bytes(tensor.shape, *tensor.type).value();
    index.data_end = tensor.offset + tensor.bytes;
  }
  std::string header = unpadded_header(index);
  header.resize(index.data_begin, '\0');
  return header;
}

}  // namespace tidemark::loaders::strategies
