/// Which loss could hide a regression: the difference between "below" and "cannot tell".
#pragma once

#include "analyzer/gate/gate_subject.hpp"

#include <string>

namespace tidemark::analyzer {

/// What a verdict depends on besides the subject's own highest value.
struct Reliance {
  Subject subject;
  bool needs_found_model = false;  ///< The limit is a multiple of a W that was found in file reads.
  std::uint64_t limit_bytes = 0;   ///< 0: the subject's highest value itself.
};

/// Why the subject's highest value may be higher than the trace shows, as a phrase that can follow
/// a colon; empty if it cannot be. Call it after the report is built, which finds damage.
///
/// - The missing end of a recording, dropped or unwritten events, whole processes and threads that
///   were not recorded: each may have held the peak. It can.
/// - Processes that were not recorded, where the most that they can have had in the time within
///   which they ran does not bring the footprint, heap, anon or shared memory above the limit. They
///   cannot.
/// - Processes that were still running when the recording ended: they can, except in a phase, which
/// is over.
/// - The missing end of a load whose program was ended by a signal: it can too, though the trace is
///   whole.
/// - A block of events that is damaged, while its summary is intact: lanes and footprint are read
/// off
///   the summaries, so it cannot. It can have held a phase's marks, or the reads that W was found
///   by.
/// - A block whose summary is gone too: it can.
/// - Cut stacks, events and blocks of a newer tidemark, releases of memory from before the
/// recording:
///   none of them adds bytes. They cannot.
/// - A program that brings its own malloc: its heap, and so its footprint, is not in the trace.
/// - Sampled lanes do not come from events: dropped events change nothing. Without a single sample,
/// or
///   with a damaged block that may have held some, they can be higher.
std::string what_could_hide_more(LoadedTrace& trace,
                                 const Report& report,
                                 const Reliance& reliance);

/// For a limit in multiples of a W that was not given: why the model may be among unseen reads, as
/// a phrase like the one above; empty if it cannot be.
std::string what_could_hold_the_model(const Report& report, const trace::Loss& loss);

}  // namespace tidemark::analyzer
