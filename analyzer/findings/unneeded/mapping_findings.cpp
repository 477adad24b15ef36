// Pages of the model's mappings: what the samples say of them.
//
// `mapped`: pages of mapped model files were resident beyond the `rss_file` that the same process
// had before the file was opened; if it was not sampled then, beyond the lowest sample outside the
// mapping. Other files mapped meanwhile are taken off, and in one process it is never more than the
// files are long. A quarter of the model and 16 MiB at least.

#include "analyzer/findings/findings.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// The model's mappings in one process.
struct Mappings {
  std::uint64_t bytes = 0;
  std::uint64_t first_ns = UINT64_MAX;  ///< When the first of them came,
  std::uint64_t last_ns = 0;            ///< and the last was unmapped; UINT64_MAX: never.
  trace::StackId stack = trace::kNoStack;
  std::optional<trace::Sample> without{};  ///< What is resident beyond this is the model's.
  std::uint64_t resident = 0;              ///< By the sample seen last.
  std::uint64_t end_ns = UINT64_MAX;       ///< When the process ended.

  /// Whether no page of the model can have been resident in `without`. A mapping may come with all
  /// its pages (MAP_POPULATE), and be recorded when it has them: so `without` must be from before
  /// the file was opened.
  [[nodiscard]] bool is_exact(std::uint64_t opened_ns) const {
    return without && (without->at_ns < std::min(first_ns, opened_ns) || without->at_ns > last_ns);
  }
};

using MappingsByProcess = std::map<trace::ProcessId, Mappings>;

/// The number of pages in the model's files; UINT64_MAX if a file's size is not known.
std::uint64_t file_pages(const LoadFacts& load) {
  constexpr std::uint64_t kPageBytes = 4096;
  std::uint64_t bytes = 0;
  for (const std::size_t number : load.model.files) {
    const std::uint64_t size = load.files[number].size;
    if (size == 0) {
      return UINT64_MAX;
    }
    bytes += (size + kPageBytes - 1) / kPageBytes * kPageBytes;
  }
  return bytes == 0 ? UINT64_MAX : bytes;
}

MappingsByProcess model_mappings(const Evidence& evidence) {
  MappingsByProcess processes;
  for (const BlockLife& life : evidence.flow.lives()) {
    if (life.is_mapping && life.holds_model()) {
      Mappings& mappings = processes[life.process];
      mappings.bytes += life.first_size;
      mappings.first_ns = std::min(mappings.first_ns, life.born_ns);
      mappings.last_ns = std::max(mappings.last_ns, life.swept ? UINT64_MAX : life.died_ns);
      mappings.stack = life.stack;
    }
  }
  // However often a file is mapped, what the process has beyond the files' size belongs to other
  // files.
  for (auto& [process, mappings] : processes) {
    mappings.bytes = std::min(mappings.bytes, file_pages(evidence.load));
  }
  return processes;
}

/// Takes the last sample before the file was opened. A mapping that comes with all its pages is
/// recorded when it has them, so samples between the opening and the mapping may include pages of
/// the model. If all came too late, the one with the fewest pages counts, which may then be from
/// after the mappings. A process that is ending has none.
void note_without(const trace::Sample& sample, std::uint64_t opened_ns, Mappings& mappings) {
  const auto& known = mappings.without;
  const bool is_before = sample.at_ns < std::min(mappings.first_ns, opened_ns);
  const bool is_outside = sample.at_ns < mappings.first_ns || sample.at_ns > mappings.last_ns;
  const bool is_known_before = known && known->at_ns < std::min(mappings.first_ns, opened_ns);
  const bool shows_fewer = known && !is_known_before && is_outside && sample.rss_file_bytes > 0 &&
                           sample.rss_file_bytes < known->rss_file_bytes;
  if (!known || is_before || shows_fewer) {
    mappings.without = sample;
  }
}

struct Residence {
  std::uint64_t bytes = 0;
  std::uint64_t at_ns = 0;
};

/// The most that was resident in all processes beyond what each had without the model, for each of
/// some slices of the time: what is mapped later must not hide what was certain before.
class ResidenceMeter {
 public:
  static constexpr std::uint64_t kSlices = 16;

  ResidenceMeter(const LoadedTrace& trace, MappingsByProcess& processes)
      : processes_(processes), slice_ns_(trace.duration_ns() / kSlices + 1) {
    const auto& all = trace.definitions().processes;
    for (auto& [process, mappings] : processes_) {
      const std::size_t i = trace::index(process);
      mappings.end_ns = i < all.size() && all[i].end_ns != 0 ? all[i].end_ns : UINT64_MAX;
      by_end_.push_back(&mappings);
    }
    std::ranges::sort(by_end_, {}, &Mappings::end_ns);
  }

