#include "analyzer/report/facts/report_sentences.hpp"

#include "analyzer/flow/model_flow.hpp"
#include "analyzer/load/reading_progress.hpp"
#include "analyzer/report/facts/malloc_headers.hpp"
#include "analyzer/text/exit_status.hpp"
#include "analyzer/text/loss_text.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace tidemark::analyzer {
namespace {

std::string model_sentence(const Report& report) {
  const auto ratio = report.ratio();
  return ratio ? fmt::format(" = {:.2f} x the {} model", *ratio, format_size(report.model.bytes))
               : std::string();
}

std::string phase_sentence(const Report& report) {
  if (!report.peak_phase) {
    return {};
  }
  const Phase& phase = *report.peak_phase;
  return (phase.marked ? ", in phase " : ", in inferred phase ") + phase.name;
}

/// Anything less than this part of something is not mentioned beside it.
constexpr std::uint64_t kNegligiblePart = 20;

/// Whether the weights were read, or copied out of a mapping of their files: what is only mapped is
/// not part of the footprint.
bool is_model_in_footprint(const Report& report) {
  std::uint64_t bytes = 0;
  for (const std::size_t file : report.model.files) {
    const FileUse& use = report.files[file];
    // A file that is mapped as well may have been read for its checksum.
    bytes += use.bytes_mapped >= use.size ? 0 : std::min(use.bytes_read, use.size);
  }
  const Chain& chain = report.anatomy.chain;
  for (const ChainEdge& edge : chain.edges) {
    const bool is_from_mapping = chain.nodes[edge.from].kind == ChainNode::Kind::kMapping;
    bytes += edge.kind == ChainEdge::Kind::kCopy && is_from_mapping ? edge.bytes : 0;
  }
  return report.model.files.empty() || is_most_of(bytes, report.model.bytes);
}

bool is_more_resident_than_requested(const Report& report) {
  return report.high_water.private_bytes > report.requested_at_peak();
}

/// So much that the peak misleads. If part of the peak was never touched, only samples of other
/// moments show it: then it has to be more.
bool is_much_unexplained(const Report& report) {
  constexpr std::uint64_t kMisleadingPart = 5;
  constexpr std::uint64_t kMissingPart = 20;
  constexpr std::uint64_t kMissingBytes = std::uint64_t{4} << 20U;
  if (report.session.heap_invisible) {
    return false;
  }
  const std::uint64_t peak = report.peak.footprint_bytes;
  return is_more_resident_than_requested(report)
             ? bytes_beyond_peak(report) >= std::max(kMissingBytes, peak / kMissingPart)
             : bytes_beyond_peak(report) >= std::max(kUsualUnexplained, peak / kMisleadingPart);
}

/// At least this much of the memory beyond the peak had been freed. What nothing explained at the
/// most unexplained moment may be there at the peak, too; and malloc's overhead for the peak's
/// blocks need not have been there at that other moment.
std::uint64_t freed_beyond_peak(const Report& report, std::uint64_t beyond) {
  const bool is_of_one_moment = report.unexplained_bytes <= beyond;
  const std::uint64_t others =
      std::max(report.unexplained_bytes - report.unexplained_kept_bytes,
               is_of_one_moment ? std::uint64_t{0} : headers_of(report).most_bytes);
  return beyond - std::min(beyond, others);
}

/// ` at 3.2 s`: when most private memory was resident, if that is a sample's time, and reads
/// differently from the time of the peak.
std::string when_most_resident(const Report& report) {
  const ResidentPeaks& sampled = report.resident;
  const std::string when = format_time(sampled.anon_at_ns);
  return sampled.anon_bytes != report.high_water.private_bytes ||
                 when == format_time(report.peak.at.at_ns)
             ? std::string()
             : " at " + when;
}

/// What looks at heap blocks found never touched, as far as findings mention it.
std::uint64_t untouched_in_findings(const Report& report) {
  std::uint64_t bytes = 0;
  for (const Finding& finding : report.anatomy.findings) {
    bytes += finding.kind == FindingKind::kUntouched ? finding.bytes : 0;
  }
  return bytes;
}

/// The memory that may be resident beyond what was requested.
std::string cause_of(const Report& report, std::uint64_t beyond) {
  if (report.peak.footprint_bytes == 0) {
    return "it is not attributed to any tracked allocation";
  }
  if (report.session.deep_bound) {
    return "a library that was opened with RTLD_DEEPBIND may have asked libc itself for it, or it "
           "had been freed and stayed resident";
  }
  const std::uint64_t negligible = beyond / kNegligiblePart;
  const std::uint64_t kept = freed_beyond_peak(report, beyond);
  if (kept >= beyond - negligible) {
    return "it had been freed and stayed resident";
  }
  const std::string others =
      "had been freed and stayed resident, or is not attributed to any tracked allocation";
  const MallocHeaders headers = headers_of(report);
  if (headers.blocks == 0 || headers.most_bytes < negligible) {
    return "it " + others;
  }
  const std::string most = format_size(headers.most_bytes);
  const std::string added = fmt::format(
      "what malloc adds to {} blocks ({})", format_count(headers.blocks),
      headers.least_bytes == headers.most_bytes ? most
                                                : format_size(headers.least_bytes) + " to " + most);
  if (headers.most_bytes < beyond - kept - negligible) {
    return fmt::format("a part may be {}, the rest {}", added, others);
  }
  return kept <= negligible
             ? fmt::format("it may all be {}", added)
             : fmt::format("{} had been freed and stayed resident, the rest may be {}",
                           format_size(kept), added);
}

/// Whatever is missing in a trace may have been in its lost part.
std::string no_peak(const Report& report) {
  const bool is_part = report.is_peak_of_a_part() || report.loss.bytes_damaged != 0;
  const char* const trace = is_part ? "what is left of this trace" : "this trace";
  if (report.event_count == 0 && report.may_lack_events()) {
    return fmt::format("no peak: nothing that the program did is in {}", trace);
  }
  return report.may_lack_events() || report.session.heap_invisible || is_much_unexplained(report)
             ? fmt::format("peak not known: no request for memory is in {}", trace)
             : std::string("peak 0 B: the program asked for no memory");
}

}  // namespace

