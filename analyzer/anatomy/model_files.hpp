/// Which files of a trace are the model, by the id that its events use.
#pragma once

#include "analyzer/report.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::analyzer {

class ModelFiles {
 public:
  /// Where a model was given by its size alone, the files that look like one are taken.
  ModelFiles(const Report& report, const trace::Definitions& definitions);

  [[nodiscard]] bool empty() const { return files_.empty(); }
  /// Indices into Report::files.
  [[nodiscard]] const std::vector<std::size_t>& files() const { return files_; }
  [[nodiscard]] bool contains(std::uint64_t file_id) const {
    return file_id < by_id_.size() && by_id_[file_id];
  }

 private:
  std::vector<std::size_t> files_;
  std::vector<bool> by_id_;  // By FileId.
};

}  // namespace tidemark::analyzer
