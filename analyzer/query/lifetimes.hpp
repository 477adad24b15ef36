/// What an event does to allocations, defined in this one place for all code that follows them.
#pragma once

#include "analyzer/query/wrapping.hpp"
#include "collector/trace/types/event.hpp"

#include <cstdint>

namespace tidemark::analyzer {

/// Calls, as the event says:
///
///     sink.begin(event)                        an allocation of event.size bytes begins
///     sink.end(allocation, event)              the whole of it goes
///     sink.resize(allocation, change, event)   so many bytes of it go (a negative change) or come;
///                                              one that is empty may grow again
///     sink.end_all(event)                      all of the lane event.lane that the process of
///                                              event.thread still holds goes
///     sink.end_process(process, event)         all that the process still holds goes: there is
///                                              nothing left unless events are missing
///
/// `end_all` and `end_process` are optional. A sink with `move(event)` gets a reallocation as one
/// step; for others the old allocation ends and the new one begins.
template <typename Sink>
void follow(const trace::Event& event, Sink& sink) {
  switch (event.kind) {
    case trace::EventKind::kReallocate:
      if constexpr (requires { sink.move(event); }) {
        sink.move(event);
        break;
      } else {
        sink.end(event.released, event);
      }
      [[fallthrough]];
    case trace::EventKind::kAllocate:
      sink.begin(event);
      break;
    case trace::EventKind::kRelease:
      sink.end(event.allocation, event);
      break;
    case trace::EventKind::kReleasePart:
      sink.resize(event.allocation, minus(event.size), event);
      break;
    case trace::EventKind::kGrow:
      sink.resize(event.allocation, static_cast<std::int64_t>(event.size), event);
      break;
    case trace::EventKind::kReleaseAll:
      if constexpr (requires { sink.end_all(event); }) {
        sink.end_all(event);
      }
      break;
    case trace::EventKind::kProcessEnd:
      if constexpr (requires { sink.end_process(trace::ProcessId{}, event); }) {
        sink.end_process(trace::ProcessId{static_cast<std::uint32_t>(event.extra)}, event);
      }
      break;
    default:
      break;
  }
}

/// The same for a sink that visits events backwards: for a reallocation, `begin` of the new
/// allocation comes before `end` of the old one.
template <typename Sink>
void follow_back(const trace::Event& event, Sink& sink) {
  if (event.kind == trace::EventKind::kReallocate) {
    sink.begin(event);
    sink.end(event.released, event);
  } else {
    follow(event, sink);
  }
}

}  // namespace tidemark::analyzer