std::string headline_of(const Report& report) {
  if (report.peak.footprint_bytes == 0) {
    return no_peak(report);
  }
  return fmt::format("peak {}{}{}, at {}{}{}", report.is_peak_of_a_part() ? "at least " : "",
                     format_size(report.peak.footprint_bytes), model_sentence(report),
                     format_time(report.peak.at.at_ns), phase_sentence(report),
                     report.loss.torn ? ", up to where the recording ends" : "");
}

std::string peak_sum_of(const Report& report) {
  if (!report.before_load || !report.model.is_known()) {
    return {};
  }
  const std::uint64_t peak = report.peak.footprint_bytes;
  const std::uint64_t before = report.before_load->at_peak_bytes;
  const std::uint64_t since = peak - std::min(peak, before);
  const std::uint64_t model = report.model.bytes;
  if (before < peak / kWorthSayingPart) {
    return {};
  }
  if (since < model || !is_model_in_footprint(report)) {
    return fmt::format("{} = {} before the load began + {} since, {:.2f} x W", format_size(peak),
                       format_size(before), format_size(since),
                       static_cast<double>(since) / static_cast<double>(model));
  }
  return fmt::format("{} = {} of W + {} before the load began + {}", format_size(peak),
                     format_size(model), format_size(before), format_size(since - model));
}

std::string times_model_of(const Report& report, std::uint64_t bytes) {
  return report.model.is_known()
             ? fmt::format(" = {:.2f} x W",
                           static_cast<double>(bytes) / static_cast<double>(report.model.bytes))
             : std::string();
}

std::string command_of(const Report& report) {
  return fmt::format("{}", fmt::join(report.session.command, " "));
}

std::string outcome_of(const Report& report) {
  std::string outcome = "no end was recorded";
  if (report.session.ended) {
    outcome = "exit status " + exit_status_text(report.session.exit_status);
  }
  outcome +=
      fmt::format(" after {}, {} {}", format_time(report.duration_ns),
                  format_count(report.event_count), report.event_count == 1 ? "event" : "events");
  if (report.processes.size() > 1) {
    outcome += fmt::format(", {} processes", format_count(report.processes.size()));
  }
  return outcome;
}

