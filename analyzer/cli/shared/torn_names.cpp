#include "analyzer/cli/shared/torn_names.hpp"

#include "collector/symbols/symbol_process.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tidemark::cli {

void name_torn_frames(analyzer::LoadedTrace& trace) {
  const trace::Definitions& definitions = trace.definitions();
  // Names are written last: if the disk was full, they are missing, too.
  const trace::Loss& loss = definitions.session.loss;
  if (definitions.session.ended && loss.events_unwritten == 0 && !loss.torn) {
    return;
  }
  const auto is_named = [&](std::size_t frame) {
    return frame < definitions.locations.size() && !definitions.locations[frame].empty();
  };
  // Without a build id it is unknown whether this is the file that ran: no name is better than a
  // wrong one.
  const auto is_known = [&](trace::ModuleId module) {
    const std::size_t number = trace::index(module);
    return number < definitions.modules.size() && !definitions.modules[number].build_id.empty();
  };
  std::vector<trace::FrameId> wanted;
  for (std::uint32_t i = 0; i < definitions.frames.size(); ++i) {
    if (!is_named(i) && is_known(definitions.frames[i].module)) {
      wanted.push_back(trace::FrameId{i});
    }
  }
  resolve_symbols_apart(trace.recorded_modules(), definitions.frames, std::move(wanted), {},
                        [&](trace::FrameId frame, const std::vector<trace::Location>& locations) {
                          trace.set_locations(frame, locations);
                        });
  // Which frames are shown depends on which have no name.
  trace.show_frames(analyzer::FrameChoice::kBoth);
}

}  // namespace tidemark::cli
