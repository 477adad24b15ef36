// Weights that a loop of the program moved or widened, of files that list no tensors or of a
// compressed .npz; or scaled, of any file. Which bytes of the file a block holds is known by where
// they were read, or by its values.
//
// Blocks at the peak were seen to hold the file's own bytes; or these as a wider or narrower type
// of float; or its one-byte whole numbers, each times a scale. Of any file: its float32 all scaled
// or shifted, or row by row, or its floats, one in each node of up to 64 bytes.
// - `twice`: others hold nine tenths of the same part of the file, by where it was read or by their
//   values.
// - `widened`: the elements are wider than in the file.
// - Blocks in a row of scaled or converted ones that were not looked into in time are taken for
//   such, too (tensors/place_rule, row_rule), and the sentence says how many.
// - What a block was seen to hold before it grew by realloc it holds after that. One that was seen
//   to hold wider elements all over, and got no more bytes of the file than these are there, holds
//   these: they were widened in it, or in a buffer on their way.
// - Of the blocks that came first, as much goes as the others hold. One that has little else goes
//   as a whole if no more is missing than the largest of three others at least, and it was gone
//   after the peak in less time than each of them took.
// - A heap block that held wider elements of one part of a file alone, and other values by the
// peak,
//   was changed in place: it is `widened` all the same, which the sentence says, and never `twice`.

#include "analyzer/findings/asking_place.hpp"
#include "analyzer/findings/findings.hpp"
#include "analyzer/findings/weights/file_holders.hpp"
#include "analyzer/findings/weights/widened_findings.hpp"
#include "analyzer/tensors/block_contents.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

using Holders = std::vector<const Holder*>;

std::uint64_t count_of(const Holders& holders, bool Holder::*is) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(holders, [is](const Holder* holder) { return holder->*is; }));
}

/// Where a file begins if all files lie one behind the other, with gaps.
constexpr unsigned kFileBits = 48;  // More than any file has.
std::uint64_t begin_of_file(std::uint64_t file) {
  return file << kFileBits;
}

/// How many files their parts are of.
std::size_t files_of(const Holders& holders) {
  std::set<std::uint64_t> files;
  for (const Holder* holder : holders) {
    for (const FilePart& part : holder->parts) {
      files.insert(part.begin >> kFileBits);
    }
  }
  return files.size();
}

/// Their blocks, each once.
std::vector<std::uint32_t> lives_of(const Holders& holders) {
  std::vector<std::uint32_t> lives;
  std::unordered_set<std::uint32_t> known;
  for (const Holder* holder : holders) {
    if (known.insert(holder->life).second) {
      lives.push_back(holder->life);
    }
  }
  return lives;
}

/// The lives of holders that have little else. Other findings may be about the rest of a block.
std::vector<std::uint32_t> told_lives(const Holders& holders) {
  std::map<std::uint32_t, std::uint64_t> bytes;
  for (const Holder* holder : holders) {
    bytes[holder->life] += holder->is_seen ? holder->block_bytes() : holder->bytes();
  }
  Holders told;
  std::ranges::copy_if(holders, std::back_inserter(told), [&](const Holder* holder) {
    const std::uint64_t held = bytes[holder->life];
    // Small reads are not followed, so half of a block is enough.
    return holder->is_part ? is_most_of(held, holder->size) : held >= holder->size / 2;
  });
  return lives_of(told);
}

/// The shares of blocks that would go: several parts of one block, each once.
class Shares {
 public:
  void add(const Holder& holder, double part = 1) {
    by_life_[holder.life] += holder.share() * part;
  }
  [[nodiscard]] Savings savings(const Evidence& evidence) const {
    Savings savings;
    for (const auto& [life, share] : by_life_) {
      evidence.flow.save_part(life, std::min(share, 1.0), savings);
    }
    return savings;
  }

 private:
  std::map<std::uint32_t, double> by_life_;
};

/// Blocks that hold what others do, in one form.
struct Again {
  Holders holders;
  Coverage coverage;              ///< The parts of the file that they hold,
  std::uint64_t in_file = 0;      ///< and how much that is,
  std::uint64_t overlapping = 0;  ///< and how much of it they hold once more.
  std::uint64_t bytes = 0;        ///< What they take at the peak.

