/// After the run: names for the frames that a trace holds.
#pragma once

#include "collector/symbols/cache/symbol_cache.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tidemark {

struct SymbolPassOptions {
  const SymbolCache* cache = nullptr;  ///< Null: nothing is remembered. Borrowed.
  unsigned threads = 0;                ///< At most; 0: one for each processor.
  /// Told (what, done, of how many) now and then, in the calling thread. May be empty.
  std::function<void(const std::string&, std::size_t, std::size_t)> progress;
};

/// Takes the names of one frame, innermost inlined function first, never none.
using NameFrame = std::function<void(trace::FrameId, const std::vector<trace::Location>&)>;

/// Looks up function, file, line and inlined calls of the frames in `wanted`. One thread works on
/// each module, since elfutils objects must not be shared. `name_frame` is called in the calling
/// thread, module by module and upwards in each, so the outcome depends neither on the number of
/// threads nor on the cache. Frames without a name stay module and offset.
/// @param modules by ModuleId. They and `frames` must not change meanwhile. Frames without a
/// module, or with one that is not in `modules`, are left out.
void resolve_symbols(std::span<const trace::Module> modules,
                     std::span<const trace::Frame> frames,
                     std::vector<trace::FrameId> wanted,
                     const SymbolPassOptions& options,
                     const NameFrame& name_frame);

/// Every frame of `frames`.
std::vector<trace::FrameId> every_frame(std::span<const trace::Frame> frames);

}  // namespace tidemark
