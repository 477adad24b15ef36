// A model that was read a second time while what was read before is still there: it is loaded anew
// for a swap, or by two sessions of one program.
//
// `twice`: nine tenths of what was read or copied of a model's file into a block was in other
// blocks of the process then, and is at the peak.
// - None of what is alive there was copied from the other, and so much was read or mapped in all.
// - It has a twentieth of the peak for files that list no tensors, nine tenths of the model for
//   others.
// The peak without ends each such block, at any time, when what it repeats has gone.

#include "analyzer/findings/asking_place.hpp"
#include "analyzer/findings/findings.hpp"
#include "analyzer/findings/weights/file_holders.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// A part of a file that came into a block.
struct Reading {
  std::uint32_t life = 0;
  std::uint64_t at_ns = UINT64_MAX;
  std::vector<FilePart> parts;

  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const FilePart& part : parts) {
      sum += part.bytes();
    }
    return sum;
  }
};

/// By process and file.
using ReadingsByFile = std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Reading>>;

/// From all blocks that ever were, in the order in which they came.
ReadingsByFile all_readings(const Evidence& evidence, const ModelFileIds& files) {
  std::unordered_map<trace::AllocationNumber, std::map<std::uint32_t, Reading>> of_block;
  for (const trace::Origin& origin : evidence.trace.definitions().origins) {
    if (files.contains(trace::index(origin.file)) &&
        has_values(evidence.trace.definitions(), origin)) {
      Reading& reading = of_block[origin.allocation][trace::index(origin.file)];
      reading.parts.push_back({origin.offset, origin.offset + origin.bytes});
      reading.at_ns = std::min(reading.at_ns, origin.at_ns);
    }
  }
  ReadingsByFile readings;
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t life = 0; life < lives.size(); ++life) {
    const auto known = of_block.find(lives[life].allocation);
    if (known == of_block.end() || lives[life].is_mapping || !lives[life].holds_model()) {
      continue;
    }
    for (auto& [file, reading] : known->second) {
      reading.life = life;
      readings[{trace::index(lives[life].process), file}].push_back(std::move(reading));
    }
  }
  for (auto& [key, all] : readings) {
    std::ranges::stable_sort(all, {}, &Reading::at_ns);
  }
  return readings;
}

/// From which blocks bytes were copied into others.
class Ancestry {
 public:
  explicit Ancestry(const ModelFlow& flow) {
    for (const Departure& departure : flow.departures) {
      if (departure.target != BlockLife::kNone) {
        sources_[departure.target].insert(departure.source);
      }
    }
  }
  /// Whether bytes came into a block from one of `lives`, also by way of others, or it is one of
  /// them.
  ///
  /// Looks at the nearest first, since it mostly is one of those. A result from far away is
  /// remembered, so that along a chain of copies each asks only its neighbour.
  [[nodiscard]] bool comes_from(std::uint32_t life, const std::set<std::uint32_t>& lives) {
    std::unordered_set<std::uint32_t> seen{life};
    std::vector<std::uint32_t> queue{life};
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const std::uint32_t found = queue[next];
      if (lives.contains(found)) {
        if (found != life) {
          sources_[life].insert(found);
        }
        return true;
      }
      if (const auto sources = sources_.find(found); sources != sources_.end()) {
        std::ranges::copy_if(sources->second, std::back_inserter(queue),
                             [&](std::uint32_t source) { return seen.insert(source).second; });
      }
    }
    return false;
  }

 private:
  std::unordered_map<std::uint32_t, std::set<std::uint32_t>> sources_;  // By target.
};

/// Which blocks hold a file, part by part: the last that it was read into.
class Standing {
 public:
  struct Piece {
    std::uint64_t end = 0;
    std::uint32_t life = 0;
    trace::EventOrdinal gone = 0;  ///< When everything that ever held it was gone.
  };

