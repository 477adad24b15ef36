#include "reference_loaders/burn/gzip_reader.hpp"

#include "reference_loaders/bad_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include <zlib.h>

namespace tidemark::loaders::burn {

struct GzipReader::Stream {
  z_stream z{};
  std::uint64_t position = 0;  ///< Where in the file reading goes on, behind what is in `input`.
  std::array<Bytef, kBufferBytes> input;
};

GzipReader::GzipReader(ByteSource& source)
    : source_(source),
      stream_(std::make_unique<Stream>()),
      buffer_(std::make_unique<std::array<char, kBufferBytes>>()) {
  constexpr int kGzipAlone = 15 + 16;  // the largest window, and no zlib format
  if (inflateInit2(&stream_->z, kGzipAlone) != Z_OK) {
    throw std::bad_alloc();
  }
}

GzipReader::~GzipReader() {
  inflateEnd(&stream_->z);
}

void GzipReader::read_slowly(char* data, std::size_t size) {
  while (size > 0) {
    if (at_ == end_) {
      refill();
    }
    const std::size_t count = std::min(size, end_ - at_);
    if (count == 0) {
      refuse(fmt::format("{} bytes more are needed where the data ends", size));
    }
    std::memcpy(data, buffer_->data() + at_, count);
    at_ += count;
    data += count;
    size -= count;
  }
}

/// Inflates the next bytes, or none at the end of the member.
void GzipReader::refill() {
  at_ = 0;
  end_ = 0;
  while (end_ == 0 && !at_end_) {
    read_compressed();
    z_stream& z = stream_->z;
    z.next_out = reinterpret_cast<Bytef*>(buffer_->data());
    z.avail_out = kBufferBytes;
    const int status = inflate(&z, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    }
    if (status != Z_OK && status != Z_STREAM_END) {
      refuse(status == Z_BUF_ERROR
                 ? "the gzip data is cut"
                 : fmt::format("no gzip data: {}", z.msg != nullptr ? z.msg : "damaged"));
    }
    end_ = kBufferBytes - z.avail_out;
    inflated_ += end_;
    at_end_ = status == Z_STREAM_END;
  }
}

void GzipReader::read_compressed() {
  z_stream& z = stream_->z;
  if (z.avail_in > 0) {
    return;
  }
  const auto count = std::min<std::uint64_t>(kBufferBytes, source_.size() - stream_->position);
  source_.read_at(stream_->position, stream_->input.data(), count);
  stream_->position += count;
  z.next_in = stream_->input.data();
  z.avail_in = static_cast<uInt>(count);
}

void GzipReader::expect_end() {
  if (at_ == end_) {
    refill();
  }
  if (at_ != end_) {
    refuse("more data follows the record");
  }
  if (offset() != source_.size()) {
    refuse(fmt::format("{} bytes follow the gzip data", source_.size() - offset()));
  }
}

std::uint64_t GzipReader::most_left() const {
  constexpr std::uint64_t kMaxBytesOfAByte = 1032;
  return (end_ - at_) + kBufferBytes + (source_.size() - offset()) * kMaxBytesOfAByte;
}

std::uint64_t GzipReader::offset() const {
  return stream_->position - stream_->z.avail_in;
}

void GzipReader::refuse(const std::string& what) const {
  throw BadInput(source_.name(), offset(), what);
}

}  // namespace tidemark::loaders::burn
