#include "collector/symbols/module_names.hpp"

#include "collector/symbols/cache/symbol_sources.hpp"
#include "collector/symbols/lookup/symbols.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

namespace tidemark {
namespace {

using Locations = std::vector<trace::Location>;

/// What the cache has for `module`, if it is still true.
std::optional<CachedSymbols> known_names(const trace::Module& module, const SymbolCache* cache) {
  if (cache == nullptr) {
    return std::nullopt;
  }
  auto known = cache->load(SymbolCache::key_of(module.path, module.build_id));
  if (known && sources_stamp(module.path, module.build_id, known->subject().debug_link) !=
                   known->subject().sources) {
    return std::nullopt;
  }
  return known;
}

/// Fills in what is known. @return positions of the rest.
std::vector<std::size_t> take_known(const std::optional<CachedSymbols>& known,
                                    std::span<const std::uint64_t> offsets,
                                    std::vector<Locations>& locations) {
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    auto found = known ? known->find(offsets[i]) : std::nullopt;
    if (found) {
      locations[i] = std::move(*found);
    } else {
      unknown.push_back(i);
    }
  }
  return unknown;
}

std::vector<NamedAddress> merged(std::vector<NamedAddress> known, std::vector<NamedAddress> found) {
  std::vector<NamedAddress> all;
  all.reserve(known.size() + found.size());
  std::ranges::merge(std::make_move_iterator(known.begin()), std::make_move_iterator(known.end()),
                     std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()),
                     std::back_inserter(all), {}, &NamedAddress::offset, &NamedAddress::offset);
  return all;
}

/// One look at a module's files.
class Lookup {
 public:
  explicit Lookup(const trace::Module& module)
      : module_(module),
        before_(stamp({})),
        symbolizer_(module.path, module.build_id),
        subject_{SymbolCache::key_of(module.path, module.build_id), symbolizer_.debug_link(), 0},
        sources_(stamp(subject_.debug_link)) {}

  std::vector<Locations> locate(std::span<const std::uint64_t> offsets) {
    return symbolizer_.locate(offsets);
  }

  /// @return true if the names are kept. They are not while the files change, nor if better names
  /// may become available without any sign of it.
  bool store(const SymbolCache& cache,
             const std::optional<CachedSymbols>& known,
             const std::vector<NamedAddress>& found) {
    if (!symbolizer_.is_complete() || !sources_ || before_ != stamp({}) ||
        sources_ != stamp(subject_.debug_link)) {
      return false;
    }
    subject_.sources = *sources_;
    trace::ByteBuffer file;
    if (known) {
      file = encode_cache_file(subject_, merged(known->all(), found));
    }
    if (!known || file.size() > kMaxCacheFileBytes) {
      file = encode_cache_file(subject_, found);
    }
    cache.store(subject_.key, file);
    return true;
  }

 private:
  [[nodiscard]] std::optional<std::uint64_t> stamp(const std::string& debug_link) const {
    return sources_stamp(module_.path, module_.build_id, debug_link);
  }

  const trace::Module& module_;
  std::optional<std::uint64_t>
      before_;  ///< From before the file was opened; its debug link is part of it.
  Symbolizer symbolizer_;
  CacheSubject subject_;
  std::optional<std::uint64_t> sources_;  ///< From before anything else was read.
};

}  // namespace

ModuleNames find_names(const trace::Module& module,
                       std::span<const std::uint64_t> offsets,
                       const SymbolCache* cache) {
  ModuleNames names;
  names.locations.resize(offsets.size());
  const auto known = known_names(module, cache);
  const auto unknown = take_known(known, offsets, names.locations);
  if (unknown.empty()) {
    return names;
  }
  std::vector<std::uint64_t> asked;
  asked.reserve(unknown.size());
  for (const std::size_t position : unknown) {
    asked.push_back(offsets[position]);
  }
  Lookup lookup(module);
  std::vector<Locations> answers = lookup.locate(asked);
  std::vector<NamedAddress> found;
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    if (cache != nullptr) {
      found.push_back({asked[i], answers[i]});
    }
    names.locations[unknown[i]] = std::move(answers[i]);
  }
  names.is_stored = cache != nullptr && lookup.store(*cache, known, std::move(found));
  return names;
}

}  // namespace tidemark
