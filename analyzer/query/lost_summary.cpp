#include "analyzer/query/lost_summary.hpp"

#include <cstddef>
#include <cstdint>

namespace tidemark::analyzer {

bool lost_a_summary(LoadedTrace& trace) {
  if (trace.loss().events_damaged == 0) {
    return false;
  }
  // Events of damaged blocks with an intact summary are in the loss, too; all others are gone
  // completely.
  std::uint64_t summarised = 0;
  for (std::size_t i = 0; i < trace.blocks().size(); ++i) {
    summarised += trace.events(i) == nullptr ? trace.blocks()[i].event_count : 0;
  }
  // Asked only now: decoding finds damage that was unknown before.
  return trace.loss().events_damaged > summarised;
}

}  // namespace tidemark::analyzer
