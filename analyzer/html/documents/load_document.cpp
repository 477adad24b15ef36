#include "analyzer/html/documents/load_document.hpp"

#include "analyzer/html/contents/packed.hpp"
#include "analyzer/html/documents/anatomy_document.hpp"
#include "analyzer/picture/alignment.hpp"
#include "analyzer/report/facts/report_sentences.hpp"
#include "analyzer/report/parts/lane_rows.hpp"
#include "analyzer/report/parts/tensor_table.hpp"
#include "analyzer/text/loss_text.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace tidemark::html {
namespace {

using analyzer::Report;

/// At most about `most` of them, the first and the last among them.
template <typename Item>
std::vector<Item> thinned(const std::vector<Item>& items, std::size_t most) {
  const std::size_t step = items.size() / most + 1;
  std::vector<Item> kept;
  for (std::size_t i = 0; i < items.size(); i += step) {
    kept.push_back(items[i]);
  }
  if (!items.empty() && (items.size() - 1) % step != 0) {
    kept.push_back(items.back());
  }
  return kept;
}

Json peak_json(const Report& report) {
  const auto ratio = report.ratio();
  return {{"at_ns", report.peak.at.at_ns},
          {"bytes", report.peak.footprint_bytes},
          {"lanes", lanes_document(report.peak.lanes)},
          {"ratio", ratio ? Json(*ratio) : Json()}};
}

Json timeline_json(const PageColumns& page) {
  Json json{{"complete", page.is_complete}, {"borders", packed(page.borders)}};
  for (const trace::Lane lane : trace::kFootprintLanes) {
    json["high"][trace::key_of(lane)] =
        packed_column(page.columns, [lane](const auto& entry) { return entry.highest[lane]; });
    json["low"][trace::key_of(lane)] =
        packed_column(page.columns, [lane](const auto& entry) { return entry.lowest[lane]; });
  }
  json["high"]["file"] =
      packed_column(page.columns, [](const auto& entry) { return entry.file.maximum; });
  json["low"]["file"] =
      packed_column(page.columns, [](const auto& entry) { return entry.file.minimum; });
  json["layered"] = packed_column(layered_columns(page), [](std::size_t c) { return c; });
  return json;
}

/// Keeps the highest of neighbouring samples, to preserve peaks, and the last, whose value holds
/// until the next.
Json resident_json(const std::vector<analyzer::ResidentTotals>& samples) {
  constexpr std::size_t kMaxStackGroups = 500;
  const std::size_t step = samples.size() / kMaxStackGroups + 1;
  std::vector<analyzer::ResidentTotals> kept;
  for (std::size_t i = 0; i < samples.size(); i += step) {
    const auto begin = samples.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(step, samples.size() - i));
    const auto highest = std::max_element(
        begin, end, [](const auto& a, const auto& b) { return a.total() < b.total(); });
    kept.push_back(*highest);
    if (highest + 1 != end) {
      kept.push_back(*(end - 1));
    }
  }
  return {{"at_ns", packed_column(kept, [](const auto& sample) { return sample.at_ns; })},
          {"anon", packed_column(kept, [](const auto& sample) { return sample.anon_bytes; })},
          {"file", packed_column(kept, [](const auto& sample) { return sample.file_bytes; })},
          {"shmem", packed_column(kept, [](const auto& sample) { return sample.shmem_bytes; })}};
}

Json progress_json(const std::vector<picture::ProgressPoint>& progress) {
  constexpr std::size_t kMaxProgressPoints = 500;
  const auto kept = thinned(progress, kMaxProgressPoints);
  return {{"at_ns", packed_column(kept, [](const auto& point) { return point.ns; })},
          {"bytes", packed_column(kept, [](const auto& point) { return point.bytes; })}};
}

Json phases_json(const picture::Subject& subject) {
  constexpr std::size_t kMaxPhaseRows = 4;
  constexpr std::size_t kMaxPhases = 400;
  Json json = Json::array();
  const auto rows =
      picture::phase_rows(analyzer::highest_phases(subject.phases, kMaxPhases), kMaxPhaseRows);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (const auto& phase : rows[row]) {
      json.push_back({{"name", phase.name},
                      {"begin_ns", phase.begin_ns},
                      {"end_ns", phase.end_ns},
                      {"peak_bytes", phase.peak_bytes},
                      {"marked", phase.marked},
                      {"row", row}});
    }
  }
  return json;
}

