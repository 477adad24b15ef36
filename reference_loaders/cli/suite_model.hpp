#pragma once

#include "reference_loaders/system.hpp"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace tidemark::loaders {

/// A model file of the suite, in a folder of its own below the suite's.
class SuiteModel {
 public:
  /// Nothing is made yet. `model` is borrowed.
  SuiteModel(const Model& model,
             std::filesystem::path folder,
             std::uint64_t weight_bytes,
             bool is_kept);
  SuiteModel(const SuiteModel&) = delete;
  SuiteModel& operator=(const SuiteModel&) = delete;
  /// Removes the folder when `make` made it and it is not to be kept.
  ~SuiteModel();

  /// True when the files are there and have the size that `make` gives them. A file is complete
  /// when it has its name, so its size is enough to know it again.
  [[nodiscard]] bool is_made() const;
  /// @throws UsageError, std::system_error
  void make();

  [[nodiscard]] std::filesystem::path file() const { return folder_ / "model"; }
  [[nodiscard]] std::vector<std::filesystem::path> files() const {
    return model_.all_files(file());
  }
  /// On disk, all files together.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  const Model& model_;
  std::filesystem::path folder_;
  std::uint64_t weight_bytes_;
  std::uint64_t bytes_;
  bool is_kept_;
  bool was_made_ = false;
};

}  // namespace tidemark::loaders
