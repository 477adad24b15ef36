/// When calls from Python that copy bytes of the model have made their last copy of them.
#pragma once

#include "analyzer/flow/flow_index.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::analyzer {

/// A call of an extension module may copy bytes several times, as protobuf's SerializeToString does
/// to a buffer that grows, then to `bytes`. Its caller can free what it gave it only once it
/// returns.
///
/// The blocks of one call have the same stack up to the innermost Python frame, and no other line
/// of Python asks for a block or copies one between them. A loop whose line is all that does so
/// counts as one call.
class CallEnds {
 public:
  /// An instant of the trace.
  struct Copy {
    trace::EventOrdinal at = 0;
    std::uint64_t at_ns = 0;
  };

  /// Nothing stays borrowed.
  CallEnds(const trace::Definitions& definitions, const FlowIndex& flow);

  /// The last copy of what this delivery (`is_delivery`) brought that its call made; the delivery
  /// itself if there is none after it, or if the call asked for the source, too: that one is its
  /// own to free.
  [[nodiscard]] Copy last_after(const Departure& delivery) const;

 private:
  std::vector<std::uint32_t> call_of_;  // By life: the innermost Python frame's node; 0 if none.
  std::vector<Copy> last_;              // By life: the last copy out of it by the call that asked
                                        // for it, and on from there.
};

}  // namespace tidemark::analyzer
