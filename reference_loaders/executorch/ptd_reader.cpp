#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/executorch/copied_bytes.hpp"
#include "reference_loaders/executorch/ptd.hpp"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <set>
#include <string_view>

#include <flat_tensor_generated.h>

namespace tidemark::loaders::executorch {
namespace {

constexpr std::uint64_t kHeaderBegin = 8;
constexpr std::uint32_t kHeaderBytes = 40;
constexpr std::size_t kMaxDimensions = 16;  // as ExecuTorch
constexpr std::uint64_t kMaxFlatbufferBytes = FLATBUFFERS_MAX_BUFFER_SIZE - 1;

template <typename T>
T field_at(std::span<const std::byte> bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

bool has_text(std::span<const std::byte> bytes, std::size_t offset, std::string_view text) {
  return std::memcmp(bytes.data() + offset, text.data(), text.size()) == 0;
}

std::uint64_t element_bytes(std::int8_t scalar_type) {
  switch (scalar_type) {
    case 0:   // uint8
    case 1:   // int8
    case 11:  // bool
      return 1;
    case 2:   // int16
    case 5:   // float16
    case 15:  // bfloat16
      return 2;
    case 3:  // int32
    case kFloat32Scalar:
      return 4;
    case 4:  // int64
    case 7:  // float64
      return 8;
    default:
      return 0;
  }
}

/// One flatbuffer, after its offsets have been verified, becomes tensors.
class PtdParser {
 public:
  PtdParser(const flat_tensor::FlatTensor& table, const PtdHeader& header, const std::string& file)
      : table_(table), header_(header), file_(file), copied_(header.flatbuffer_end, file) {}

  std::vector<PtdTensor> tensors();

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw BadInput(file_, what); }

  PtdTensor tensor(const flat_tensor::NamedData& named);
  std::string key(const flat_tensor::NamedData& named);
  void place(const flat_tensor::NamedData& named, PtdTensor* tensor) const;
  void shape(const flat_tensor::TensorLayout& layout, PtdTensor* tensor) const;
  void require_row_major(const flat_tensor::TensorLayout& layout, const PtdTensor& tensor) const;
  void require_bytes(const PtdTensor& tensor) const;

  const flat_tensor::FlatTensor& table_;
  const PtdHeader& header_;
  const std::string& file_;
  CopiedBytes copied_;
  std::set<std::string> keys_;
};

std::vector<PtdTensor> PtdParser::tensors() {
  if (table_.version() != 0) {
    refuse(fmt::format("version {} of the format is not known, only 0", table_.version()));
  }
  std::vector<PtdTensor> all;
  if (table_.named_data() != nullptr) {
    for (const flat_tensor::NamedData* const named : *table_.named_data()) {
      all.push_back(tensor(*named));
    }
  }
  return all;
}

PtdTensor PtdParser::tensor(const flat_tensor::NamedData& named) {
  PtdTensor tensor;
  tensor.key = key(named);
  place(named, &tensor);
  if (named.tensor_layout() == nullptr) {
    refuse(fmt::format("'{}' is not a tensor: it has no layout", printable(tensor.key)));
  }
  shape(*named.tensor_layout(), &tensor);
  require_row_major(*named.tensor_layout(), tensor);
  require_bytes(tensor);
  return tensor;
}

std::string PtdParser::key(const flat_tensor::NamedData& named) {
  if (named.key() == nullptr) {
    refuse("a tensor has no key");
  }
  copied_.add(named.key()->size());
  std::string key = named.key()->str();
  if (!keys_.insert(key).second) {
    refuse(fmt::format("'{}' appears twice", printable(key)));
  }
  return key;
}

void PtdParser::place(const flat_tensor::NamedData& named, PtdTensor* tensor) const {
  const std::string name = printable(tensor->key);
  const auto* const segments = table_.segments();
  if (segments == nullptr || named.segment_index() >= segments->size()) {
    refuse(fmt::format("'{}' is in segment {} of {}", name, named.segment_index(),
                       segments == nullptr ? 0 : segments->size()));
  }
  const flat_tensor::DataSegment& segment = *segments->Get(named.segment_index());
  if (segment.offset() > header_.segment_bytes ||
      segment.size() > header_.segment_bytes - segment.offset()) {
    refuse(fmt::format("'{}' has {} bytes at {} of the segments, which are {} bytes", name,
                       segment.size(), segment.offset(), header_.segment_bytes));
  }
  tensor->offset = header_.segment_base + segment.offset();
  tensor->bytes = segment.size();
}

void PtdParser::shape(const flat_tensor::TensorLayout& layout, PtdTensor* tensor) const {
  const std::string name = printable(tensor->key);
  tensor->scalar_type = layout.scalar_type();
  if (element_bytes(tensor->scalar_type) == 0) {
    refuse(fmt::format("'{}' has the unknown scalar type {}", name, tensor->scalar_type));
  }
  const std::size_t dimensions = layout.sizes() == nullptr ? 0 : layout.sizes()->size();
  if (dimensions > kMaxDimensions) {
    refuse(fmt::format("'{}' has {} dimensions, and {} is the most", name, dimensions,
                       kMaxDimensions));
  }
  for (std::size_t at = 0; at < dimensions; ++at) {
    tensor->sizes.push_back(layout.sizes()->Get(static_cast<flatbuffers::uoffset_t>(at)));
    if (tensor->sizes.back() < 0) {
      refuse(fmt::format("'{}' has the negative extent {}", name, tensor->sizes.back()));
    }
  }
}

void PtdParser::require_row_major(const flat_tensor::TensorLayout& layout,
                                  const PtdTensor& tensor) const {
  const auto* const order = layout.dim_order();
  bool is_row_major = (order == nullptr ? 0 : order->size()) == tensor.sizes.size();
  for (flatbuffers::uoffset_t at = 0; is_row_major && at < tensor.sizes.size(); ++at) {
    is_row_major = order->Get(at) == at;
  }
  if (!is_row_major) {
    refuse(fmt::format("'{}' is not in row-major order", printable(tensor.key)));
  }
}

void PtdParser::require_bytes(const PtdTensor& tensor) const {
  std::uint64_t bytes = element_bytes(tensor.scalar_type);
  bool fits = true;
  for (const std::int64_t extent : tensor.sizes) {
    fits = fits && !__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes);
  }
  if (!fits || bytes != tensor.bytes) {
    refuse(fmt::format("'{}' has {} bytes in its segment, which is not what its shape takes",
                       printable(tensor.key), tensor.bytes));
  }
}

}  // namespace

