#include "reference_loaders/cli/suite.hpp"

#include "reference_loaders/cli/page_cache.hpp"
#include "reference_loaders/cli/recorded_load.hpp"
#include "reference_loaders/cli/registry.hpp"
#include "reference_loaders/cli/resources.hpp"
#include "reference_loaders/cli/suite_fixes.hpp"
#include "reference_loaders/cli/suite_model.hpp"
#include "reference_loaders/cli/suite_result.hpp"
#include "reference_loaders/cli/suite_table.hpp"
#include "reference_loaders/size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <list>
#include <utility>

namespace tidemark::loaders {
namespace {

constexpr std::uint64_t kSpareDiskForSuite = std::uint64_t{256} << 20;    // the traces
constexpr std::uint64_t kSpareMemoryForSuite = std::uint64_t{256} << 20;  // tidemark itself

/// Told line by line as it happens, apart from the tables.
template <typename... Arguments>
void tell(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::print(stderr, "{}\n", fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// The suite of one system.
class SystemSuite {
 public:
  SystemSuite(const System& system, const SuiteOptions& options, const Recorder& recorder);

  std::vector<ModelResult> run();

 private:
  /// One model file and the rows that load it.
  struct Part {
    Part(const Model& model, const std::filesystem::path& folder, const SuiteRow& row, bool is_kept)
        : file(model, folder, row.weight_bytes, is_kept) {
      result.model = row.model;
      result.weight_bytes = row.weight_bytes;
      result.file_bytes = file.bytes();
    }

    SuiteModel file;
    ModelResult result;
  };

  void plan(const SuiteRow& row);
  void require_disk() const;
  void require_memory(const Part& part, const SuiteRow& row) const;
  void prepare(Part* part);
  void record(Part* part, RowResult* row);
  [[nodiscard]] std::filesystem::path trace_of(const Part& part, const RowResult& row) const;

  const System& system_;
  const Recorder& recorder_;
  std::filesystem::path folder_;
  bool is_kept_;
  std::list<Part> parts_;  // they do not move
};

SystemSuite::SystemSuite(const System& system,
                         const SuiteOptions& options,
                         const Recorder& recorder)
    : system_(system),
      recorder_(recorder),
      folder_(options.directory / system.name),
      is_kept_(!options.full || options.keep) {
  const auto size = options.full ? SuiteSize::kFull : SuiteSize::kQuick;
  for (const SuiteRow& row : system.suite ? system.suite(size) : std::vector<SuiteRow>{}) {
    plan(row);
  }
}

void SystemSuite::plan(const SuiteRow& row) {
  const Variant& variant = find_variant(system_, row.variant);
  const auto is_its_model = [&](const Part& part) {
    return part.result.model == row.model && part.result.weight_bytes == row.weight_bytes;
  };
  auto part = std::ranges::find_if(parts_, is_its_model);
  if (part == parts_.end()) {
    const auto folder = folder_ / fmt::format("{}-{}", row.model, row.weight_bytes);
    part = parts_.emplace(parts_.end(), find_model(system_, row.model), folder, row, is_kept_);
  }
  part->result.rows.push_back({.row = row, .peak_formula = variant.peak_formula, .run = {}});
}

void SystemSuite::require_disk() const {
  std::uint64_t bytes = kSpareDiskForSuite;
  for (const Part& part : parts_) {
    bytes += part.file.is_made() ? 0 : part.file.bytes();
  }
  require_free_disk(folder_, bytes);
}

/// What the variant will take is only known once it has loaded, so this uses a model of one tensor.
void SystemSuite::require_memory(const Part& part, const SuiteRow& row) const {
  ModelFacts facts{.file_bytes = part.file.bytes(),
                   .tensors = {{part.file.bytes(), part.file.bytes() / sizeof(float)}},
                   .work_bytes = 0,
                   .options = row.options};
  for (const RunOption& option : system_.options) {
    if (!option.value_name.empty()) {
      facts.options.try_emplace(option.name, option.default_value);
    }
  }
  const Prediction guess = find_variant(system_, row.variant).predict(facts);
  require_free_memory(guess.footprint_bytes + kSpareMemoryForSuite);
}

void SystemSuite::prepare(Part* part) {
  ModelResult& result = part->result;
  if (part->file.is_made()) {
    tell("{} {}: {} made before", system_.name, result.model, format_size(part->file.bytes()));
  } else {
    tell("{} {}: making {}", system_.name, result.model, format_size(part->file.bytes()));
    part->file.make();
  }
  require_free_memory(result.file_bytes + kSpareMemoryForSuite);
  for (const auto& file : part->file.files()) {
    write_back(file);
    warm_page_cache(file);
  }
  result.seconds_to_read = seconds_to_read(part->file.files());
}

std::filesystem::path SystemSuite::trace_of(const Part& part, const RowResult& row) const {
  std::string name = part.result.model + "-" + row_name(row.row) + ".tmk";
  std::erase_if(name, [](char c) { return c == ','; });
  std::ranges::replace_if(
      name, [](char c) { return c == ' ' || c == '/'; }, '-');
  return folder_ / name;
}

void SystemSuite::record(Part* part, RowResult* row) {
  require_memory(*part, row->row);
  if (!row->row.cold) {
    for (const auto& file : part->file.files()) {
      warm_page_cache(file);
    }
  }
  tell("{} {}: recording {}", system_.name, part->result.model, row_name(row->row));
  row->run = record_run(recorder_, {.system = system_,
                                    .variant = row->row.variant,
                                    .file = part->file.file(),
                                    .trace = trace_of(*part, *row),
                                    .options = row->row.options,
                                    .cold = row->row.cold});
}

std::vector<ModelResult> SystemSuite::run() {
  make_directory(folder_);
  require_disk();
  std::vector<ModelResult> results;
  for (Part& part : parts_) {
    prepare(&part);
    for (RowResult& row : part.result.rows) {
      record(&part, &row);
    }
    results.push_back(part.result);
  }
  return results;
}

/// Says why, for every row that does not hold. @return whether all do.
bool judge(const System& system, const std::vector<ModelResult>& models) {
  bool holds = true;
  for (const ModelResult& model : models) {
    for (const RowResult& row : model.rows) {
      for (const std::string& objection : objections(model, row)) {
        tell("tidemark-loaders: {} {} of {}: {}", system.name, row_name(row.row), model.model,
             objection);
        holds = false;
      }
    }
  }
  return holds;
}

bool run_system(const System& system,
                const SuiteOptions& options,
                const Recorder& recorder,
                std::vector<FixResult>* fixes) {
  if (const std::string why = system.unavailable ? system.unavailable() : ""; !why.empty()) {
    tell("{}: skipped: {}", system.name, why);
    return true;
  }
  SystemSuite suite(system, options, recorder);
  const std::vector<ModelResult> models = suite.run();
  if (models.empty()) {
    tell("{}: has no table", system.name);
    return true;
  }
  fmt::print("{}\n", suite_table(system, models));
  std::fflush(stdout);
  for (FixResult& fix : fix_results(system.name, models)) {
    fixes->push_back(std::move(fix));
  }
  return judge(system, models);
}

}  // namespace

bool run_suite(const SuiteOptions& options) {
  std::vector<const System*> chosen;
  for (const std::string& name : options.systems) {
    chosen.push_back(&find_system(name));
  }
  for (const System& system : systems()) {
    if (options.systems.empty()) {
      chosen.push_back(&system);
    }
  }
  const Recorder recorder = find_recorder(options.tidemark);
  make_directory(options.directory);
  bool holds = true;
  std::vector<FixResult> fixes;
  for (const System* const system : chosen) {
    holds &= run_system(*system, options, recorder, &fixes);
  }
  if (const std::string table = fix_table(fixes); !table.empty()) {
    fmt::print("{}\n", table);
  }
  return holds;
}

}  // namespace tidemark::loaders
