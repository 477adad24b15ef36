#include "collector/symbols/cache/symbol_cache_file.hpp"

#include "collector/trace/coding/compression.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

namespace tidemark {
namespace {

using trace::ByteBuffer;
using trace::ByteReader;
using trace::ByteView;
using trace::ByteWriter;
using trace::Location;

constexpr std::array<std::uint8_t, 8> kMagic{'t', 'm', 'k', 's', 'y', 'm', 's', 1};
constexpr std::size_t kChecksumAt = kMagic.size();
constexpr std::size_t kBodyAt = kChecksumAt + sizeof(std::uint64_t);

/// Numbers equal values: the first one 0, each new one the next.
template <typename Key>
class Numbering {
 public:
  std::uint32_t number_of(const Key& key) {
    const auto [entry, is_new] =
        numbers_.try_emplace(key, static_cast<std::uint32_t>(keys_.size()));
    if (is_new) {
      keys_.push_back(&entry->first);
    }
    return entry->second;
  }
  /// In the order of their numbers.
  [[nodiscard]] const std::vector<const Key*>& keys() const { return keys_; }

 private:
  std::map<Key, std::uint32_t> numbers_;
  std::vector<const Key*> keys_;
};

/// Function, file, line of each function of a chain, one after the other.
using Chain = std::vector<std::uint32_t>;
constexpr std::size_t kNumbersInPlace = 3;

class Tables {
 public:
  void add(const NamedAddress& address) {
    Chain chain;
    const auto count = std::min(address.locations.size(), trace::kMaxLocations);
    for (const Location& location : std::span(address.locations).first(count)) {
      chain.push_back(strings_.number_of(location.function));
      chain.push_back(strings_.number_of(location.file));
      chain.push_back(location.line);
    }
    addresses_.emplace_back(address.offset, chains_.number_of(chain));
  }

  void write(ByteWriter& out) const {
    out.varint(strings_.keys().size());
    for (const std::string* text : strings_.keys()) {
      out.string(*text);
    }
    out.varint(chains_.keys().size());
    for (const Chain* chain : chains_.keys()) {
      out.varint(chain->size() / kNumbersInPlace);
      std::ranges::for_each(*chain, [&](std::uint32_t number) { out.varint(number); });
    }
    out.varint(addresses_.size());
    std::uint64_t last = 0;
    for (const auto& [offset, chain] : addresses_) {
      out.varint(offset - std::exchange(last, offset));
      out.varint(chain);
    }
  }

 private:
  Numbering<std::string> strings_;
  Numbering<Chain> chains_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> addresses_;
};

}  // namespace

ByteBuffer encode_cache_file(const CacheSubject& subject,
                             const std::vector<NamedAddress>& addresses) {
  Tables tables;
  for (const NamedAddress& address : addresses) {
    tables.add(address);
  }
  ByteBuffer file(kMagic.begin(), kMagic.end());
  ByteWriter out(file);
  out.fixed(std::uint64_t{0});
  out.fixed(subject.sources);
  out.string(subject.key);
  out.string(subject.debug_link);
  tables.write(out);
  trace::store(file.data() + kChecksumAt, trace::checksum_of(ByteView(file).subspan(kBodyAt)));
  return file;
}

std::optional<CachedSymbols> CachedSymbols::open(ByteBuffer bytes) {
  CachedSymbols symbols(std::move(bytes));
  if (!symbols.read()) {
    return std::nullopt;
  }
  return symbols;
}

bool CachedSymbols::read() {
  const ByteView file(bytes_);
  if (file.size() < kBodyAt || file.size() > kMaxCacheFileBytes ||
      !std::equal(kMagic.begin(), kMagic.end(), file.begin()) ||
      trace::load<std::uint64_t>(file.data() + kChecksumAt) !=
          trace::checksum_of(file.subspan(kBodyAt))) {
    return false;
  }
  // A checksum vouches for the disk, not for who wrote it: everything is checked all the same.
  ByteReader in(file.subspan(kBodyAt));
  subject_.sources = in.fixed<std::uint64_t>();
  subject_.key = in.string();
  subject_.debug_link = in.string();
  read_strings(in);
  read_chains(in);
  read_addresses(in);
  return !in.failed() && in.at_end();
}

void CachedSymbols::read_strings(ByteReader& in) {
  for (std::uint64_t count = in.varint(); count > 0 && !in.failed(); --count) {
    const ByteView text = in.bytes(in.varint());
    strings_.emplace_back(reinterpret_cast<const char*>(text.data()), text.size());
  }
}

void CachedSymbols::read_chains(ByteReader& in) {
  for (std::uint64_t count = in.varint(); count > 0 && !in.failed(); --count) {
    Chain chain{static_cast<std::uint32_t>(places_.size()), 0, 0};
    const std::uint64_t places = in.varint();
    if (places > trace::kMaxLocations) {
      in.fail();
    }
    for (std::uint64_t i = 0; i < places && !in.failed(); ++i) {
      const Place place{in.varint32(), in.varint32(), in.varint32()};
      if (place.function >= strings_.size() || place.file >= strings_.size()) {
        return in.fail();
      }
      chain.text_bytes += strings_[place.function].size() + strings_[place.file].size();
      places_.push_back(place);
    }
    chain.end = static_cast<std::uint32_t>(places_.size());
    chains_.push_back(chain);
  }
}

void CachedSymbols::read_addresses(ByteReader& in) {
  std::uint64_t offset = 0;
  std::uint64_t text_bytes = 0;
  for (std::uint64_t count = in.varint(); count > 0 && !in.failed(); --count) {
    const std::uint64_t distance = in.varint();
    const Address address{offset + distance, in.varint32()};
    if (address.chain >= chains_.size() || (address.offset <= offset && !addresses_.empty())) {
      return in.fail();
    }
    text_bytes += chains_[address.chain].text_bytes;
    if (text_bytes > kMaxCachedTextBytes) {
      return in.fail();
    }
    offset = address.offset;
    addresses_.push_back(address);
  }
}

std::vector<Location> CachedSymbols::locations_of(std::uint32_t chain) const {
  std::vector<Location> locations;
  for (std::uint32_t i = chains_[chain].begin; i < chains_[chain].end; ++i) {
    const Place& place = places_[i];
    locations.push_back(
        {std::string(strings_[place.function]), std::string(strings_[place.file]), place.line});
  }
  return locations;
}

std::optional<std::vector<Location>> CachedSymbols::find(std::uint64_t offset) const {
  const auto found = std::ranges::lower_bound(addresses_, offset, {}, &Address::offset);
  if (found == addresses_.end() || found->offset != offset) {
    return std::nullopt;
  }
  return locations_of(found->chain);
}

std::vector<NamedAddress> CachedSymbols::all() const {
  std::vector<NamedAddress> addresses;
  addresses.reserve(addresses_.size());
  for (const Address& address : addresses_) {
    addresses.push_back({address.offset, locations_of(address.chain)});
  }
  return addresses;
}

}  // namespace tidemark
