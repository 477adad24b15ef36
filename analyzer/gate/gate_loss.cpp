#include "analyzer/gate/gate_loss.hpp"

#include "analyzer/text/exit_status.hpp"
#include "analyzer/text/loss_text.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

std::string missing(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {} missing", format_count(count), count == 1 ? one : many);
}

/// Includes the programs that were not recorded. Unknown for mappings and device memory, which need
/// not be written.
std::optional<std::uint64_t> highest_possible(const Report& report, const Subject& subject) {
  const auto lane = lane_of(subject.gauge);
  const bool is_written = lane == trace::Lane::kHeap || lane == trace::Lane::kAnon ||
                          lane == trace::Lane::kShared || subject.gauge == Gauge::kFootprint;
  if (!report.with_unrecorded || !is_written || !subject.phase.empty()) {
    return std::nullopt;
  }
  return lane ? report.with_unrecorded->lanes.at(static_cast<std::size_t>(*lane))
              : report.with_unrecorded->footprint;
}

std::string unrecorded_programs(const trace::Loss& loss) {
  return missing(loss.processes_unrecorded, "whole process is", "whole processes are") +
         unrecorded_reasons(loss);
}

std::string lost_programs(const Report& report, const trace::Loss& loss, const Reliance& reliance) {
  if (loss.processes_unrecorded == 0) {
    return {};
  }
  const std::string why = unrecorded_programs(loss);
  const auto highest = highest_possible(report, reliance.subject);
  if (!highest) {
    return why;
  }
  const std::uint64_t limit = reliance.limit_bytes != 0
                                  ? reliance.limit_bytes
                                  : measured_bytes(report, reliance.subject).value_or(0);
  return *highest <= limit
             ? std::string()
             : fmt::format("{}, and with all that can have been in it the {} may have been {}", why,
                           subject_text(reliance.subject), format_size(*highest));
}

/// Loss that leaves nothing certain, neither events nor samples.
std::string lost_by_the_session(const Report& report,
                                const trace::Loss& loss,
                                const Reliance& reliance) {
  const trace::Session& session = report.session;
  if (loss.torn || !session.ended) {
    return "the end of the recording is missing";
  }
  if (loss.processes_left != 0 && reliance.subject.phase.empty()) {
    return fmt::format("{} is missing (record --wait-children waits for {})", survivors_text(loss),
                       loss.processes_left == 1 ? "it" : "them");
  }
  if (std::string programs = lost_programs(report, loss, reliance); !programs.empty()) {
    return programs;
  }
  if (loss.events_unwritten != 0) {
    return missing(loss.events_unwritten, "event that did not fit the disk is",
                   "events that did not fit the disk are");
  }
  const std::string signal = ending_signal(session.exit_status);
  if (!signal.empty()) {
    return signal + " ended the program";
  }
  return report.may_have_failed_for_memory()
             ? fmt::format("{} were refused, and the program ended with status {}",
                           format_size(report.last_failure->size), session.exit_status)
             : std::string();
}

std::string lost_events(const Report& report, const trace::Loss& loss) {
  if (loss.records_dropped != 0) {
    return missing(loss.records_dropped, "dropped record is", "dropped records are");
  }
  if (loss.threads_unrecorded != 0) {
    return missing(loss.threads_unrecorded, "whole thread is", "whole threads are") +
           thread_reasons(loss);
  }
  return report.summary_lost ? "a damaged part of the file held events" : std::string();
}

/// Bytes that can be beyond what was measured, and what they are.
struct Unseen {
  std::uint64_t bytes = 0;
  std::string what{};
};

/// Mappings of files count only in the file lane, shared memory also in the footprint.
Unseen lost_mappings(const trace::Loss& loss, Gauge gauge) {
  std::uint64_t bytes = 0;
  if (gauge == Gauge::kFile) {
    bytes = loss.mapped_unseen_bytes - std::min(loss.mapped_unseen_bytes, loss.shared_unseen_bytes);
  } else if (gauge == Gauge::kShared || gauge == Gauge::kFootprint) {
    bytes = loss.shared_unseen_bytes;
  }
  return {bytes, "tidemark did not see " + unseen_mappings_text(loss)};
}

