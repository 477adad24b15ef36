#include "reference_loaders/cli/demo.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/cli/child_process.hpp"
#include "reference_loaders/cli/page_cache.hpp"
#include "reference_loaders/cli/recorded_load.hpp"
#include "reference_loaders/cli/registry.hpp"
#include "reference_loaders/cli/resources.hpp"
#include "reference_loaders/size.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::loaders {
namespace {

constexpr double kRatioTolerance = 0.02;
constexpr std::uint64_t kSpareDiskBytes = std::uint64_t{64} << 20;     // the traces
constexpr std::uint64_t kSpareMemoryBytes = std::uint64_t{256} << 20;  // tidemark itself

struct Case {
  const char* variant;
  double ratio;
};
constexpr std::array kCases = {Case{"blob", 2.00}, Case{"stream", 1.00}};

struct Row {
  Case expected;
  RecordedLoad load;

  [[nodiscard]] bool has_expected_ratio() const {
    return load.peak_ratio && std::abs(*load.peak_ratio - expected.ratio) <= kRatioTolerance;
  }
};

bool is_made(const std::filesystem::path& file, std::uint64_t bytes) {
  return std::filesystem::is_regular_file(file) && std::filesystem::file_size(file) == bytes;
}

/// The file is complete when it has its name, so its size is enough to know it again.
void prepare_model(const Model& model,
                   const std::filesystem::path& file,
                   std::uint64_t weight_bytes) {
  const std::uint64_t bytes = model.file_bytes(weight_bytes);
  const bool made = is_made(file, bytes);
  require_free_disk(file.parent_path(), made ? kSpareDiskBytes : bytes + kSpareDiskBytes);
  require_free_memory(2 * bytes + kSpareMemoryBytes);
  fmt::print("model     {} ({}){}\n", file.string(), format_size(bytes),
             made ? ", made before" : "");
  std::fflush(stdout);
  if (!made) {
    model.make({.file = file, .weight_bytes = weight_bytes, .seed = 1});
  }
}

std::string ratio_text(const std::optional<double>& ratio, int digits) {
  return ratio ? fmt::format("{:.{}f}", *ratio, digits) : "none";
}

void print_table(const std::vector<Row>& rows) {
  fmt::print("\n{:10} {:>11} {:>11} {:>10}   {}\n", "variant", "peak", "peak ratio", "load time",
             "checksum");
  for (const Row& row : rows) {
    fmt::print("{:10} {:>11} {:>11} {:>8.2f} s   {}{}\n", row.expected.variant,
               format_size(row.load.peak_bytes), ratio_text(row.load.peak_ratio, 2),
               row.load.seconds, row.load.checksum,
               row.load.checksum == rows.front().load.checksum ? "" : "  differs");
  }
}

bool verdict(const std::vector<Row>& rows) {
  bool holds = true;
  for (const Row& row : rows) {
    if (!row.has_expected_ratio()) {
      fmt::print(stderr, "tidemark-loaders: {} must have a peak ratio of {:.2f}, but has {}\n",
                 row.expected.variant, row.expected.ratio, ratio_text(row.load.peak_ratio, 3));
      holds = false;
    }
    if (row.load.lost_events > 0) {
      fmt::print(stderr, "tidemark-loaders: {} events of {} were lost, its peak may be too low\n",
                 row.load.lost_events, row.expected.variant);
      holds = false;
    }
    if (row.load.checksum != rows.front().load.checksum) {
      fmt::print(stderr, "tidemark-loaders: {} and {} did not load the same model\n",
                 rows.front().expected.variant, row.expected.variant);
      holds = false;
    }
  }
  return holds;
}

/// As one would type it: relative where that is shorter, below the current directory.
std::string typed(const std::filesystem::path& program) {
  const auto relative = program.lexically_proximate(std::filesystem::current_path());
  return *relative.begin() == ".." ? program.string() : relative.string();
}

std::vector<Row> record_both(const Recorder& recorder,
                             const System& system,
                             const std::filesystem::path& model,
                             const std::filesystem::path& folder) {
  const auto& [before, after] = kCases;
  fmt::print("recording {0} {1} and {0} {2}\n", system.name, before.variant, after.variant);
  std::fflush(stdout);
  const auto loads = record_comparison(recorder, {.system = system,
                                                  .before = before.variant,
                                                  .after = after.variant,
                                                  .file = model,
                                                  .folder = folder});
  return {{before, loads[0]}, {after, loads[1]}};
}

void print_next_steps(const std::filesystem::path& tidemark, const std::filesystem::path& folder) {
  const auto print = [&folder](const char* title, const char* first, const char* second) {
    fmt::print("{:10}{}\n{:10}{}\n", title, (folder / first).string(), "",
               (folder / second).string());
  };
  fmt::print("\n");
  print("traces", "before.tmk", "after.tmk");
  print("graph", "graph.svg", "graph.png");
  print("changes", "diff.html", "diff.txt");
  fmt::print("next      {} report {}\n", typed(tidemark), (folder / "before.tmk").string());
}

}  // namespace

bool run_demo(const DemoOptions& options) {
  const System& tvm = find_system("tvm");
  const std::uint64_t weight_bytes = parse_size(options.size);
  const Recorder recorder = find_recorder(options.tidemark);
  make_directory(options.directory);
  const auto file = options.directory / "model.params";
  prepare_model(find_model(tvm, "params"), file, weight_bytes);
  warm_page_cache(file);

  const auto rows = record_both(recorder, tvm, file, options.directory);
  print_table(rows);
  std::fflush(stdout);
  const bool holds = verdict(rows);
  print_next_steps(recorder.tidemark, options.directory);
  return holds;
}

}  // namespace tidemark::loaders
