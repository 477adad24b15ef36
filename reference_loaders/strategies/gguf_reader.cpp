#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/strategies/field_reader.hpp"
#include "reference_loaders/strategies/gguf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

namespace tidemark::loaders::strategies {
namespace {

constexpr std::uint64_t kMaxKeyBytes = 65535;
constexpr std::uint64_t kMaxNameBytes = 64;
constexpr std::uint32_t kMaxDimensions = 4;
constexpr int kMaxArrayDepth = 4;

/// The least bytes that one of them takes: a file cannot hold more than fit.
constexpr std::uint64_t kMetadataHeadBytes = 8 + 4 + 1;
constexpr std::uint64_t kTensorHeadBytes = 8 + 4 + 4 + 8;
constexpr std::uint64_t kStringHeadBytes = 8;
constexpr std::uint64_t kArrayHeadBytes = 4 + 8;

class GgufReader {
 public:
  GgufReader(ByteSource& source, const std::string& file)
      : fields_(source, file), file_bytes_(source.size()) {}

  WeightsIndex read();

 private:
  void read_magic();
  std::uint64_t read_count(std::uint64_t least_bytes_each, const char* of);
  void read_metadata(std::uint64_t count);
  std::string read_value(ValueType type, int depth);
  std::string read_array(int depth);
  ValueType read_value_type();
  void read_tensors(std::uint64_t count);
  TensorEntry read_tensor();
  std::vector<std::int64_t> read_shape();
  const TensorType& read_tensor_type();
  std::string read_string(std::uint64_t most);
  void place_tensors();
  void check_end(std::uint64_t alignment);

