/// A weight file that is searched for values.
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

  /// Float32 values that belong together: those of a tensor, or of the whole file.
  struct Floats {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
  };
  trace::FileId id{0};
  FileDescriptor file;
  std::uint64_t size = 0;
  /// Offsets at which words begin, modulo four: in some formats tensors begin anywhere.
  std::set<std::uint64_t> shifts = {0};
  std::vector<Floats> floats{};
  bool lists_tensors = false;
  std::set<std::uint64_t> borders{};  ///< Where its tensors begin and end.

  [[nodiscard]] bool has_at(std::uint64_t offset, std::span<const std::byte> bytes) const;
  /// Where the file or a tensor begins or ends, at most `within` bytes before `offset`, the file by
  /// preference; none if neither does.
  [[nodiscard]] std::optional<std::uint64_t> border_before(std::uint64_t offset,
                                                           std::uint64_t within) const;
  [[nodiscard]] std::optional<std::uint64_t> border_behind(std::uint64_t offset,
                                                           std::uint64_t within) const;
};

/// Reads the file in pieces of kPieceBytes, each with `beyond` bytes of the next one, until
/// `bytes_read`, which counts on over all files, reaches `max_bytes`.
void read_pieces(
    const PlainFile& file,
    std::size_t beyond,
    std::uint64_t max_bytes,
    std::uint64_t& bytes_read,
    const std::function<void(std::span<const std::byte> piece, std::uint64_t at)>& take);

/// Whether a file with this content has its tensors uncompressed, or may have: an empty word means
/// unknown.
bool is_plain(std::string_view content);
/// The parts of a file that may be float32: the listed tensors of that type, or all of it.
std::vector<PlainFile::Floats> floats_of(std::span<const trace::Tensor> tensors,
                                         std::uint64_t file_bytes);
std::set<std::uint64_t> borders_of(std::span<const trace::Tensor> tensors);
/// Offsets at which words of these tensors begin, modulo four; all four if there are no tensors.
std::set<std::uint64_t> shifts_of(std::span<const trace::Tensor> tensors);

}  // namespace tidemark::weights
