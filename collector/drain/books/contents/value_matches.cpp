#include "collector/drain/books/contents/value_matches.hpp"

#include "collector/drain/books/contents/probe_stretches.hpp"
#include "collector/weights/searches/alike_blocks.hpp"
#include "collector/weights/searches/byte_search.hpp"
#include "collector/weights/searches/narrow_search.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tidemark {

void ValueMatches::tell_tensors(weights::ValueIndex& index) {
  if (index.is_empty())
    return;
  std::vector<trace::ValueMatch> matches;
  for (const auto& [allocation, history] : seen_.histories()) {
    for (const SeenValues::Period& period : history.periods) {
      if (auto match = index.find(period.sample)) {
        match->from_ns = period.from_ns;
        match->until_ns = period.until_ns();
        matches.push_back(*match);
      }
    }
  }
  std::ranges::sort(matches, {}, [](const trace::ValueMatch& match) {
    return std::tuple(match.allocation, match.at_ns);
  });
  for (const trace::ValueMatch& match : matches) {
    sink_.writer().add_match(match);
    matching_.insert(match.allocation);
  }
  for (const trace::ValueMatch& match : matches)
    sizes_.insert(seen_.histories().at(match.allocation).size());
  is_complete_ = !index.has_left_out();
  if (is_complete_)
    tell_mismatches(sizes_);
}

void ValueMatches::tell_mismatches(const std::unordered_set<std::uint64_t>& sizes) const {
  std::map<trace::AllocationNumber, std::uint64_t> mismatches;
  for (const auto& [allocation, history] : seen_.histories()) {
    const SeenValues::Period& last = history.periods.back();
    if (!matching_.contains(allocation) && sizes.contains(last.sample.size))
      mismatches[allocation] = std::max(last.last_ns, history.other_ns);
  }
  for (const auto& [allocation, empty] : seen_.empties()) {
    if (sizes.contains(empty.size))
      mismatches[allocation] = empty.last_ns;
  }
  for (const auto& [allocation, at_ns] : mismatches)
    sink_.writer().add_mismatch({allocation, at_ns});
}

void ValueMatches::tell_packed(std::span<const weights::PlainFile> files, ProbeBook& probes) {
  const bool are_lists_known = std::ranges::all_of(files, &weights::PlainFile::lists_tensors);
  weights::OrderSearch search(!are_lists_known);
  weights::PartSearch part_search(search.words(), !are_lists_known);
  weights::NodeSearch node_search(search.words());
  auto histories = seen_.large_but(matching_);
  for (const SeenValues::History* history : histories) {
    for (const SeenValues::Period& period : history->periods) {
      search.want(period.sample);
      node_search.want(period.sample);
    }
  }
  probes.want_in(part_search);
  if (histories.empty() && part_search.is_empty())
    return;
  for (const weights::PlainFile& file : files) {
    search.read(file);
    part_search.note_read(file);
    node_search.note_read(file);
  }
  const auto parts = probes.take_parts(part_search, files, matching_);
  const auto in_parts = with_files_held_twice(parts);
  std::erase_if(histories, [&in_parts](const SeenValues::History* history) {
    return in_parts.contains(history->periods.front().sample.allocation);
  });
  matching_.insert(in_parts.begin(), in_parts.end());
  tell_packed_blocks(histories, files, search, node_search);
  for (const trace::PackedMatch& part : parts) {
    if (in_parts.contains(part.allocation) || !matching_.contains(part.allocation))
      sink_.writer().add_packed(part);
  }
}

void ValueMatches::tell_packed_blocks(std::span<const SeenValues::History* const> histories,
                                      std::span<const weights::PlainFile> files,
                                      const weights::OrderSearch& search,
                                      const weights::NodeSearch& node_search) {
  PackedMatches found;
  const auto note = [&](const SeenValues::Period& period,
                        std::optional<trace::PackedMatch> packed) {
    if (!packed)
      return false;
    packed->from_ns = period.from_ns;
    packed->until_ns = period.until_ns();
    found.emplace(std::tuple(packed->allocation, packed->at_ns), *packed);
    return true;
  };
  // Several times as slow: for what is left.
  std::vector<const SeenValues::Period*> left;
  weights::ByteSearch byte_search;
  weights::NarrowSearch narrow_search;
  for (const SeenValues::History* history : histories) {
    for (const SeenValues::Period& period : history->periods) {
      if (!note(period, search.find(period.sample))) {
        byte_search.want(period.sample);
        narrow_search.want(period.sample);
        left.push_back(&period);
      }
    }
  }
  for (const weights::PlainFile& file : files) {
    if (!byte_search.is_empty())
      byte_search.read(file);
    if (!left.empty() && !file.lists_tensors)
      narrow_search.read(file);
  }
  for (const SeenValues::Period* period : left) {
    if (!note(*period, byte_search.find(period->sample)) &&
        !note(*period, narrow_search.find(period->sample)))
      note(*period, node_search.find(period->sample));
  }
  for (const auto& [when, packed] : found) {
    sink_.writer().add_packed(packed);
    matching_.insert(packed.allocation);
  }
  if (is_complete_)
    tell_not_packed(found);
}

void ValueMatches::tell_not_packed(const PackedMatches& found) {
  std::unordered_set<std::uint64_t> sizes;
  for (const auto& [when, packed] : found) {
    const std::uint64_t size = seen_.histories().at(packed.allocation).size();
    if (sizes_.insert(size).second)
      sizes.insert(size);
  }
  tell_mismatches(sizes);
}

void ValueMatches::tell_alike() const {
  std::vector<weights::SeenBlock> seen;
  for (const auto& [allocation, history] : seen_.histories()) {
    if (matching_.contains(allocation))
      continue;
    for (const SeenValues::Period& period : history.periods) {
      seen.push_back({.sample = &period.sample,
                      .from_ns = period.from_ns,
                      .until_ns = period.until_ns(),
                      .process = history.process,
                      .address = history.address});
    }
  }
  for (const trace::Alike& alike : weights::find_alike(std::move(seen)))
    sink_.writer().add_alike(alike);
}

void ValueMatches::tell_joined(std::span<const trace::Joined> joins) const {
  for (trace::Joined joined : joins) {
    const auto whole = seen_.period_at(joined.of, joined.at_ns);
    joined.from_ns = whole ? whole->from_ns : 0;
    for (const auto& period : {whole, seen_.period_at(joined.allocation, joined.at_ns)}) {
      if (period && period->has_ended)
        joined.until_ns = std::min(joined.until_ns, std::max(period->last_ns, joined.at_ns));
    }
    sink_.writer().add_joined(joined);
  }
}

}  // namespace tidemark
