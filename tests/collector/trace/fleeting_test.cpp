#include "tests/collector/trace/recording.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <random>

namespace tidemark::trace::tests {
namespace {

/// Some of no bytes, some of another lane.
Event a_block(std::mt19937_64& random, std::uint64_t at_ns) {
  Event event;
  event.at_ns = at_ns;
  event.size = random() % 8 == 0 ? 0 : random() % 5'000;
  event.extra = random() % 3 * 8;
  event.stack = random() % 2 == 0 ? Recording::kInner : Recording::kOuter;
  event.thread = ThreadId{static_cast<std::uint32_t>(random() % 2)};
  event.lane = random() % 8 == 0 ? Lane::kAnon : Lane::kHeap;
  return event;
}

/// The same random events every time; pairs of an allocation and its release go in as `append_pair`
/// says.
template <typename AppendPair>
Bytes trace_with(unsigned seed, AppendPair append_pair) {
  constexpr int kSteps = 60'000;  // several full blocks
  std::mt19937_64 random(seed);
  Recording recording;
  std::uint64_t at_ns = 0;
  for (int i = 0; i < kSteps; ++i) {
    at_ns += random() % 250;
    if (random() % 64 == 0)
      at_ns -= std::min<std::uint64_t>(at_ns, 400);  // raised by the writer
    const Event block = a_block(random, at_ns);
    if (random() % 4 == 0)
      recording.writer().append(block);  // this one stays
    else
      append_pair(recording.writer(), block, at_ns += random() % 250);
    if (random() % 10'000 == 0)
      recording.flush();
  }
  return recording.finish();
}

TEST_CASE("a fleeting block leaves the bytes that its two events leave", "[trace]") {
  const auto seed = GENERATE(range(1U, 5U));
  CAPTURE(seed);
  const Bytes expected =
      trace_with(seed, [](TraceWriter& writer, const Event& block, std::uint64_t freed_ns) {
        writer.TraceWriter::append_fleeting(block, freed_ns);
      });
  const Bytes found =
      trace_with(seed, [](TraceWriter& writer, const Event& block, std::uint64_t freed_ns) {
        writer.append_fleeting(block, freed_ns);
      });
  CHECK(content_of(expected).events.size() > 2 * 40'000);
  CHECK((found == expected));
}

}  // namespace
}  // namespace tidemark::trace::tests