  /// In order of time.
  void see(const trace::Sample& sample) {
    const auto process = processes_.find(sample.process);
    if (process == processes_.end() || sample.at_ns < process->second.first_ns) {
      return;
    }
    for (; ended_ < by_end_.size() && by_end_[ended_]->end_ns < sample.at_ns; ++ended_) {
      set(*by_end_[ended_], 0);
    }
    Mappings& mappings = process->second;
    const std::uint64_t without = mappings.without->rss_file_bytes;
    set(mappings,
        std::min(mappings.bytes, sample.rss_file_bytes - std::min(without, sample.rss_file_bytes)));
    Residence& most = most_[std::min(sample.at_ns / slice_ns_, kSlices - 1)];
    if (sum_ > most.bytes) {
      most = {.bytes = sum_, .at_ns = sample.at_ns};
    }
    if (mappings.end_ns < sample.at_ns) {
      set(mappings, 0);
    }
  }

  [[nodiscard]] const std::array<Residence, kSlices>& most() const { return most_; }

 private:
  void set(Mappings& mappings, std::uint64_t resident) {
    sum_ += resident - mappings.resident;
    mappings.resident = resident;
  }

  MappingsByProcess& processes_;
  std::vector<Mappings*> by_end_;
  std::size_t ended_ = 0;  // How many have ended, up to the last sample.
  std::uint64_t slice_ns_;
  std::uint64_t sum_ = 0;
  std::array<Residence, kSlices> most_;
};

/// Bytes of file mappings that are not the model's.
std::uint64_t mapped_otherwise(const Evidence& evidence, std::uint64_t ns) {
  const Instant instant = evidence.trace.instant_at(ns);
  const auto totals = evidence.trace.totals_at(instant);
  const std::uint64_t events = evidence.trace.ordinal(instant);
  std::uint64_t bytes = totals ? (*totals)[trace::Lane::kFile] : 0;
  for (std::uint32_t i = 0; i < evidence.flow.lives().size(); ++i) {
    const BlockLife& life = evidence.flow.lives()[i];
    if (life.is_mapping && life.is_alive_after(events)) {
      bytes -= std::min(bytes, evidence.flow.size_after(i, events - 1));
    }
  }
  return bytes;
}

std::uint64_t first_opening(const LoadFacts& load) {
  std::uint64_t ns = UINT64_MAX;
  for (const std::size_t i : load.model.files) {
    ns = std::min(ns, load.files[i].opened_ns.value_or(ns));
  }
  return ns;
}

std::uint64_t earliest_without(const MappingsByProcess& processes) {
  std::uint64_t ns = UINT64_MAX;
  for (const auto& [process, mappings] : processes) {
    ns = std::min(ns, mappings.without ? mappings.without->at_ns : ns);
  }
  return ns;
}

/// The pages that are certainly the model's: without as many as other files have that were mapped
/// meanwhile.
Residence resident_pages(const Evidence& evidence, MappingsByProcess& processes) {
  std::vector<trace::Sample> samples(evidence.trace.samples().begin(),
                                     evidence.trace.samples().end());
  std::ranges::stable_sort(samples, {}, &trace::Sample::at_ns);
  const std::uint64_t opened_ns = first_opening(evidence.load);
  for (const trace::Sample& sample : samples) {
    if (const auto process = processes.find(sample.process); process != processes.end()) {
      note_without(sample, opened_ns, process->second);
    }
  }
  ResidenceMeter meter(evidence.trace, processes);
  for (const trace::Sample& sample : samples) {
    meter.see(sample);
  }
  const std::uint64_t without = mapped_otherwise(evidence, earliest_without(processes));
  Residence surest;
  for (Residence most : meter.most()) {
    if (most.bytes > surest.bytes) {
      const std::uint64_t with = mapped_otherwise(evidence, most.at_ns);
      most.bytes -= std::min(most.bytes, with - std::min(with, without));
      surest = most.bytes > surest.bytes ? most : surest;
    }
  }
  return surest;
}

}  // namespace

void find_mapped_pages(const Evidence& evidence, std::vector<Finding>& findings) {
  constexpr std::uint64_t kMinMappedBytes = std::uint64_t{16} << 20U;
  MappingsByProcess processes = model_mappings(evidence);
  if (processes.empty()) {
    return;
  }
  const Residence resident = resident_pages(evidence, processes);
  if (resident.bytes < std::max(kMinMappedBytes, evidence.load.model.bytes / 4)) {
    return;
  }
  Finding finding{.kind = FindingKind::kMapped, .title = "mapped pages are no private memory"};
  finding.bytes = resident.bytes;
  finding.at_ns = resident.at_ns;
  finding.frames = named_stack(evidence.trace.definitions(), processes.begin()->second.stack);
  const std::uint64_t opened_ns = first_opening(evidence.load);
  const bool is_exact = std::ranges::all_of(
      processes, [opened_ns](const auto& process) { return process.second.is_exact(opened_ns); });
  const bool is_in_several = finding.bytes > file_pages(evidence.load);
  finding.sentence = fmt::format(
      "{}{} of the model's mapped pages were resident at {}{}: RSS counts them{}, the footprint "
      "does not. They are page cache, which the kernel can take back.",
      is_exact ? "" : "At least ", format_size(finding.bytes), format_time(finding.at_ns),
      is_in_several ? ", in several processes" : "", is_in_several ? " in each" : "");
  findings.push_back(std::move(finding));
}

}  // namespace tidemark::analyzer
