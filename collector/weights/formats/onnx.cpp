#include "collector/os/file_bytes.hpp"
#include "collector/weights/formats/formats.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::weights {
namespace {

constexpr std::size_t kMaxOnnxFields = std::size_t{4} << 20U;
constexpr std::size_t kMaxOnnxDimensions = 64;
constexpr std::uint64_t kMaxPackedBytes = 10 * kMaxOnnxDimensions;

/// By TensorProto.DataType.
constexpr std::array<ElementType, 23> kOnnxTypes{
    {{},         {"f32", 4}, {"u8", 1},  {"i8", 1},    {"u16", 2},  {"i16", 2},
     {"i32", 4}, {"i64", 8}, {},         {"bool", 1},  {"f16", 2},  {"f64", 8},
     {"u32", 4}, {"u64", 8}, {"c64", 8}, {"c128", 16}, {"bf16", 2}, {"f8", 1},
     {"f8", 1},  {"f8", 1},  {"f8", 1},  {"u4", 1, 2}, {"i4", 1, 2}}};

/// A field of a protobuf message: a number, or bytes of the file.
struct ProtoField {
  std::uint64_t number = 0;
  bool has_bytes = false;
  std::uint64_t value = 0;  ///< Or the number of bytes.
  std::uint64_t begin = 0;  ///< Where these are in the file.
};

/// The fields of a message one after the other (protobuf.dev, "Encoding"), each by one small read,
/// so that long ones are stepped over.
class ProtoReader {
 public:
  ProtoReader(const FileDescriptor& file, std::uint64_t begin, std::uint64_t end)
      : file_(file), at_(begin), end_(end) {}

  /// None at the end of the message, or where it is not written as one.
  std::optional<ProtoField> next() {
    constexpr std::size_t kMaxHead = 20;
    if (at_ >= end_)
      return std::nullopt;
    const std::string head = bytes_of(
        file_, at_, static_cast<std::size_t>(std::min<std::uint64_t>(kMaxHead, end_ - at_)));
    std::size_t place = 0;
    const auto tag = varint(head, place);
    if (!tag)
      return give_up();
    ProtoField field{.number = *tag >> 3U};
    std::uint64_t skipped = 0;
    switch (*tag & 7U) {
      case 0:
      case 2: {
        const auto value = varint(head, place);
        if (!value)
          return give_up();
        field.value = *value;
        field.has_bytes = (*tag & 7U) == 2;
        skipped = field.has_bytes ? *value : 0;
        break;
      }
      case 1:
        skipped = 8;
        break;
      case 5:
        skipped = 4;
        break;
      default:
        return give_up();
    }
    field.begin = at_ + place;
    if (skipped > end_ - field.begin)
      return give_up();
    at_ = field.begin + skipped;
    return field;
  }
  /// The rest of the file counts as damaged.
  std::optional<ProtoField> give_up() {
    has_failed_ = true;
    at_ = end_;
    return std::nullopt;
  }
  [[nodiscard]] bool has_failed() const { return has_failed_; }

 private:
  static std::optional<std::uint64_t> varint(std::string_view bytes, std::size_t& place) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && place < bytes.size(); shift += 7) {
      const auto byte = static_cast<std::uint8_t>(bytes[place++]);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80)
        return value;
    }
    return std::nullopt;
  }

  const FileDescriptor& file_;
  std::uint64_t at_;
  std::uint64_t end_;
  bool has_failed_ = false;
};

/// The fields of a TensorProto that are read.
struct OnnxTensor {
  std::vector<std::uint64_t> dimensions;
  std::string name;
  std::uint64_t type = 0;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  bool is_elsewhere = false;
};

class OnnxReader {
 public:
  OnnxReader(const FileDescriptor& file, TensorList& out) : file_(file), out_(out) {}

