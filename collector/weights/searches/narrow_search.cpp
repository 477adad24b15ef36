#include "collector/weights/searches/narrow_search.hpp"

#include "collector/weights/value_forms.hpp"

#include <algorithm>

#include <unistd.h>

namespace tidemark::weights {
void NarrowSearch::want(const BlockSample& block) {
  if (blocks_ >= kMaxBlocks || !WordPlaces::tell_apart(block.inner))
    return;
  ++blocks_;
  for (Narrowing& narrowing : narrowings_)
    narrowing.words.want_pairs(block.inner);
}

void NarrowSearch::read(const PlainFile& file) {
  const std::size_t number = files_.size();
  files_.push_back(&file);
  // A pair that begins with a piece's last word, in the file's type.
  constexpr std::size_t kBeyond = 4 * WordPlaces::kWordBytes;
  const auto take = [&](std::span<const std::byte> piece, std::uint64_t at) {
    for (Narrowing& narrowing : narrowings_)
      take_narrow(narrowing, piece, FilePlace(number, at / narrowing.times()));
  };
  read_pieces(file, kBeyond, kMaxFileBytes, bytes_read_, take);
}

/// Numbers of eight bytes begin at any multiple of four, as netCDF's do behind its header. Where a
/// word has two elements it may begin with each.
void NarrowSearch::take_narrow(Narrowing& narrowing,
                               std::span<const std::byte> piece,
                               FilePlace begin) {
  const std::size_t each = trace::float_bytes(narrowing.type);
  for (std::size_t skipped = 0;
       skipped < trace::float_bytes(narrowing.file_type) && skipped < piece.size();
       skipped += WordPlaces::kWordBytes) {
    const auto narrow =
        convert(narrowing.file_type, piece.subspan(skipped), rounded_form(narrowing.type));
    const FilePlace first = begin.behind(skipped / narrowing.times());
    for (std::size_t shift = 0; shift < WordPlaces::kWordBytes && shift < narrow.size();
         shift += each) {
      narrowing.words.take(std::span(narrow).subspan(shift),
                           PlainFile::kPieceBytes / narrowing.times(), first.behind(shift));
    }
  }
}

bool NarrowSearch::Narrowing::is_at(const PlainFile& file,
                                    std::uint64_t begin,
                                    std::span<const std::byte> bytes) const {
  std::vector<std::byte> there(bytes.size() * times());
  const ssize_t got =
      ::pread(file.file.number(), there.data(), there.size(), static_cast<off_t>(begin * times()));
  return got == std::ssize(there) &&
         std::ranges::equal(convert(file_type, there, rounded_form(type)), bytes);
}

std::optional<trace::PackedMatch> NarrowSearch::find(const BlockSample& block) const {
  if (!WordPlaces::tell_apart(block.inner))
    return std::nullopt;
  for (const Narrowing& narrowing : narrowings_) {
    if (auto match = find_as(narrowing, block))
      return match;
  }
  return std::nullopt;
}

std::optional<trace::PackedMatch> NarrowSearch::find_as(const Narrowing& narrowing,
                                                        const BlockSample& block) const {
  const std::span<const std::byte> inner(block.inner);
  const auto first = std::span(block.first).first(block.first_count);
  if (first.size() <= BlockSample::kMaxHeaderBytes)
    return std::nullopt;
  for (std::size_t before = 0; before + 2 * WordPlaces::kWordBytes <= inner.size();
       before += WordPlaces::kWordBytes) {
    for (const FilePlace place : narrowing.words.of_pair(inner.subspan(before))) {
      // An object's header in the block may precede the file's first byte.
      if (place.offset() + BlockSample::kMaxHeaderBytes < before + block.inner_at)
        continue;
      const PlainFile& file = *files_[place.file()];
      const std::uint64_t behind_header =
          place.offset() + BlockSample::kMaxHeaderBytes - before - block.inner_at;
      const std::uint64_t begin =
          behind_header - std::min<std::uint64_t>(behind_header, BlockSample::kMaxHeaderBytes);
      if (begin + block.size > file.size / narrowing.times() + BlockSample::kMaxSlackBytes ||
          !narrowing.is_at(file, place.offset() - before, inner) ||
          !narrowing.is_at(file, behind_header, first.subspan(BlockSample::kMaxHeaderBytes)))
        continue;
      return trace::PackedMatch{.allocation = block.allocation,
                                .file = file.id,
                                .offset = begin * narrowing.times(),
                                .distance = 0,
                                .at_ns = block.at_ns,
                                .type = std::string(narrowing.type),
                                .file_type = std::string(narrowing.file_type)};
    }
  }
  return std::nullopt;
}

}  // namespace tidemark::weights
