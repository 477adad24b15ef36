/// Aligned columns.
#pragma once

#include <string>
#include <vector>

namespace tidemark::bench {

/// The first row is the head; the first column is left-aligned, the others right-aligned.
class Table {
 public:
  explicit Table(std::vector<std::string> head) { rows_.push_back(std::move(head)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] bool empty() const { return rows_.size() == 1; }
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tidemark::bench