/// What is written to private mappings of files, and to the memory of a parent, is in the anon
/// lane.
Unseen lost_writes(const trace::Loss& loss, Gauge gauge) {
  const bool is_among = gauge == Gauge::kAnon || gauge == Gauge::kFootprint;
  return {is_among ? loss.written_unseen_bytes : 0,
          "tidemark did not see " + unseen_writes_text(loss)};
}

/// If there are few enough of them to leave the rest certain: see `lost_programs`.
Unseen programs_beside(const Report& report, const trace::Loss& loss, const Reliance& reliance) {
  const auto highest = highest_possible(report, reliance.subject);
  const std::uint64_t measured = measured_bytes(report, reliance.subject).value_or(0);
  return {loss.processes_unrecorded != 0 && highest ? *highest - std::min(*highest, measured) : 0,
          unrecorded_programs(loss)};
}

/// All of it can have been there at one time.
std::string lost_beside(const Report& report, const trace::Loss& loss, const Reliance& reliance) {
  const Gauge gauge = reliance.subject.gauge;
  const std::uint64_t measured = measured_bytes(report, reliance.subject).value_or(0);
  const std::uint64_t room = reliance.limit_bytes - std::min(reliance.limit_bytes, measured);
  std::uint64_t bytes = 0;
  std::vector<std::string> what;
  for (Unseen& unseen : std::array{lost_mappings(loss, gauge), lost_writes(loss, gauge),
                                   programs_beside(report, loss, reliance)}) {
    if (unseen.bytes != 0) {
      bytes += unseen.bytes;
      what.push_back(std::move(unseen.what));
    }
  }
  return bytes <= room ? std::string() : fmt::format("{}", fmt::join(what, ", and "));
}

std::string damage(const trace::Loss& loss, std::string_view what) {
  return loss.blocks_damaged + loss.bytes_damaged == 0
             ? std::string()
             : fmt::format("a damaged part of the file may hold {}", what);
}

std::string missing_samples(const Report& report, const trace::Loss& loss) {
  if (report.resident.total_bytes == 0) {
    return "resident memory was not sampled";
  }
  return damage(loss, "samples");
}

bool counts_heap(const Subject& subject) {
  return subject.gauge == Gauge::kHeap || subject.gauge == Gauge::kFootprint;
}

}  // namespace

std::string what_could_hold_the_model(const Report& report, const trace::Loss& loss) {
  constexpr std::uint64_t kModelPart = 16;  // Less than this part of W is no model file beside it.
  const bool are_few =
      loss.rings_unseen == 0 &&
      loss.reads_unseen_bytes + loss.mapped_unseen_bytes < report.model.bytes / kModelPart;
  const bool are_none = !loss.hides_reads() && !loss.hides_mappings();
  if (report.model.source == ModelSource::kGiven || are_few || are_none) {
    return {};
  }
  return fmt::format("tidemark did not see {}, which may have been the model's",
                     unseen_input_text(loss));
}

std::string what_could_hide_more(LoadedTrace& trace,
                                 const Report& report,
                                 const Reliance& reliance) {
  const trace::Loss loss = trace.loss();
  std::string why = lost_by_the_session(report, loss, reliance);
  if (why.empty() && is_sampled(reliance.subject.gauge)) {
    why = missing_samples(report, loss);
  } else if (why.empty()) {
    why = lost_events(report, loss);
    if (why.empty()) {
      why = lost_beside(report, loss, reliance);
    }
    if (why.empty() && report.session.heap_invisible && counts_heap(reliance.subject)) {
      why = "the program brings its own malloc, so its heap is missing";
    }
    if (why.empty() && !reliance.subject.phase.empty()) {
      why = damage(loss, "marks of the phase");
    }
  }
  return why.empty() && reliance.needs_found_model ? damage(loss, "reads of the model") : why;
}

}  // namespace tidemark::analyzer
