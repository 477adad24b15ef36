#include "collector/weights/plain_file.hpp"

#include <algorithm>
#include <array>

#include <unistd.h>

namespace tidemark::weights {
namespace {

constexpr std::array<std::string_view, 14> kPlainContents{
    "gguf", "ggml", "safetensors", "torch", "tflite", "onnx",  "executorch",
    "tvm",  "npy",  "npz",         "hdf5",  "pickle", "mxnet", ""};

}  // namespace

void read_pieces(const PlainFile& file,
                 std::size_t beyond,
                 std::uint64_t max_bytes,
                 std::uint64_t& bytes_read,
                 const std::function<void(std::span<const std::byte>, std::uint64_t)>& take) {
  std::vector<std::byte> piece(PlainFile::kPieceBytes + beyond);
  for (std::uint64_t at = 0; at < file.size && bytes_read < max_bytes;
       at += PlainFile::kPieceBytes) {
    const ssize_t got =
        ::pread(file.file.number(), piece.data(), piece.size(), static_cast<off_t>(at));
    if (got <= 0)
      return;
    take(std::span(piece).first(static_cast<std::size_t>(got)), at);
    bytes_read += std::min<std::uint64_t>(static_cast<std::uint64_t>(got), PlainFile::kPieceBytes);
  }
}

bool PlainFile::has_at(std::uint64_t offset, std::span<const std::byte> bytes) const {
  std::vector<std::byte> there(bytes.size());
  const ssize_t got =
      ::pread(file.number(), there.data(), there.size(), static_cast<off_t>(offset));
  return got == std::ssize(bytes) && std::ranges::equal(bytes, there);
}

std::optional<std::uint64_t> PlainFile::border_before(std::uint64_t offset,
                                                      std::uint64_t within) const {
  if (offset <= within)
    return 0;
  const auto behind = borders.upper_bound(offset);
  const bool is_near = behind != borders.begin() && offset - *std::prev(behind) <= within;
  return is_near ? std::optional(*std::prev(behind)) : std::nullopt;
}

std::optional<std::uint64_t> PlainFile::border_behind(std::uint64_t offset,
                                                      std::uint64_t within) const {
  if (size - std::min(size, offset) <= within)
    return size;
  const auto at = borders.lower_bound(offset);
  return at != borders.end() && *at - offset <= within ? std::optional(*at) : std::nullopt;
}

bool is_plain(std::string_view content) {
  return std::ranges::find(kPlainContents, content) != kPlainContents.end();
}

std::vector<PlainFile::Floats> floats_of(std::span<const trace::Tensor> tensors,
                                         std::uint64_t file_bytes) {
  if (tensors.empty())
    return {{0, file_bytes}};
  std::vector<PlainFile::Floats> floats;
  for (const trace::Tensor& tensor : tensors) {
    if (tensor.type == "f32" && tensor.bytes == tensor.elements * sizeof(float))
      floats.push_back({tensor.begin, tensor.bytes});
  }
  return floats;
}

std::set<std::uint64_t> borders_of(std::span<const trace::Tensor> tensors) {
  std::set<std::uint64_t> borders;
  for (const trace::Tensor& tensor : tensors) {
    borders.insert(tensor.begin);
    borders.insert(tensor.begin + tensor.bytes);
  }
  return borders;
}

std::set<std::uint64_t> shifts_of(std::span<const trace::Tensor> tensors) {
  constexpr std::uint64_t kBytesOfWord = 4;
  if (tensors.empty())
    return {0, 1, 2, 3};
  std::set<std::uint64_t> shifts;
  for (const trace::Tensor& tensor : tensors)
    shifts.insert(tensor.begin % kBytesOfWord);
  return shifts;
}

}  // namespace tidemark::weights
