/// What every format of a report says in words: without width, colour or line breaks.
#pragma once

#include "analyzer/report/facts/report.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::analyzer {

/// `peak 10.0 GiB = 2.00 x the 5.0 GiB model, at 3.2 s, in phase deserialize`; for a partial
/// recording `peak at least ..., up to where the recording ends`.
std::string headline_of(const Report& report);

/// The headline's sum: `328.7 MiB = 230.5 MiB of W + 97.0 MiB before the load began + 1.2 MiB`; if
/// the peak is less than these, or the weights were mapped and not seen to be copied, `= 97.0 MiB
/// before the load began + 200.0 MiB since, 0.87 x W`. Empty if little was in use before.
std::string peak_sum_of(const Report& report);

/// ` = 1.00 x W`; empty if W is not known.
std::string times_model_of(const Report& report, std::uint64_t bytes);

/// The host's command line, its words separated by spaces.
std::string command_of(const Report& report);

/// `exit status 0 after 4.1 s, 129 events`.
std::string outcome_of(const Report& report);

/// `Stacks were sampled (--sample 512.0 KiB): of smaller heap blocks only some have theirs. ...`;
/// empty if every block has its own.
std::string sampling_sentence(const trace::Session& session);

/// Caveats for the numbers, most important first; usually empty.
std::vector<std::string> warnings_of(const Report& report);

/// Caveats about the model's files: that they are compressed, or were read more than once.
std::vector<std::string> model_notes_of(const Report& report);

/// Private memory in no lane up to which it is not worth mentioning (thread stacks and the like),
/// in bytes.
constexpr std::uint64_t kUsualUnexplained = std::uint64_t{64} << 20U;

/// Resident private memory missing in the peak: by how much the highest resident memory exceeds the
/// memory requested at the peak. If it never did, because part of the peak was never touched: the
/// resident memory in excess of requested memory at some other time. 0 if the peak itself was the
/// highest resident memory, whatever was retained at other times.
std::uint64_t bytes_beyond_peak(const Report& report);

/// `30.1 MiB of private memory is not in this peak, as 170.3 MiB was resident: it had been freed
/// and stayed resident`, or that so much was resident at one time. Call only if `bytes_beyond_peak`
/// is not 0.
std::string unexplained_sentence(const Report& report);

/// `1.7 GiB of this peak were asked for and never touched, or not at one time: no more than 256.0
/// MiB of private memory were resident`; empty if the peak was resident, as far as known.
std::string untouched_sentence(const Report& report);

/// `Up to 23.4 MiB of private memory is not in this peak, as 194.8 MiB may have been resident: it
/// was touched after the last look at it`: of memory that counts as far as looks find it touched,
/// by the kernel's own mark. Empty where that is nothing to speak of.
std::string late_sentence(const Report& report);

/// `1 allocation failed, the last one at 2.2 s: 900.0 MiB`; empty when none was.
std::string refusals_of(const Report& report);

/// `alive at the peak: 10.0 GiB from 3 stacks`.
std::string live_title_of(const Report& report);

/// True for the first few listed stacks, and those that hold a hundredth of the live set: callers
/// of others would only push these off the screen.
bool deserves_its_callers(const Report& report, std::size_t rank);

/// `512.8 KiB in the program, 0 ns waiting for the collector`: what the recording itself cost.
std::string overhead_of(const Report& report);
/// What is missing, as far as that was watched.
std::string known_loss(const LoadFacts& load);
/// What is_peak_above_unrecorded says, in words.
inline constexpr std::string_view kNoHigherPeak = "the peak was no higher with what ran unrecorded";
/// Both.
std::string lost_of(const LoadFacts& load);

/// What glibc's malloc puts before each block that was alive at the peak, and rounds it up by.
struct MallocHeaders {
  std::uint64_t blocks = 0;
  std::uint64_t least_bytes = 0;
  std::uint64_t most_bytes = 0;  ///< The same if the sizes of the blocks were added up.
};
/// None if the report's live set is not the peak's.
MallocHeaders headers_of(const Report& report);
/// Whether they can be worth a word, and what they may explain is as much.
bool may_be_headers(const Report& report);

/// For a peak before the model's first read or mapping: the time of that, since nothing of the
/// model can be in the peak. None otherwise.
std::optional<std::uint64_t> first_use_after_peak(const Report& report);

}  // namespace tidemark::analyzer
