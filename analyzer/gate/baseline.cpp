#include "analyzer/gate/baseline.hpp"

#include "analyzer/io/whole_file.hpp"
#include "analyzer/report/parts/json_document.hpp"
#include "analyzer/stacks/alike/comparable_frame.hpp"
#include "analyzer/text/json_reading.hpp"
#include "analyzer/text/shown_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace tidemark::analyzer {
namespace {

constexpr std::uint64_t kSchema = 1;
constexpr std::string_view kKind = "tidemark-baseline";
constexpr std::string_view kByMarkKey = "rss_anon_by_mark_bytes";
// A baseline is checked in and reviewed. Stacks beyond the largest make no regression.
constexpr std::size_t kMaxBaselineStacks = 100;

std::uint64_t& lane_slot(Baseline& baseline, Gauge gauge) {
  if (const auto resident = resident_of(gauge)) {
    return baseline.resident.*resident;
  }
  const auto lane = lane_of(gauge);
  return lane ? baseline.lane_peaks[*lane] : baseline.footprint_bytes;
}

std::uint64_t lane_value(Baseline baseline, Gauge gauge) {
  return lane_slot(baseline, gauge);
}

std::string lane_key(Gauge gauge) {
  return std::string(gauge_name(gauge)) + "_bytes";
}

/// An address differs from build to build, its module does not: `[libtorch.so]`.
NamedFrame stored_frame(const NamedFrame& frame) {
  NamedFrame stored;
  stored.named = frame.named;
  stored.is_python = frame.is_python;
  stored.function = frame.is_python ? frame.function : lineless_name(frame);
  stored.file = frame.is_python ? file_name(frame.file) : "";
  return stored;
}

/// Only a Python frame has something in brackets at its end: short names have no parameters.
NamedFrame frame_from(const std::string& text) {
  NamedFrame frame;
  const std::size_t bracket = text.rfind(" (");
  if (bracket != std::string::npos && bracket != 0 && text.ends_with(')')) {
    frame.is_python = true;
    frame.function = text.substr(0, bracket);
    frame.file = text.substr(bracket + 2, text.size() - bracket - 3);
    return frame;
  }
  frame.function = text;
  frame.named = !text.starts_with('[');
  frame.module =
      frame.named ? "" : text.substr(1, text.size() - std::min<std::size_t>(text.size(), 2));
  return frame;
}

std::vector<BaselinePhase> highest_by_name(const std::vector<Phase>& phases) {
  std::vector<BaselinePhase> highest;
  std::unordered_map<std::string_view, std::size_t> by_name;
  for (const Phase& phase : phases) {
    const auto [known, is_new] = by_name.try_emplace(phase.name, highest.size());
    if (is_new) {
      highest.push_back({phase.name, phase.peak_bytes});
    } else {
      std::uint64_t& bytes = highest[known->second].peak_bytes;
      bytes = std::max(bytes, phase.peak_bytes);
    }
  }
  return highest;
}

Json stacks_json(const Baseline& baseline) {
  Json stacks = Json::array();
  for (const ReportStack& stack : baseline.stacks) {
    Json frames = Json::array();
    for (const NamedFrame& frame : stack.frames) {
      frames.push_back(frame.is_python ? lineless_name(frame) : frame.function);
    }
    stacks.push_back({{"bytes", stack.bytes},
                      {"blocks", stack.blocks},
                      {"lane", trace::key_of(stack.lane)},
                      {"stack", std::move(frames)}});
  }
  return stacks;
}

/// Why a text is no baseline. Thrown and caught inside this file: a baseline is read in many small
/// steps, each of which can fail.
struct BaselineMistake {
  std::string why;
};

const Json& member(const Json& json, std::string_view key) {
  if (!json.is_object() || !json.contains(key)) {
    throw BaselineMistake{fmt::format("'{}' is missing", key)};
  }
  return json.at(key);
}

/// nlohmann itself would turn -1 into a huge one.
std::uint64_t count_at(const Json& json, std::string_view key) {
  const Json& value = member(json, key);
  if (!value.is_number_unsigned()) {
    throw BaselineMistake{fmt::format("'{}' is no whole number", key)};
  }
  return value.get<std::uint64_t>();
}

const Json& list_at(const Json& json, std::string_view key) {
  const Json& value = member(json, key);
  if (!value.is_array()) {
    throw BaselineMistake{fmt::format("'{}' is no list", key)};
  }
  return value;
}

/// The file may come from anywhere, like a trace.
std::string shown(const Json& value, std::string_view key) {
  if (!value.is_string()) {
    throw BaselineMistake{fmt::format("'{}' is no text", key)};
  }
  return shown_text(value.get_ref<const std::string&>());
}

std::string shown_at(const Json& json, std::string_view key) {
  return shown(member(json, key), key);
}

ReportStack stack_from(const Json& json) {
  ReportStack stack;
  stack.bytes = count_at(json, "bytes");
  stack.blocks = count_at(json, "blocks");
  const auto gauge = gauge_named(shown_at(json, "lane"));
  stack.lane = lane_of(gauge.value_or(Gauge::kHeap)).value_or(trace::Lane::kHeap);
  for (const Json& frame : list_at(json, "stack")) {
    stack.frames.push_back(frame_from(shown(frame, "stack")));
  }
  return stack;
}

Baseline baseline_from(const Json& json) {
  Baseline baseline;
  for (const Json& word : list_at(json, "command")) {
    baseline.command.push_back(shown(word, "command"));
  }
  baseline.model_bytes = count_at(json, "model_bytes");
  baseline.footprint_bytes = count_at(member(json, "peak"), "footprint_bytes");
  for (const Gauge lane : gauges_of_baseline()) {
    lane_slot(baseline, lane) = count_at(member(json, "lane_peaks"), lane_key(lane));
  }
  if (member(json, "lane_peaks").contains(kByMarkKey)) {
    baseline.private_by_mark = count_at(member(json, "lane_peaks"), kByMarkKey);
  }
  for (const Json& phase : list_at(json, "phases")) {
    baseline.phases.push_back({shown_at(phase, "name"), count_at(phase, "peak_bytes")});
  }
  for (const Json& stack : list_at(json, "at_peak")) {
    baseline.stacks.push_back(stack_from(stack));
  }
  const Json& rest = member(json, "at_peak_rest");
  baseline.rest.bytes = count_at(rest, "bytes");
  baseline.rest.blocks = count_at(rest, "blocks");
  baseline.rest_stacks = count_at(rest, "stacks");
  return baseline;
}

Error no_baseline(const std::string& name, std::string_view why) {
  return Error{ErrorCode::kUsage,
               fmt::format("{} is no baseline: {}; make one with tidemark baseline", name, why)};
}

}  // namespace

