#include "analyzer/findings/weights/file_holders.hpp"

#include "analyzer/findings/weights/widened_findings.hpp"
#include "analyzer/flow/block_looks.hpp"
#include "analyzer/tensors/tensor_sets.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

namespace tidemark::analyzer {
namespace {

bool is_scaled(const trace::PackedMatch& match) {
  return !match.type.empty() && match.type == match.file_type;
}

/// Of files with a list what is scaled alone: the rest is told tensor by tensor.
bool is_told_here(const trace::PackedMatch& match, const ModelFileIds& files) {
  const auto file = files.find(trace::index(match.file));
  if (match.distance != 0 || file == files.end()) {
    return false;
  }
  const bool is_known_type =
      trace::float_bytes(match.type) != 0 && trace::value_bytes(match.file_type) != 0;
  return is_scaled(match) ? is_known_type : !file->second && (match.type.empty() || is_known_type);
}

/// What was seen at the peak, or soon after: the blocks stood there for that.
std::unordered_map<trace::AllocationNumber, const trace::PackedMatch*> seen_at_peak(
    const Evidence& evidence, const ModelFileIds& files) {
  const std::uint64_t peak_ns = evidence.load.peak.at.at_ns;
  const std::uint64_t last_ns = std::max(peak_ns, made_at_once_until_ns(evidence.load));
  std::unordered_map<trace::AllocationNumber, const trace::PackedMatch*> seen;
  for (const trace::PackedMatch& match : evidence.trace.definitions().packed) {
    if (is_told_here(match, files) && match.from_ns <= last_ns &&
        evidence.high_since_ns() <= match.until_ns) {
      seen.try_emplace(match.allocation, &match);
    }
  }
  return seen;
}

/// Of what is packed as a whole, unpacked; where that is not known, no bound.
std::uint64_t content_bytes(const trace::File& file) {
  constexpr std::uint64_t kUnbounded = std::uint64_t{1} << 47U;
  if (!file.compressed) {
    return file.size;
  }
  return file.unpacked_bytes != 0 ? file.unpacked_bytes : kUnbounded;
}

Holder seen_holder(const Evidence& evidence,
                   const BlockLooks& looks,
                   std::uint32_t life,
                   const trace::PackedMatch& match) {
  Holder holder{.life = life, .type = match.type, .file_type = match.file_type, .is_seen = true};
  // A vector that grew has room to spare.
  const std::uint64_t unused =
      looks.untouched_bytes(evidence.flow.lives()[life], evidence.load.duration_ns);
  const std::uint64_t room = evidence.flow.size_after(life, evidence.peak - 1);
  holder.used = room - std::min(room, unused);
  const std::uint64_t file_bytes =
      content_bytes(evidence.trace.definitions().files[trace::index(match.file)]);
  const std::uint64_t begin = std::min(match.offset, file_bytes);
  const std::uint64_t elements =
      holder.is_converted() ? holder.used / trace::float_bytes(match.type) : holder.used;
  const std::uint64_t each = holder.is_converted() ? trace::value_bytes(match.file_type) : 1;
  holder.parts.push_back({begin, std::min(begin + elements * each, file_bytes)});
  return holder;
}

/// Whole numbers of a byte each have scales between them, or elsewhere: what is from where one
/// block's begin to where the next one's do is of that block, but for a gap.
void add_scales(std::uint64_t file_bytes, std::vector<Holder>& holders) {
  std::vector<FilePart*> parts;
  for (Holder& holder : holders) {
    if (trace::is_byte(holder.file_type)) {
      parts.push_back(&holder.parts.front());
    }
  }
  std::ranges::sort(parts, {}, &FilePart::begin);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::uint64_t next = i + 1 < parts.size() ? parts[i + 1]->begin : file_bytes;
    if (next > parts[i]->end && next - parts[i]->end <= parts[i]->bytes() / 4) {
      parts[i]->end = next;
    }
  }
}

}  // namespace

ModelFileIds model_file_ids(const Evidence& evidence) {
  const trace::Definitions& definitions = evidence.trace.definitions();
  std::set<std::string> paths;
  for (const std::size_t number : evidence.load.model.files) {
    paths.insert(evidence.load.files[number].path);
  }
  ModelFileIds files;
  for (std::uint32_t i = 0; i < definitions.files.size(); ++i) {
    if (paths.contains(definitions.files[i].path)) {
      files[i] = false;
    }
  }
  for (const trace::Tensor& tensor : definitions.tensors) {
    if (const auto file = files.find(trace::index(tensor.file)); file != files.end()) {
      file->second = true;
    }
  }
  return files;
}

HoldersByFile holders_at_peak(const Evidence& evidence) {
  const ModelFileIds files = model_file_ids(evidence);
  const auto seen = seen_at_peak(evidence, files);
  HoldersByFile all;
  if (seen.empty()) {
    return all;
  }
  std::unordered_map<trace::AllocationNumber, std::map<std::uint32_t, std::vector<FilePart>>> read;
  for (const trace::Origin& origin : evidence.trace.definitions().origins) {
    if (files.contains(trace::index(origin.file)) &&
        has_values(evidence.trace.definitions(), origin)) {
      read[origin.allocation][trace::index(origin.file)].push_back(
          {origin.offset, origin.offset + origin.bytes});
    }
  }
  const BlockLooks looks(evidence.trace.definitions());
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    if (!lives[i].is_alive_after(evidence.peak) || lives[i].is_mapping || evidence.explained[i]) {
      continue;
    }
    const std::uint32_t process = trace::index(lives[i].process);
    if (const auto known = read.find(lives[i].allocation); known != read.end()) {
      for (auto& [file, parts] : known->second) {
        all[{process, file}].push_back({.life = i, .parts = std::move(parts)});
      }
    } else if (const auto match = seen.find(lives[i].allocation); match != seen.end()) {
      all[{process, trace::index(match->second->file)}].push_back(
          seen_holder(evidence, looks, i, *match->second));
    }
  }
  for (auto& [key, holders] : all) {
    add_scales(content_bytes(evidence.trace.definitions().files[key.second]), holders);
    std::ranges::stable_sort(holders, {}, [&](const Holder& holder) {
      return std::tuple(holder.is_seen, lives[holder.life].born);
    });
  }
  return all;
}

}  // namespace tidemark::analyzer
