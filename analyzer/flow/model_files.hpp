/// Which files of a trace are the model, by FileId.
#pragma once

#include "analyzer/load/load_facts.hpp"

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

namespace tidemark::analyzer {

class ModelFiles {
 public:
  /// If the model was given by its size alone, takes the files that look like one.
  ModelFiles(const LoadFacts& load, const trace::Definitions& definitions);

  /// Predicts the model's files before the events are read, assuming that the program reads whole
  /// files. Mostly right; otherwise work based on it must be repeated.
  /// @param given as ReportOptions::model.
  static ModelFiles expected(const trace::Definitions& definitions, const std::string& given);

  [[nodiscard]] bool empty() const { return paths_.empty(); }
  /// Indices into LoadFacts::files; none of expected files.
  [[nodiscard]] const std::vector<std::size_t>& files() const { return files_; }
  [[nodiscard]] bool contains(std::uint64_t file_id) const {
    return file_id < by_id_.size() && by_id_[file_id];
  }
  /// Whether both agree on all files that were used.
  [[nodiscard]] bool agrees_with(const ModelFiles& other, const std::vector<FileUse>& used) const;

 private:
  ModelFiles() = default;
  void take(const ModelBytes& model,
            const std::vector<FileUse>& uses,
            const trace::Definitions& definitions);

  std::vector<std::size_t> files_;
  std::unordered_set<std::string> paths_;
  std::vector<bool> by_id_;  // By FileId.
};

}  // namespace tidemark::analyzer
