/// Why a program that runs could not be recorded, judged from outside.
#pragma once

#include "collector/trace/types/unrecorded.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

namespace tidemark {

/// What a program must reach to be recorded: our object in LD_PRELOAD, and through that the
/// session's memory at /proc/RECORDER/fd. Filled in by the recorder about itself.
struct SessionEntrance {
  std::string object;          ///< Path of the object that is preloaded.
  std::string memory;          ///< "/proc/RECORDER/fd/N": the session's memory.
  std::uint64_t memory_bytes;  ///< Least address space (RLIMIT_AS) of a program that comes in.
};

/// What was seen of one program.
struct ImageFacts {
  std::string command;     ///< Arguments, joined by spaces; the file where there are none.
  std::string executable;  ///< Path; empty when it may not be looked into.
  trace::WhyUnrecorded why = trace::WhyUnrecorded::kUnknown;
};

/// Checks for the program of `pid`, in order, each step on the way into the session, and returns
/// where that fails. kUnknown: nowhere; it may still be on the way.
/// @return empty while an exec is under way, and when the process is gone.
std::optional<ImageFacts> look_at_image(pid_t pid, const SessionEntrance& entrance);

/// Whether a program with this reason cannot have come into the session. Reasons that only block
/// the way to the session's memory do not keep it out: it may have got there by a descriptor kept
/// by the image before.
bool keeps_out(trace::WhyUnrecorded why);

/// The reason that only a closer look at the file shows: a sanitizer.
trace::WhyUnrecorded look_at_executable(const std::string& path);

}  // namespace tidemark
