/// One file of the symbol cache: the names that were found in one file of code.
///
///     magic       8 bytes   "tmksyms" and the version of this layout
///     checksum    u64       XXH3 of all that follows
///     sources     u64       what the names depend on: sources_stamp in symbol_sources.hpp
///     key         string    whose names: the cache file's own name
///     debug_link  string    .gnu_debuglink of the file of code
///     strings     count, then each as a string
///     chains      count, then each: count, then each: function, file (numbers of strings), line
///     addresses   count, then each: distance from the one before, number of a chain
///
/// Integers are varints but for u64, which is little-endian; a string is its length and its bytes.
/// A chain is what stands at one return address, innermost inlined function first; an empty one
/// says that no name is known. Addresses ascend. Most return addresses of code without line numbers
/// share a chain.
#pragma once

#include "collector/trace/coding/bytes.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark {

/// Larger files are neither written nor read. In memory, one takes at most 16 times its size.
constexpr std::size_t kMaxCacheFileBytes = std::size_t{16} << 20;
/// Most text that a file's names may come to when each address has its own copy, as callers make.
constexpr std::uint64_t kMaxCachedTextBytes = std::uint64_t{512} << 20;

/// What is known of one return address.
struct NamedAddress {
  std::uint64_t offset = 0;  ///< Return address less the load bias.
  std::vector<trace::Location> locations;
};

/// What a cache file says of its subject.
struct CacheSubject {
  std::string key;
  std::string debug_link;
  std::uint64_t sources = 0;

  bool operator==(const CacheSubject&) const = default;
};

/// @param addresses ascending by offset.
trace::ByteBuffer encode_cache_file(const CacheSubject& subject,
                                    const std::vector<NamedAddress>& addresses);

/// An opened cache file. May be asked by several threads.
class CachedSymbols {
 public:
  /// @return nothing for bytes that `encode_cache_file` of this version did not make.
  static std::optional<CachedSymbols> open(trace::ByteBuffer bytes);

  [[nodiscard]] const CacheSubject& subject() const { return subject_; }
  /// @return nothing for an address that was never looked up; an empty chain for one without names.
  [[nodiscard]] std::optional<std::vector<trace::Location>> find(std::uint64_t offset) const;
  [[nodiscard]] std::vector<NamedAddress> all() const;

 private:
  struct Place {
    std::uint32_t function = 0;  ///< Numbers of strings_.
    std::uint32_t file = 0;
    std::uint32_t line = 0;
  };
  struct Chain {
    std::uint32_t begin = 0;  ///< In places_.
    std::uint32_t end = 0;
    std::uint64_t text_bytes = 0;
  };
  struct Address {
    std::uint64_t offset = 0;
    std::uint32_t chain = 0;
  };
  explicit CachedSymbols(trace::ByteBuffer bytes) : bytes_(std::move(bytes)) {}
  bool read();
  void read_strings(trace::ByteReader& in);
  void read_chains(trace::ByteReader& in);
  void read_addresses(trace::ByteReader& in);
  [[nodiscard]] std::vector<trace::Location> locations_of(std::uint32_t chain) const;

  trace::ByteBuffer bytes_;
  CacheSubject subject_;
  std::vector<std::string_view> strings_;  ///< Into bytes_.
  std::vector<Place> places_;
  std::vector<Chain> chains_;
  std::vector<Address> addresses_;
};

}  // namespace tidemark
