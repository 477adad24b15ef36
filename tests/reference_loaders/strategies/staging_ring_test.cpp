#include "reference_loaders/strategies/staging_ring.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

using namespace tidemark::loaders::strategies;

namespace {

std::vector<std::byte> counted(std::size_t bytes) {
  std::vector<std::byte> data(bytes);
  std::uint32_t next = 1;
  for (std::byte& byte : data) {
    next = next * 1664525 + 1013904223;
    byte = static_cast<std::byte>(next >> 24);
  }
  return data;
}

}  // namespace

TEST_CASE("every byte that goes through a ring arrives where it belongs", "[strategies]") {
  const std::vector<std::byte> from = counted(1'000'003);
  std::vector<std::byte> to(from.size());
  {
    StagingRing ring(4, 4096);
    for (std::size_t done = 0; done < from.size();) {
      const auto buffer = ring.acquire();
      const auto chunk = buffer.first(std::min(buffer.size(), from.size() - done));
      std::memcpy(chunk.data(), from.data() + done, chunk.size());
      ring.submit(chunk, to.data() + done);
      done += chunk.size();
    }
    ring.drain();
    CHECK((to == from));  // not shown: a megabyte
  }
}

TEST_CASE("a ring that is left in the middle copies what it was given", "[strategies]") {
  const std::vector<std::byte> from = counted(8192);
  std::vector<std::byte> to(from.size());
  {
    StagingRing ring(2, 4096);
    for (const std::size_t at : {std::size_t{0}, std::size_t{4096}}) {
      const auto buffer = ring.acquire();
      std::memcpy(buffer.data(), from.data() + at, buffer.size());
      ring.submit(buffer, to.data() + at);
    }
  }
  CHECK((to == from));  // not shown: a megabyte
}

TEST_CASE("a drained ring has copied its last byte", "[strategies]") {
  constexpr std::size_t kLongEnoughToBeSeen = std::size_t{32} << 20;
  std::vector<std::byte> to(kLongEnoughToBeSeen);
  StagingRing ring(1, to.size());
  const auto buffer = ring.acquire();
  std::ranges::fill(buffer, std::byte{7});

  ring.submit(buffer, to.data());
  ring.drain();

  CHECK(to.back() == std::byte{7});
}

TEST_CASE("a disk can write to the buffers of a ring", "[strategies]") {
  StagingRing ring(1, 4096);

  CHECK(reinterpret_cast<std::uintptr_t>(ring.acquire().data()) % 4096 == 0);
}
