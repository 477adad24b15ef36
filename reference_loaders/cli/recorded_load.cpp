#include "reference_loaders/cli/recorded_load.hpp"

#include "reference_loaders/bad_input.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include <unistd.h>

namespace tidemark::loaders {
namespace {

using Json = nlohmann::json;

std::vector<std::string> record_command(const Recorder& recorder, const RecordingRequest& request) {
  std::vector<std::string> command = {recorder.tidemark.string(),
                                      "record",
                                      "--quiet",
                                      "-o",
                                      request.trace.string(),
                                      "--",
                                      recorder.loaders.string(),
                                      "run",
                                      request.system.name,
                                      request.variant,
                                      request.file.string(),
                                      "--format",
                                      "json"};
  if (request.cold) {
    command.emplace_back("--cold");
  }
  for (const RunOption& option : request.system.options) {
    const auto found = request.options.find(option.name);
    if (found == request.options.end()) {
      continue;
    }
    command.push_back("--" + option.name);
    if (!option.value_name.empty()) {
      command.push_back(found->second);
    }
  }
  return command;
}

std::string report_of(const Recorder& recorder, const RecordingRequest& request) {
  return output_of(
      {recorder.tidemark.string(), "report", request.trace.string(), "--format", "json"});
}

Prediction prediction_in(const Json& run) {
  return {.footprint_bytes = run.at("predicted_peak_bytes").get<std::uint64_t>(),
          .mapped_bytes = run.at("predicted_mapped_bytes").get<std::uint64_t>(),
          .numbers = run.at("predicted_numbers").get<std::string>()};
}

std::vector<Note> notes_in(const Json& run) {
  std::vector<Note> notes;
  for (const auto& [name, value] : run.at("notes").items()) {
    notes.push_back({name, value.get<std::string>()});
  }
  return notes;
}

/// Null where tidemark found no model to compare with.
std::optional<double> ratio_in(const Json& peak) {
  const Json& ratio = peak.at("ratio");
  return ratio.is_null() ? std::nullopt : std::optional(ratio.get<double>());
}

/// The findings that lower the peak come first in a report.
std::optional<FirstFinding> finding_in(const Json& report) {
  for (const Json& finding : report.value("findings", Json::array())) {
    if (const Json& without = finding.at("peak_without_bytes"); !without.is_null()) {
      return FirstFinding{.kind = finding.at("kind").get<std::string>(),
                          .peak_without_bytes = without.get<std::uint64_t>()};
    }
  }
  return std::nullopt;
}

/// Data of the program and of its libraries: a graphics driver's compiler has 14 MiB of it.
std::uint64_t program_data_in(const Json& report) {
  std::uint64_t bytes = 0;
  for (const Json& stack : report.value("at_peak", Json::array())) {
    const Json& frames = stack.at("stack");
    if (!frames.empty() &&
        frames.at(0).at("function").get<std::string>().starts_with("(written data of ")) {
      bytes += stack.at("bytes").get<std::uint64_t>();
    }
  }
  return bytes;
}

RecordedLoad load_in(const Json& run, const Json& report) {
  const auto& peak = report.at("peak");
  return {.peak_bytes = peak.at("footprint_bytes").get<std::uint64_t>(),
          .program_data_bytes = program_data_in(report),
          .highest_mapped = report.at("lane_peaks").at("file_bytes").get<std::uint64_t>(),
          .peak_ratio = ratio_in(peak),
          .finding = finding_in(report),
          .lost_events = report.at("events").at("lost").get<std::uint64_t>(),
          .predicted = prediction_in(run),
          .seconds = run.at("seconds").get<double>(),
          .gigabytes_per_second = run.at("gigabytes_per_second").get<double>(),
          .checksum = run.at("checksum").get<std::string>(),
          .notes = notes_in(run)};
}

template <typename Read>
RecordedLoad understood(Read read) {
  try {
    return read();
  } catch (const Json::exception& error) {
    throw std::runtime_error(fmt::format("a recording cannot be understood: {}", error.what()));
  }
}

/// Empty for a file that is not there.
std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// The words as one line that a shell, or `tidemark compare`, splits into the same ones.
std::string shell_text(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    line += line.empty() ? "'" : " '";
    for (const char c : word) {
      line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    line += '\'';
  }
  return line;
}

}  // namespace

Recorder find_recorder(const std::filesystem::path& tidemark) {
  const auto self = std::filesystem::read_symlink("/proc/self/exe");
  Recorder recorder{.tidemark = tidemark.empty() ? self.parent_path() / "tidemark" : tidemark,
                    .loaders = self};
  if (access(recorder.tidemark.c_str(), X_OK) != 0) {
    throw UsageError(
        fmt::format("{} is not there or cannot be run; build it, or name it with --tidemark",
                    recorder.tidemark.string()));
  }
  return recorder;
}

RecordedRun record_run(const Recorder& recorder, const RecordingRequest& request) {
  RecordedRun run{.load = {}, .process = run_child(record_command(recorder, request))};
  if (run.process.exit_status == 0) {
    run.load = parse_recorded_load(run.process.out, report_of(recorder, request));
  }
  return run;
}

std::array<RecordedLoad, 2> record_comparison(const Recorder& recorder,
                                              const ComparisonRequest& request) {
  const auto load_of = [&](const std::string& variant) {
    return shell_text({recorder.loaders.string(), "run", request.system.name, variant,
                       request.file.string(), "--format", "json"});
  };
  output_of({recorder.tidemark.string(), "compare", "--before", load_of(request.before), "--after",
             load_of(request.after), "--output", request.folder.string(), "--align", "phase",
             "--dark", "--save-output"});
  const std::string diff = text_of(request.folder / "diff.json");
  const auto side = [&](const char* name) {
    const std::string run = text_of(request.folder / (std::string(name) + ".out"));
    return understood([&] { return load_in(Json::parse(run), Json::parse(diff).at(name)); });
  };
  return {side("before"), side("after")};
}

RecordedLoad parse_recorded_load(const std::string& run_json, const std::string& report_json) {
  return understood([&] { return load_in(Json::parse(run_json), Json::parse(report_json)); });
}

}  // namespace tidemark::loaders