  template <typename Visit>
  void visit(const FilePart& part, const Visit& visit) const {
    auto at = pieces_.upper_bound(part.begin);
    at = at != pieces_.begin() ? std::prev(at) : at;
    for (; at != pieces_.end() && at->first < part.end; ++at) {
      const std::uint64_t begin = std::max(part.begin, at->first);
      const std::uint64_t end = std::min(part.end, at->second.end);
      if (begin < end) {
        visit(end - begin, at->second);
      }
    }
  }
  void put(const FilePart& part, std::uint32_t life, trace::EventOrdinal gone) {
    split(part.begin);
    split(part.end);
    for (auto at = pieces_.lower_bound(part.begin); at != pieces_.end() && at->first < part.end;) {
      gone = std::max(gone, at->second.gone);
      at = pieces_.erase(at);
    }
    pieces_[part.begin] = {part.end, life, gone};
  }

 private:
  void split(std::uint64_t offset) {
    auto at = pieces_.lower_bound(offset);
    if (at == pieces_.begin() || std::prev(at)->second.end <= offset) {
      return;
    }
    --at;
    const Piece tail = at->second;
    at->second.end = offset;
    pieces_[offset] = tail;
  }

  std::map<std::uint64_t, Piece> pieces_;  // By begin.
};

/// What a process read again.
struct ReadAgain {
  std::set<std::uint32_t> firsts;  ///< Blocks at the peak that had it before,
  std::set<std::uint32_t> lives;   ///< and those that have it once more.
  std::uint64_t first_ns = UINT64_MAX;
  std::uint64_t again_ns = UINT64_MAX;
  std::uint64_t bytes = 0;  ///< In `lives`, of the file;
  std::uint64_t once = 0;   ///< each counted once.
  Savings savings;          ///< Ends each reading when what it repeats is gone, at any time.
};

class AgainCollector {
 public:
  AgainCollector(const Evidence& evidence, Ancestry& ancestry, ReadAgain& again)
      : evidence_(evidence), ancestry_(ancestry), again_(again) {}

  /// @param readings all of one file, in order.
  void see(const std::vector<Reading>& readings) {
    Standing standing;
    Coverage covered;
    std::unordered_map<std::uint32_t, std::uint64_t> came_ns;
    for (const Reading& reading : readings) {
      const BlockLife& block = evidence_.flow.lives()[reading.life];
      const Repeated repeated = repeated_of(reading, standing);
      if (repeated.is_copy) {
        continue;
      }
      came_ns[reading.life] = reading.at_ns;
      for (const FilePart& part : reading.parts) {
        standing.put(part, reading.life, block.died);
      }
      // If the block holds more than that, its peak without would be without the rest, too.
      if (!is_most_of(repeated.bytes, reading.bytes()) ||
          !is_most_of(reading.bytes(), block.room())) {
        continue;
      }
      save_until(reading.life, repeated.gone);
      if (is_told(reading.life) && repeated.gone > evidence_.peak) {
        add(reading, repeated, covered, came_ns);
      }
    }
  }

 private:
  struct Repeated {
    std::uint64_t bytes = 0;
    trace::EventOrdinal gone = 0;
    bool is_copy = false;
    std::set<std::uint32_t> lives;
  };

  [[nodiscard]] Repeated repeated_of(const Reading& reading, const Standing& standing) const {
    const BlockLife& block = evidence_.flow.lives()[reading.life];
    Repeated repeated;
    for (const FilePart& part : reading.parts) {
      standing.visit(part, [&](std::uint64_t bytes, const Standing::Piece& piece) {
        if (piece.gone > block.born) {
          repeated.bytes += bytes;
          repeated.gone = std::max(repeated.gone, piece.gone);
          repeated.lives.insert(piece.life);
        }
      });
    }
    repeated.is_copy =
        !repeated.lives.empty() && ancestry_.comes_from(reading.life, repeated.lives);
    return repeated;
  }
  [[nodiscard]] bool is_told(std::uint32_t life) const {
    return evidence_.flow.lives()[life].is_alive_after(evidence_.peak) &&
           !evidence_.explained[life];
  }
  void save_until(std::uint32_t life, trace::EventOrdinal gone) {
    Savings later;
    evidence_.flow.save(life, 0, again_.savings);
    evidence_.flow.save(life, gone, later);
    for (const Savings::Step& step : later.sorted()) {
      again_.savings.add(step.ordinal, -step.bytes, step.of);
    }
  }
  void add(const Reading& reading,
           const Repeated& repeated,
           Coverage& covered,
           const std::unordered_map<std::uint32_t, std::uint64_t>& came_ns) {
    again_.lives.insert(reading.life);
    again_.again_ns = std::min(again_.again_ns, reading.at_ns);
    again_.bytes += reading.bytes();
    for (const FilePart& part : reading.parts) {
      again_.once += part.bytes() - covered.overlap(part);
      covered.add(part);
    }
    for (const std::uint32_t life : repeated.lives) {
      if (is_told(life)) {
        again_.firsts.insert(life);
        again_.first_ns = std::min(again_.first_ns, came_ns.at(life));
      }
    }
  }

