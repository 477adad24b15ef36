// Buffers that grew step by step, and what their slack and their old copies cost.
//
// `grown`: a buffer grew in three steps or more, by realloc or by moving (two suffice if each was
// by half or more, and the first block had gone before the last came), and at the peak takes more
// than it needed. What it needed is what came into it; of all buffers of one place together, what
// was ever touched.

#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/block_looks.hpp"
#include "analyzer/flow/growth.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/query/wrapping.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// A buffer over all the blocks that it moved through, the last one first.
struct GrownBuffer {
  std::vector<std::uint32_t> lives{};
  std::uint64_t read_bytes = 0;  ///< Bytes of the model, read or copied into it from elsewhere.
  std::uint64_t bytes_at_peak = 0;
};

GrownBuffer buffer_of(const Evidence& evidence, std::uint32_t last) {
  GrownBuffer buffer{.lives = grown_through(evidence.flow, last)};
  for (const std::uint32_t life : buffer.lives) {
    const BlockLife& block = evidence.flow.lives()[life];
    buffer.read_bytes += block.read_bytes + block.copied_in_bytes;
    buffer.bytes_at_peak +=
        block.is_alive_after(evidence.peak) ? evidence.flow.size_after(life, evidence.peak - 1) : 0;
  }
  return buffer;
}

/// What the buffer needed: what was read into it, if that is known, plus the bytes of small reads
/// with an unknown destination.
std::uint64_t needed(const Evidence& evidence, const GrownBuffer& buffer) {
  const BlockLife& last = evidence.flow.lives()[buffer.lives.front()];
  const bool is_known =
      buffer.read_bytes >= last.size / 2 && buffer.read_bytes >= last.moved_in_bytes;
  return is_known ? std::min(last.size, buffer.read_bytes + evidence.totals.unseen_read_bytes)
                  : last.size;
}

Savings had_it_been_reserved(const Evidence& evidence,
                             const GrownBuffer& buffer,
                             std::uint64_t bytes) {
  Savings savings;
  for (const std::uint32_t life : buffer.lives) {
    evidence.flow.save(life, 0, savings);
  }
  const BlockLife& last = evidence.flow.lives()[buffer.lives.front()];
  savings.add(evidence.flow.lives()[buffer.lives.back()].born, minus(bytes), saved_of(last));
  if (last.died != BlockLife::kNever) {
    savings.add(last.died, static_cast<std::int64_t>(bytes), saved_of(last));
  }
  return savings;
}

/// Buffers of one place.
struct GrownBuffers {
  std::vector<GrownBuffer> buffers;
  std::uint64_t steps = 0;  ///< The most that one of them took.
  std::uint64_t size = 0;   ///< The final size of all of them.
  std::uint64_t bytes_at_peak = 0;
  std::uint64_t reserve = 0;
  std::uint64_t slack = 0;
  std::size_t at_peak = 0;  ///< How many take something then.
  Savings savings;
  trace::StackId stack = trace::kNoStack;
};

void add(const Evidence& evidence, std::uint64_t reserve, GrownBuffer buffer, GrownBuffers& all) {
  const BlockLife& last = evidence.flow.lives()[buffer.lives.front()];
  all.savings.add(had_it_been_reserved(evidence, buffer, reserve));
  if (buffer.bytes_at_peak > 0) {
    ++all.at_peak;
    all.steps = std::max<std::uint64_t>(all.steps, last.growth_steps);
    all.size += last.size;
    all.bytes_at_peak += buffer.bytes_at_peak;
    all.reserve += reserve;
    all.slack += buffer.bytes_at_peak - std::min(reserve, buffer.bytes_at_peak);
    all.stack = last.stack;
  }
  all.buffers.push_back(std::move(buffer));
}

/// @param known_by why no more than the reserve was needed: `read into it`.
std::optional<Finding> finding_of(const Evidence& evidence,
                                  const GrownBuffers& grown,
                                  const std::string& known_by) {
  const auto without = evidence.lower_peak(grown.savings);
  if (!without) {
    return std::nullopt;
  }
  Finding finding{.kind = FindingKind::kGrown};
  finding.title = grown.at_peak == 1 ? "a buffer that grew" : "buffers that grew";
  finding.frames = named_stack(evidence.trace.definitions(), grown.stack);
  finding.bytes = grown.slack;
  const std::string place = place_text(finding.frames);
  finding.sentence = fmt::format(
      "{} grew in {} steps{} to {}: {} of the {} that {} at the peak are slack or old copies "
      "beyond the {} {}.",
      grown.at_peak == 1 ? "The buffer of " + place
                         : fmt::format("{} buffers of {}", format_count(grown.at_peak), place),
      grown.steps, grown.at_peak == 1 ? "" : " at most", format_size(grown.size),
      format_size(grown.slack), format_size(grown.bytes_at_peak),
      grown.at_peak == 1 ? "it takes" : "they take", format_size(grown.reserve), known_by);
  finding.at_ns = evidence.load.peak.at.at_ns;
  without->note(finding);
  return finding;
}

/// Judges one buffer: it needed what came into it, or, if that is less, what its pages show it held
/// in the end.
std::optional<Finding> judge(const Evidence& evidence,
                             const BlockLooks& looks,
                             std::uint32_t life) {
  GrownBuffer buffer = buffer_of(evidence, life);
  const BlockLife& last = evidence.flow.lives()[life];
  const std::uint64_t came = needed(evidence, buffer);
  if (buffer.bytes_at_peak < came + evidence.worth_saying()) {
    return std::nullopt;
  }
  const std::uint64_t touched = last.size - looks.untouched_bytes(last, evidence.load.duration_ns);
  GrownBuffers grown;
  add(evidence, std::min(came, touched), std::move(buffer), grown);
  return finding_of(evidence, grown,
                    came < last.size      ? "read into it"
                    : touched < last.size ? "that were touched of its last size"
                                          : "of its last size");
}

}  // namespace

void find_growth(Evidence& evidence, std::vector<Finding>& findings) {
  const BlockLooks looks(evidence.trace.definitions());
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t life = 0; life < lives.size(); ++life) {
    if (!is_grown(evidence.flow, life) || lives[life].size < evidence.worth_saying()) {
      continue;
    }
    if (auto finding = judge(evidence, looks, life)) {
      findings.push_back(std::move(*finding));
      evidence.explain(buffer_of(evidence, life).lives);
    }
  }
}

void find_growth_slack(Evidence& evidence, std::vector<Finding>& findings) {
  const BlockLooks looks(evidence.trace.definitions());
  Places& places = *evidence.places;
  std::map<std::uint32_t, GrownBuffers> by_place;
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t life = 0; life < lives.size(); ++life) {
    if (is_grown(evidence.flow, life) && lives[life].lane == trace::Lane::kHeap &&
        !evidence.explained[life]) {
      const std::uint64_t reserve =
          lives[life].size - looks.untouched_bytes(lives[life], evidence.load.duration_ns);
      add(evidence, reserve, buffer_of(evidence, life), by_place[places.of(lives[life].stack)]);
    }
  }
  for (const auto& [place, grown] : by_place) {
    if (grown.slack < evidence.worth_saying()) {
      continue;
    }
    auto finding = finding_of(evidence, grown,
                              grown.at_peak == 1 ? "that were touched of its last size"
                                                 : "that were touched of their last sizes");
    if (finding) {
      findings.push_back(std::move(*finding));
      for (const GrownBuffer& buffer : grown.buffers) {
        evidence.is_slack_told[buffer.lives.front()] = true;
      }
    }
  }
}

}  // namespace tidemark::analyzer
