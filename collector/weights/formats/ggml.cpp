#include "collector/os/file_bytes.hpp"
#include "collector/weights/formats/field_reader.hpp"
#include "collector/weights/formats/formats.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace tidemark::weights {
namespace {

constexpr std::uint64_t kMaxWords = 1'000'000;
constexpr std::size_t kMaxHeadBytes = std::size_t{32} << 20U;
constexpr std::size_t kTensorHeadBytes = 12 + 4 * 4 + 256;

constexpr std::array<ElementType, 9> kGgmlTypes{{{"f32", 4},
                                                 {"f16", 2},
                                                 {"q4_0", 18, 32},
                                                 {"q4_1", 20, 32},
                                                 {},
                                                 {},
                                                 {"q5_0", 22, 32},
                                                 {"q5_1", 24, 32},
                                                 {"q8_0", 34, 32}}};

/// Where the tensors begin. 0: these are no words.
/// @param numbers of the model, the first of which is how many words it has.
std::uint64_t tensors_at(std::string_view head, std::size_t numbers) {
  FieldReader in(head);
  in.text(4);
  const std::uint64_t words = in.number(4);
  in.text(4 * (numbers - 1));
  if (words > kMaxWords || in.number(4) != words) {
    return 0;
  }
  for (std::uint64_t i = 0; i < words && !in.has_failed(); ++i) {
    in.text(in.number(4));
  }
  return in.has_failed() ? 0 : in.at();
}

/// @param at moves behind the tensor. @return false where there is none.
bool take_ggml_tensor(const FileDescriptor& file, std::uint64_t& at, TensorList& out) {
  const std::string head = bytes_of(file, at, kTensorHeadBytes);
  FieldReader in(head);
  const std::uint64_t count = in.number(4);
  const std::uint64_t name_bytes = in.number(4);
  const std::uint64_t type = in.number(4);
  if (count == 0 || count > 4 || name_bytes > 256 || type >= kGgmlTypes.size()) {
    return false;
  }
  std::vector<std::uint64_t> dimensions;
  for (std::uint64_t i = 0; i < count; ++i) {
    dimensions.push_back(in.number(4));
  }
  const std::string_view name = in.text(name_bytes);
  const std::uint64_t elements = element_count(dimensions);
  std::uint64_t bytes = 0;
  const ElementType& element = kGgmlTypes[static_cast<std::size_t>(type)];
  if (in.has_failed() || elements == 0 || !bytes_of_elements(element, elements, bytes) ||
      !out.add(name, element.word, outermost_first(dimensions), at + in.at(), bytes)) {
    return false;
  }
  at += in.at() + bytes;
  return true;
}

}  // namespace

bool read_ggml(const FileDescriptor& file, TensorList& out) {
  // How many numbers a model has nothing says: the count of its words follows them, and the tensors
  // end with the file.
  const std::string head = bytes_of(file, 0, out.at_most(kMaxHeadBytes));
  for (const std::size_t numbers :
       {std::size_t{6}, std::size_t{7}, std::size_t{5}, std::size_t{8}}) {
    out.all().clear();
    std::uint64_t at = tensors_at(head, numbers);
    while (at != 0 && at < out.file_bytes() && take_ggml_tensor(file, at, out)) {
    }
    if (at == out.file_bytes() && !out.all().empty()) {
      return true;
    }
  }
  return false;
}

}  // namespace tidemark::weights