  const Evidence& evidence_;
  Ancestry& ancestry_;
  ReadAgain& again_;
};

/// Whether so much of the model was read or mapped that nothing that it repeats is a copy.
bool was_read_as_often(const Evidence& evidence, const ReadAgain& again) {
  std::uint64_t used = 0;
  for (const std::size_t number : evidence.load.model.files) {
    used += evidence.load.files[number].bytes_read + evidence.load.files[number].bytes_mapped;
  }
  return is_most_of(used, again.once + again.bytes);
}

std::string count_text(const std::vector<std::uint32_t>& lives, const std::string& place) {
  return fmt::format("{} {} of {}", format_count(lives.size()),
                     lives.size() == 1 ? "block" : "blocks", place);
}

void tell(Evidence& evidence, const ReadAgain& again, std::vector<Finding>& findings) {
  const bool is_whole = is_most_of(again.once, evidence.load.model.bytes);
  const auto without = evidence.lower_peak(again.savings);
  if (!without) {
    return;
  }
  // A file that was read three times has read again what was there for the second time.
  std::vector<std::uint32_t> firsts;
  std::ranges::set_difference(again.firsts, again.lives, std::back_inserter(firsts));
  const std::vector<std::uint32_t> lives(again.lives.begin(), again.lives.end());
  if (firsts.empty()) {
    return;
  }
  const auto places = asking_places(evidence, {firsts, lives});
  const std::uint64_t times = 1 + (again.bytes + again.once / 2) / again.once;
  Finding finding{.kind = FindingKind::kTwice,
                  .title = is_whole ? "the model loaded beside itself" : "weights in memory twice"};
  const bool is_same = places.front().text == places.back().text;
  finding.sentence = fmt::format(
      "{} of the model were read {}, and {} alive at the peak: in {} from {} on, and again in {} "
      "from {} on.",
      format_size(again.once), times == 2 ? "twice" : fmt::format("{} times", times),
      times == 2 ? "both are" : "all are", count_text(firsts, places.front().text),
      format_time(again.first_ns),
      count_text(lives, is_same ? "the same place" : places.back().text),
      format_time(again.again_ns));
  finding.bytes = again.bytes;
  finding.remedy = "Had what was read before gone first";
  finding.advice = "release one before the other is loaded, or share one";
  add_finding(evidence, *without, places.back().stack, std::move(finding), findings);
  evidence.explain(firsts);
  evidence.explain(lives);
}

}  // namespace

void find_read_again(Evidence& evidence, std::vector<Finding>& findings) {
  const ModelFileIds files = model_file_ids(evidence);
  Ancestry ancestry(evidence.totals);
  std::map<std::uint32_t, ReadAgain> by_process;
  bool is_listed = false;
  for (const auto& [key, readings] : all_readings(evidence, files)) {
    const auto& [process, file] = key;
    is_listed = is_listed || files.at(file);
    AgainCollector(evidence, ancestry, by_process[process]).see(readings);
  }
  for (const auto& [process, again] : by_process) {
    // Parts of a file that lists tensors are reported by their names.
    const std::uint64_t least = is_listed
                                    ? evidence.load.model.bytes - evidence.load.model.bytes / 10
                                    : evidence.worth_saying();
    if (again.once >= least && was_read_as_often(evidence, again)) {
      tell(evidence, again, findings);
    }
  }
}

}  // namespace tidemark::analyzer
