/// Loads as they happen in the wild, in miniature: the goldens of the reports are made of them.
#pragma once

#include "tests/analyzer/trace_builder.hpp"

#include <string>

namespace tidemark::tests {

/// Reads a 5 GiB file whole, then copies every tensor out of it: 2.00 x W. With marks.
void append_naive_load(TraceBuilder& trace);
/// The same as a trace of its own.
/// @return its path.
std::string naive_trace(TraceBuilder& trace);

/// Reads the same file tensor by tensor, from a program with deep stacks and without symbols here
/// and there, with a child process and no marks: 1.0 x W.
void append_streamed_load(TraceBuilder& trace);

/// A program of two processes that does everything, phases too, in blocks of a few events.
void append_random_load(TraceBuilder& trace, unsigned seed, int steps);

/// `parse` is called from two places: each asks less often than `keep`, both together more often.
void append_two_callers(TraceBuilder& trace);

/// A thousand allocations in several blocks of events, and only half of the file.
/// @return its path.
std::string finish_torn(TraceBuilder& trace);

}  // namespace tidemark::tests
