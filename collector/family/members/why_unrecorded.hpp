/// Why a program that runs could not be recorded, judged from outside.
#pragma once

#include "collector/trace/types/unrecorded.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

namespace tidemark {

/// What a program needs to reach so that it is recorded: our object in LD_PRELOAD, and with it the
/// session's memory through /proc/RECORDER/fd. Made by the recorder itself, of itself.
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

/// Looks at the program of `pid` in the order in which it would be led into the session, and says
/// where the way ends. kUnknown: nowhere; it may still be on the way.
/// @return empty while an exec is under way, and when the process is gone.
std::optional<ImageFacts> look_at_image(pid_t pid, const SessionEntrance& entrance);

/// A program that has this cannot have come into the session. What lies between a program and the
/// session's memory does not keep it out: it may have got there by a descriptor that the image
/// before it has kept.
bool keeps_out(trace::WhyUnrecorded why);

/// What only a closer look at the file tells: a sanitizer.
trace::WhyUnrecorded look_at_executable(const std::string& path);

}  // namespace tidemark
