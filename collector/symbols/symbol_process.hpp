/// The symbol pass in a process of its own, which the caller survives.
#pragma once

#include "collector/symbols/symbol_pass.hpp"

#include <cstdint>

namespace tidemark {

/// How a symbol pass ended.
struct SymbolPassEnd {
  /// False: the process that looked names up has not come to its end, and frames after the last
  /// one named have no name.
  bool is_complete = true;
  int signal = 0;            ///< The signal that ended that process, if one did.
  std::uint64_t cpu_ns = 0;  ///< The processor time that process took.
};

/// The same as `resolve_symbols`, but in a child process: files of code are made by anybody, and
/// elfutils ends its process when memory is short, or crashes. Neither takes a recording with it.
/// What that child would print is dropped. Where no child can be had the caller does the work.
///
/// For a caller with one thread. Throws what `name_frame` and `options.progress` throw; the child
/// is ended then.
SymbolPassEnd resolve_symbols_apart(std::span<const trace::Module> modules,
                                    std::span<const trace::Frame> frames,
                                    std::vector<trace::FrameId> wanted,
                                    const SymbolPassOptions& options,
                                    const NameFrame& name_frame);

}  // namespace tidemark
