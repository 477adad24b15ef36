// Blocks that are judged by what happened in their lives: short ones, and those written twice.
//
// `short_lived`, of a place whose blocks live for a tenth of the load or less. Not told in these
// cases, in which the blocks may be what the program made of the file:
// - The whole model ended in them, and nothing of an eighth of it stays after them: these are the
//   weights.
// - A program that loads its model for each round, and keeps results: the whole model comes into
//   blocks of the place in rounds and is in no others; nothing of an eighth of W was left of the
//   load when those of two other rounds had gone; and nothing such stays of this round but buffers
//   that grew.
// - The load ends with them: what else came with it goes from then on, without a pause as long as
//   they were there, until less than an eighth of W is left; unless three quarters of what their
//   place ever asked for went before, as memory that each step takes again.
// The peak without them is without such blocks of all rounds.
//
// `short_lived`, freed right after the peak: blocks that no byte of the model came into, with a
// fifth of W at least, while the weights stay.
//
// `written_twice`, of a fifth of W: one fill covered nine tenths of a block before the model came
// into it; or its pages were there before, in a block that cannot be reused heap memory (above 32
// MiB, or a mapping) and that the file went over once.

#include "analyzer/findings/findings.hpp"
#include "analyzer/findings/unneeded/model_rounds.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/load/reading_progress.hpp"
#include "analyzer/query/footprint/timeline.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// The part of the model that must have been written twice to be worth a sentence.
constexpr std::uint64_t kModelPart = 5;

/// Blocks of one place, judged together.
struct Fellows {
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  std::uint64_t longest_ns = 0;
  std::uint64_t first_ns = UINT64_MAX;
  std::uint64_t last_end = 0;  ///< Ordinal.
  std::uint64_t last_end_ns = 0;
  trace::StackId stack = trace::kNoStack;
  std::vector<std::uint32_t> lives;
  /// Others of the place, with the model in them at other times.
  std::vector<std::uint32_t> others;
  Savings savings;
  Savings others_savings;
  Lifetimes lifetimes;  ///< Those of all blocks of the place.
};

bool is_short(const Evidence& evidence, std::uint32_t index) {
  const BlockLife& life = evidence.flow.lives()[index];
  return life.is_alive_after(evidence.peak) && !life.swept && !life.is_mapping &&
         !evidence.explained[index] && life.died_ns - life.born_ns <= evidence.totals.short_life_ns;
}

/// The blocks alive at the peak for which `is_one` holds, by place. Their time counts from their
/// birth, or from `since_ns` on if that is later.
std::map<std::uint32_t, Fellows> fellows_by_place(const Evidence& evidence,
                                                  bool (*is_one)(const Evidence&, std::uint32_t),
                                                  std::uint64_t since_ns,
                                                  Places& places) {
  std::map<std::uint32_t, Fellows> by_place;
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    if (is_one(evidence, i)) {
      Fellows& fellows = by_place[places.of(lives[i].stack)];
      fellows.bytes += evidence.flow.size_after(i, evidence.peak - 1);
      fellows.longest_ns =
          std::max(fellows.longest_ns, lives[i].died_ns - std::max(lives[i].born_ns, since_ns));
      fellows.last_end = std::max(fellows.last_end, lives[i].died);
      fellows.last_end_ns = std::max(fellows.last_end_ns, lives[i].died_ns);
      fellows.stack = lives[i].stack;
      fellows.lives.push_back(i);
      ++fellows.blocks;
      evidence.flow.save(i, 0, fellows.savings);
    }
  }
  return by_place;
}

/// A block that takes the model's bytes at another time than the peak, also for a moment only.
bool is_another_round(const Evidence& evidence, std::uint32_t index) {
  const BlockLife& life = evidence.flow.lives()[index];
  return life.holds_model() && !life.is_alive_after(evidence.peak) && !life.swept &&
         !life.is_mapping && !evidence.explained[index] &&
         life.died_ns - life.born_ns <= evidence.totals.short_life_ns;
}

std::map<std::uint32_t, Fellows> short_lives(const Evidence& evidence) {
  Places& places = *evidence.places;
  auto by_place = fellows_by_place(evidence, is_short, 0, places);
  for (std::uint32_t i = 0; i < evidence.flow.lives().size(); ++i) {
    const auto place = is_another_round(evidence, i)
                           ? by_place.find(places.of(evidence.flow.lives()[i].stack))
                           : by_place.end();
    if (place != by_place.end()) {
      place->second.others.push_back(i);
      evidence.flow.save(i, 0, place->second.others_savings);
    }
  }
  for (const auto& [stack, lifetimes] : evidence.totals.lifetimes) {
    const auto place = by_place.find(places.of(trace::StackId{stack}));
    if (place != by_place.end()) {
      place->second.lifetimes.short_bytes += lifetimes.short_bytes;
      place->second.lifetimes.long_bytes += lifetimes.long_bytes;
    }
  }
  return by_place;
}

