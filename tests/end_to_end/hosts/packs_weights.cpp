// packs_weights PATH read: reads a file of weights that has 16 tensors of 512 x 512 float32 behind
// its first bytes into one block, and packs each tensor by a loop: tiles of eight rows, a bias,
// then their values column by column. Lives on for a moment.
//
// packs_weights PATH mapped: packs out of a mapping of the file.
// packs_weights PATH squares: read, but the packed values are others.
// packs_weights PATH pieces: reads and packs tensor by tensor.
// packs_weights PATH arrays: read, and copied by a loop into one mapping of 64 MiB that holds other
// numbers, tensor by tensor in the opposite order, each as an array behind a header.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

constexpr std::size_t kTensors = 16;
constexpr std::size_t kSide = 512;
constexpr std::size_t kTile = 8;
constexpr std::size_t kTensorBytes = kSide * kSide * sizeof(float);

std::vector<float> pack(const char* tensor, bool squares) {
  std::vector<float> tiles;
  tiles.reserve(kSide * kSide + kSide);
  for (std::size_t row = 0; row < kSide; row += kTile) {
    tiles.insert(tiles.end(), kTile, 0.0F);
    for (std::size_t column = 0; column < kSide; ++column) {
      for (std::size_t i = 0; i < kTile; ++i) {
        float value = 0;
        std::memcpy(&value, tensor + ((row + i) * kSide + column) * sizeof value, sizeof value);
        tiles.push_back(squares ? value * value : value);
      }
    }
  }
  return tiles;
}

const float* copy_to_arrays(const char* tensors) {
  constexpr std::size_t kMapped = std::size_t{64} << 20U;
  constexpr std::size_t kHeader = 16;
  auto* heap = static_cast<volatile float*>(
      mmap(nullptr, kMapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  for (std::size_t i = 0; i < kMapped / sizeof(float); ++i)
    heap[i] = static_cast<float>(i * 7919 % 1'000'003);
  for (std::size_t i = 0; i < kTensors; ++i) {
    volatile float* const array =
        heap + ((kTensors - i) * (2 * kTensorBytes + kHeader) + kHeader) / sizeof(float);
    for (std::size_t k = 0; k < kTensorBytes / sizeof(float); ++k) {
      float value = 0;
      std::memcpy(&value, tensors + i * kTensorBytes + k * sizeof value, sizeof value);
      array[k] = value;
    }
  }
  return const_cast<const float*>(heap);
}

}  // namespace

int main(int argc, char** argv) {
  const int file = argc == 3 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
  struct stat status {};
  std::uint64_t header = 0;
  if (file < 0 || fstat(file, &status) != 0 ||
      pread(file, &header, sizeof header, 0) != sizeof header)
    return 1;
  const char* how = argv[2];
  const auto size = static_cast<std::size_t>(status.st_size);
  const std::size_t begin = sizeof header + header;
  std::vector<char> read;
  const char* weights = nullptr;
  if (std::strcmp(how, "mapped") == 0) {
    weights = static_cast<const char*>(mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0));
  } else if (std::strcmp(how, "pieces") != 0) {
    read.resize(size);
    if (pread(file, read.data(), size, 0) != static_cast<ssize_t>(size))
      return 1;
    weights = read.data();
  }
  const bool is_to_arrays = std::strcmp(how, "arrays") == 0;
  const float* const arrays = is_to_arrays ? copy_to_arrays(weights + begin) : nullptr;
  std::vector<std::vector<float>> packed;
  for (std::size_t i = 0; i < kTensors && !is_to_arrays; ++i) {
    const std::size_t at = begin + i * kTensorBytes;
    std::vector<char> piece;
    if (weights == nullptr) {
      piece.resize(kTensorBytes);
      if (pread(file, piece.data(), kTensorBytes, static_cast<off_t>(at)) !=
          static_cast<ssize_t>(kTensorBytes))
        return 1;
    }
    packed.push_back(
        pack(weights == nullptr ? piece.data() : weights + at, std::strcmp(how, "squares") == 0));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  std::printf("%g\n",
              static_cast<double>(is_to_arrays ? arrays[kTensorBytes] : packed.back().back()));
}
