#include "analyzer/report/report_json.hpp"

#include "analyzer/report/anatomy/anatomy_json.hpp"
#include "analyzer/report/facts/report_sentences.hpp"
#include "analyzer/report/parts/json_document.hpp"
#include "analyzer/report/parts/sampled_table.hpp"
#include "analyzer/report/parts/tensor_table.hpp"
#include "analyzer/report/parts/usage_table.hpp"
#include "analyzer/text/loss_text.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tidemark::analyzer {
namespace {

void add_lanes(Json& json, const trace::LaneTotals& lanes) {
  for (const trace::LaneInfo& info : trace::kLanes) {
    json[std::string(info.key) + "_bytes"] = lanes[info.lane];
  }
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json device_json(const Report& report) {
  Json device = Json::array();
  for (const DeviceUse& use : report.device) {
    device.push_back({{"heap", use.heap},
                      {"type", use.type},
                      {"properties", device_properties_text(use.properties)},
                      {"highest_bytes", use.highest_bytes},
                      {"allocations", use.allocations},
                      {"dedicated", use.dedicated},
                      {"imported", use.imported}});
  }
  return device;
}

Json model_json(const Report& report) {
  Json files = Json::array();
  for (const std::size_t i : report.model.files) {
    const FileUse& file = report.files[i];
    files.push_back({{"path", file.path},
                     {"size", file.size},
                     {"bytes_read", file.bytes_read},
                     {"bytes_mapped", file.bytes_mapped},
                     {"content", text_or_null(file.content)},
                     {"compressed", file.compressed}});
  }
  return {{"bytes", report.model.bytes},
          {"files", std::move(files)},
          {"notes", model_notes_of(report)}};
}

Json peak_json(const Report& report) {
  Json json;
  json["footprint_bytes"] = report.peak.footprint_bytes;
  add_lanes(json, report.peak.lanes);
  json["at_ns"] = report.peak.at.at_ns;
  const auto ratio = report.ratio();
  json["ratio"] = ratio ? Json(*ratio) : Json();
  json["phase"] = report.peak_phase ? Json(report.peak_phase->name) : Json();
  if (!report.peak.lanes_exact) {
    json["lanes_exact"] = false;
  }
  return json;
}

Json before_load_json(const Report& report) {
  if (!report.before_load) {
    return {};
  }
  return {{"at_ns", report.before_load->at_ns},
          {"stood_bytes", report.before_load->stood_bytes},
          {"at_peak_bytes", report.before_load->at_peak_bytes}};
}

Json lane_peaks_json(const Report& report) {
  Json json = Json::object();
  add_lanes(json, report.lane_peaks);
  json["rss_anon_bytes"] = report.resident.anon_bytes;
  json["rss_file_bytes"] = report.resident.file_bytes;
  json["rss_total_bytes"] = report.resident.total_bytes;
  json["unexplained_bytes"] = report.unexplained_bytes;
  json["unexplained_freed_bytes"] = report.unexplained_kept_bytes;
  json["unexplained_at_ns"] = report.unexplained_at_ns ? Json(*report.unexplained_at_ns) : Json();
  const MallocHeaders headers = may_be_headers(report) ? headers_of(report) : MallocHeaders{};
  json["malloc_headers_least_bytes"] = headers.least_bytes;
  json["malloc_headers_most_bytes"] = headers.most_bytes;
  return json;
}

Json events_json(const Report& report) {
  return {{"allocations", report.counts.allocations}, {"frees", report.counts.frees},
          {"failed", report.counts.failed},           {"mappings", report.counts.mappings},
          {"file_reads", report.counts.file_reads},   {"lost", report.lost_events()}};
}

Json stack_json(const Report& report, const ReportStack& stack) {
  return {{"bytes", stack.bytes},
          {"blocks", stack.blocks},
          {"lane", trace::key_of(stack.lane)},
          {"stack", stack_document(frames_of(report, stack))}};
}

/// The first `count` rows.
Json stacks_json(const Report& report, std::size_t count) {
  Json json = Json::array();
  for (std::size_t i = 0; i < count; ++i) {
    json.push_back(stack_json(report, report.live_stacks[i]));
  }
  return json;
}

/// One row on a line of its own: of very many, spaces would be nearly half of the text.
std::string stack_line(const Report& report, const ReportStack& stack) {
  return "\n    " + json_line(stack_json(report, stack));
}

Json phases_json(const Report& report) {
  Json json = Json::array();
  for (const Phase& phase : report.phases) {
    json.push_back({{"name", phase.name},
                    {"begin_ns", phase.begin_ns},
                    {"end_ns", phase.end_ns},
                    {"peak_bytes", phase.peak_bytes},
                    {"marked", phase.marked}});
  }
  return json;
}

Json processes_json(const Report& report) {
  Json json = Json::array();
  for (const trace::Process& process : report.processes) {
    Json peak;
    peak["footprint_bytes"] = process.peak.footprint();
    add_lanes(peak, process.peak);
    peak["at_ns"] = process.peak_at_ns;
    json.push_back({{"pid", process.pid},
                    {"ppid", process.parent_pid},
                    {"command", process.command},
                    {"begin_ns", process.begin_ns},
                    {"end_ns", process.end_ns == 0 ? Json() : Json(process.end_ns)},
                    {"kernel_peak_rss_bytes", process.kernel_peak_rss_bytes},
                    {"peak", std::move(peak)}});
  }
  return json;
}

Json unrecorded_json(const trace::Loss& loss) {
  auto list = Json::array();
  for (const trace::Unrecorded& entry : loss.unrecorded) {
    list.push_back({{"pid", entry.pid},
                    {"command", entry.command},
                    {"why", trace::word_of(entry.why)},
                    {"text", reason_text(entry.why)},
                    {"processes", entry.processes},
                    {"from_ns", entry.until_ns != 0 ? Json(entry.from_ns) : Json()},
                    {"until_ns", entry.until_ns != 0 ? Json(entry.until_ns) : Json()},
                    {"most_bytes", entry.most_bytes != 0 ? Json(entry.most_bytes) : Json()}});
  }
  return list;
}

Json mapped_unseen_json(const trace::Loss& loss) {
  auto list = Json::array();
  for (const trace::UnseenFile& file : loss.mapped_unseen) {
    list.push_back({{"path", file.path}, {"bytes", file.bytes}, {"in_memory", file.in_memory}});
  }
  return list;
}

/// With all that programs that were not recorded can have had, and what can have been written
/// unseen; null where that is not known.
Json highest_possible_peak(const LoadFacts& load) {
  return load.with_unrecorded
             ? Json(std::max(load.with_unrecorded->footprint, load.peak.footprint_bytes) +
                    load.loss.written_unseen_bytes)
             : Json();
}

Json loss_json(const LoadFacts& load) {
  const trace::Loss& loss = load.loss;
  return {{"records_dropped", loss.records_dropped},
          {"events_unwritten", loss.events_unwritten},
          {"blocks_damaged", loss.blocks_damaged},
          {"events_damaged", loss.events_damaged},
          {"bytes_damaged", loss.bytes_damaged},
          {"processes_unrecorded", loss.processes_unrecorded},
          {"unrecorded", unrecorded_json(loss)},
          {"processes_left", loss.processes_left},
          {"threads_unrecorded", loss.threads_unrecorded},
          {"threads_seccomp", loss.threads_seccomp},
          {"threads_address_space", loss.threads_address_space},
          {"threads_too_many", loss.threads_too_many},
          {"stacks_truncated", loss.stacks_truncated},
          {"reads_unseen_bytes", loss.reads_unseen_bytes},
          {"rings_unseen", loss.rings_unseen},
          {"mapped_unseen_bytes", loss.mapped_unseen_bytes},
          {"shared_unseen_bytes", loss.shared_unseen_bytes},
          {"mapped_unseen", mapped_unseen_json(loss)},
          {"unmapped_unseen_bytes", loss.unmapped_unseen_bytes},
          {"written_unseen_bytes", loss.written_unseen_bytes},
          {"blocks_unknown", loss.blocks_unknown},
          {"events_unknown", loss.events_unknown},
          {"torn", loss.torn},
          {"peak_at_most_bytes", highest_possible_peak(load)},
          {"hides_memory", load.loss_of_peak().hides_memory() || loss.torn}};
}

}  // namespace

Json stack_document(const std::vector<NamedFrame>& frames) {
  Json json = Json::array();
  for (const NamedFrame& frame : frames) {
    json.push_back({{"function", frame.function},
                    {"file", text_or_null(frame.file)},
                    {"line", frame.line == 0 ? Json() : Json(frame.line)},
                    {"module", text_or_null(frame.module)}});
    if (frame.is_python) {
      json.back()["language"] = "python";
    }
  }
  return json;
}

namespace {

/// @param stacks so many of its rows.
Json document_with(const Report& report, std::size_t stacks) {
  Json json{{"schema", 1}, {"command", report.session.command}};
  json["exit_status"] = report.session.ended ? Json(report.session.exit_status) : Json();
  json["duration_ns"] = report.duration_ns;
  json["model"] = model_json(report);
  json["peak"] = peak_json(report);
  json["before_load"] = before_load_json(report);
  json["lane_peaks"] = lane_peaks_json(report);
  json["events"] = events_json(report);
  if (!report.at_peak) {
    json["at_ns"] = report.live_at_ns;
  }
  json["at_peak"] = stacks_json(report, stacks);
  json["at_peak_rest"] = {{"bytes", report.live_rest.bytes},
                          {"blocks", report.live_rest.blocks},
                          {"stacks", report.live_stack_count - report.live_stacks.size()},
                          {"unattributed_bytes", report.unattributed_bytes}};
  if (report.sampled.sample_bytes != 0) {
    json["sampling"] = sampled_json(report);
  }
  if (report.tensors.by != TensorGrouping::kNone) {
    json["tensors"] = tensor_json(report);
  }
  if (report.usage.by != UsageGrouping::kNone) {
    json["usage"] = usage_json(report);
  }
  add_anatomy(report, json);
  if (!report.device.empty()) {
    json["device"] = device_json(report);
  }
  json["phases"] = phases_json(report);
  json["processes"] = processes_json(report);
  json["overhead"] = {{"own_bytes_in_host", report.resident.own_bytes},
                      {"blocked_ns", report.session.blocked_ns},
                      {"collector_cpu_ns", report.session.collector_cpu_ns}};
  json["unmatched_releases"] = report.session.unmatched_releases;
  json["heap_invisible"] = report.session.heap_invisible;
  json["deep_bound"] = report.session.deep_bound;
  json["execs_watched"] = report.session.execs_watched;
  if (!report.session.unread_python.empty()) {
    json["unread_python"] = report.session.unread_python;
  }
  json["loss"] = loss_json(report);
  return json;
}

}  // namespace

Json report_document(const Report& report) {
  return document_with(report, report.live_stacks.size());
}

std::string report_json(const Report& report) {
  return json_text(report_document(report));
}

ReportJsonPieces::ReportJsonPieces(const Report& report) : report_(report) {
  rank_ = std::min(report.live_stacks.size(), kNamedStacks);
  begin_ = json_text(document_with(report, rank_));
  if (rank_ < report.live_stacks.size()) {
    // A key of the document itself: no text has an end of line inside.
    const std::size_t split = begin_.find("\n  ],\n  \"at_peak_rest\": ");
    end_ = begin_.substr(split);
    begin_.resize(split);
  }
}

std::string ReportJsonPieces::next() {
  constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;
  std::string piece = std::exchange(begin_, {});
  while (piece.size() < kMaxBytes && rank_ < report_.live_stacks.size()) {
    piece += ',' + stack_line(report_, report_.live_stacks[rank_]);
    ++rank_;
  }
  return rank_ < report_.live_stacks.size() ? piece : piece + std::exchange(end_, {});
}

}  // namespace tidemark::analyzer