std::string known_loss(const LoadFacts& load) {
  const bool may_be_more =
      load.session.ended && !load.session.execs_watched && load.loss.processes_unrecorded == 0;
  return loss_text(load.loss) + (may_be_more ? " (execs past libc were not watched)" : "");
}

std::string lost_of(const LoadFacts& load) {
  return load.is_peak_above_unrecorded() ? known_loss(load) + "; " + std::string(kNoHigherPeak)
                                         : known_loss(load);
}

std::string sampling_sentence(const trace::Session& session) {
  return session.sample_bytes == 0
             ? std::string()
             : fmt::format(
                   "Stacks were sampled (--sample {}): of smaller heap blocks only some "
                   "have theirs. Totals and peak are exact.",
                   format_size(session.sample_bytes));
}

/// A message that stands for itself.
std::string as_sentence(std::string message) {
  message.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(message.front())));
  return message + '.';
}

std::vector<std::string> warnings_of(const Report& report) {
  std::vector<std::string> warnings;
  if (const trace::Loss loss = report.loss_of_peak(); loses_anything(loss)) {
    warnings.push_back("LOST: " + loss_text(loss));
  }
  if (report.session.ended && report.session.exit_status != 0) {
    warnings.push_back("The program failed with exit status " +
                       exit_status_text(report.session.exit_status) +
                       ": the load may be incomplete.");
  }
  if (report.session.heap_invisible) {
    warnings.emplace_back("The program brings its own malloc: its heap is not in these numbers.");
  }
  if (std::string sampling = sampling_sentence(report.session); !sampling.empty()) {
    warnings.push_back(std::move(sampling));
  }
  if (report.session.deep_bound) {
    warnings.push_back(as_sentence(deep_bound_text()));
  }
  if (!report.session.unread_python.empty()) {
    warnings.push_back(as_sentence(unread_python_text(report.session.unread_python)));
  }
  if (is_much_unexplained(report)) {
    warnings.push_back(unexplained_sentence(report) + '.');
  }
  for (const std::string& sentence : {untouched_sentence(report), late_sentence(report)}) {
    if (!sentence.empty()) {
      warnings.push_back(sentence + '.');
    }
  }
  if (!report.model_note.empty()) {
    warnings.push_back(report.model_note);
  }
  if (is_model_compressed(report.model, report.files)) {
    warnings.push_back(model_notes_of(report).front() + '.');
  }
  if (!report.peak.lanes_exact) {
    warnings.emplace_back(
        "The block with the peak is damaged: its lanes and stacks are those just before.");
  }
  return warnings;
}

std::string untouched_sentence(const Report& report) {
  const std::uint64_t untouched = report.never_resident_bytes();
  if (untouched == 0) {
    return {};
  }
  // The memory resident at once gives a lower bound of what was not; looks may have found more.
  const std::uint64_t found = untouched_in_findings(report);
  const std::string looks =
      found > untouched ? fmt::format("; by looks at its blocks, {} of it was never touched (why)",
                                      format_size(found))
                        : std::string();
  // Samples may have missed a high value.
  return fmt::format(
      "{}{} of this peak was requested and never resident: no more than {} of private memory ever "
      "was{}",
      report.kernel_peak_rss_bytes != 0 ? "At least " : "", format_size(untouched),
      format_size(report.high_water.private_bytes_at_most), looks);
}

std::string late_sentence(const Report& report) {
  constexpr std::uint64_t kNotablePart = 50;
  const std::uint64_t requested = report.requested_at_peak();
  const std::uint64_t late = report.touched_late_bytes();
  if (late == 0 || late < requested / kNotablePart || is_much_unexplained(report)) {
    return {};
  }
  return fmt::format(
      "Up to {} of private memory is not in this peak, as {} may have been resident: it was "
      "touched after the last look at it",
      format_size(report.high_water.private_by_mark - requested),
      format_size(report.high_water.private_by_mark));
}

