#include "reference_loaders/burn/record_reader.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/burn/msgpack_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <tidemark/marks.h>

namespace tidemark::loaders::burn {
namespace {

constexpr int kMaxLevels = 64;
constexpr std::uint32_t kMaxDimensions = 16;

/// Walks through a record and keeps the params that it finds.
class RecordReader {
 public:
  enum class Form { kElements, kBytes };

  RecordReader(ByteSource& source, Form form) : gzip_(source), msgpack_(gzip_), form_(form) {}

  std::vector<RecordItem> read();

 private:
  void value(int level);
  void map(int level);
  void array(int level);
  void param();
  RecordItem data();
  void elements(RecordItem& item);
  void floats(RecordItem& item, std::uint32_t count);
  void integers(RecordItem& item, std::uint32_t count);
  void bytes(RecordItem& item);
  void check_size(const RecordItem& item) const;
  std::vector<std::int64_t> shape();
  void expect_key(std::string_view key);
  void enter(const std::string& key, int level);

  GzipReader gzip_;
  MsgpackReader msgpack_;
  Form form_;
  std::string path_;  ///< A dot and a key for each level.
  std::vector<RecordItem> items_;
  std::unordered_set<std::string> names_;
  /// As in rmp-serde's reader: bytes are read into it, whatever they become, and it never shrinks.
  GrowingVec<std::uint8_t> slice_;
};

std::vector<RecordItem> RecordReader::read() {
  if (msgpack_.map_head() != 2) {
    msgpack_.refuse("a record has two parts, metadata and item");
  }
  expect_key("metadata");
  value(kMaxLevels - 1);  // a flat map of strings
  if (!items_.empty()) {
    msgpack_.refuse("a tensor in the metadata");
  }
  path_.clear();
  expect_key("item");
  value(0);
  gzip_.expect_end();
  return std::move(items_);
}

void RecordReader::value(int level) {
  if (level > kMaxLevels) {
    msgpack_.refuse(fmt::format("more than {} levels", kMaxLevels));
  }
  const std::uint8_t head = msgpack_.peek();
  if ((head & 0xf0U) == 0x80 || head == 0xde || head == 0xdf) {
    map(level);
  } else if ((head & 0xf0U) == 0x90 || head == 0xdc || head == 0xdd) {
    array(level);
  } else {
    msgpack_.skip_scalar();  // an option of a layer, such as its stride
  }
}

void RecordReader::map(int level) {
  const std::uint32_t count = msgpack_.map_head();
  for (std::uint32_t at = 0; at < count; ++at) {
    const std::string key = msgpack_.string();
    if (at == 0 && count == 2 && key == "id") {
      return param();
    }
    enter(key, level);
  }
}

void RecordReader::array(int level) {
  const std::uint32_t count = msgpack_.array_head();
  for (std::uint32_t at = 0; at < count; ++at) {
    enter(fmt::format("{}", at), level);
  }
}

void RecordReader::enter(const std::string& key, int level) {
  const std::size_t length = path_.size();
  path_.append(".").append(key);
  value(level + 1);
  path_.resize(length);
}

/// {"id": string, "param": data}, behind the first key.
void RecordReader::param() {
  msgpack_.string();
  expect_key("param");
  RecordItem item = data();
  item.name = path_.empty() ? path_ : path_.substr(1);
  if (!names_.insert(item.name).second) {
    msgpack_.refuse(fmt::format("the tensor '{}' is there twice", printable(item.name)));
  }
  items_.push_back(std::move(item));
}

RecordItem RecordReader::data() {
  RecordItem item;
  if (form_ == Form::kElements) {
    if (msgpack_.map_head() != 2) {
      msgpack_.refuse("a tensor of other parts than value and shape");
    }
    expect_key("value");
    elements(item);
    expect_key("shape");
    item.shape = shape();
  } else {
    if (msgpack_.map_head() != 3) {
      msgpack_.refuse("a tensor of other parts than bytes, shape and dtype");
    }
    expect_key("bytes");
    bytes(item);
    expect_key("shape");
    item.shape = shape();
    expect_key("dtype");
    const std::string name = msgpack_.string();
    const auto dtype = dtype_with(&DtypeTraits::record_name, name);
    if (!dtype) {
      msgpack_.refuse(fmt::format("an unknown element type '{}'", printable(name)));
    }
    item.dtype = *dtype;
  }
  check_size(item);
  return item;
}

/// The record does not say what the numbers are, the module knows: here the first one decides.
void RecordReader::elements(RecordItem& item) {
  const std::uint32_t count = msgpack_.array_head();
  if (count == 0 || msgpack_.peek() == MsgpackReader::kFloat32) {
    floats(item, count);
  } else {
    integers(item, count);
  }
}

void RecordReader::floats(RecordItem& item, std::uint32_t count) {
  auto values = GrowingVec<float>::with_capacity(cautious_capacity(count, sizeof(float)));
  for (std::uint32_t at = 0; at < count; ++at) {
    values.push(msgpack_.float32());
  }
  item.dtype = Dtype::kFloat32;
  item.elements = std::move(values);
}

void RecordReader::integers(RecordItem& item, std::uint32_t count) {
  auto values =
      GrowingVec<std::int64_t>::with_capacity(cautious_capacity(count, sizeof(std::int64_t)));
  for (std::uint32_t at = 0; at < count; ++at) {
    values.push(msgpack_.integer());
  }
  item.dtype = Dtype::kInt64;
  item.elements = std::move(values);
}

void RecordReader::bytes(RecordItem& item) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  const std::uint32_t count = msgpack_.binary_head();
  // In pieces: the file decides how much memory is taken, not the length that it announces.
  slice_.clear();
  for (std::size_t left = count; left > 0;) {
    const std::size_t piece = std::min(left, kPiece);
    msgpack_.raw(slice_.extend(piece), piece);
    left -= piece;
  }
  auto copy = GrowingVec<std::uint8_t>::with_capacity(count);
  std::ranges::copy(slice_, copy.extend(count));
  item.elements = std::move(copy);
}

void RecordReader::check_size(const RecordItem& item) const {
  const auto count = element_count(item.shape);
  std::uint64_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, traits(item.dtype).bytes, &bytes) ||
      bytes != bytes_of(item.elements).size()) {
    msgpack_.refuse(fmt::format("a tensor of {} bytes, which is not what its shape makes",
                                bytes_of(item.elements).size()));
  }
}

std::vector<std::int64_t> RecordReader::shape() {
  const std::uint32_t count = msgpack_.array_head();
  if (count > kMaxDimensions) {
    msgpack_.refuse(fmt::format("{} dimensions", count));
  }
  std::vector<std::int64_t> shape(count);
  for (std::int64_t& dimension : shape) {
    dimension = msgpack_.integer();
  }
  return shape;
}

void RecordReader::expect_key(std::string_view key) {
  if (const std::string found = msgpack_.string(); found != key) {
    msgpack_.refuse(fmt::format("'{}' is expected here, not '{}'", key, printable(found)));
  }
}

Module load(ByteSource& source, RecordReader::Form form) {
  std::vector<RecordItem> items;
  {
    const Phase phase("decode");
    items = RecordReader(source, form).read();
  }
  return from_items(std::move(items));
}

}  // namespace

Module load_mpk_elements(ByteSource& source) {
  return load(source, RecordReader::Form::kElements);
}

Module load_mpk_bytes(ByteSource& source) {
  return load(source, RecordReader::Form::kBytes);
}

}  // namespace tidemark::loaders::burn