  [[nodiscard]] std::uint64_t used() const {
    std::uint64_t sum = 0;
    for (const Holder* holder : holders) {
      sum += holder->used;
    }
    return sum;
  }
  [[nodiscard]] std::uint64_t bytes_in_file() const {
    std::uint64_t sum = 0;
    for (const Holder* holder : holders) {
      sum += holder->bytes();
    }
    return sum;
  }
  [[nodiscard]] std::vector<std::uint32_t> lives() const { return lives_of(holders); }
};

/// By the type in the blocks, that in the file, and the size of a node.
using Forms = std::map<std::tuple<std::string, std::string, std::uint64_t>, Again>;

void add_to(const Holder& holder, Forms& forms) {
  Again& again = forms[{holder.type, holder.file_type, holder.node_bytes}];
  again.holders.push_back(&holder);
  const std::uint64_t known = holder.overlap(again.coverage);
  again.overlapping += known;
  again.in_file += holder.bytes() - known;
  holder.add_to(again.coverage);
  again.bytes += holder.block_bytes();
}

/// The blocks of the same file that were there first.
struct Firsts {
  Holders holders;
  std::uint64_t bytes = 0;
  Shares shares;              ///< What the others hold of these, and `unmade`.
  std::uint64_t unmade = 0;   ///< What was still to be made of these: see is_at_last_piece.
  std::uint64_t gone_ns = 0;  ///< When the last of those was gone.

  [[nodiscard]] std::vector<std::uint32_t> lives() const { return lives_of(holders); }
};

/// Whether the last piece was being made of a block, which goes with it: the block held little
/// else, no more of it is missing than the largest piece, and it was gone before another one could
/// be made.
bool is_at_last_piece(const Evidence& evidence, const Holder& source, const Again& again) {
  constexpr std::size_t kPieces = 3;
  const BlockLife& life = evidence.flow.lives()[source.life];
  if (again.holders.size() < kPieces || source.is_part || life.swept ||
      !is_most_of(source.bytes(), source.size)) {
    return false;
  }
  std::uint64_t largest = 0;
  std::uint64_t first_ns = UINT64_MAX;
  std::uint64_t last_ns = 0;
  for (const Holder* piece : again.holders) {
    largest = std::max(largest, piece->bytes());
    first_ns = std::min(first_ns, piece->at_ns);
    last_ns = std::max(last_ns, piece->at_ns);
  }
  const std::uint64_t each_ns = (last_ns - first_ns) / (again.holders.size() - 1);
  const std::uint64_t missing = source.bytes() - source.overlap(again.coverage);
  return missing <= largest + largest / 16 && life.died_ns - evidence.load.peak.at.at_ns <= each_ns;
}

Firsts firsts_of(const Evidence& evidence, const Holders& first, const Again& again) {
  Firsts firsts;
  for (const Holder* holder : first) {
    const auto bytes = static_cast<std::uint64_t>(
        static_cast<double>(holder->overlap(again.coverage)) * holder->times());
    if (bytes == 0) {
      continue;
    }
    const std::uint64_t size = holder->block_bytes();
    firsts.holders.push_back(holder);
    firsts.bytes += std::min(bytes, size);
    if (is_most_of(bytes, size)) {
      firsts.shares.add(*holder);
    } else if (is_at_last_piece(evidence, *holder, again)) {
      firsts.shares.add(*holder);
      firsts.unmade += size - bytes;
      firsts.gone_ns = std::max(firsts.gone_ns, evidence.flow.lives()[holder->life].died_ns);
    } else {
      firsts.shares.add(*holder, static_cast<double>(bytes) / static_cast<double>(size));
    }
  }
  return firsts;
}

/// It is unknown which of the two is needed. In turn, another peak as high may have one of the two
/// as well: then the other one goes.
std::optional<LowerPeak> peak_with_one(const Evidence& evidence,
                                       const Firsts& firsts,
                                       const Again& again) {
  Shares shares;
  for (const Holder* holder : again.holders) {
    shares.add(*holder);
  }
  const auto without_first = evidence.lower_peak(firsts.shares.savings(evidence));
  const auto without_again = evidence.lower_peak(shares.savings(evidence));
  if (evidence.is_in_turn && (!without_first || !without_again)) {
    return without_first ? without_first : without_again;
  }
  return higher_of(without_first, without_again);
}

