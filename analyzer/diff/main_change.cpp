#include "analyzer/diff/main_change.hpp"

#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace tidemark::analyzer {
namespace {

bool has_kind(const Report& report, FindingKind kind) {
  return std::ranges::find(report.anatomy.findings, kind, &Finding::kind) !=
         report.anatomy.findings.end();
}

std::uint64_t distance(std::uint64_t one, std::uint64_t other) {
  return std::max(one, other) - std::min(one, other);
}

/// The finding of the higher peak alone that foretells the lower one best, to half of the change.
const Finding* explaining_finding(const Report& higher, const Report& lower) {
  const std::uint64_t low = lower.peak.footprint_bytes;
  std::uint64_t nearest = distance(higher.peak.footprint_bytes, low) / 2 + 1;
  const Finding* found = nullptr;
  for (const Finding& finding : higher.anatomy.findings) {
    const auto without = finding.peak_without_bytes;
    if (without && !has_kind(lower, finding.kind) && distance(*without, low) < nearest) {
      nearest = distance(*without, low);
      found = &finding;
    }
  }
  return found;
}

std::string finding_sentence(const Finding& finding, bool is_gone) {
  return fmt::format("`{}` is {}: {}, without which the peak {} {}.", finding_name(finding.kind),
                     is_gone ? "gone" : "new", finding.title,
                     is_gone ? "before would have been" : "would be",
                     format_size(*finding.peak_without_bytes));
}

/// The place of the row that changed most in the direction of the peak, if its stacks together have
/// half of the change.
const PlaceChange* main_place(const Diff& diff) {
  const bool is_lower = diff.peak_change_bytes() < 0;
  const std::uint64_t change =
      distance(diff.before.peak.footprint_bytes, diff.after.peak.footprint_bytes);
  const auto& place = is_lower ? diff.most_shrunk : diff.most_grown;
  if (!place || (is_lower ? diff.grown_bytes : diff.shrunk_bytes) > change ||
      (place->after_bytes < place->before_bytes) != is_lower) {
    return nullptr;
  }
  return distance(place->before_bytes, place->after_bytes) >= change - change / 2 ? &*place
                                                                                  : nullptr;
}

std::string place_sentence(const PlaceChange& change) {
  const std::string after = change.after_bytes == 0 ? "nothing" : format_size(change.after_bytes);
  return change.before_bytes == 0
             ? fmt::format("Most of it: {} holds {} at the peak and held nothing there before.",
                           change.place, after)
             : fmt::format("Most of it: {} held {} at the peak and holds {} there now.",
                           change.place, format_size(change.before_bytes), after);
}

bool read_the_same(const Report& before, const Report& after) {
  return format_size(before.peak.footprint_bytes) == format_size(after.peak.footprint_bytes);
}

}  // namespace

std::string main_change_of(const Diff& diff) {
  if (read_the_same(diff.before, diff.after)) {
    return {};
  }
  std::string explained = explained_change_of(diff.before, diff.after);
  if (!explained.empty()) {
    return explained;
  }
  const PlaceChange* const place = main_place(diff);
  return place == nullptr ? std::string() : place_sentence(*place);
}

std::string explained_change_of(const Report& before, const Report& after) {
  if (read_the_same(before, after)) {
    return {};
  }
  const bool is_lower = after.peak.footprint_bytes < before.peak.footprint_bytes;
  const Finding* const finding =
      is_lower ? explaining_finding(before, after) : explaining_finding(after, before);
  return finding == nullptr ? std::string() : finding_sentence(*finding, is_lower);
}

}  // namespace tidemark::analyzer
