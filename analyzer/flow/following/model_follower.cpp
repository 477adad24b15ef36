#include "analyzer/flow/following/model_follower.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tidemark::analyzer {
namespace {

/// Blocks that are of no interest on their own: a small part of the peak.
constexpr std::uint64_t kNotablePart = 256;
/// A block that lives for a tenth of the load or less is a short-lived one.
constexpr std::uint64_t kShortLifePart = 10;

std::uint64_t short_life_ns(const LoadFacts& load, const ModelFiles& files) {
  std::uint64_t begin_ns = UINT64_MAX;
  std::uint64_t end_ns = load.peak.at.at_ns;
  for (const std::size_t i : files.files()) {
    begin_ns = std::min(begin_ns, load.files[i].first_use_ns);
    end_ns = std::max(end_ns, load.files[i].last_use_ns);
  }
  return (end_ns - std::min(begin_ns, end_ns)) / kShortLifePart;
}

FlowBounds bounds_of(const LoadedTrace& trace, const Peak& peak) {
  return {.peak = trace.ordinal(peak.at),
          .peak_bytes = peak.footprint_bytes,
          .notable_bytes = std::max(kLargeBlockBytes, peak.footprint_bytes / kNotablePart)};
}

bool is_large(const trace::BlockDigest::Survivor& survivor) {
  return survivor.bytes >= kLargeBlockBytes;
}

}  // namespace

ModelFollower::ModelFollower(const LoadedTrace& trace, const Peak& peak, ModelFiles files)
    : peak_block_(peak.at.block),
      files_(std::move(files)),
      collector_(trace, files_, bounds_of(trace, peak)) {}

bool ModelFollower::needs_events(std::size_t block,
                                 const trace::BlockSummary& /*summary*/,
                                 const trace::BlockDigest& digest) const {
  // A block that came and went between two touches matters at the peak alone.
  return block == peak_block_ || std::ranges::any_of(digest.survivors, is_large);
}

bool ModelFollower::ends_known_block(const trace::BlockDigest& digest) const {
  return std::ranges::any_of(digest.releases, [this](const auto& release) {
    return collector_.knows(release.allocation);
  });
}

void ModelFollower::see(PassedBlock& block) {
  const trace::BlockDigest* digest = block.digest();
  if (digest != nullptr && !needs_events(block.number(), block.summary(), *digest) &&
      !ends_known_block(*digest)) {
    return;
  }
  const Excerpt* excerpt = block.excerpt(collector_.least_release_bytes());
  if (excerpt == nullptr) {
    return;  // Damaged; the trace's loss says so.
  }
  for (const Passage& passage : excerpt->passages) {
    collector_.see(passage.event, passage.ordinal, passage.footprint);
  }
}

ModelFlow ModelFollower::take(const LoadFacts& load, const ModelFiles& files) {
  return collector_.take(short_life_ns(load, files));
}

ModelFlow follow_model(LoadedTrace& trace, const LoadFacts& load, const ModelFiles& files) {
  ModelFollower follower(trace, load.peak, files);
  run_pass(trace, {}, std::array<PassListener*, 1>{&follower});
  return follower.take(load, files);
}

}  // namespace tidemark::analyzer