/// What samples prove of private and shared memory at one time, beyond both at the peak: private
/// memory may have been most before the shared memory came. No bound where the peak has none of
/// that, or where the kernel's mark knows of more than the samples.
std::uint64_t sampled_beyond_peak(const Report& report) {
  const std::uint64_t shared = report.peak.lanes[trace::Lane::kShared];
  if (shared == 0 || report.high_water.private_bytes > report.resident.anon_bytes) {
    return UINT64_MAX;
  }
  const std::uint64_t at_peak = report.requested_at_peak() + shared;
  const std::uint64_t sampled = report.resident.total_bytes - report.resident.file_bytes;
  return sampled - std::min(sampled, at_peak);
}

std::uint64_t bytes_beyond_peak(const Report& report) {
  if (is_more_resident_than_requested(report)) {
    // The kernel's mark may have pages that are shared, the samples do not.
    return std::min({report.high_water.private_bytes - report.requested_at_peak(),
                     report.unexplained_bytes, sampled_beyond_peak(report)});
  }
  return report.never_resident_bytes() == 0 ? 0 : report.unexplained_bytes;
}

std::vector<std::string> model_notes_of(const Report& report) {
  return notes_on_model(report.model, report.files, report.peak.footprint_bytes);
}

MallocHeaders headers_of(const Report& report) {
  const std::uint64_t blocks = report.at_peak ? report.live_heap_blocks : 0;
  if (const auto added = report.malloc_added_bytes; added && *added <= report.unexplained_bytes) {
    return {blocks, *added, *added};
  }
  // Headers cannot be more than what is unexplained: jemalloc has none, and its size classes may
  // fit.
  const std::uint64_t least = blocks * kMinMallocAdds;
  return {blocks, least <= report.unexplained_bytes ? least : 0, blocks * kMaxMallocAdds};
}

bool may_be_headers(const Report& report) {
  return may_explain(headers_of(report).most_bytes, report.unexplained_bytes,
                     report.peak.footprint_bytes);
}

std::optional<std::uint64_t> first_use_after_peak(const Report& report) {
  const std::uint64_t first_use_ns = model_first_use_ns(report);
  return report.model.files.empty() || report.peak.at.at_ns >= first_use_ns
             ? std::nullopt
             : std::optional(first_use_ns);
}

std::string unexplained_sentence(const Report& report) {
  const std::uint64_t beyond = bytes_beyond_peak(report);
  const std::string bytes = format_size(beyond);
  const std::string cause = cause_of(report, beyond);
  return is_more_resident_than_requested(report)
             ? fmt::format("{} of private memory is not in this peak, as {} was resident{}: {}",
                           bytes, format_size(report.high_water.private_bytes),
                           when_most_resident(report), cause)
             : fmt::format(
                   "{} of private memory was resident at one time beyond what had been "
                   "requested by then: {}",
                   bytes, cause);
}

std::string refusals_of(const Report& report) {
  if (!report.last_failure) {
    return {};
  }
  const std::string count = report.counts.failed == 1
                                ? std::string("1 allocation")
                                : format_count(report.counts.failed) + " allocations";
  return fmt::format("{} failed, the last one at {}: {}", count,
                     format_time(report.last_failure->at_ns),
                     format_size(report.last_failure->size));
}

std::string live_title_of(const Report& report) {
  const std::string when = report.at_peak ? "at the peak" : "at " + format_time(report.live_at_ns);
  return fmt::format("alive {}: {} from {} {}", when, format_size(report.live_bytes),
                     format_count(report.live_stack_count),
                     report.live_stack_count == 1 ? "stack" : "stacks");
}

bool deserves_its_callers(const Report& report, std::size_t rank) {
  constexpr std::size_t kAlways = 3;
  return rank < kAlways || report.live_stacks[rank].bytes >= report.live_bytes / 100;
}

std::string overhead_of(const Report& report) {
  const bool is_known = report.resident.own_bytes != 0 || !loses_end(report.loss);
  return fmt::format("{} in the program, {} waiting for the collector",
                     is_known ? format_size(report.resident.own_bytes) : "unknown memory",
                     format_time(report.session.blocked_ns));
}

}  // namespace tidemark::analyzer
