// widens_weights PATH: reads a file of weights that has 16 tensors of float32 behind its first
// bytes, each into a block, and converts all to double by a loop. Lives on for a moment.
//
// widens_weights PATH squares: the same, but the doubles are other values.
// widens_weights PATH hurries: lives on before the last four are converted, and ends at once.
// widens_weights PATH scratch: the last four blocks get other values.
// widens_weights PATH turned: the numbers of the file are big-endian, and are not widened, but
// turned round. widens_weights PATH masked: every byte of the file has to be turned first
// (exclusive or 0x5a).
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <span>
#include <thread>
#include <vector>

namespace {

constexpr int kTensors = 16;
constexpr std::size_t kElements = std::size_t{1} << 18U;

/// Values of a tensor, or their squares: a block of squares never holds the weights, not even for a
/// moment. One type for both, so that all blocks have one stack.
struct Values {
  using iterator_category = std::forward_iterator_tag;
  using value_type = double;
  using difference_type = std::ptrdiff_t;
  using pointer = const double*;
  using reference = double;

  const float* at = nullptr;
  bool are_squares = false;

  double operator*() const { return are_squares ? static_cast<double>(*at) * *at : *at; }
  Values& operator++() {
    ++at;
    return *this;
  }
  Values operator++(int) { return {at++, are_squares}; }
  bool operator==(const Values& other) const { return at == other.at; }
};

/// By a loop, from a buffer that is used again.
bool read_masked(std::FILE* file, std::vector<float>& tensor) {
  static std::vector<std::byte> buffer(kElements * sizeof(float));
  if (std::fread(buffer.data(), 1, buffer.size(), file) != buffer.size())
    return false;
  const auto bytes = std::as_writable_bytes(std::span(tensor));
  for (std::size_t i = 0; i < buffer.size(); ++i)
    bytes[i] = buffer[i] ^ std::byte{0x5a};
  return true;
}

bool read_plain(std::FILE* file, std::vector<float>& tensor) {
  return std::fread(tensor.data(), sizeof(float), kElements, file) == kElements;
}

void live_on() {
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
}

int turn_round(const std::vector<std::vector<float>>& read) {
  std::vector<std::vector<float>> turned;
  turned.reserve(kTensors);
  for (const auto& tensor : read) {
    std::vector<float>& numbers = turned.emplace_back(tensor.size());
    const auto from = std::as_bytes(std::span(tensor));
    const auto to = std::as_writable_bytes(std::span(numbers));
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = from[i ^ (sizeof(float) - 1)];
  }
  live_on();
  std::printf("%g\n", static_cast<double>(turned.back().back() + read.front().front()));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::FILE* file = std::fopen(argv[1], "rb");
  const char* how = argc > 2 ? argv[2] : "";
  const bool hurries = std::strcmp(how, "hurries") == 0;
  std::uint64_t header = 0;
  if (file == nullptr || std::fread(&header, sizeof header, 1, file) != 1)
    return 1;
  std::fseek(file, static_cast<long>(sizeof header + header), SEEK_SET);
  std::vector<std::vector<float>> read(kTensors);
  for (auto& tensor : read) {
    tensor.resize(kElements);
    if (!(std::strcmp(how, "masked") == 0 ? read_masked : read_plain)(file, tensor))
      return 1;
  }
  std::fclose(file);
  if (std::strcmp(how, "turned") == 0)
    return turn_round(read);
  std::vector<std::vector<double>> wide;
  wide.reserve(kTensors);  // One stack for all of them.
  for (const auto& tensor : read) {
    const bool is_of_last = wide.size() >= kTensors - 4;
    if (hurries && wide.size() == kTensors - 4)
      live_on();
    const bool are_squares =
        std::strcmp(how, "squares") == 0 || (std::strcmp(how, "scratch") == 0 && is_of_last);
    wide.emplace_back(Values{tensor.data(), are_squares},
                      Values{tensor.data() + tensor.size(), are_squares});
  }
  if (!hurries)
    live_on();
  std::printf("%g\n", wide.back().back() + static_cast<double>(read.front().front()));
}
