/// The names of one module's frames, from the cache and from the files.
#pragma once

#include "collector/symbols/cache/symbol_cache.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark {

struct ModuleNames {
  std::vector<std::vector<trace::Location>> locations;  ///< By position in `offsets`.
  bool is_stored = false;                               ///< The cache has grown.
};

/// Asks `cache` (may be null), then the module's files for what it does not know, and stores the
/// answers in the cache. A cached answer counts only while every file that it came from, and every
/// place where a better one would be looked for, is unchanged. Any thread may call it.
/// @param offsets ascending return addresses less the load bias.
ModuleNames find_names(const trace::Module& module,
                       std::span<const std::uint64_t> offsets,
                       const SymbolCache* cache);

}  // namespace tidemark
