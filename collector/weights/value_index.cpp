#include "collector/weights/value_index.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <span>
#include <utility>

#include <unistd.h>

namespace tidemark::weights {
namespace {

constexpr std::size_t kValues = 16;
constexpr std::size_t kRawBytes = 64;          ///< Bytes compared for a type that is not converted.
constexpr std::size_t kMinDifferentWords = 4;  ///< Words among them.
constexpr std::uint64_t kAlignment = 8;
/// Room for twice the elements, and what alignment adds.
constexpr std::uint64_t kMaxSlackBytes = 4096 + 64;

std::uint64_t word_at(std::span<const std::byte> bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data(), sizeof word);
  return word;
}

std::vector<std::byte> read_at(const FileDescriptor& file,
                               std::uint64_t offset,
                               std::size_t count) {
  std::vector<std::byte> bytes(count);
  const ssize_t got = ::pread(file.number(), bytes.data(), count, static_cast<off_t>(offset));
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return bytes;
}

/// @param each bytes of a value.
bool tell_apart(std::span<const std::byte> bytes, std::size_t each) {
  std::set<std::vector<std::byte>> values;
  for (std::size_t at = 0; at + each <= bytes.size(); at += each)
    values.emplace(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                   bytes.begin() + static_cast<std::ptrdiff_t>(at + each));
  return values.size() >= kMinDifferentWords;
}

}  // namespace

void ValueIndex::add(trace::FileId id,
                     FileDescriptor file,
                     std::span<const trace::Tensor> tensors) {
  if (files_.size() >= kMaxFiles) {
    has_left_out_ = true;
    return;
  }
  files_.push_back(std::move(file));
  for (const trace::Tensor& tensor : tensors) {
    if (tensor.bytes < kMinTensorBytes)
      continue;
    if (tensors_.size() >= kMaxTensors)
      has_left_out_ = true;
    else
      add_tensor(known_of(static_cast<std::uint32_t>(files_.size() - 1), id, tensor));
  }
}

/// One whose header says something else of its size is taken as bytes.
ValueIndex::Known ValueIndex::known_of(std::uint32_t file,
                                       trace::FileId id,
                                       const trace::Tensor& tensor) {
  const std::uint32_t each = trace::float_bytes(tensor.type);
  const bool is_plain = each != 0 && tensor.bytes == each * tensor.elements;
  Known known;
  known.file = file;
  known.id = id;
  known.elements = tensor.elements;
  known.begin = tensor.begin;
  known.bytes = tensor.bytes;
  if (is_plain)
    known.type = tensor.type;
  const PackedType* packed = packed_type(tensor.type);
  if (packed != nullptr && tensor.elements % packed->block_elements == 0 &&
      tensor.bytes == tensor.elements / packed->block_elements * packed->block_bytes)
    known.packed = packed;
  // A column has to have as many values as are compared.
  if (is_plain && tensor.shape.size() == 2 && tensor.shape[0] >= kValues &&
      tensor.shape[1] == tensor.elements / tensor.shape[0])
    known.columns = tensor.shape[1];
  return known;
}

void ValueIndex::add_tensor(Known known) {
  const auto tensor = static_cast<std::uint32_t>(tensors_.size());
  tensors_.push_back(std::move(known));
  add_beginnings(tensor, false);
  if (tensors_.back().columns > 1)
    add_beginnings(tensor, true);
}

/// Adds each form that programs unpack the values to.
void ValueIndex::add_unpacked(std::uint32_t tensor) {
  const auto values = unpack_elements(tensors_[tensor], 0, kValues);
  if (values.size() != kValues * sizeof(float))
    return;
  for (const ValueForm form : {ValueForm::kF32, ValueForm::kF16, ValueForm::kBf16}) {
    auto converted = convert("f32", values, form);
    if (tell_apart(converted, trace::float_bytes(form_type(form))))
      add_beginning({tensor, form, false, std::move(converted)});
  }
}

/// A type that is not converted is compared by its bytes.
void ValueIndex::add_beginnings(std::uint32_t tensor, bool is_transposed) {
  const Known& known = tensors_[tensor];
  const std::uint32_t each = trace::float_bytes(known.type);
  if (each == 0) {
    auto bytes = read_at(files_[known.file], known.begin, kRawBytes);
    if (bytes.size() == kRawBytes && tell_apart(bytes, 4))
      add_beginning({tensor, ValueForm::kAsInFile, is_transposed, std::move(bytes)});
    if (known.packed != nullptr)
      add_unpacked(tensor);
    return;
  }
  auto bytes = read_elements(known, 0, kValues, is_transposed);
  if (bytes.size() != kValues * each || !tell_apart(bytes, each))
    return;
  for (const ValueForm form : other_forms(known.type)) {
    auto converted = convert(known.type, bytes, form);
    if (tell_apart(converted, trace::float_bytes(form_type(form))))
      add_beginning({tensor, form, is_transposed, std::move(converted)});
  }
  add_beginning({tensor, ValueForm::kAsInFile, is_transposed, std::move(bytes)});
}