/// `order` is a number to sort by, to the precision of the text.
Json size_cell(const std::string& text) {
  const auto bytes = analyzer::parse_size(text);
  return {{"text", text}, {"order", bytes.ok() ? Json(bytes.value()) : Json()}};
}

/// The cells of sampled memory beside its highest value: how much it was at the peak, and when it
/// was highest.
class SampledRows {
 public:
  SampledRows(const Report& report, const picture::Subject& subject)
      : report_(report), subject_(subject) {}

  void tell(analyzer::LaneRow& row) const {
    using analyzer::ResidentTotals;
    if (row.name == "rss") {
      tell(row, [](const ResidentTotals& sample) { return sample.total(); });
    } else if (row.name == "  rss_anon") {
      tell(row, [](const ResidentTotals& sample) { return sample.anon_bytes; });
    } else if (row.name == "  rss_file") {
      tell(row, [](const ResidentTotals& sample) { return sample.file_bytes; });
    } else if (row.name == "  rss_shmem") {
      tell(row, [](const ResidentTotals& sample) { return sample.shmem_bytes; });
    } else if (row.name == "unexplained") {
      tell_unexplained(row);
    }
  }

  /// Memory requested at the peak, less what is untouched, that exceeds rss_anon.
  [[nodiscard]] std::uint64_t not_resident(std::uint64_t untouched) const {
    const auto* const sample = sample_at_peak();
    const std::uint64_t all = asked(report_.peak.lanes);
    const std::uint64_t touched = all - std::min(all, untouched);
    return sample == nullptr ? 0 : touched - std::min(touched, sample->anon_bytes);
  }

  /// As the window's map of pages names it. None: not known.
  [[nodiscard]] std::optional<analyzer::LaneRow> not_asked_for(std::uint64_t untouched) const {
    const auto* const sample = sample_at_peak();
    if (sample == nullptr) {
      return std::nullopt;
    }
    const std::uint64_t all = asked(report_.peak.lanes);
    const std::uint64_t touched = all - std::min(all, untouched);
    return analyzer::LaneRow{
        "resident, not asked for", "",
        analyzer::format_size(sample->anon_bytes - std::min(sample->anon_bytes, touched)),
        "private memory beyond what was asked for and touched: kept by the allocator, libraries' "
        "data, stacks"};
  }

 private:
  /// A sample that is older says nothing of the peak.
  static constexpr std::uint64_t kRecentNs = 100'000'000;

  [[nodiscard]] const analyzer::ResidentTotals* sample_at_peak() const {
    const std::uint64_t peak = report_.peak.at.at_ns;
    const analyzer::ResidentTotals* const sample = subject_.resident_at(peak);
    return sample != nullptr && sample->at_ns + kRecentNs >= peak ? sample : nullptr;
  }

  /// `resident, sampled; most at 1.2 s; of this:`.
  static void add_time(analyzer::LaneRow& row, std::uint64_t ns) {
    const std::size_t end = std::min(row.meaning.find("; of this:"), row.meaning.size());
    row.meaning.insert(end, "; most at " + analyzer::format_time(ns));
  }

  template <typename BytesOf>
  void tell(analyzer::LaneRow& row, BytesOf bytes_of) const {
    if (const auto* const sample = sample_at_peak()) {
      row.at_peak = analyzer::format_size(bytes_of(*sample));
    }
    const auto most = std::ranges::max_element(subject_.resident, {}, bytes_of);
    if (most != subject_.resident.end()) {
      add_time(row, most->at_ns);
    }
  }