  FieldReader fields_;
  std::uint64_t file_bytes_;
  WeightsIndex index_;
  std::vector<std::uint64_t> heads_;  ///< Where each tensor's fields begin, for messages.
};

WeightsIndex GgufReader::read() {
  read_magic();
  const std::uint64_t tensors = read_count(kTensorHeadBytes, "tensors");
  const std::uint64_t metadata = read_count(kMetadataHeadBytes, "metadata keys");
  read_metadata(metadata);
  read_tensors(tensors);
  place_tensors();
  return std::move(index_);
}

void GgufReader::read_magic() {
  const std::string magic = fields_.bytes(std::min(kGgufMagic.size(), fields_.remaining()));
  if (magic != kGgufMagic) {
    fields_.refuse("not a GGUF file");
  }
  if (const auto version = fields_.value<std::uint32_t>(); version != kGgufVersion) {
    fields_.refuse(fmt::format("GGUF version {}, only {} can be loaded", version, kGgufVersion));
  }
}

std::uint64_t GgufReader::read_count(std::uint64_t least_bytes_each, const char* of) {
  const auto count = fields_.value<std::uint64_t>();
  const std::uint64_t most = fields_.remaining() / least_bytes_each;
  if (count > most) {
    fields_.refuse(fmt::format(
        "{} {} are announced, but the rest of the file has room for {} at most", count, of, most));
  }
  return count;
}

std::string GgufReader::read_string(std::uint64_t most) {
  const auto length = fields_.value<std::uint64_t>();
  if (length > most) {
    fields_.refuse(fmt::format("{} is {} bytes long, more than {}", fields_.part(), length, most));
  }
  return fields_.bytes(length);
}

void GgufReader::read_metadata(std::uint64_t count) {
  std::set<std::string> keys;
  for (std::uint64_t at = 0; at < count; ++at) {
    fields_.enter(fmt::format("metadata key {}", at));
    const std::uint64_t begin = fields_.position();
    MetadataEntry entry{.key = read_string(kMaxKeyBytes)};
    fields_.enter(fmt::format("'{}'", printable(entry.key)));
    if (!keys.insert(entry.key).second) {
      fields_.refuse_at(begin, fmt::format("{} appears twice", fields_.part()));
    }
    entry.type = read_value_type();
    entry.raw = read_value(entry.type, 0);
    entry.raw.shrink_to_fit();  // it grew element by element, and stays as long as the model
    index_.metadata.push_back(std::move(entry));
  }
}

ValueType GgufReader::read_value_type() {
  const auto number = fields_.value<std::uint32_t>();
  if (number > static_cast<std::uint32_t>(ValueType::kFloat64)) {
    fields_.refuse(fmt::format("{} has an unknown type, {}", fields_.part(), number));
  }
  return static_cast<ValueType>(number);
}

std::string GgufReader::read_value(ValueType type, int depth) {
  if (type == ValueType::kString) {
    return read_string(fields_.remaining());
  }
  if (type == ValueType::kArray) {
    return read_array(depth + 1);
  }
  std::string raw = fields_.bytes(value_bytes(type));
  if (type == ValueType::kBool && raw[0] != 0 && raw[0] != 1) {
    fields_.refuse(fmt::format("{} is a truth value of {}", fields_.part(), int{raw[0]}));
  }
  return raw;
}

template <typename T>
void append(std::string& raw, T value) {
  raw.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::uint64_t least_bytes(ValueType type) {
  const std::size_t fixed = value_bytes(type);
  return fixed != 0 ? fixed : type == ValueType::kString ? kStringHeadBytes : kArrayHeadBytes;
}

std::string GgufReader::read_array(int depth) {
  if (depth > kMaxArrayDepth) {
    fields_.refuse(fmt::format("{} has arrays more than {} deep", fields_.part(), kMaxArrayDepth));
  }
  const ValueType type = read_value_type();
  const std::uint64_t count = read_count(least_bytes(type), "elements");
  std::string raw;
  append(raw, static_cast<std::uint32_t>(type));
  append(raw, count);
  if (type != ValueType::kString && type != ValueType::kArray && type != ValueType::kBool) {
    return raw + fields_.bytes(count * value_bytes(type));
  }
  for (std::uint64_t at = 0; at < count; ++at) {
    const std::string element = read_value(type, depth);
    if (type == ValueType::kString) {
      append(raw, std::uint64_t{element.size()});
    }
    raw += element;
  }
  return raw;
}

void GgufReader::read_tensors(std::uint64_t count) {
  for (std::uint64_t at = 0; at < count; ++at) {
    fields_.enter(fmt::format("the name of tensor {}", at));
    heads_.push_back(fields_.position());
    index_.tensors.push_back(read_tensor());
  }
}

TensorEntry GgufReader::read_tensor() {
  TensorEntry tensor{.name = read_string(kMaxNameBytes)};
  fields_.enter(fmt::format("tensor '{}'", printable(tensor.name)));
  tensor.shape = read_shape();
  tensor.type = &read_tensor_type();
  const auto bytes = tensor_bytes(tensor.shape, *tensor.type);
  if (!bytes) {
    fields_.refuse(
        fmt::format("{} has a shape that {} cannot have", fields_.part(), tensor.type->name));
  }
  tensor.bytes = *bytes;
  tensor.offset = fields_.value<std::uint64_t>();  // within the data, until `place_tensors`
  return tensor;
}

std::vector<std::int64_t> GgufReader::read_shape() {
  const auto dimensions = fields_.value<std::uint32_t>();
  if (dimensions > kMaxDimensions) {
    fields_.refuse(fmt::format("{} has {} dimensions, more than {}", fields_.part(), dimensions,
                               kMaxDimensions));
  }
  std::vector<std::int64_t> shape(dimensions);
  for (auto extent = shape.rbegin(); extent != shape.rend(); ++extent) {
    *extent = fields_.value<std::int64_t>();
  }
  return shape;
}

const TensorType& GgufReader::read_tensor_type() {
  const auto number = fields_.value<std::uint32_t>();
  const TensorType* const type = find_gguf_type(number);
  if (type == nullptr) {
    fields_.refuse(fmt::format("{} has type {}, whose size is not known", fields_.part(), number));
  }
  return *type;
}

void GgufReader::place_tensors() {
  std::set<std::string_view> names;
  const std::uint64_t alignment = gguf_alignment(index_);
  if (alignment == 0) {
    fields_.refuse("general.alignment is not a power of two in a u32");
  }
  index_.data_begin = align_up(fields_.position(), alignment);
  index_.data_end = index_.data_begin;
  for (std::size_t at = 0; at < index_.tensors.size(); ++at) {
    TensorEntry& tensor = index_.tensors[at];
    const std::string part = fmt::format("tensor '{}'", printable(tensor.name));
    if (!names.insert(tensor.name).second) {
      fields_.refuse_at(heads_[at], fmt::format("{} appears twice", part));
    }
    const std::uint64_t begin = align_up(index_.data_end, alignment);
    if (tensor.offset != begin - index_.data_begin) {
      fields_.refuse_at(heads_[at],
                        fmt::format("{} is at {} of the data, but the one before it ends, "
                                    "padded, at {}",
                                    part, tensor.offset, begin - index_.data_begin));
    }
    if (begin > file_bytes_ || tensor.bytes > file_bytes_ - begin) {
      fields_.refuse_at(heads_[at],
                        fmt::format("{} needs {} bytes from offset {}, but the file has {}", part,
                                    tensor.bytes, begin, file_bytes_));
    }
    tensor.offset = begin;
    index_.data_end = begin + tensor.bytes;
  }
  check_end(alignment);
}

void GgufReader::check_end(std::uint64_t alignment) {
  // A file may end without the last padding; ggml reads those too.
  const std::uint64_t padded = align_up(index_.data_end, alignment);
  if (file_bytes_ > padded) {
    fields_.refuse_at(padded, fmt::format("{} bytes follow the last tensor", file_bytes_ - padded));
  }
}

}  // namespace

std::uint64_t gguf_alignment(const WeightsIndex& index) {
  constexpr std::uint64_t kDefault = 32;
  const MetadataEntry* const entry = index.find("general.alignment");
  if (entry == nullptr) {
    return kDefault;
  }
  std::uint32_t alignment = 0;
  if (entry->type == ValueType::kUint32) {
    std::memcpy(&alignment, entry->raw.data(), sizeof alignment);
  }
  return std::has_single_bit(alignment) ? alignment : 0;
}

WeightsIndex read_gguf(ByteSource& source, const std::string& file) {
  return GgufReader(source, file).read();
}

}  // namespace tidemark::loaders::strategies
