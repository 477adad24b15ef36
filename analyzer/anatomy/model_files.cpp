#include "analyzer/anatomy/model_files.hpp"

#include <string>
#include <unordered_set>

namespace tidemark::analyzer {

ModelFiles::ModelFiles(const Report& report, const trace::Definitions& definitions)
    : files_(report.model.files) {
  if (files_.empty() && report.model.is_known()) {
    files_ = find_model_bytes(report.files).files;
  }
  std::unordered_set<std::string> paths;
  for (const std::size_t i : files_) {
    paths.insert(report.files[i].path);
  }
  for (const trace::File& file : definitions.files) {
    by_id_.push_back(paths.contains(file.path));
  }
}

}  // namespace tidemark::analyzer
