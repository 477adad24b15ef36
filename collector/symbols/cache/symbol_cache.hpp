/// Names of code, kept from one recording to the next.
#pragma once

#include "collector/os/file_descriptor.hpp"
#include "collector/symbols/cache/symbol_cache_file.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace tidemark {

/// A folder with one file for each file of code that was ever asked about, named by its build id,
/// else "path-" and a hash of its path. Layout of a file: symbol_cache_file.hpp.
///
/// Private to its user: 0700 and 0600; a folder or a file that others can write, or that belongs to
/// somebody else, is not used. Files are replaced by a rename, so a reader always sees a whole one;
/// if two recordings write the same file, the last one stays. Never fails: what cannot be read
/// counts as absent, and what cannot be written is not kept. Several threads may use it at a time.
class SymbolCache {
 public:
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{256} << 20;

  /// `$XDG_CACHE_HOME/tidemark/symbols`, else `$HOME/.cache/tidemark/symbols`.
  /// @param cache_home, home values of the two variables; null where they are not set.
  /// @return empty when neither is an absolute path.
  static std::string default_folder(const char* cache_home, const char* home);

  /// Opens `folder`, after making it where it is missing, and those above it.
  /// @return null when there is none to be had: `folder` empty, not permitted, not private.
  static std::unique_ptr<const SymbolCache> open(const std::string& folder);

  /// The name under which a file's symbols are kept.
  static std::string key_of(const std::string& path, const std::string& build_id);

  /// Marks the file as used, too.
  /// @return nothing when there is none, or none that can be trusted to be whole and for `key`.
  [[nodiscard]] std::optional<CachedSymbols> load(const std::string& key) const;
  /// @param file from encode_cache_file; one that is too large is not kept.
  void store(const std::string& key, const trace::ByteBuffer& file) const;
  /// Removes files, least recently used first, until all take at most `max_bytes`, and what a
  /// killed recording left half written.
  void trim(std::uint64_t max_bytes = kMaxBytes) const;

 private:
  explicit SymbolCache(FileDescriptor folder) : folder_(std::move(folder)) {}
  FileDescriptor folder_;
};

}  // namespace tidemark
