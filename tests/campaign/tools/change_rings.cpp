// change_rings FOLDER SECONDS SEED KEPT: runs the ring reader, or whatever is linked as a fuzz
// target, on changed files of FOLDER until the time is over. The input at work is in the file KEPT,
// so that it is there after a crash. Prints how many there were.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

std::vector<Bytes> corpus(const char* folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> files;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return files;
}

void change(Bytes& bytes, std::mt19937_64& random) {
  if (bytes.empty() || random() % 16 == 0) {
    bytes.push_back(static_cast<std::uint8_t>(random()));
    return;
  }
  const std::size_t at = random() % bytes.size();
  switch (random() % 4) {
    case 0:
      bytes[at] = static_cast<std::uint8_t>(random());
      break;
    case 1:
      bytes[at] ^= static_cast<std::uint8_t>(1U << (random() % 8));
      break;
    case 2:
      bytes.resize(at + 1);
      break;
    default: {
      const std::size_t from = random() % bytes.size();
      const std::size_t count =
          std::min<std::size_t>(random() % 64, bytes.size() - std::max(at, from));
      std::copy_n(Bytes(bytes).begin() + static_cast<std::ptrdiff_t>(from), count,
                  bytes.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5)
    return 2;
  const std::vector<Bytes> files = corpus(argv[1]);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(argv[2]));
  std::mt19937_64 random(std::strtoull(argv[3], nullptr, 10));
  const int kept = open(argv[4], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (kept < 0 || ftruncate(kept, kMaxBytes) != 0)
    return 2;
  auto* const current = static_cast<std::uint8_t*>(
      mmap(nullptr, kMaxBytes, PROT_READ | PROT_WRITE, MAP_SHARED, kept, 0));
  unsigned long inputs = 0;
  while (std::chrono::steady_clock::now() < end) {
    Bytes bytes = files[random() % files.size()];
    for (auto changes = 1 + random() % 8; changes > 0; --changes)
      change(bytes, random);
    bytes.resize(std::min(bytes.size(), kMaxBytes));
    std::copy(bytes.begin(), bytes.end(), current);
    if (ftruncate(kept, static_cast<off_t>(kMaxBytes)) != 0)
      return 2;
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    ++inputs;
  }
  std::printf("%lu inputs\n", inputs);
  return 0;
}