  [[nodiscard]] std::uint64_t asked(const trace::LaneTotals& lanes) const {
    const bool with_device = std::ranges::any_of(report_.device, &analyzer::DeviceUse::is_private);
    return lanes[trace::Lane::kHeap] + lanes[trace::Lane::kAnon] +
           (with_device ? lanes[trace::Lane::kDevice] : 0);
  }
  void tell_unexplained(analyzer::LaneRow& row) const {
    if (const auto* const sample = sample_at_peak()) {
      row.at_peak = analyzer::format_size(sample->anon_bytes -
                                          std::min(sample->anon_bytes, asked(report_.peak.lanes)));
    }
  }

  const Report& report_;
  const picture::Subject& subject_;
};

Json lane_row_json(const analyzer::LaneRow& row) {
  return {{"name", row.name},
          {"highest", size_cell(row.highest)},
          {"at_peak", size_cell(row.at_peak)},
          {"meaning", row.meaning}};
}

/// `; 64.0 MiB of it never`, if findings mention less.
std::string never_touched_text(const Report& report, std::uint64_t until_peak) {
  std::uint64_t never = 0;
  for (const analyzer::Finding& finding : report.anatomy.findings) {
    never += finding.kind == analyzer::FindingKind::kUntouched ? finding.bytes : 0;
  }
  return never == 0 || never >= until_peak
             ? std::string()
             : "; " + analyzer::format_size(never) + " of it never, as a finding says";
}

/// What no heap block had touched at the peak, as in the window's pane of pages.
struct Untouched {
  std::optional<std::uint64_t> by_looks;  ///< None: no block was looked at.
  /// In blocks that came right at the peak; rss_anon does not have it.
  std::uint64_t just_asked = 0;

  [[nodiscard]] std::uint64_t all() const { return by_looks.value_or(0) + just_asked; }
};

/// Who looks for it finds it whatever it is.
analyzer::LaneRow untouched_row(const Report& report, const Untouched& untouched) {
  const std::string just_asked = analyzer::format_size(untouched.just_asked);
  if (!untouched.by_looks) {
    return untouched.just_asked == 0
               ? analyzer::LaneRow{"  untouched", "", "",
                                   "not known: no heap block was looked at until the peak"}
               : analyzer::LaneRow{"  untouched", "", just_asked,
                                   "of blocks that came at the peak itself, not in rss_anon; no "
                                   "heap block was looked at"};
  }
  std::string meaning = "not touched until the peak, by the looks at heap blocks";
  if (untouched.just_asked > 0) {
    meaning += fmt::format(": {}; and {} of blocks that came at the peak itself, not in rss_anon",
                           analyzer::format_size(*untouched.by_looks), just_asked);
  }
  return {"  untouched", "", analyzer::format_size(untouched.all()),
          meaning + never_touched_text(report, untouched.all())};
}

Json lane_rows_json(const Report& report,
                    const SampledRows& sampled,
                    const std::vector<PageInstant>& instants) {
  // Only the peak has lives of its blocks and their touched bytes; none: no instant has them.
  const auto peak = std::ranges::find_if(
      instants, [](const PageInstant& instant) { return !instant.lives.empty(); });
  Untouched untouched;
  if (peak != instants.end()) {
    untouched.by_looks = peak->untouched_bytes;
    untouched.just_asked =
        std::min(peak->just_asked_bytes, sampled.not_resident(peak->untouched_bytes.value_or(0)));
  }
  Json json = Json::array();
  for (analyzer::LaneRow row : analyzer::lane_rows(report)) {
    sampled.tell(row);
    json.push_back(lane_row_json(row));
    if (row.name == "  heap" && peak != instants.end()) {
      json.push_back(lane_row_json(untouched_row(report, untouched)));
    }
  }
  if (const auto beyond = sampled.not_asked_for(untouched.all())) {
    json.push_back(lane_row_json(*beyond));
  }
  return json;
}

