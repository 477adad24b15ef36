// change_trace IN.tmk FOLDER SEED COUNT: a trace with a few bytes changed, by chance, and most
// often with checksums that are right all the same: so the changes get behind them. Tables are
// mostly unpacked first, as nearly every change of a compressed stream only breaks the stream.
// Writes FOLDER/changed0.tmk and so on, COUNT of them.
#include "collector/trace/coding/block.hpp"
#include "collector/trace/coding/compression.hpp"
#include "collector/trace/file/file_map.hpp"
#include "tests/fuzz/right_checksums.hpp"

#include <zstd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace tidemark::trace;
using Random = std::mt19937_64;

ByteBuffer read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The payload of a table as it was before packing.
ByteBuffer unpacked(ByteView payload, std::size_t raw_bytes) {
  ByteBuffer raw(raw_bytes);
  const std::size_t got = ZSTD_decompress(raw.data(), raw.size(), payload.data(), payload.size());
  return ZSTD_isError(got) == 0 && got == raw_bytes ? raw : ByteBuffer();
}

ByteBuffer with_unpacked_tables(const ByteBuffer& file) {
  if (file.size() < kFileHeaderBytes)
    return file;
  ByteBuffer out(file.begin(), file.begin() + kFileHeaderBytes);
  std::uint64_t at = kFileHeaderBytes;
  while (const auto header = read_block_header(file, at)) {
    const auto payload = read_payload(file, *header);
    if (!payload)
      break;
    const auto raw =
        header->packing == Packing::kZstd ? unpacked(*payload, header->raw_bytes) : ByteBuffer();
    if (raw.empty()) {
      out.insert(out.end(), file.begin() + static_cast<std::ptrdiff_t>(at),
                 file.begin() + static_cast<std::ptrdiff_t>(header->end_offset()));
    } else {
      const Payload stored{.type = static_cast<BlockType>(header->type)};
      const std::size_t start = begin_block(stored, out);
      out.insert(out.end(), raw.begin(), raw.end());
      end_block(stored, start, out);
    }
    at = header->end_offset();
  }
  return out;
}

void change(ByteBuffer& bytes, Random& random) {
  const std::size_t at = random() % bytes.size();
  switch (random() % 7) {
    case 0:
      bytes[at] = static_cast<std::uint8_t>(random());
      break;
    case 1:
      bytes[at] ^= static_cast<std::uint8_t>(1U << (random() % 8));
      break;
    case 2:
      bytes[at] = random() % 2 == 0 ? 0xff : 0;
      break;
    case 3: {
      // A number at its limits.
      const std::uint64_t number = std::uint64_t{0} - random() % 3;
      for (std::size_t i = 0; i < sizeof number && at + i < bytes.size(); ++i)
        bytes[at + i] = static_cast<std::uint8_t>(number >> (8 * i));
      break;
    }
    case 4:
      if (random() % 4 == 0)
        bytes.resize(at + 1);
      break;
    case 5: {
      const std::size_t from = random() % bytes.size();
      const std::size_t count =
          std::min<std::size_t>(random() % 64, bytes.size() - std::max(at, from));
      std::copy_n(ByteBuffer(bytes).begin() + static_cast<std::ptrdiff_t>(from), count,
                  bytes.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    }
    default:
      bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                   static_cast<std::uint8_t>(random()));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5)
    return 2;
  Random random(std::strtoull(argv[3], nullptr, 10));
  const ByteBuffer packed = read_file(argv[1]);
  if (packed.empty())
    return 2;
  const ByteBuffer unpacked = with_unpacked_tables(packed);
  for (int number = 0; number < std::atoi(argv[4]); ++number) {
    ByteBuffer bytes = random() % 4 != 0 ? unpacked : packed;
    for (auto changes = 1 + random() % 8; changes > 0; --changes)
      change(bytes, random);
    if (random() % 8 != 0)
      bytes = with_right_checksums(bytes);
    std::ofstream(std::string(argv[2]) + "/changed" + std::to_string(number) + ".tmk",
                  std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  return 0;
}
