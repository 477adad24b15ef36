/// Where each tensor is in its weight file.
#pragma once

#include "collector/trace/types/definitions.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_map>

namespace tidemark::analyzer {

/// The tensors of all files by where they begin; of several with the same begin, the first.
class TensorPlaces {
 public:
  /// `definitions` stays borrowed.
  explicit TensorPlaces(const trace::Definitions& definitions) : definitions_(definitions) {
    for (std::uint32_t i = 0; i < definitions.tensors.size(); ++i) {
      const trace::Tensor& tensor = definitions.tensors[i];
      if (tensor.bytes != 0) {
        by_file_[trace::index(tensor.file)].try_emplace(tensor.begin, i);
      }
    }
  }

  /// Calls `visit(tensor, bytes)`, with the tensor's index, for each that has bytes in [begin, end)
  /// of the file.
  template <typename Visit>
  void visit(trace::FileId file, std::uint64_t begin, std::uint64_t end, const Visit& visit) const {
    const auto places = by_file_.find(trace::index(file));
    if (places == by_file_.end()) {
      return;
    }
    auto at = places->second.upper_bound(begin);
    at = at == places->second.begin() ? at : std::prev(at);
    for (; at != places->second.end() && at->first < end; ++at) {
      const trace::Tensor& tensor = definitions_.tensors[at->second];
      const std::uint64_t from = std::max(begin, tensor.begin);
      const std::uint64_t to = std::min(end, tensor.begin + tensor.bytes);
      if (from < to) {
        visit(at->second, to - from);
      }
    }
  }

  /// The index of the tensor that begins at `begin`.
  [[nodiscard]] std::optional<std::uint32_t> at(trace::FileId file, std::uint64_t begin) const {
    const auto places = by_file_.find(trace::index(file));
    if (places == by_file_.end()) {
      return std::nullopt;
    }
    const auto found = places->second.find(begin);
    return found != places->second.end() ? std::optional(found->second) : std::nullopt;
  }

  /// The indices of a file's tensors by their begin. The file must have some.
  [[nodiscard]] const std::map<std::uint64_t, std::uint32_t>& of(std::uint32_t file) const {
    return by_file_.at(file);
  }

 private:
  const trace::Definitions& definitions_;
  std::unordered_map<std::uint32_t, std::map<std::uint64_t, std::uint32_t>> by_file_;
};

}  // namespace tidemark::analyzer