/// Blocks that came late and ended with the load lived no longer than scratch does. They differ
/// from it in that others of their place stayed.
bool lives_short_as_a_rule(const Fellows& fellows) {
  return is_most_of(fellows.lifetimes.short_bytes,
                    fellows.lifetimes.short_bytes + fellows.lifetimes.long_bytes);
}

/// Whether other blocks than these have much of the model at the peak.
bool others_hold_model(const Evidence& evidence, const Fellows& gone) {
  std::uint64_t held = 0;
  for (std::uint32_t i = 0; i < evidence.flow.lives().size(); ++i) {
    const BlockLife& life = evidence.flow.lives()[i];
    const bool counts = life.is_alive_after(evidence.peak) && life.holds_model() &&
                        !std::ranges::binary_search(gone.lives, i);
    held += counts ? std::min(life.room(), evidence.flow.arrived(i)) : 0;
  }
  return held >= evidence.load.model.bytes / kNarrowestPart;
}

/// Whether the program loads its model again and again, and keeps nothing made of it but what grows
/// from round to round: then it has its model for a moment each time.
bool comes_in_rounds(const Evidence& evidence, const Fellows& gone) {
  constexpr std::size_t kRounds = 2;
  std::uint64_t born = BlockLife::kNever;
  for (const std::uint32_t life : gone.lives) {
    born = std::min(born, evidence.flow.lives()[life].born);
  }
  std::uint64_t made = 0;
  for (const BlockLife& life : evidence.flow.lives()) {
    const bool is_new = life.born > born && life.growth_steps == 0;
    made += is_new && life.is_alive_after(gone.last_end + 1) && !life.is_mapping ? life.size : 0;
  }
  return made < evidence.load.model.bytes / kNarrowestPart && !others_hold_model(evidence, gone) &&
         rounds_that_leave_nothing(evidence, gone.others) >= kRounds;
}

/// Whether the whole model ended in these blocks: nothing of the load that stayed after them is
/// large enough to be made of it. A program that needs its model only for a moment cannot keep it
/// for less.
bool are_the_weights(const Evidence& evidence, const Fellows& gone) {
  std::uint64_t arrived = 0;
  for (const std::uint32_t life : gone.lives) {
    arrived += evidence.flow.is_passed_on(life) ? 0 : evidence.flow.arrived(life);
  }
  std::uint64_t staying = 0;
  const std::uint64_t begun_ns = model_first_use_ns(evidence.load);
  for (const BlockLife& life : evidence.flow.lives()) {
    const bool stays = life.born_ns >= begun_ns && life.is_alive_after(gone.last_end + 1);
    staying += stays && !life.is_mapping && life.lane == trace::Lane::kHeap ? life.size : 0;
  }
  return is_most_of(arrived, evidence.load.model.bytes) &&
         (staying < evidence.load.model.bytes / kNarrowestPart || comes_in_rounds(evidence, gone));
}

/// How much of the load is in memory after some blocks are gone, its mapped files too: the most
/// from each of some times on. The times are as far apart as the blocks were there.
class AfterThem {
 public:
  static constexpr std::size_t kTimes = 64;

  AfterThem(const Evidence& evidence, const Fellows& gone) {
    const std::uint64_t begun_ns = model_first_use_ns(evidence.load);
    const std::uint64_t end_ns = evidence.trace.duration_ns() + 1;
    std::vector<std::uint64_t> borders{begun_ns - std::min<std::uint64_t>(begun_ns, 1), begun_ns};
    for (std::size_t i = 0; i < kTimes; ++i) {
      borders.push_back(
          std::min(gone.last_end_ns + 1 + i * std::max<std::uint64_t>(gone.longest_ns, 1), end_ns));
    }
    borders.push_back(end_ns);
    const auto columns = Timeline(evidence.trace).columns(borders);
    const std::uint64_t before = columns.front().footprint.minimum;
    std::uint64_t most = 0;
    for (std::size_t i = kTimes; i-- > 0;) {
      if (borders[i + 2] < end_ns) {
        const std::uint64_t footprint = columns[i + 2].footprint.maximum;
        most = std::max(
            most, footprint - std::min(footprint, before) + mapped_at(evidence, borders[i + 2]));
      }
      most_from_[i] = most;
    }
  }

  /// @param time less than kTimes; 0 is when they were gone.
  [[nodiscard]] std::uint64_t most_from(std::size_t time) const { return most_from_.at(time); }