  /// ModelProto: the graph is its field 7.
  bool read() {
    ProtoReader model(file_, 0, out_.file_bytes());
    while (const auto field = next(model)) {
      constexpr std::uint64_t kGraph = 7;
      if (field->number == kGraph && field->has_bytes && !read_graph(*field))
        return false;
    }
    return !model.has_failed();
  }

 private:
  /// GraphProto: its initializers are field 5.
  bool read_graph(const ProtoField& graph) {
    constexpr std::uint64_t kInitializer = 5;
    ProtoReader fields(file_, graph.begin, graph.begin + graph.value);
    while (const auto field = next(fields)) {
      if (field->number == kInitializer && field->has_bytes && !take_tensor(*field))
        return false;
    }
    return !fields.has_failed();
  }

  /// One whose numbers are not written as bytes, or lie in another file, is left out.
  bool take_tensor(const ProtoField& message) {
    OnnxTensor tensor;
    ProtoReader fields(file_, message.begin, message.begin + message.value);
    while (const auto field = next(fields))
      take_field(*field, tensor);
    const std::uint64_t elements = element_count(tensor.dimensions);
    std::uint64_t expected = 0;
    if (fields.has_failed())
      return false;
    if (tensor.is_elsewhere || tensor.bytes == 0 || tensor.type >= kOnnxTypes.size() ||
        !bytes_of_elements(kOnnxTypes[tensor.type], elements, expected) || expected != tensor.bytes)
      return true;
    return out_.add(tensor.name, kOnnxTypes[tensor.type].word, tensor.dimensions, tensor.begin,
                    tensor.bytes);
  }

  void take_field(const ProtoField& field, OnnxTensor& tensor) {
    enum : std::uint64_t {
      kDimensions = 1,
      kType = 2,
      kFloats = 4,
      kName = 8,
      kBytes = 9,
      kDoubles = 10,
      kLocation = 14,
    };
    switch (field.number) {
      case kDimensions:
        take_dimensions(field, tensor);
        break;
      case kType:
        tensor.type = field.value;
        break;
      case kName:
        tensor.name = bytes_of(file_, field.begin,
                               static_cast<std::size_t>(std::min<std::uint64_t>(
                                   field.has_bytes ? field.value : 0, TensorList::kMaxNameBytes)));
        break;
      case kFloats:
      case kBytes:
      case kDoubles:
        if (field.has_bytes) {
          tensor.begin = field.begin;
          tensor.bytes = field.value;
        }
        break;
      case kLocation:
        tensor.is_elsewhere = field.value != 0;
        break;
      default:
        break;
    }
  }

  /// One number, or all of them packed.
  void take_dimensions(const ProtoField& field, OnnxTensor& tensor) {
    if (!field.has_bytes) {
      add_dimension(field.value, tensor);
      return;
    }
    const std::string packed =
        bytes_of(file_, field.begin,
                 static_cast<std::size_t>(std::min<std::uint64_t>(field.value, kMaxPackedBytes)));
    std::uint64_t value = 0;
    unsigned shift = 0;
    for (const char c : packed) {
      const auto byte = static_cast<std::uint8_t>(c);
      value |= shift < 64 ? std::uint64_t{byte & 0x7fU} << shift : 0;
      shift += 7;
      if (byte < 0x80) {
        add_dimension(value, tensor);
        value = 0;
        shift = 0;
      }
    }
  }
  static void add_dimension(std::uint64_t value, OnnxTensor& tensor) {
    if (tensor.dimensions.size() < kMaxOnnxDimensions)
      tensor.dimensions.push_back(value);
  }

  std::optional<ProtoField> next(ProtoReader& fields) {
    return ++fields_ <= kMaxOnnxFields ? fields.next() : fields.give_up();
  }

  const FileDescriptor& file_;
  TensorList& out_;
  std::size_t fields_ = 0;  ///< Fields of all messages so far.
};

}  // namespace

bool read_onnx(const FileDescriptor& file, TensorList& out) {
  return OnnxReader(file, out).read();
}

}  // namespace tidemark::weights
