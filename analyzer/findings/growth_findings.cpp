// Buffers that grew step by step, and what their room and their old copies cost.

#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/query/wrapping.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tidemark::analyzer {
namespace {

constexpr std::uint32_t kMinGrowthSteps = 3;

/// A buffer over all the blocks that it moved through, the last one first.
struct GrownBuffer {
  std::vector<std::uint32_t> lives;
  std::uint64_t read_bytes = 0;  ///< Of the model, read or copied into it from elsewhere.
  std::uint64_t bytes_at_peak = 0;
};

GrownBuffer buffer_of(const Evidence& evidence, std::uint32_t last) {
  const auto& lives = evidence.flow.lives();
  GrownBuffer buffer;
  for (std::uint32_t life = last;;) {
    const BlockLife& block = lives[life];
    buffer.lives.push_back(life);
    buffer.read_bytes += block.read_bytes + block.copied_in_bytes;
    buffer.bytes_at_peak +=
        block.is_alive_after(evidence.peak) ? evidence.flow.size_after(life, evidence.peak - 1) : 0;
    life = block.grown_from;
    if (life == BlockLife::kNone || lives[life].born != block.grown_from_born) {
      return buffer;
    }
  }
}

/// What the buffer had needed: what was read into it where that is known, with the bytes of small
/// reads that went nobody knows where.
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

std::optional<Finding> judge(const Evidence& evidence, std::uint32_t last) {
  const GrownBuffer buffer = buffer_of(evidence, last);
  const std::uint64_t reserve = needed(evidence, buffer);
  if (buffer.bytes_at_peak < reserve + evidence.worth_saying()) {
    return std::nullopt;
  }
  const auto without = evidence.lower_peak(had_it_been_reserved(evidence, buffer, reserve));
  if (!without) {
    return std::nullopt;
  }
  const BlockLife& block = evidence.flow.lives()[last];
  Finding finding{.kind = FindingKind::kGrown, .title = "a buffer that grew"};
  finding.frames = named_stack(evidence.trace.definitions(), block.stack);
  finding.bytes = buffer.bytes_at_peak - reserve;
  finding.sentence = fmt::format(
      "The buffer of {} grew in {} steps to {}: {} of the {} that it takes at the peak are slack "
      "or old copies beyond the {} {}.",
      place_text(finding.frames), block.growth_steps, format_size(block.size),
      format_size(finding.bytes), format_size(buffer.bytes_at_peak), format_size(reserve),
      reserve < block.size ? "read into it" : "of its last size");
  finding.at_ns = evidence.load.peak.at.at_ns;
  without->note(finding);
  return finding;
}

}  // namespace

void find_growth(Evidence& evidence, std::vector<Finding>& findings) {
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t life = 0; life < lives.size(); ++life) {
    if (lives[life].has_moved || lives[life].growth_steps < kMinGrowthSteps ||
        lives[life].size < evidence.worth_saying()) {
      continue;
    }
    if (auto finding = judge(evidence, life)) {
      findings.push_back(std::move(*finding));
      evidence.explain(buffer_of(evidence, life).lives);
    }
  }
}

}  // namespace tidemark::analyzer