Json files_json(const Report& report) {
  constexpr std::size_t kMaxFiles = 80;
  std::vector<bool> is_model(report.files.size());
  for (const std::size_t i : report.model.files) {
    is_model[i] = true;
  }
  std::vector<std::size_t> order(report.files.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) {
    return std::pair<bool, std::uint64_t>(
        is_model[i], report.files[i].bytes_read + report.files[i].bytes_mapped);
  });
  Json json = Json::array();
  for (std::size_t rank = 0; rank < std::min(kMaxFiles, order.size()); ++rank) {
    const analyzer::FileUse& file = report.files[order[rank]];
    json.push_back({{"path", file.path},
                    {"size", file.size},
                    {"read", file.bytes_read},
                    {"mapped", file.bytes_mapped},
                    {"is_model", static_cast<bool>(is_model[order[rank]])}});
  }
  return json;
}

Json processes_json(const Report& report) {
  constexpr std::size_t kMaxProcesses = 200;
  Json json = Json::array();
  for (std::size_t i = 0; i < std::min(kMaxProcesses, report.processes.size()); ++i) {
    const trace::Process& process = report.processes[i];
    json.push_back({{"pid", process.pid},
                    {"parent_pid", process.parent_pid},
                    {"command", process.command},
                    {"begin_ns", process.begin_ns},
                    {"end_ns", process.end_ns == 0 ? Json() : Json(process.end_ns)},
                    {"peak_bytes", process.peak.footprint()},
                    {"peak_at_ns", process.peak_at_ns},
                    {"rss_bytes", process.kernel_peak_rss_bytes}});
  }
  return json;
}

constexpr std::size_t kMaxUnrecordedPrograms = 20;

Json sentences_json(const Report& report) {
  return {{"headline", analyzer::headline_of(report)},
          {"peak_sum", analyzer::peak_sum_of(report)},
          {"command", analyzer::command_of(report)},
          {"outcome", analyzer::outcome_of(report)},
          {"warnings", analyzer::warnings_of(report)},
          {"refusals", analyzer::refusals_of(report)},
          {"lost", analyzer::lost_of(report)},
          {"unrecorded",
           analyzer::unrecorded_lines(report.session, report.loss, kMaxUnrecordedPrograms)},
          {"overhead", analyzer::overhead_of(report)}};
}

}  // namespace

Json load_document(const picture::Subject& subject,
                   const Report& report,
                   const PageColumns& columns,
                   const std::vector<PageInstant>& instants,
                   const std::vector<std::uint32_t>& finding_nodes) {
  Json json = sentences_json(report);
  json["program"] = subject.command;
  json["duration_ns"] = report.duration_ns;
  json["model_bytes"] = report.model.bytes;
  json["peak"] = peak_json(report);
  json["asked_ns"] = report.at_peak ? Json() : Json(report.live_at_ns);
  json["timeline"] = timeline_json(columns);
  json["resident"] = resident_json(subject.resident);
  json["progress"] = progress_json(subject.progress);
  json["phases"] = phases_json(subject);
  json["lanes"] = lane_rows_json(report, SampledRows(report, subject), instants);
  json["files"] = files_json(report);
  json["file_count"] = report.files.size();
  json["processes"] = processes_json(report);
  json["process_count"] = report.processes.size();
  json["phase_count"] = subject.phases.size();
  add_anatomy(report, finding_nodes, json);
  json["instants"] = Json::array();
  for (const PageInstant& instant : instants) {
    json["instants"].push_back(instant_document(instant));
  }
  return json;
}

void add_tensors(const Report& report,
                 const analyzer::ReportTensors& tensors,
                 std::span<const std::uint32_t> nodes,
                 Json& json) {
  if (tensors.by == analyzer::TensorGrouping::kNone) {
    return;
  }
  Json rows = Json::array();
  for (std::size_t i = 0; i < tensors.rows.size(); ++i) {
    const analyzer::TensorRow& row = tensors.rows[i];
    rows.push_back({{"name", row.name},
                    {"kind", analyzer::tensor_kind_of(tensors.by, row)},
                    {"bytes", row.bytes},
                    {"mapped", row.mapped_bytes},
                    {"file_bytes", row.file_bytes},
                    {"file_begin", row.file_begin},
                    {"node", nodes[i]}});
  }
  json["tensors"] = {{"title", analyzer::tensor_title_of(report, tensors)},
                     {"rows", std::move(rows)},
                     {"count", tensors.row_count}};
}

}  // namespace tidemark::html
