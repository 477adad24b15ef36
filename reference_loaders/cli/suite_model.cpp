#include "reference_loaders/cli/suite_model.hpp"

#include "reference_loaders/cli/resources.hpp"

#include <system_error>
#include <utility>

namespace tidemark::loaders {

SuiteModel::SuiteModel(const Model& model,
                       std::filesystem::path folder,
                       std::uint64_t weight_bytes,
                       bool is_kept)
    : model_(model),
      folder_(std::move(folder)),
      weight_bytes_(weight_bytes),
      bytes_(model.file_bytes(weight_bytes)),
      is_kept_(is_kept) {}

SuiteModel::~SuiteModel() {
  if (was_made_ && !is_kept_) {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
}

bool SuiteModel::is_made() const {
  if (!std::filesystem::is_regular_file(file())) {
    return false;
  }
  std::uint64_t bytes = 0;
  for (const auto& one : files()) {
    std::error_code error;
    const std::uint64_t size = std::filesystem::file_size(one, error);
    if (error) {
      return false;
    }
    bytes += size;
  }
  return bytes == bytes_;
}

void SuiteModel::make() {
  std::filesystem::remove_all(folder_);  // what another size, or a run that was cut off, left
  make_directory(folder_);
  was_made_ = true;
  model_.make({.file = file(), .weight_bytes = weight_bytes_, .seed = 1});
}

}  // namespace tidemark::loaders
