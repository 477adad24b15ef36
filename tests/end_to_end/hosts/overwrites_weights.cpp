// overwrites_weights PATH: fills 16 blocks with numbers, reads a file of weights that has 16
// tensors of float32 of their sizes behind its first bytes into 16 others, copies each of them by a
// loop over the numbers, gives all back, and ends at once. Of a network that is made and then
// loaded.
//
// overwrites_weights PATH squares: the same, but the values that are put there are others.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include <sys/stat.h>

namespace {

constexpr std::size_t kTensors = 16;

std::unique_ptr<float[]> numbers(std::size_t count) {
  auto block = std::make_unique_for_overwrite<float[]>(count);
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 1'664'525 + 1'013'904'223;
    block[i] = static_cast<float>(state);
  }
  return block;
}

void put(float* to, const float* from, std::size_t count, bool squares) {
  for (std::size_t i = 0; i < count; ++i)
    to[i] = squares ? from[i] * from[i] : from[i];
}

}  // namespace

int main(int argc, char** argv) {
  std::FILE* file = std::fopen(argv[1], "rb");
  const bool squares = argc > 2 && std::strcmp(argv[2], "squares") == 0;
  struct stat status {};
  std::uint64_t header = 0;
  if (file == nullptr || fstat(fileno(file), &status) != 0 ||
      std::fread(&header, sizeof header, 1, file) != 1)
    return 1;
  const std::size_t begin = sizeof header + header;
  const std::size_t count =
      (static_cast<std::size_t>(status.st_size) - begin) / kTensors / sizeof(float);
  std::vector<std::unique_ptr<float[]>> network;
  for (std::size_t i = 0; i < kTensors; ++i)
    network.push_back(numbers(count));
  std::fseek(file, static_cast<long>(begin), SEEK_SET);
  std::vector<std::unique_ptr<float[]>> read;
  for (std::size_t i = 0; i < kTensors; ++i) {
    read.push_back(std::make_unique_for_overwrite<float[]>(count));
    if (std::fread(read.back().get(), sizeof(float), count, file) != count)
      return 1;
  }
  std::fclose(file);
  for (std::size_t i = 0; i < kTensors; ++i)
    put(network[i].get(), read[i].get(), count, squares);
  std::printf("%g\n", static_cast<double>(network[kTensors - 1][count - 1]));
}
