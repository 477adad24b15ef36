#include "analyzer/cli/torn_names.hpp"

#include "collector/symbols.hpp"

namespace tidemark::cli {

void name_torn_frames(analyzer::LoadedTrace& trace) {
  const trace::Definitions& definitions = trace.definitions();
  if (definitions.session.ended) {
    return;
  }
  Symbolizer symbolizer;
  for (std::uint32_t i = 0; i < definitions.frames.size(); ++i) {
    const trace::Frame& frame = definitions.frames[i];
    const bool is_named = i < definitions.locations.size() && !definitions.locations[i].empty();
    const std::size_t module = trace::index(frame.module);
    if (is_named || frame.module == trace::kNoModule || module >= definitions.modules.size()) {
      continue;
    }
    const trace::Module& file = definitions.modules[module];
    // Without a build id nobody can tell whether this is the file that ran: better no name than a
    // wrong one.
    if (!file.build_id.empty()) {
      trace.set_locations(trace::FrameId{i},
                          symbolizer.locate(file.path, frame.offset, file.build_id));
    }
  }
}

}  // namespace tidemark::cli
