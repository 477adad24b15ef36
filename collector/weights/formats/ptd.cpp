#include "collector/os/file_bytes.hpp"
#include "collector/weights/formats/formats.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace tidemark::weights {
namespace {

constexpr std::size_t kPtdHeaderBytes = 48;
constexpr std::uint64_t kMaxPtdFrontBytes = std::uint64_t{64} << 20U;

/// By PyTorch's ScalarType.
constexpr std::array<ElementType, 16> kScalarTypes{{{"u8", 1},
                                                    {"i8", 1},
                                                    {"i16", 2},
                                                    {"i32", 4},
                                                    {"i64", 8},
                                                    {"f16", 2},
                                                    {"f32", 4},
                                                    {"f64", 8},
                                                    {},
                                                    {},
                                                    {},
                                                    {"bool", 1},
                                                    {},
                                                    {},
                                                    {},
                                                    {"bf16", 2}}};

/// A table of a flatbuffer, which has its fields by number and may leave out any of them. Past the
/// end everything is zero or empty. Layout: google/flatbuffers, docs "FlatBuffer Internals".
class FlatTable {
 public:
  FlatTable(std::string_view bytes, std::uint64_t at) : bytes_(bytes), at_(at) {}

  [[nodiscard]] std::uint64_t number(std::size_t field, std::size_t width) const {
    const std::uint64_t place = place_of(field);
    return place != 0 ? word(place, width) : 0;
  }
  [[nodiscard]] FlatTable table(std::size_t field) const { return {bytes_, pointed_at(field)}; }
  [[nodiscard]] std::string_view text(std::size_t field) const {
    const std::uint64_t begin = pointed_at(field) + 4;
    return begin > 4 && begin <= bytes_.size()
               ? bytes_.substr(static_cast<std::size_t>(begin),
                               static_cast<std::size_t>(count(field)))
               : std::string_view();
  }
  /// Length of a list.
  [[nodiscard]] std::uint64_t count(std::size_t field) const {
    const std::uint64_t list = pointed_at(field);
    return list != 0 ? word(list, 4) : 0;
  }
  [[nodiscard]] std::uint64_t number_in(std::size_t field,
                                        std::uint64_t i,
                                        std::size_t width) const {
    return word(pointed_at(field) + 4 + i * width, width);
  }
  [[nodiscard]] FlatTable table_in(std::size_t field, std::uint64_t i) const {
    const std::uint64_t place = pointed_at(field) + 4 + i * 4;
    return {bytes_, place + word(place, 4)};
  }

 private:
  [[nodiscard]] std::uint64_t word(std::uint64_t at, std::size_t width) const {
    return at < bytes_.size() ? number_at(bytes_, static_cast<std::size_t>(at), width) : 0;
  }
  [[nodiscard]] std::uint64_t place_of(std::size_t field) const {
    const auto back = static_cast<std::int32_t>(word(at_, 4));
    const std::uint64_t fields = at_ - static_cast<std::uint64_t>(std::int64_t{back});
    const std::uint64_t entry = 4 + 2 * field;
    const std::uint64_t offset = entry < word(fields, 2) ? word(fields + entry, 2) : 0;
    return offset != 0 ? at_ + offset : 0;
  }
  [[nodiscard]] std::uint64_t pointed_at(std::size_t field) const {
    const std::uint64_t place = place_of(field);
    return place != 0 ? place + word(place, 4) : 0;
  }

  std::string_view bytes_;
  std::uint64_t at_;
};

// Numbers of fields: extension/flat_tensor/serialize/flat_tensor.fbs of pytorch/executorch.
enum FlatTensorField : std::size_t { kSegments = 1, kNamedData = 2 };
enum SegmentField : std::size_t { kOffset = 0, kSize = 1 };
enum NamedField : std::size_t { kKey = 0, kSegment = 1, kLayout = 2 };
enum LayoutField : std::size_t { kScalarType = 0, kSizes = 1 };

bool add_named(const FlatTable& file, const FlatTable& named, std::uint64_t base, TensorList& out) {
  constexpr std::uint64_t kMaxSizes = 16;
  const std::uint64_t segment = named.number(kSegment, 4);
  const FlatTable layout = named.table(kLayout);
  const std::uint64_t type = layout.number(kScalarType, 1);
  const std::uint64_t sizes = layout.count(kSizes);
  if (segment >= file.count(kSegments) || sizes > kMaxSizes) {
    return false;
  }
  if (sizes == 0 || type >= kScalarTypes.size()) {
    return true;  // bytes of another meaning
  }
  std::vector<std::uint64_t> dimensions;
  for (std::uint64_t i = 0; i < sizes; ++i) {
    dimensions.push_back(layout.number_in(kSizes, i, 4));
  }
  const ElementType& element = kScalarTypes[static_cast<std::size_t>(type)];
  const FlatTable place = file.table_in(kSegments, segment);
  const std::uint64_t offset = place.number(kOffset, 8);
  const std::uint64_t elements = element_count(dimensions);
  std::uint64_t bytes = 0;
  return !bytes_of_elements(element, elements, bytes) ||
         (offset <= out.file_bytes() && bytes <= place.number(kSize, 8) &&
          out.add(named.text(kKey), element.word, dimensions, base + offset, bytes));
}

}  // namespace

bool read_ptd(const FileDescriptor& file, TensorList& out) {
  const std::string header = bytes_of(file, 0, kPtdHeaderBytes);
  const std::string_view head = header;
  if (head.size() < kPtdHeaderBytes || head.substr(4, 4) != "FT01" || head.substr(8, 4) != "FH01") {
    return false;  // a program (.pte)
  }
  const std::uint64_t front_bytes = number_at(head, 16, 8) + number_at(head, 24, 8);
  const std::uint64_t base = number_at(head, 32, 8);
  if (front_bytes > std::min(kMaxPtdFrontBytes, out.file_bytes()) || base > out.file_bytes()) {
    return false;
  }
  const std::string front = bytes_of(file, 0, static_cast<std::size_t>(front_bytes));
  const FlatTable root(front, number_at(front, 0, 4));
  const std::uint64_t count =
      std::min<std::uint64_t>(root.count(kNamedData), TensorList::kMaxTensors);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!add_named(root, root.table_in(kNamedData, i), base, out)) {
      return false;
    }
  }
  std::ranges::stable_sort(out.all(), {}, &trace::Tensor::begin);
  return true;
}

}  // namespace tidemark::weights
