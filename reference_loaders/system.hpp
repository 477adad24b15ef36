#pragma once

#include "reference_loaders/checksum.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What a system is to the rest of the folder: ways to make model files, variants that load them,
/// and the rows of its table. `tidemark-loaders` knows nothing else about TVM or any system that
/// follows.
namespace tidemark::loaders {

/// Values of a system's own options, by name without dashes. A flag that is set has the value "1".
using Options = std::map<std::string, std::string, std::less<>>;

/// One option of `run SYSTEM`, as `--help` shows it.
struct RunOption {
  std::string name;           ///< Without dashes: "tokens".
  std::string value_name;     ///< "N"; empty for a flag.
  std::string default_value;  ///< Empty for a flag.
  std::string summary;
};

struct LoadRequest {
  std::filesystem::path file;
  Options options = {};  ///< Every option of the system that takes a value is there.

  [[nodiscard]] bool flag(std::string_view name) const;
  /// @throws UsageError that names the option when its value is no number or outside [low, high].
  [[nodiscard]] std::uint64_t number(std::string_view name,
                                     std::uint64_t low,
                                     std::uint64_t high) const;
  [[nodiscard]] const std::string& text(std::string_view name) const;
};

/// Something that a run found out beside the checksum: "execution memory", "204,128 bytes".
struct Note {
  std::string name;
  std::string value;
};

struct TensorFacts {
  std::uint64_t bytes = 0;
  std::uint64_t elements = 0;
};

/// A model in memory, in whatever form its loader leaves it. Destroying it frees every tensor.
class LoadedModel {
 public:
  LoadedModel() = default;
  LoadedModel(const LoadedModel&) = delete;
  LoadedModel& operator=(const LoadedModel&) = delete;
  virtual ~LoadedModel() = default;

  /// Views into this model, in any order. Must not copy weights: it runs while memory is measured.
  [[nodiscard]] virtual std::vector<TensorView> tensors() const = 0;

  /// Shows every tensor once, in name order; a view holds until `visit` returns. To be overridden
  /// by a model that loads a tensor when it is asked for, and does not have all of them at one
  /// time.
  /// @throws BadInput from such a model.
  virtual void for_each_tensor(const std::function<void(const TensorView&)>& visit);

  /// Bytes that the model's work takes beside its weights (activations, caches), from a formula or
  /// plan of the system, never from what was measured.
  [[nodiscard]] virtual std::uint64_t work_bytes() const { return 0; }

  /// Bytes that a device's driver took on the host for itself before anything was loaded, as far as
  /// the allocator knows. No formula includes them; they are shown apart from its result.
  [[nodiscard]] virtual std::uint64_t driver_bytes() const { return 0; }

  /// Every tensor's sizes in the order of loading, for a prediction that depends on it. Empty where
  /// none does: `predict` then gets them in name order.
  [[nodiscard]] virtual std::vector<TensorFacts> loading_order() const { return {}; }

  /// Seconds of the load that were not loading but work with what was loaded: a forward pass. They
  /// do not count for its speed.
  [[nodiscard]] virtual double work_seconds() const { return 0; }

  /// Printed by `run` and kept for the tables.
  [[nodiscard]] virtual std::vector<Note> notes() const { return {}; }
};

/// The numbers that predictions are made of.
struct ModelFacts {
  std::uint64_t file_bytes = 0;
  std::vector<TensorFacts> tensors = {};
  std::uint64_t work_bytes = 0;    ///< As LoadedModel::work_bytes.
  Options options = {};            ///< Those of the run.
  std::uint64_t driver_bytes = 0;  ///< As LoadedModel::driver_bytes.

  [[nodiscard]] std::uint64_t weight_bytes() const;
  [[nodiscard]] std::uint64_t largest_tensor_bytes() const;
};

struct Prediction {
  std::uint64_t footprint_bytes = 0;  ///< Requested at the peak: heap and anonymous mappings.
  std::uint64_t mapped_bytes = 0;     ///< Bytes of the file mapped at the peak.
  std::string numbers;                ///< The formula filled in: "2 x 5.00 GB".
};

/// One way to load the files of a system.
struct Variant {
  std::string name;
  std::string summary;                   ///< One line, for `list`.
  std::vector<std::string> models = {};  ///< Names of those that it loads; empty for all.
  std::string peak_formula;              ///< The formula of `predict`, for people: "2W".
  std::function<Prediction(const ModelFacts&)> predict;
  /// Loads a file, each stage as a marked phase. @throws BadInput, UsageError
  std::function<std::unique_ptr<LoadedModel>(const LoadRequest&)> load;

  [[nodiscard]] bool loads(std::string_view model) const;
};

struct MakeRequest {
  std::filesystem::path file;
  std::uint64_t weight_bytes = 0;
  std::uint64_t seed = 0;
};

/// One kind of model file that a system has.
struct Model {
  std::string name;     ///< As given to `make --model`.
  std::string summary;  ///< One line, for `list`.
  std::uint64_t default_weight_bytes = 0;
  bool has_fixed_size = false;  ///< Then `make --size` is refused.
  /// Exact bytes on disk that `make` writes for so many bytes of weights. @throws UsageError
  std::function<std::uint64_t(std::uint64_t weight_bytes)> file_bytes;
  /// Writes a valid file with seeded random weights, under its name only when it is complete.
  std::function<void(const MakeRequest&)> make;
  /// `file` and those that `make` wrote beside it. Empty where a model is one file.
  std::function<std::vector<std::filesystem::path>(const std::filesystem::path& file)> files = {};

  [[nodiscard]] std::vector<std::filesystem::path> all_files(
      const std::filesystem::path& file) const {
    return files ? files(file) : std::vector{file};
  }
};

enum class SuiteSize { kQuick, kFull };

/// One line of a system's table in `suite`.
struct SuiteRow {
  std::string model;
  std::uint64_t weight_bytes = 0;  ///< Given to `make`.
  std::string variant;
  Options options = {};
  bool cold = false;            ///< The file is dropped from the page cache first.
  std::string published = {};   ///< What the case said: "5 GB, 2x".
  std::string fails_with = {};  ///< Where the variant must fail: part of its sentence on stderr.
};

struct System {
  std::string name;
  std::string summary;
  std::string published;      ///< Where the case was published, and what it said.
  std::vector<Model> models;  ///< The first is what `make` writes without `--model`.
  std::vector<RunOption> options = {};
  std::vector<Variant> variants;  ///< From the naive one to the best.
  std::function<std::vector<SuiteRow>(SuiteSize)> suite = {};
  /// Why this machine cannot load its models, as one sentence; empty if it can. No function if
  /// every machine can.
  std::function<std::string()> unavailable = {};
};

}  // namespace tidemark::loaders