PtdHeader parse_ptd_header(std::span<const std::byte> begin,
                           std::uint64_t file_bytes,
                           const std::string& file) {
  if (begin.size() < kPtdHeaderEnd || !has_text(begin, 4, "FT01") ||
      !has_text(begin, kHeaderBegin, "FH01")) {
    throw BadInput(file, "not a .ptd file: it does not begin with FT01 and FH01");
  }
  const auto field = [&](std::size_t offset) { return field_at<std::uint64_t>(begin, offset); };
  const std::uint64_t offset = field(16);
  const std::uint64_t size = field(24);
  const PtdHeader header{
      .flatbuffer_end = offset + size, .segment_base = field(32), .segment_bytes = field(40)};
  if (const auto length = field_at<std::uint32_t>(begin, 12); length < kHeaderBytes) {
    throw BadInput(file, 12, fmt::format("a header of {} bytes is too short", length));
  }
  if (offset < kHeaderBytes || offset > file_bytes || size > file_bytes - offset ||
      header.flatbuffer_end > kMaxFlatbufferBytes) {
    throw BadInput(file, 16,
                   fmt::format("a flatbuffer of {} bytes at {} is announced, in a file of {}", size,
                               offset, file_bytes));
  }
  if (header.segment_base < header.flatbuffer_end || header.segment_base > file_bytes ||
      header.segment_bytes > file_bytes - header.segment_base) {
    throw BadInput(
        file, 32,
        fmt::format("segments of {} bytes at {} are announced, in a file of {}, its "
                    "flatbuffer up to {}",
                    header.segment_bytes, header.segment_base, file_bytes, header.flatbuffer_end));
  }
  return header;
}

std::vector<PtdTensor> parse_ptd(std::span<const std::byte> front,
                                 const PtdHeader& header,
                                 const std::string& file) {
  // A copy where it is aligned as flatbuffers need it; `front` may lie anywhere.
  const std::vector<std::byte> aligned(front.begin(), front.end());
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(aligned.data());
  flatbuffers::Verifier verifier(bytes, aligned.size());
  if (!flat_tensor::VerifyFlatTensorBuffer(verifier)) {
    throw BadInput(file, kPtdHeaderEnd, "the flatbuffer is damaged");
  }
  return PtdParser(*flat_tensor::GetFlatTensor(bytes), header, file).tensors();
}

}  // namespace tidemark::loaders::executorch
