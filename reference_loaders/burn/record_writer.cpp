#include "reference_loaders/burn/record_writer.hpp"

#include "reference_loaders/burn/gzip_writer.hpp"
#include "reference_loaders/burn/msgpack_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::loaders::burn {
namespace {

class RecordWriter {
 public:
  RecordWriter(Sink& sink, const ModelSpec& spec, bool as_bytes, const WriteTensor& write_tensor)
      : sink_(sink),
        out_(sink),
        tensors_(spec.tensors),
        as_bytes_(as_bytes),
        write_tensor_(write_tensor) {}

  void write();

 private:
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  void metadata();
  void item(Range range, std::size_t prefix);
  void child(Range range, std::size_t prefix);
  void param(std::size_t index);
  void values(std::size_t index);
  [[nodiscard]] std::string_view key(std::size_t index, std::size_t prefix) const;
  [[nodiscard]] std::vector<Range> children(Range range, std::size_t prefix) const;

  Sink& sink_;
  MsgpackWriter out_;
  const std::vector<TensorSpec>& tensors_;
  bool as_bytes_;
  const WriteTensor& write_tensor_;
};

void RecordWriter::write() {
  out_.map_head(2);
  out_.string("metadata");
  metadata();
  out_.string("item");
  item({0, tensors_.size()}, 0);
}

/// burn's `BurnMetadata`, of the version that wrote the form.
void RecordWriter::metadata() {
  constexpr std::pair<const char*, const char*> kFields[] = {
      {"float", "f32"},
      {"int", "i64"},
      {"format", "burn_core::record::file::NamedMpkGzFileRecorder"},
      {"version", nullptr},
      {"settings", "FullPrecisionSettings"}};
  out_.map_head(std::size(kFields));
  for (const auto& [name, value] : kFields) {
    out_.string(name);
    out_.string(value != nullptr ? value : (as_bytes_ ? "0.14.0" : "0.13.2"));
  }
}

/// The tensors of `range` share the first `prefix` bytes of their names.
void RecordWriter::item(Range range, std::size_t prefix) {
  const auto parts = children(range, prefix);
  const bool is_array = std::isdigit(static_cast<unsigned char>(key(range.begin, prefix)[0])) != 0;
  is_array ? out_.array_head(parts.size()) : out_.map_head(parts.size());
  for (const Range part : parts) {
    if (!is_array) {
      out_.string(key(part.begin, prefix));
    }
    child(part, prefix);
  }
}

void RecordWriter::child(Range range, std::size_t prefix) {
  const std::size_t end = prefix + key(range.begin, prefix).size();
  if (end == tensors_[range.begin].name.size()) {
    param(range.begin);
  } else {
    item(range, end + 1);
  }
}

std::string_view RecordWriter::key(std::size_t index, std::size_t prefix) const {
  const std::string_view name = tensors_[index].name;
  return name.substr(prefix, name.find('.', prefix) - prefix);
}

std::vector<RecordWriter::Range> RecordWriter::children(Range range, std::size_t prefix) const {
  std::vector<Range> parts;
  for (std::size_t index = range.begin; index < range.end; ++index) {
    if (parts.empty() || key(index, prefix) != key(parts.back().begin, prefix)) {
      parts.push_back({index, index});
    }
    parts.back().end = index + 1;
  }
  return parts;
}

void RecordWriter::param(std::size_t index) {
  const TensorSpec& tensor = tensors_[index];
  std::vector<std::int64_t> shape = tensor.shape;
  if (is_linear_weight(tensor.name, shape)) {
    std::swap(shape[0], shape[1]);
  }
  out_.map_head(2);
  out_.string("id");
  out_.string(fmt::format("00000000-0000-4000-8000-{:012x}", index));
  out_.string("param");
  out_.map_head(as_bytes_ ? 3 : 2);
  out_.string(as_bytes_ ? "bytes" : "value");
  values(index);
  out_.string("shape");
  out_.array_head(shape.size());
  for (const std::int64_t dimension : shape) {
    out_.integer(static_cast<std::uint64_t>(dimension));
  }
  if (as_bytes_) {
    out_.string("dtype");
    out_.string(traits(tensor.dtype).record_name);
  }
}

void RecordWriter::values(std::size_t index) {
  const TensorSpec& tensor = tensors_[index];
  if (as_bytes_) {
    out_.binary_head(tensor.bytes());
    return write_tensor_(sink_, tensor, index);
  }
  out_.array_head(tensor.elements());
  if (tensor.dtype == Dtype::kInt64) {
    IntElementSink elements(sink_);
    write_tensor_(elements, tensor, index);
  } else {
    FloatElementSink elements(sink_);
    write_tensor_(elements, tensor, index);
  }
}

}  // namespace

void write_record(Sink& sink,
                  const ModelSpec& spec,
                  bool as_bytes,
                  const WriteTensor& write_tensor) {
  StoredGzipWriter gzip(sink);
  RecordWriter(gzip, spec, as_bytes, write_tensor).write();
  gzip.finish();
}

std::uint64_t record_file_size(const ModelSpec& spec, bool as_bytes) {
  std::string heads;
  StringSink sink(&heads);
  RecordWriter(sink, spec, as_bytes, [](Sink&, const TensorSpec&, std::uint64_t) {}).write();
  std::uint64_t bytes = heads.size();
  for (const TensorSpec& tensor : spec.tensors) {
    const std::uint64_t element = tensor.dtype == Dtype::kInt64 ? 3 : 5;
    bytes += as_bytes ? tensor.bytes() : tensor.elements() * element;
  }
  return StoredGzipWriter::file_size(bytes);
}

}  // namespace tidemark::loaders::burn
