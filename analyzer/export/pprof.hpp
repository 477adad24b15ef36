/// pprof's profile: gzip over the protocol buffer of profile.proto.
#pragma once

#include "analyzer/export/stacks/stack_values.hpp"

#include <string>

namespace tidemark::exports {

/// A heap profile: inuse_objects and inuse_space, before them over a range alloc_objects and
/// alloc_space, and last mapped_file_space, which is no part of the footprint. Every sample has a
/// label `lane`. Inlined calls are several lines of one location.
std::string pprof_profile(const trace::Definitions& definitions, const StackTable& table);

}  // namespace tidemark::exports
