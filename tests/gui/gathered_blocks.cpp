#include "tests/gui/gathered_blocks.hpp"

#include "tests/support/catch.hpp"

namespace tidemark::tests {

gui::BlockList gathered(analyzer::LoadedTrace& trace, std::size_t most) {
  gui::BlockGatherer gatherer(trace, most);
  while (gatherer.step()) {
  }
  return gatherer.take();
}

std::vector<std::uint64_t> borders(std::uint64_t end_ns, std::uint64_t count) {
  std::vector<std::uint64_t> found;
  for (std::uint64_t c = 0; c <= count; ++c) {
    found.push_back(end_ns * c / count);
  }
  return found;
}

void check_invariants(const gui::BlockStack& stack) {
  for (std::size_t column = 0; column < stack.heights.size(); ++column) {
    std::uint64_t bottom = 0;
    for (const gui::BlockShape& shape : stack.shapes) {
      for (const gui::BlockRun& run : shape.runs) {
        if (column >= run.begin && column < run.end) {
          CAPTURE(column, shape.block);
          REQUIRE(run.bottom == bottom);
          bottom += run.bytes;
        }
      }
    }
    REQUIRE(stack.heights[column] == bottom);
  }
}

}  // namespace tidemark::tests
