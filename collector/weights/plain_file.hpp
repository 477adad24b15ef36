/// A file of weights in which values are looked for.
#pragma once

#include "collector/os/file_descriptor.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

namespace tidemark::weights {

struct PlainFile {
  static constexpr std::size_t kPieceBytes = std::size_t{1} << 20U;

  /// Values of a float32 each that belong together: a tensor's, or all of a file's.
  struct Floats {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
  };
  trace::FileId id{0};
  FileDescriptor file;
  std::uint64_t size = 0;
  /// Where words begin, modulo four: in some formats tensors begin anywhere.
  std::set<std::uint64_t> shifts = {0};
  std::vector<Floats> floats{};
  bool lists_tensors = false;
  std::set<std::uint64_t> borders{};  ///< Where its tensors begin and end.

  [[nodiscard]] bool has_at(std::uint64_t offset, std::span<const std::byte> bytes) const;
  /// Where the file or a tensor begins or ends, `within` bytes in front of `offset` at most, the
  /// file first; none, where neither does.
  [[nodiscard]] std::optional<std::uint64_t> border_before(std::uint64_t offset,
                                                           std::uint64_t within) const;
  [[nodiscard]] std::optional<std::uint64_t> border_behind(std::uint64_t offset,
                                                           std::uint64_t within) const;
};

/// Reads it in pieces of kPieceBytes, each with `beyond` bytes of the next one, until so many of
/// all files were read: `bytes_read` goes on.
void read_pieces(
    const PlainFile& file,
    std::size_t beyond,
    std::uint64_t max_bytes,
    std::uint64_t& bytes_read,
    const std::function<void(std::span<const std::byte> piece, std::uint64_t at)>& take);

/// Whether the tensors of such a file lie in it as they are, or may: nothing is known of one
/// without a word.
bool is_plain(std::string_view content);
/// What of a file may be float32: the tensors of that type that it lists, or all of it.
std::vector<PlainFile::Floats> floats_of(std::span<const trace::Tensor> tensors,
                                         std::uint64_t file_bytes);
std::set<std::uint64_t> borders_of(std::span<const trace::Tensor> tensors);
/// Where words of these tensors begin, modulo four; anywhere, where none are known.
std::set<std::uint64_t> shifts_of(std::span<const trace::Tensor> tensors);

}  // namespace tidemark::weights