ReportOptions comparison_options(const std::string& model) {
  ReportOptions options;
  options.model = model;
  options.top = kMaxComparedStacks;
  options.anatomy = false;
  options.certain_stacks = true;
  options.merged_by_function = true;
  return options;
}

Baseline make_baseline(const Report& report) {
  Baseline baseline;
  baseline.command = report.session.command;
  baseline.model_bytes = report.model.bytes;
  baseline.footprint_bytes = report.peak.footprint_bytes;
  baseline.lane_peaks = report.lane_peaks;
  baseline.resident = report.resident;
  baseline.private_by_mark = report.high_water.private_by_mark;
  baseline.phases = highest_by_name(report.phases);
  baseline.rest = report.live_rest;
  baseline.rest_stacks = report.live_stack_count - report.live_stacks.size();
  for (const ReportStack& stack : report.live_stacks) {
    if (baseline.stacks.size() == kMaxBaselineStacks) {
      baseline.rest.bytes += stack.bytes;
      baseline.rest.blocks += stack.blocks;
      ++baseline.rest_stacks;
      continue;
    }
    ReportStack stored = stack;
    stored.frames.resize(startup_begin(stored.frames));
    std::ranges::transform(stored.frames, stored.frames.begin(), stored_frame);
    baseline.stacks.push_back(std::move(stored));
  }
  return baseline;
}

std::optional<std::uint64_t> baseline_bytes(const Baseline& baseline, const Subject& subject) {
  if (subject.phase.empty()) {
    return lane_value(baseline, subject.gauge);
  }
  const auto phase = std::ranges::find(baseline.phases, subject.phase, &BaselinePhase::name);
  return phase == baseline.phases.end() ? std::nullopt : std::optional(phase->peak_bytes);
}

std::string baseline_json(const Baseline& baseline) {
  Json json{{"schema", kSchema}, {"kind", kKind}, {"command", baseline.command}};
  json["model_bytes"] = baseline.model_bytes;
  json["peak"] = {{"footprint_bytes", baseline.footprint_bytes}};
  json["peak"]["ratio"] = baseline.model_bytes == 0
                              ? Json()
                              : Json(static_cast<double>(baseline.footprint_bytes) /
                                     static_cast<double>(baseline.model_bytes));
  for (const Gauge lane : gauges_of_baseline()) {
    json["lane_peaks"][lane_key(lane)] = lane_value(baseline, lane);
  }
  json["lane_peaks"][kByMarkKey] = baseline.private_by_mark;
  json["phases"] = Json::array();
  for (const BaselinePhase& phase : baseline.phases) {
    json["phases"].push_back({{"name", phase.name}, {"peak_bytes", phase.peak_bytes}});
  }
  json["at_peak"] = stacks_json(baseline);
  json["at_peak_rest"] = {{"bytes", baseline.rest.bytes},
                          {"blocks", baseline.rest.blocks},
                          {"stacks", baseline.rest_stacks}};
  constexpr int kIndent = 1;
  return json_text(json, kIndent);
}

Result<Baseline> parse_baseline(const std::string& text, const std::string& name) {
  const auto parsed = parsed_json<Json>(text);
  if (!parsed.ok()) {
    return no_baseline(name, parsed.error().message);
  }
  const Json& json = parsed.value();
  if (!json.is_object() || !json.contains("kind") || json.at("kind") != kKind) {
    return no_baseline(name, "it does not say that it is one");
  }
  try {
    if (const std::uint64_t schema = count_at(json, "schema"); schema != kSchema) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("{} is a baseline of schema {}, this tidemark reads schema {}; make "
                               "it anew with tidemark baseline",
                               name, schema, kSchema)};
    }
    return baseline_from(json);
  } catch (const BaselineMistake& mistake) {
    return no_baseline(name, mistake.why);
  }
}

Result<Baseline> read_baseline(const std::string& path) {
  const auto text = read_whole_file(path);
  return text.ok() ? parse_baseline(text.value(), path) : Result<Baseline>(text.error());
}

}  // namespace tidemark::analyzer
