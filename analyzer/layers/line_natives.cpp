#include "analyzer/layers/line_natives.hpp"

#include "analyzer/flow/places.hpp"
#include "analyzer/layers/layer_keys.hpp"
#include "analyzer/stacks/alike/comparable_frame.hpp"
#include "analyzer/stacks/asker_finder.hpp"

#include <algorithm>
#include <map>

namespace tidemark::analyzer {
namespace {

constexpr char kBetween = '\t';

std::string line_of(const std::string& key) {
  return key.substr(0, key.rfind(kBetween));
}

}  // namespace

std::string native_key(const NamedFrame& line, const NamedFrame& native) {
  return lineless_name(line) + kBetween + file_name(line.file) + kBetween + native_text(native);
}

std::vector<std::string> large_natives(const LiveSet& live,
                                       const trace::Definitions& definitions,
                                       std::uint64_t peak_bytes) {
  constexpr std::uint64_t kLargePart = 20;
  constexpr std::size_t kMaxStacks = 1000;  // The largest: the rest holds next to nothing.
  AskerFinder askers(definitions);
  std::map<AskerFinder::Found, std::uint64_t> bytes_of;
  for (const LiveStack& stack :
       std::span(live.stacks).first(std::min(live.stacks.size(), kMaxStacks))) {
    const AskerFinder::Found& found = askers.find(stack.stack);
    if (found.native && trace::in_footprint(stack.lane)) {
      bytes_of[found] += stack.bytes;
    }
  }
  std::map<std::string, std::uint64_t> bytes_by_key;
  for (const auto& [found, bytes] : bytes_of) {
    const NamedFrame line = askers.named(*found.asking);
    if (line.is_python) {
      bytes_by_key[native_key(line, askers.named(*found.native))] += bytes;
    }
  }
  std::vector<std::string> large;
  for (const auto& [key, bytes] : bytes_by_key) {
    if (bytes >= peak_bytes / kLargePart) {
      large.push_back(key);
    }
  }
  return large;
}

std::set<std::string> split_natives(std::span<const LayeredLoad> loads) {
  std::map<std::string, std::set<std::string>> by_line;
  for (const LayeredLoad& load : loads) {
    for (const std::string& key : load.natives) {
      by_line[line_of(key)].insert(key);
    }
  }
  std::set<std::string> split;
  for (const auto& [line, keys] : by_line) {
    if (keys.size() > 1) {
      split.insert(keys.begin(), keys.end());
    }
  }
  return split;
}

}  // namespace tidemark::analyzer
