#include "collector/weights/unpacked_arrays.hpp"

#include "collector/os/content/zip_directory.hpp"
#include "collector/weights/formats/formats.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

namespace tidemark::weights {
namespace {

constexpr std::size_t kMaxDirectoryBytes = std::size_t{16} << 20U;
constexpr std::size_t kPieceBytes = std::size_t{256} << 10U;
constexpr std::size_t kPackedPieceBytes = std::size_t{16} << 10U;
constexpr std::uint64_t kArrayAlignment = 8;  ///< Words of a file are looked for at such places.

/// Unpacks one entry after the other into a file.
class Unpacker {
 public:
  /// `to` stays borrowed.
  Unpacker(const FileDescriptor& to, std::uint64_t max_bytes) : to_(to), max_bytes_(max_bytes) {}

  /// From `at` in the archive on.
  void unpack(const FileDescriptor& archive, std::uint64_t at) {
    z_stream stream{};
    if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK)
      return;
    int state = Z_OK;
    while (state == Z_OK && !is_full()) {
      if (stream.avail_in == 0 && !fill(stream, archive, at))
        break;
      stream.next_out = unpacked_.data();
      stream.avail_out = static_cast<uInt>(unpacked_.size());
      state = ::inflate(&stream, Z_NO_FLUSH);
      if ((state == Z_OK || state == Z_STREAM_END) && !put(unpacked_.size() - stream.avail_out))
        break;
    }
    ::inflateEnd(&stream);
  }
  /// An entry that is stored as it is.
  void copy(const FileDescriptor& archive, std::uint64_t at, std::uint64_t bytes) {
    while (bytes != 0 && !is_full()) {
      const ssize_t got =
          ::pread(archive.number(), unpacked_.data(),
                  static_cast<std::size_t>(std::min<std::uint64_t>(bytes, unpacked_.size())),
                  static_cast<off_t>(at));
      if (got <= 0 || !put(static_cast<std::size_t>(got)))
        return;
      at += static_cast<std::uint64_t>(got);
      bytes -= static_cast<std::uint64_t>(got);
    }
  }
  void align() { size_ = (size_ + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Also limited by what was read: entries can point to the same bytes, and these unpack to
  /// nothing.
  [[nodiscard]] bool is_full() const { return size_ >= max_bytes_ || read_ >= max_bytes_; }

 private:
  bool fill(z_stream& stream, const FileDescriptor& archive, std::uint64_t& at) {
    const ssize_t got =
        ::pread(archive.number(), packed_.data(), packed_.size(), static_cast<off_t>(at));
    if (got <= 0)
      return false;
    at += static_cast<std::uint64_t>(got);
    read_ += static_cast<std::uint64_t>(got);
    stream.next_in = packed_.data();
    stream.avail_in = static_cast<uInt>(got);
    return true;
  }
  bool put(std::size_t bytes) {
    if (::pwrite(to_.number(), unpacked_.data(), bytes, static_cast<off_t>(size_)) !=
        static_cast<ssize_t>(bytes))
      return false;
    size_ += bytes;
    return true;
  }

  const FileDescriptor& to_;
  std::uint64_t max_bytes_;
  std::uint64_t size_ = 0;
  std::uint64_t read_ = 0;  ///< Packed bytes so far.
  std::vector<unsigned char> packed_ = std::vector<unsigned char>(kPackedPieceBytes);
  std::vector<unsigned char> unpacked_ = std::vector<unsigned char>(kPieceBytes);
};

}  // namespace

std::optional<UnpackedArrays> unpack_arrays(const FileDescriptor& archive,
                                            std::uint64_t size,
                                            std::uint64_t max_bytes) {
  UnpackedArrays arrays{.file = FileDescriptor(::memfd_create("unpacked arrays", MFD_CLOEXEC)),
                        .size = 0,
                        .tensors = {}};
  if (!arrays.file.is_open())
    return std::nullopt;
  bool is_any_packed = false;
  Unpacker unpacker(arrays.file, max_bytes);
  std::vector<std::pair<std::string, std::uint64_t>> arrays_at;
  visit_zip(archive, size, kMaxDirectoryBytes, [&](const ZipEntry& entry) {
    const std::uint64_t at = zip_data_at(archive, entry.local_at);
    if (at == 0 || !entry.name.ends_with(".npy") || unpacker.is_full())
      return;
    unpacker.align();
    arrays_at.emplace_back(entry.name.substr(0, entry.name.size() - 4), unpacker.size());
    is_any_packed = is_any_packed || entry.is_packed;
    if (entry.is_packed)
      unpacker.unpack(archive, at);
    else
      unpacker.copy(archive, at, entry.bytes);
  });
  if (!is_any_packed || unpacker.size() == 0)
    return std::nullopt;
  arrays.size = unpacker.size();
  TensorList tensors(arrays.size);
  for (const auto& [name, begin] : arrays_at)
    read_npy_at(arrays.file, name, begin, tensors);
  arrays.tensors = std::move(tensors.all());
  return arrays;
}

}  // namespace tidemark::weights
