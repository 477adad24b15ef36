#include "analyzer/flow/following/departure_list.hpp"

#include <algorithm>

namespace tidemark::analyzer {
namespace {

/// At first, copies of a block are kept apart if they differ by this part of its size.
constexpr std::uint64_t kGrain = 256;
/// After so many doublings a whole block is one piece.
constexpr unsigned kMaxDoublings = 63;

}  // namespace

void DepartureList::add(const Departure& copy, std::uint64_t source_size) {
  if (copy.source >= sources_.size()) {
    sources_.resize(copy.source + std::size_t{1});
  }
  sources_[copy.source].grain = source_size / kGrain;
  if (join(copy)) {
    return;
  }
  if (list_.size() == kMaxDepartures && !is_full_) {
    coarsen();
  }
  if (is_full_) {
    ++left_out_;
    return;
  }
  sources_[copy.source].last = static_cast<std::uint32_t>(list_.size());
  list_.push_back(copy);
}

/// @return false when the copy is not the next piece of its block's last departure.
bool DepartureList::join(const Departure& copy) {
  const Source& source = sources_[copy.source];
  if (source.last == BlockLife::kNone) {
    return false;
  }
  Departure& last = list_[source.last];
  // Compared in grains: the doubled grain may be more than 64 bits hold.
  const std::uint64_t bytes = last.bytes + copy.bytes;
  const bool is_small = (bytes >> doublings_) <= source.grain && bytes >= copy.bytes;
  if (last.target != copy.target || !is_small) {
    return false;
  }
  last.at = copy.at;
  last.last_ns = copy.last_ns;
  last.bytes = bytes;
  last.count += copy.count;
  return true;
}

void DepartureList::coarsen() {
  while (list_.size() > kMaxDepartures / 2 && doublings_ < kMaxDoublings) {
    ++doublings_;
    std::vector<Departure> finer;
    finer.swap(list_);
    list_.reserve(kMaxDepartures);
    for (Source& source : sources_) {
      source.last = BlockLife::kNone;
    }
    for (const Departure& departure : finer) {
      if (!join(departure)) {
        sources_[departure.source].last = static_cast<std::uint32_t>(list_.size());
        list_.push_back(departure);
      }
    }
  }
  is_full_ = list_.size() > kMaxDepartures / 2;
}

}  // namespace tidemark::analyzer
