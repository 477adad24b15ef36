#pragma once

#include "reference_loaders/checksum.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

/// What a system is to the rest of the folder: a way to make a model file, and variants that load
/// it. `tidemark-loaders` knows nothing else about TVM or any system that follows.
namespace tidemark::loaders {

/// A model in memory, in whatever form its loader leaves it. Destroying it frees every tensor.
class LoadedModel {
 public:
  LoadedModel() = default;
  LoadedModel(const LoadedModel&) = delete;
  LoadedModel& operator=(const LoadedModel&) = delete;
  virtual ~LoadedModel() = default;

  /// Views into this model, in any order. Must not copy weights: it runs while memory is measured.
  [[nodiscard]] virtual std::vector<TensorView> tensors() const = 0;
};

/// The numbers that predictions are made of.
struct ModelFacts {
  std::uint64_t file_bytes = 0;
  std::vector<std::uint64_t> tensor_bytes;

  [[nodiscard]] std::uint64_t weight_bytes() const;
};

/// One way to load the files of a system.
struct Variant {
  std::string name;
  std::string summary;       ///< One line, for `list`.
  std::string peak_formula;  ///< Of `predicted_peak`, for people: "2W".
  std::function<std::uint64_t(const ModelFacts&)> predicted_peak;  ///< Bytes requested at the peak.
  /// Loads a file, each stage as a marked phase. @throws BadInput
  std::function<std::unique_ptr<LoadedModel>(const std::filesystem::path&)> load;
};

struct MakeRequest {
  std::filesystem::path file;
  std::uint64_t weight_bytes = 0;
  std::uint64_t seed = 0;
};

struct System {
  std::string name;
  std::string summary;
  std::string published;  ///< Where the case was published, and what it said.
  std::uint64_t default_weight_bytes = 0;
  std::vector<Variant> variants;  ///< From the naive one to the best.
  /// Exact size of the file that `make` writes for so many bytes of weights. @throws UsageError
  std::function<std::uint64_t(std::uint64_t weight_bytes)> file_bytes;
  /// Writes a valid file with seeded random weights, under its name only when it is complete.
  std::function<void(const MakeRequest&)> make;
};

}  // namespace tidemark::loaders