bool are_of_one_form(const Holder& one, const Holder& other) {
  return one.type == other.type && one.node_bytes == other.node_bytes &&
         (one.type.empty() || one.file_type == other.file_type);
}

/// Whether all that came first have the form of this one.
bool has_form(const Firsts& firsts, const Holder& one) {
  return std::ranges::all_of(firsts.holders,
                             [&](const Holder* holder) { return are_of_one_form(*holder, one); });
}

/// `in 2 blocks of ... as in the file`, `as f32 in 2 blocks of ...`.
std::string form_text(const Holder& one, const std::string& blocks) {
  if (one.is_as_in_file()) {
    return fmt::format("in {} as in the file", blocks);
  }
  if (one.is_scaled()) {
    return fmt::format("scaled, shifted or without their signs, in {}", blocks);
  }
  return one.is_turned_round()
             ? "with the bytes of each number in the other order in " + blocks
             : fmt::format("as {}{} in {}", element_form_text(one.type, one.node_bytes),
                           one.node_bytes == 0 ? "" : ",", blocks);
}

std::string first_text(const Firsts& firsts, const std::string& place) {
  const std::string blocks = blocks_of(firsts.lives(), place);
  const Holder& one = *firsts.holders.front();
  return has_form(firsts, one) ? form_text(one, blocks)
                               : fmt::format("in {}, in several forms", blocks);
}

/// Whether the file's bytes were read as often as they are there: once into the first, and once
/// more into memory that is not followed, as a stream's buffer.
bool may_be_read_twice(const Evidence& evidence, const Firsts& firsts, const Again& again) {
  std::uint64_t read_again = 0;
  for (const std::size_t number : evidence.load.model.files) {
    const FileUse& file = evidence.load.files[number];
    read_again += file.bytes_read - std::min(file.bytes_read, file.size);
  }
  return count_of(firsts.holders, &Holder::is_seen) == 0 && is_most_of(read_again, again.in_file) &&
         is_most_of(evidence.totals.unseen_read_bytes, again.in_file);
}

/// Whether they held the file before it was read into the first.
bool are_older(const Evidence& evidence, const Firsts& firsts, const Again& again) {
  std::uint64_t first_ns = UINT64_MAX;
  for (const Holder* holder : firsts.holders) {
    first_ns = std::min(first_ns, evidence.flow.lives()[holder->life].first_read_ns);
  }
  return std::ranges::all_of(again.holders,
                             [first_ns](const Holder* holder) { return holder->at_ns < first_ns; });
}

std::string how_made_again(const Evidence& evidence, const Firsts& firsts, const Again& again) {
  if (!may_be_read_twice(evidence, firsts, again)) {
    return "as a loop copies them";
  }
  return are_older(evidence, firsts, again) ? "as the file was read twice"
                                            : "as the file was read twice, or a loop copies them";
}

/// `as f32 in 2 blocks of ..., as a loop converts them`, `again in the same block, ...`.
std::string again_text(const Evidence& evidence,
                       const Firsts& firsts,
                       const Again& again,
                       const std::string& place) {
  const Holder& one = *again.holders.front();
  const std::vector<std::uint32_t> lives = again.lives();
  // As in the heap of a runtime, or an arena.
  const std::string blocks = lives != firsts.lives() ? blocks_of(lives, place)
                             : lives.size() == 1     ? "the same block"
                                                     : "the same blocks";
  if (has_form(firsts, one)) {
    return fmt::format("again in {}, {}", blocks, how_made_again(evidence, firsts, again));
  }
  const char* const how = one.is_turned_round() ? ", as a loop turns them round"
                          : one.is_converted()  ? ", as a loop converts them"
                                                : "";
  return form_text(one, blocks) + how;
}

/// Without all but the copy that came last, of several.
void note_the_last_alone(const Evidence& evidence,
                         const Firsts& firsts,
                         const Again& again,
                         Finding& finding) {
  const std::uint64_t more = (again.overlapping + again.in_file / 2) / again.in_file;
  if (more == 0 || !is_most_of(again.overlapping, again.in_file * more)) {
    return;
  }
  Shares shares = firsts.shares;
  Coverage last;
  for (auto holder = again.holders.rbegin(); holder != again.holders.rend(); ++holder) {
    if (is_most_of((*holder)->overlap(last), (*holder)->bytes())) {
      shares.add(**holder);
    } else {
      (*holder)->add_to(last);
    }
  }
  if (const auto with_one = evidence.lower_peak(shares.savings(evidence))) {
    finding.copies = more + 2;
    finding.peak_with_one_bytes = with_one->bytes;
  }
}