 private:
  static std::uint64_t mapped_at(const Evidence& evidence, std::uint64_t ns) {
    std::uint64_t bytes = 0;
    for (const BlockLife& life : evidence.flow.lives()) {
      bytes += life.is_mapping && life.born_ns <= ns && life.died_ns > ns ? life.size : 0;
    }
    return bytes;
  }

  std::array<std::uint64_t, kTimes> most_from_{};
};

/// Whether the load ended with blocks: from then on it shrank without a pause, or after a pause no
/// longer than their lives, until what was left could not hold an eighth of the model. Then their
/// lives were not short by choice, and they may be what the program made of the file.
bool go_with_load(const Evidence& evidence, const Fellows& gone) {
  constexpr std::uint64_t kMaxGrowthTimes = 4;  // A vector that grew had twice its final size.
  if (gone.lifetimes.short_bytes + gone.lifetimes.long_bytes > kMaxGrowthTimes * gone.bytes) {
    return false;  // A place that asks again for each step; this was the last one.
  }
  const AfterThem after(evidence, gone);
  const std::uint64_t step = after.most_from(0) / AfterThem::kTimes;
  for (std::size_t time = 1; time < AfterThem::kTimes; ++time) {
    if (after.most_from(time) < evidence.load.model.bytes / kNarrowestPart) {
      return true;
    }
    if (after.most_from(time) + step > after.most_from(time - 1)) {
      return false;
    }
  }
  return false;
}

/// What goes together with everything else, as when an interpreter ends, proves nothing.
bool goes_with_program(const Evidence& evidence, const BlockLife& life) {
  constexpr std::uint64_t kEndPart = 20;
  const std::uint64_t duration_ns = evidence.load.duration_ns;
  return life.died_ns + duration_ns / kEndPart >= duration_ns;
}

/// Whether a block outlived the peak only by a moment, without a byte of the model in it.
bool is_gone_soon(const Evidence& evidence, std::uint32_t index) {
  const BlockLife& life = evidence.flow.lives()[index];
  return life.is_alive_after(evidence.peak) && !life.swept && !life.holds_model() &&
         !evidence.explained[index] &&
         life.died_ns - evidence.high_since_ns() <= evidence.totals.short_life_ns &&
         !goes_with_program(evidence, life);
}

/// The peak without blocks, also if the next such ones would make it as high.
LowerPeak without_others_too(const Evidence& evidence, const Fellows& fellows, LowerPeak without) {
  Savings savings = fellows.savings;
  savings.add(fellows.others_savings);
  return evidence.lower_peak(savings).value_or(std::move(without));
}

std::map<std::uint32_t, Fellows> soon_gone(const Evidence& evidence) {
  Places& places = *evidence.places;
  return fellows_by_place(evidence, is_gone_soon, evidence.load.peak.at.at_ns, places);
}

/// Whether blocks with bytes of the model, as many as it has, stay when these are gone, and not
/// only for a moment. Otherwise these may be the weights themselves, put together by code that is
/// no copy, which went before what they were made of.
bool weights_stay(const Evidence& evidence, const Fellows& gone) {
  constexpr std::uint64_t kMoments = 3;
  const std::uint64_t until_ns = gone.last_end_ns + kMoments * evidence.totals.short_life_ns;
  std::uint64_t bytes = 0;
  for (const BlockLife& life : evidence.flow.lives()) {
    const bool stays = life.is_alive_after(gone.last_end + 1) && life.died_ns >= until_ns;
    bytes += life.holds_model() && !life.is_mapping && stays ? life.size : 0;
  }
  return is_most_of(bytes, evidence.load.model.bytes);
}

enum class Writing : std::uint8_t { kOnce, kFilled, kResident };

/// Whether a block was written whole before the model came into it.
///
/// Resident pages prove this only if none was there at the start, and the file went over the whole
/// block once: a part that is used again and again is resident, too. Huge pages come two megabytes
/// at a time, and make at most half of them resident.
Writing writing_of(const FlowIndex& flow, std::uint32_t index) {
  constexpr double kMinResidentShare = 0.95;
  const BlockLife& life = flow.lives()[index];
  const std::uint64_t came = life.read_bytes + life.copied_in_bytes;
  if (life.is_mapping || life.moved_in_bytes > 0 || !is_most_of(came, life.room())) {
    return Writing::kOnce;
  }
  if (is_most_of(life.filled_bytes, life.room())) {
    return Writing::kFilled;
  }
  const bool went_once = is_most_of(life.looked_bytes, life.room()) &&
                         life.read_bytes <= life.room() + life.room() / 10;
  return life.is_fresh && went_once && life.first_resident_share >= kMinResidentShare &&
                 life.resident_bytes >= kMinResidentShare * static_cast<double>(life.looked_bytes)
             ? Writing::kResident
             : Writing::kOnce;
}

