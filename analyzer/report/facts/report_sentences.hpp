/// What every format of a report says in words: without width, colour or line breaks.
#pragma once

#include "analyzer/report/facts/report.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::analyzer {

/// `peak 10.0 GiB = 2.00 x the 5.0 GiB model, at 3.2 s, in phase deserialize`; of a recording that
/// is there in part `peak at least ..., up to where the recording ends`.
std::string headline_of(const Report& report);

/// The headline's sum: `328.7 MiB = 230.5 MiB of W + 97.0 MiB before the load began + 1.2 MiB`;
/// where the peak is less than these, or the weights were mapped and not seen to be copied, `= 97.0
/// MiB before the load began + 200.0 MiB since, 0.87 x W`. Empty where little stood before.
std::string peak_sum_of(const Report& report);

/// ` = 1.00 x W`; empty where W is not known.
std::string times_model_of(const Report& report, std::uint64_t bytes);

/// The host's command line, its words separated by spaces.
std::string command_of(const Report& report);

/// `exit status 0 after 4.1 s, 129 events`.
std::string outcome_of(const Report& report);

/// `Stacks were sampled (--sample 512.0 KiB): of smaller heap blocks only some have theirs. ...`;
/// empty where every block has its own.
std::string sampling_sentence(const trace::Session& session);

/// What a reader must know before believing a number, most important first; usually nothing.
std::vector<std::string> warnings_of(const Report& report);

/// What is to be known of the model's files: that they are packed, or were read more than once.
std::vector<std::string> model_notes_of(const Report& report);

/// Private memory in no lane that is nothing to speak of: thread stacks and the like. In bytes.
constexpr std::uint64_t kUsualUnexplained = std::uint64_t{64} << 20U;

/// Private memory that was resident and that the peak does not have: by how much the most that ever
/// was is more than was asked for at the peak. Where that much was never resident, as a part of the
/// peak was never touched: what was resident at some time beyond what was asked for by then. 0
/// where the peak was in memory, as the most that ever was, whatever was kept at another time.
std::uint64_t bytes_beyond_peak(const Report& report);

/// `30.1 MiB of private memory is not in this peak, as 170.3 MiB was resident: it had been freed
/// and stayed resident`, or that so much was resident at one time. Of `bytes_beyond_peak` other
/// than 0.
std::string unexplained_sentence(const Report& report);

/// `1.7 GiB of this peak were asked for and never touched, or not at one time: no more than 256.0
/// MiB of private memory were resident`; empty where the peak was in memory, as far as is known.
std::string untouched_sentence(const Report& report);

/// `Up to 23.4 MiB of private memory is not in this peak, as 194.8 MiB may have been resident: it
/// was touched after the last look at it`: of memory that counts as far as looks find it touched,
/// by the kernel's own mark. Empty where that is nothing to speak of.
std::string late_sentence(const Report& report);

/// `1 allocation failed, the last one at 2.2 s: 900.0 MiB`; empty when none was.
std::string refusals_of(const Report& report);

/// `alive at the peak: 10.0 GiB from 3 stacks`.
std::string live_title_of(const Report& report);

/// True for the first few listed stacks, and those that hold a hundredth of the live set: the
/// callers of others would only push these off the screen.
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
  std::uint64_t most_bytes = 0;  ///< The same where the sizes of the blocks were added up.
};
/// None where the report's live set is not the peak's.
MallocHeaders headers_of(const Report& report);
/// Whether they can be worth a word, and what they may explain is as much.
bool may_be_headers(const Report& report);

/// Of a peak before the model was first read or mapped, when that was: nothing of the model can be
/// in it. None of another one.
std::optional<std::uint64_t> first_use_after_peak(const Report& report);

}  // namespace tidemark::analyzer