void ValueIndex::add_beginning(Beginning beginning) {
  const std::uint64_t word = word_at(beginning.bytes);
  beginnings_.emplace(word, std::move(beginning));
}

std::vector<std::byte> ValueIndex::read_elements(const Known& tensor,
                                                 std::uint64_t first,
                                                 std::size_t count,
                                                 bool is_transposed) const {
  const std::uint64_t each = trace::float_bytes(tensor.type);
  if (!is_transposed)
    return read_at(files_[tensor.file], tensor.begin + first * each, count * each);
  const std::uint64_t rows = tensor.elements / tensor.columns;
  std::vector<std::byte> bytes;
  for (std::uint64_t i = first; i < first + count; ++i) {
    const std::uint64_t element = i % rows * tensor.columns + i / rows;
    const auto value = read_at(files_[tensor.file], tensor.begin + element * each, each);
    bytes.insert(bytes.end(), value.begin(), value.end());
  }
  return bytes;
}

std::vector<std::byte> ValueIndex::unpack_elements(const Known& tensor,
                                                   std::uint64_t first,
                                                   std::size_t count) const {
  const auto& [word, block_bytes, block_elements, unpack] = *tensor.packed;
  const std::uint64_t begin = first / block_elements;
  const std::uint64_t end = (first + count + block_elements - 1) / block_elements;
  const auto blocks =
      read_at(files_[tensor.file], tensor.begin + begin * block_bytes, (end - begin) * block_bytes);
  std::vector<float> values;
  for (std::size_t at = 0; at + block_bytes <= blocks.size(); at += block_bytes) {
    values.resize(values.size() + block_elements);
    unpack(blocks.data() + at, &values[values.size() - block_elements]);
  }
  const std::size_t before = first - begin * block_elements;
  if (before + count > values.size())
    return {};
  const auto wanted = std::as_bytes(std::span(values).subspan(before, count));
  return {wanted.begin(), wanted.end()};
}

std::optional<trace::ValueMatch> ValueIndex::find(const BlockSample& block) {
  const std::span<const std::byte> first(block.first.data(), block.first_count);
  std::optional<trace::ValueMatch> found;
  for (std::uint64_t place = 0; place <= BlockSample::kMaxHeaderBytes &&
                                place + sizeof(std::uint64_t) <= first.size() && !found;
       place += kAlignment) {
    const auto [begin, end] = beginnings_.equal_range(word_at(first.subspan(place)));
    for (auto at = begin; at != end; ++at) {
      const Beginning& beginning = at->second;
      if (++comparisons_ > kMaxComparisons) {
        has_left_out_ = true;
        return std::nullopt;
      }
      if (!holds(block, beginning, place))
        continue;
      const Known& tensor = tensors_[beginning.tensor];
      if (found && found->file == tensor.id && found->offset == tensor.begin)
        continue;  // it is the same both ways
      if (found)
        return std::nullopt;
      found = trace::ValueMatch{.allocation = block.allocation,
                                .begin = place,
                                .file = tensor.id,
                                .offset = tensor.begin,
                                .type = std::string(form_type(beginning.form)),
                                .is_transposed = beginning.is_transposed,
                                .at_ns = block.at_ns};
    }
  }
  return found;
}

bool ValueIndex::holds(const BlockSample& block,
                       const Beginning& beginning,
                       std::uint64_t place) const {
  const Known& tensor = tensors_[beginning.tensor];
  const std::uint32_t each = trace::float_bytes(form_type(beginning.form));
  const std::uint64_t bytes = each == 0 ? tensor.bytes : each * tensor.elements;
  if (place + beginning.bytes.size() > block.first_count || place + bytes > block.size ||
      block.size > place + 2 * bytes + kMaxSlackBytes)
    return false;
  return std::ranges::equal(beginning.bytes,
                            std::span(block.first).subspan(place, beginning.bytes.size())) &&
         is_same_inside(block, beginning, place);
}

bool ValueIndex::is_same_inside(const BlockSample& block,
                                const Beginning& beginning,
                                std::uint64_t place) const {
  const Known& tensor = tensors_[beginning.tensor];
  const std::uint64_t into = block.inner_at - std::min(block.inner_at, place);
  const bool is_as_in_file = beginning.form == ValueForm::kAsInFile;
  const std::uint32_t each =
      trace::float_bytes(is_as_in_file ? tensor.type : form_type(beginning.form));
  if (each == 0) {
    return into + block.inner.size() <= tensor.bytes &&
           std::ranges::equal(
               block.inner, read_at(files_[tensor.file], tensor.begin + into, block.inner.size()));
  }
  const std::uint64_t element = into / each;
  const std::size_t count = block.inner.size() / each;
  if (element + count > tensor.elements)
    return false;
  if (tensor.packed != nullptr) {
    const auto unpacked = unpack_elements(tensor, element, count);
    return std::ranges::equal(block.inner, convert("f32", unpacked, beginning.form));
  }
  const auto in_file = read_elements(tensor, element, count, beginning.is_transposed);
  return std::ranges::equal(
      block.inner, is_as_in_file ? in_file : convert(tensor.type, in_file, beginning.form));
}

}  // namespace tidemark::weights
