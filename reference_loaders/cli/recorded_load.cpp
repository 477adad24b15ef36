#include "reference_loaders/cli/recorded_load.hpp"

#include "reference_loaders/cli/child_process.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stdexcept>

namespace tidemark::loaders {

RecordedLoad record_load(const Recorder& recorder,
                         const System& system,
                         const Variant& variant,
                         const std::filesystem::path& file,
                         const std::filesystem::path& trace) {
  const std::string tidemark = recorder.tidemark.string();
  const std::string run_json = output_of({tidemark, "record", "--quiet", "-o", trace.string(), "--",
                                          recorder.loaders.string(), "run", system.name,
                                          variant.name, file.string(), "--format", "json"});
  return parse_recorded_load(run_json,
                             output_of({tidemark, "report", trace.string(), "--format", "json"}));
}

RecordedLoad parse_recorded_load(const std::string& run_json, const std::string& report_json) {
  try {
    const auto run = nlohmann::json::parse(run_json);
    const auto report = nlohmann::json::parse(report_json);
    const auto& peak = report.at("peak");
    return {.peak_bytes = peak.at("footprint_bytes").get<std::uint64_t>(),
            .peak_ratio = peak.at("ratio").get<double>(),
            .lost_events = report.at("events").at("lost").get<std::uint64_t>(),
            .predicted_peak_bytes = run.at("predicted_peak_bytes").get<std::uint64_t>(),
            .seconds = run.at("seconds").get<double>(),
            .checksum = run.at("checksum").get<std::string>()};
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(fmt::format("a recording cannot be understood: {}", error.what()));
  }
}

}  // namespace tidemark::loaders
