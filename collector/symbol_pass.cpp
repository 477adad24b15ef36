#include "collector/symbol_pass.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "collector/symbols.hpp"

namespace tidemark {

void resolve_symbols(
    trace::TraceWriter& writer,
    const StackStore& stacks,
    const std::function<void(const std::string&, std::size_t, std::size_t)>& progress) {
  const std::vector<trace::Frame>& frames = stacks.frames();
  std::vector<std::uint32_t> order(frames.size());
  std::iota(order.begin(), order.end(), 0U);
  // Module by module, and upwards in each: every file is opened once, and read in one direction.
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(frames[a].module, frames[a].offset) <
           std::pair(frames[b].module, frames[b].offset);
  });
  Symbolizer symbolizer;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const trace::Frame& frame = frames[order[i]];
    if (frame.module == trace::kNoModule)
      continue;
    const trace::Module& module = stacks.modules()[trace::index(frame.module)];
    const std::vector<trace::Location> locations =
        symbolizer.locate(module.path, frame.offset, module.build_id);
    if (!locations.empty())
      writer.set_locations(trace::FrameId{order[i]}, locations);
    if (progress && i % 256 == 0)
      progress("resolving symbols", i, order.size());
  }
}

}  // namespace tidemark
