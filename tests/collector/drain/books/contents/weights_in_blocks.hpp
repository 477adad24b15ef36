/// Blocks of this very process that hold weights, and a book that looks into them.
#pragma once

#include "collector/drain/books/contents/value_book.hpp"
#include "tests/collector/drain/own_memory.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace tidemark::tests {

constexpr std::uint64_t kElements = std::uint64_t{1} << 18U;
constexpr std::uint64_t kBlockBytes = kElements * sizeof(double);
constexpr std::uint64_t kMuchLater = 3'000'000'000'000;  // Whatever the look before has cost.

/// A file of one tensor of float32, and heap blocks that hold it as float64.
struct Weights : OwnMemory {
  Weights() {
    for (std::uint64_t i = 0; i < kElements; ++i)
      values.push_back(static_cast<float>(i) / 3);
    const std::string path = folder.file("weights");
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(kElements * sizeof(float)));
    const trace::Tensor tensor{
        .name = "w", .type = "f32", .elements = kElements, .bytes = kElements * sizeof(float)};
    index.add(trace::FileId{0}, open_regular_file(path), std::span(&tensor, 1));
  }
  void widen(std::uint64_t at, std::uint64_t count = kElements) const {
    auto* to = reinterpret_cast<double*>(memory + at);
    for (std::uint64_t i = 0; i < count; ++i)
      to[i] = static_cast<double>(values[i]);
  }
  void overwrite(std::uint64_t at, char first = 0) const {
    for (std::uint64_t i = 0; i < kBlockBytes; ++i)
      memory[at + i] = static_cast<char>(first + static_cast<char>(i % 251));
  }
  void look_once(std::uint64_t later_ns) {
    pass_time(later_ns);
    sink.move_on_to(now());
    recorded().tables.values.cost_ns = 0;  // On a busy machine it may be anything.
    book.look(recorded(), now());
  }
  /// Twice: what one look has seen the next one believes.
  void look(std::uint64_t later_ns = kMuchLater) {
    look_once(later_ns);
    look_once(later_ns);
  }
  Host& recorded() { return *assembler().processes().hosts().at(0); }
  const std::vector<trace::ValueMatch>& told() {
    book.tell({index, {}});
    return log().matches();
  }

  EventSink sink{log()};
  ValueBook book{sink};
  TemporaryFolder folder;
  std::vector<float> values;
  weights::ValueIndex index;
};

/// What a host tells of a block of `size` bytes before it frees it.
struct Told {
  wire::LastValues said;
  std::vector<std::byte> payload;

  Told(const Weights& host, std::uint64_t at, std::uint64_t size) {
    constexpr std::uint64_t kAround = 512;
    said.address = host.address + at;
    said.inner_at = wire::values_place(size) - kAround;
    said.first_bytes = wire::kFirstValueBytes;
    said.inner_bytes = wire::kInnerValueBytes + 2 * kAround;
    const auto* const bytes = reinterpret_cast<const std::byte*>(host.memory + at);
    payload.assign(bytes, bytes + said.first_bytes);
    payload.insert(payload.end(), bytes + said.inner_at, bytes + said.inner_at + said.inner_bytes);
  }
};

inline void see(Weights& host, const Told& told) {
  Source source;
  source.host = &host.recorded();
  host.sink.move_on_to(host.now());
  host.book.see(source, told.said, {told.payload, {}});
}

}  // namespace tidemark::tests