/// If more goes than is there twice: how much, and why.
std::string unmade_text(const Evidence& evidence, const Firsts& firsts) {
  return firsts.unmade == 0
             ? std::string()
             : fmt::format(
                   " The other {} of the first go with {}, which {} gone {} after the peak.",
                   format_size(firsts.unmade), firsts.lives().size() == 1 ? "it" : "them",
                   firsts.lives().size() == 1 ? "was" : "were",
                   format_time(firsts.gone_ns - evidence.load.peak.at.at_ns));
}

/// If the copy differs from the first, it is taken to be needed as it is, and the first is what
/// could go. If it does not, either could.
/// @return whether it is reported.
bool tell_twice(const Evidence& evidence,
                const Firsts& firsts,
                const Again& again,
                std::vector<Finding>& findings) {
  const Holder& one = *again.holders.front();
  const bool is_either = one.is_as_in_file() || has_form(firsts, one);
  const auto without = is_either ? peak_with_one(evidence, firsts, again)
                                 : evidence.lower_peak(firsts.shares.savings(evidence));
  if (firsts.holders.empty() || again.in_file < evidence.worth_saying() || !without) {
    return false;
  }
  Finding finding{.kind = FindingKind::kTwice};
  finding.title = is_most_of(again.in_file, evidence.load.model.bytes) ? "two copies of the weights"
                                                                       : "weights in memory twice";
  const std::vector<std::uint32_t> first_lives = firsts.lives();
  const std::vector<std::uint32_t> again_lives = again.lives();
  const auto places = asking_places(evidence, {first_lives, again_lives});
  const auto count = [&](bool Holder::*is) {
    return count_of(firsts.holders, is) + count_of(again.holders, is);
  };
  finding.inferred_blocks = count(&Holder::is_inferred);
  finding.sentence = fmt::format(
      "{} of the weights are in memory twice at the peak, {}: {}, and {}.",
      format_size(again.in_file),
      by_values_text(count(&Holder::is_seen) - finding.inferred_blocks, finding.inferred_blocks),
      first_text(firsts, places.front().text),
      again_text(evidence, firsts, again, places.back().text));
  finding.bytes = again.in_file;
  if (!is_either) {
    finding.sentence += unmade_text(evidence, firsts);
    finding.bytes += firsts.unmade;
  }
  finding.remedy = is_either         ? "With one of them"
                   : one.is_scaled() ? "Scaled in place"
                                     : "Converted piece by piece";
  note_the_last_alone(evidence, firsts, again, finding);
  add_finding(evidence, *without, places.front().stack, std::move(finding), findings);
  return true;
}

/// @param changed of the blocks, which held the wider elements once.
std::string changed_text(std::uint64_t changed, std::size_t blocks) {
  const std::string which = blocks == 1        ? "The block was"
                            : changed < blocks ? format_count(changed) + " of the blocks were"
                                               : "The blocks were";
  return fmt::format(" {} given other values since, as by a change in place.", which);
}

