#include "analyzer/picture/subject.hpp"

#include "analyzer/layers/line_natives.hpp"
#include "analyzer/text/loss_text.hpp"
#include "analyzer/text/size_text.hpp"
#include "analyzer/text/text_style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_set>

namespace tidemark::picture {
namespace {

/// More points than any picture has columns; fewer than a load has reads.
constexpr std::uint64_t kMaxProgressPoints = 16'384;

std::string readable(std::string_view text) {
  return analyzer::printable({.utf8 = true}, text);
}

std::string command_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += text.empty() ? word.substr(word.find_last_of('/') + 1) : ' ' + word;
  }
  return readable(text);
}

std::string warning_text(const analyzer::Report& report) {
  if (const trace::Loss loss = report.loss_of_peak(); analyzer::loses_anything(loss)) {
    return "LOST: " + analyzer::loss_text(loss);
  }
  return report.session.heap_invisible ? "The program brings its own malloc: its heap is not shown"
                                       : std::string();
}

/// Adds up what was taken of the model files.
class ProgressReader {
 public:
  ProgressReader(const analyzer::Report& report, const trace::Definitions& definitions)
      : definitions_(definitions) {
    for (const std::size_t i : report.model.files) {
      paths_.insert(report.files[i].path);
      total_ += report.files[i].bytes_read + report.files[i].bytes_mapped;
    }
  }

  [[nodiscard]] bool has_files() const { return !paths_.empty(); }

  void see(const trace::Event& event) {
    if (event.kind == trace::EventKind::kOpen && bytes_ == 0 && is_model(event.extra)) {
      points_.assign(1, {event.at_ns, 0});
    } else if (takes_bytes(event) && is_model(event.extra)) {
      add(event);
    }
  }

  std::vector<ProgressPoint> take() {
    if (bytes_ == 0) {
      return {};
    }
    if (points_.back().bytes != bytes_) {
      points_.push_back({last_ns_, bytes_});
    }
    return std::move(points_);
  }

 private:
  static bool takes_bytes(const trace::Event& event) {
    return event.kind == trace::EventKind::kRead ||
           (event.kind == trace::EventKind::kAllocate && event.lane == trace::Lane::kFile);
  }
  [[nodiscard]] bool is_model(std::uint64_t file) const {
    return file < definitions_.files.size() && paths_.contains(definitions_.files[file].path);
  }
  void add(const trace::Event& event) {
    if (points_.empty()) {
      points_.push_back({event.at_ns, 0});
    }
    bytes_ += event.size;
    last_ns_ = event.at_ns;
    if (bytes_ - points_.back().bytes >= total_ / kMaxProgressPoints) {
      points_.push_back({event.at_ns, bytes_});
    }
  }

  const trace::Definitions& definitions_;
  std::unordered_set<std::string_view> paths_;  // The report's paths.
  std::uint64_t total_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t last_ns_ = 0;
  std::vector<ProgressPoint> points_;
};

std::vector<ProgressPoint> progress_of(analyzer::LoadedTrace& trace,
                                       const analyzer::Report& report) {
  ProgressReader reader(report, trace.definitions());
  for (std::size_t block = 0; reader.has_files() && block < trace.blocks().size(); ++block) {
    const trace::BlockDigest* digest = trace.digest(block);
    if (digest != nullptr && !digest->has_others) {
      continue;
    }
    if (const auto* events = trace.events(block)) {
      for (const trace::Event& event : *events) {
        reader.see(event);
      }
    }
  }
  return reader.take();
}

std::string model_advice(const analyzer::Report& report) {
  return report.model.source == analyzer::ModelSource::kUnknown
             ? readable(analyzer::missed_model_sentence(report.files))
             : std::string();
}

std::string peak_phase_text(const analyzer::Report& report) {
  if (!report.peak_phase) {
    return {};
  }
  return (report.peak_phase->marked ? "phase " : "inferred phase ") +
         readable(report.peak_phase->name);
}

std::vector<analyzer::Phase> readable_phases(std::vector<analyzer::Phase> phases) {
  for (analyzer::Phase& phase : phases) {
    phase.name = readable(phase.name);
  }
  return phases;
}

}  // namespace

analyzer::LayeredLoad Subject::layered() const {
  return {.trace = trace,
          .peak = peak_at,
          .peak_bytes = peak_bytes,
          .phases = phases,
          .sized = sized,
          .natives = natives,
          .askers = nullptr};
}

std::uint64_t Subject::resident_peak() const {
  std::uint64_t peak = 0;
  for (const analyzer::ResidentTotals& sample : resident) {
    peak = std::max(peak, sample.total());
  }
  return peak;
}

double Subject::share_read(std::uint64_t ns) const {
  const auto after = std::ranges::upper_bound(progress, ns, {}, &ProgressPoint::ns);
  if (after == progress.begin()) {
    return 0;
  }
  const ProgressPoint& from = *std::prev(after);
  auto bytes = static_cast<double>(from.bytes);
  if (after != progress.end()) {
    bytes += static_cast<double>(after->bytes - from.bytes) *
             (static_cast<double>(ns - from.ns) / static_cast<double>(after->ns - from.ns));
  }
  return bytes / static_cast<double>(progress.back().bytes);
}

const analyzer::ResidentTotals* Subject::resident_at(std::uint64_t ns) const {
  const auto after = std::ranges::upper_bound(resident, ns, {}, &analyzer::ResidentTotals::at_ns);
  return after == resident.begin() ? nullptr : &*std::prev(after);
}

std::string Subject::phases_at(std::uint64_t ns) const {
  std::string names;
  for (const analyzer::Phase& phase : phases) {
    if (phase.begin_ns <= ns && ns < phase.end_ns) {
      names += (names.empty() ? "" : " / ") + phase.name;
    }
  }
  return names;
}

std::string Subject::peak_text() const {
  std::string text = (is_peak_of_a_part ? "at least " : "") + analyzer::format_size(peak_bytes);
  if (model_bytes > 0) {
    text += fmt::format(" = {:.2f} × W",
                        static_cast<double>(peak_bytes) / static_cast<double>(model_bytes));
  }
  return text;
}

std::string Subject::facts_text() const {
  const std::string time = analyzer::format_time(duration_ns);
  return model_bytes > 0 ? fmt::format("W = {},  {}", analyzer::format_size(model_bytes), time)
                         : time;
}

Subject subject_of(analyzer::LoadedTrace& trace, const analyzer::Report& report) {
  return {.trace = &trace,
          .command = command_text(report.session.command),
          .duration_ns = report.duration_ns,
          .peak_bytes = report.peak.footprint_bytes,
          .is_peak_of_a_part = report.is_peak_of_a_part(),
          .peak_at = report.peak.at,
          .peak_lanes = report.peak.lanes,
          .lane_peaks = report.lane_peaks,
          .model_bytes = report.model.bytes,
          .model_advice = model_advice(report),
          .peak_phase = peak_phase_text(report),
          .warning = warning_text(report),
          .phases = readable_phases(report.phases),
          .natives = analyzer::large_natives(report.live, trace.definitions(),
                                             report.peak.footprint_bytes),
          .sized = report.anatomy.sized,
          .resident = analyzer::resident_series(trace),
          .progress = progress_of(trace, report)};
}

}  // namespace tidemark::picture