Finding double_writing(const Evidence& evidence,
                       std::size_t node,
                       const Fellows& fellows,
                       Writing writing) {
  Finding finding{.kind = FindingKind::kWrittenTwice,
                  .title = "written before the weights arrived"};
  finding.frames = named_stack(evidence.trace.definitions(), fellows.stack);
  const std::string blocks =
      blocks_text(fellows.bytes, fellows.blocks, evidence.placed.chain.nodes[node].name);
  const char* const were = fellows.blocks == 1 ? "was" : "were";
  finding.sentence =
      writing == Writing::kFilled
          ? fmt::format(
                "{} {} set by memset before the weights arrived: every byte was written "
                "twice, which costs time, not memory.",
                blocks, were)
          : fmt::format(
                "{} {} in memory already when the file was read into {}: initialised, "
                "or populated, for nothing.",
                blocks, were, fellows.blocks == 1 ? "it" : "them");
  finding.bytes = fellows.bytes;
  finding.at_ns = fellows.first_ns;
  return finding;
}

}  // namespace

void find_short_lives(Evidence& evidence, std::vector<Finding>& findings) {
  for (const auto& [place, fellows] : short_lives(evidence)) {
    if (fellows.bytes < evidence.worth_saying() || !lives_short_as_a_rule(fellows) ||
        are_the_weights(evidence, fellows) || go_with_load(evidence, fellows)) {
      continue;
    }
    const auto without = evidence.lower_peak(fellows.savings);
    if (!without) {
      continue;
    }
    Finding finding{.kind = FindingKind::kShortLived, .title = "short-lived blocks"};
    finding.frames = named_stack(evidence.trace.definitions(), fellows.stack);
    finding.sentence =
        fmt::format("{} {} there for {}{} only, and the peak is in it.",
                    blocks_text(fellows.bytes, fellows.blocks, place_text(finding.frames)),
                    fellows.blocks == 1 ? "was" : "were", format_time(fellows.longest_ns),
                    fellows.blocks == 1 ? "" : " at most");
    finding.bytes = fellows.bytes;
    finding.at_ns = evidence.load.peak.at.at_ns;
    without_others_too(evidence, fellows, *without).note(finding);
    findings.push_back(std::move(finding));
    evidence.explain(fellows.lives);
  }
}

void find_soon_gone(Evidence& evidence, std::vector<Finding>& findings) {
  for (const auto& [place, fellows] : soon_gone(evidence)) {
    if (fellows.bytes < evidence.load.model.bytes / kModelPart ||
        !weights_stay(evidence, fellows)) {
      continue;
    }
    const auto without = evidence.lower_peak(fellows.savings);
    if (!without) {
      continue;
    }
    Finding finding{.kind = FindingKind::kShortLived, .title = "freed right after the peak"};
    finding.frames = named_stack(evidence.trace.definitions(), fellows.stack);
    finding.sentence = fmt::format(
        "{} {} freed within {} after the peak, and no read of the file, nor a copy from it, into "
        "{} "
        "was seen.",
        blocks_text(fellows.bytes, fellows.blocks, place_text(finding.frames)),
        fellows.blocks == 1 ? "was" : "were", format_time(fellows.longest_ns),
        fellows.blocks == 1 ? "it" : "them");
    finding.bytes = fellows.bytes;
    finding.at_ns = evidence.load.peak.at.at_ns;
    without->note(finding);
    findings.push_back(std::move(finding));
  }
}

void find_double_writes(const Evidence& evidence, std::vector<Finding>& findings) {
  std::map<std::pair<std::size_t, Writing>, Fellows> by_node;
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    const Writing writing = lives[i].holds_model() ? writing_of(evidence.flow, i) : Writing::kOnce;
    if (writing != Writing::kOnce) {
      Fellows& fellows = by_node[{evidence.placed.node_of[i], writing}];
      fellows.bytes += lives[i].room();
      ++fellows.blocks;
      fellows.stack = lives[i].stack;
      fellows.first_ns =
          std::min(fellows.first_ns,
                   writing == Writing::kFilled ? lives[i].filled_ns : lives[i].first_read_ns);
    }
  }
  for (const auto& [key, fellows] : by_node) {
    if (fellows.bytes >= evidence.load.model.bytes / kModelPart) {
      findings.push_back(double_writing(evidence, key.first, fellows, key.second));
      findings.back().nodes.push_back(key.first);
    }
  }
}

}  // namespace tidemark::analyzer