/// @return whether it is reported.
bool tell_widened(const Evidence& evidence, const Again& wide, std::vector<Finding>& findings) {
  const Holder& one = *wide.holders.front();
  Shares shares;
  for (const Holder* holder : wide.holders) {
    shares.add(*holder, 1 - 1 / holder->times());
  }
  const auto narrow = evidence.lower_peak(shares.savings(evidence));
  if (!narrow) {
    return false;
  }
  const AskingPlace place = asking_place(evidence, wide.lives());
  const std::uint64_t wide_bytes = one.element_bytes();
  // One-byte numbers have their scales beside them.
  const std::string narrow_text = element_text(
      trace::is_byte(one.file_type)
          ? static_cast<double>(wide_bytes) * static_cast<double>(wide.bytes_in_file()) /
                static_cast<double>(wide.used())
          : static_cast<double>(trace::value_bytes(one.file_type)));
  const std::uint64_t inferred = count_of(wide.holders, &Holder::is_inferred);
  Finding finding{.kind = FindingKind::kWidened, .title = "more bytes an element than in the file"};
  finding.inferred_blocks = inferred;
  const std::size_t files = files_of(wide.holders);
  const std::uint64_t changed = count_of(wide.holders, &Holder::is_changed);
  finding.sentence = fmt::format(
      "{} {} {} of {} as {}, {}: {} bytes an element; the {} {} {} an element{}.",
      blocks_text(wide.bytes, wide.lives().size(), place.text),
      changed == wide.holders.size() ? "held" : "hold", file_type_text(one.file_type),
      files == 1 ? "the file" : fmt::format("{} files", format_count(files)),
      element_form_text(one.type, one.node_bytes),
      by_their_values_text(wide.lives().size() - inferred, inferred), wide_bytes,
      files == 1 ? "file has" : "files have", narrow_text, narrow_text == "1" ? "byte" : "bytes",
      trace::is_byte(one.file_type) && narrow_text != "1" ? ", with their scales" : "");
  if (changed != 0) {
    finding.sentence += changed_text(changed, wide.lives().size());
  }
  finding.bytes = wide.bytes;
  finding.remedy =
      fmt::format("With {} {} an element", narrow_text, narrow_text == "1" ? "byte" : "bytes");
  add_finding(evidence, *narrow, place.stack, std::move(finding), findings);
  return true;
}

/// A finding and the blocks that were there first.
struct Told {
  std::size_t finding = 0;
  std::vector<std::uint32_t> first_lives;
};

/// If several findings are about the same first blocks, all but the first one say so. The one that
/// lowers the peak most comes first.
void tell_same_firsts(std::vector<Told> all, std::vector<Finding>& findings) {
  std::ranges::stable_sort(all, [&](const Told& one, const Told& other) {
    const Finding& a = findings[one.finding];
    const Finding& b = findings[other.finding];
    return std::tuple(a.peak_without_bytes, b.bytes) < std::tuple(b.peak_without_bytes, a.bytes);
  });
  for (auto told = all.begin(); told != all.end(); ++told) {
    if (std::any_of(all.begin(), told,
                    [&](const Told& before) { return before.first_lives == told->first_lives; })) {
      findings[told->finding].sentence +=
          told->first_lives.size() == 1
              ? " The first block is that of a finding above, and can go only once."
              : " The first blocks are those of a finding above, and can go only once.";
    }
  }
}

void tell_files(Evidence& evidence,
                const std::vector<Holder>& holders,
                std::vector<Finding>& findings) {
  Coverage covered;
  Holders first;
  Forms again;
  Forms wide;
  for (const Holder& holder : holders) {
    const bool is_there = is_most_of(holder.overlap(covered), holder.bytes());
    // Other values are nothing that is there twice.
    if (holder.is_seen && is_there && !holder.is_changed) {
      add_to(holder, again);
    } else if (!holder.is_changed) {
      first.push_back(&holder);
      holder.add_to(covered);
    }
    if (holder.is_converted() && holder.times() > 1) {
      add_to(holder, wide);
    }
  }
  // Another block that holds the file may be the main part of the peak, and has another finding.
  std::vector<Told> told;
  for (const auto& [form, blocks] : again) {
    const Firsts firsts = firsts_of(evidence, first, blocks);
    if (tell_twice(evidence, firsts, blocks, findings)) {
      told.push_back({findings.size() - 1, firsts.lives()});
      evidence.explain(told_lives(firsts.holders));
      evidence.explain(told_lives(blocks.holders));
    }
  }
  tell_same_firsts(std::move(told), findings);
  for (const auto& [form, blocks] : wide) {
    if (tell_widened(evidence, blocks, findings)) {
      evidence.explain(told_lives(blocks.holders));
    }
  }
}

}  // namespace

void find_moved(Evidence& evidence, std::vector<Finding>& findings) {
  // The files of a process are combined: if there are many shards, each holds too little of the
  // peak to be reported.
  std::map<std::uint32_t, std::vector<Holder>> by_process;
  for (auto& [key, holders] : holders_at_peak(evidence)) {
    const auto& [process, file] = key;
    for (Holder& holder : holders) {
      for (FilePart& part : holder.parts) {
        part = {begin_of_file(file) + part.begin, begin_of_file(file) + part.end};
      }
      by_process[process].push_back(std::move(holder));
    }
  }
  for (const auto& [process, holders] : by_process) {
    tell_files(evidence, holders, findings);
  }
}

}  // namespace tidemark::analyzer
