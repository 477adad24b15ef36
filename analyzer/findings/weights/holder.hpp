/// What a block holds of a file.
#pragma once

#include "analyzer/findings/findings.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::analyzer {

/// A part of a file.
struct FilePart {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  [[nodiscard]] std::uint64_t bytes() const { return end - begin; }
};

/// Parts of a file, joined.
class Coverage {
 public:
  void add(FilePart part) {
    auto at = parts_.upper_bound(part.begin);
    at = at != parts_.begin() && std::prev(at)->second >= part.begin ? std::prev(at) : at;
    while (at != parts_.end() && at->first <= part.end) {
      part = {std::min(part.begin, at->first), std::max(part.end, at->second)};
      at = parts_.erase(at);
    }
    parts_.emplace(part.begin, part.end);
  }
  [[nodiscard]] std::uint64_t overlap(const FilePart& part) const {
    std::uint64_t bytes = 0;
    auto at = parts_.upper_bound(part.begin);
    at = at != parts_.begin() ? std::prev(at) : at;
    for (; at != parts_.end() && at->first < part.end; ++at) {
      const std::uint64_t begin = std::max(part.begin, at->first);
      bytes += std::max(begin, std::min(part.end, at->second)) - begin;
    }
    return bytes;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> parts_;  // Begin to end.
};

/// What a block holds of a file.
struct Holder {
  std::uint32_t life = 0;
  std::uint64_t used = 0;  ///< Bytes of the block used for this, if known by values.
  std::uint64_t size = 0;  ///< The block's at the peak.
  std::vector<FilePart> parts{};
  std::string type{};  ///< Element type, if not the file's.
  std::string file_type{};
  std::uint64_t node_bytes = 0;  ///< Distance between elements, if there is other data between.
  std::uint64_t at_ns = 0;       ///< When first seen by values; else 0.
  bool is_seen = false;          ///< Known by its values, not by a read or copy.
  bool is_part = false;          ///< The rest of the block has other uses.
  bool is_inferred = false;      ///< Not seen, but inferred from place and size: see infer_parts.
  bool is_changed = false;       ///< It had other values by the peak: changed in place.

  /// The share of the block that is used for this, 0 to 1.
  [[nodiscard]] double share() const {
    return is_part && used < size ? static_cast<double>(used) / static_cast<double>(size) : 1;
  }
  [[nodiscard]] std::uint64_t block_bytes() const { return is_part ? std::min(used, size) : size; }
  [[nodiscard]] bool is_scaled() const {
    return !type.empty() && type == file_type && node_bytes == 0;
  }
  [[nodiscard]] bool is_converted() const { return !type.empty() && !is_scaled(); }
  /// Bytes of the block per element.
  [[nodiscard]] std::uint64_t element_bytes() const {
    return node_bytes != 0 ? node_bytes : trace::float_bytes(type);
  }
  /// Big-endian in the file and the same type here. The type is then a guess: it may be any of that
  /// size.
  [[nodiscard]] bool is_turned_round() const {
    return is_converted() && node_bytes == 0 && type == trace::in_own_order(file_type);
  }
  [[nodiscard]] bool is_as_in_file() const { return type.empty(); }
  /// Bytes in the block per byte of the file.
  [[nodiscard]] double times() const {
    return is_converted() && bytes() != 0 ? static_cast<double>(used) / static_cast<double>(bytes())
                                          : 1;
  }
  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const FilePart& part : parts) {
      sum += part.bytes();
    }
    return sum;
  }
  [[nodiscard]] std::uint64_t overlap(const Coverage& coverage) const {
    std::uint64_t sum = 0;
    for (const FilePart& part : parts) {
      sum += coverage.overlap(part);
    }
    return sum;
  }
  void add_to(Coverage& coverage) const {
    for (const FilePart& part : parts) {
      coverage.add(part);
    }
  }
};

/// Files of the model, by FileId, with whether they list their tensors, so that more is known.
using ModelFileIds = std::map<std::uint32_t, bool>;

/// By process and file.
using HoldersByFile = std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Holder>>;

/// The unpacked size of a file that is packed as a whole; no bound if that is not known.
inline std::uint64_t content_bytes(const trace::File& file) {
  constexpr std::uint64_t kUnbounded = std::uint64_t{1} << 47U;
  if (!file.compressed) {
    return file.size;
  }
  return file.unpacked_bytes != 0 ? file.unpacked_bytes : kUnbounded;
}

}  // namespace tidemark::analyzer
