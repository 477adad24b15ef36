#include "analyzer/findings/weights/file_holders.hpp"

#include "analyzer/findings/weights/inferred_holders.hpp"
#include "analyzer/findings/weights/widened_findings.hpp"
#include "analyzer/flow/block_looks.hpp"
#include "analyzer/tensors/block_contents.hpp"
#include "analyzer/tensors/tensor_sets.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace tidemark::analyzer {
namespace {

using Allocations = std::unordered_set<trace::AllocationNumber>;

/// Blocks that begin with a tensor's values.
Allocations blocks_of_tensors(const trace::Definitions& definitions) {
  Allocations blocks;
  for (const trace::ValueMatch& match : definitions.matches) {
    blocks.insert(match.allocation);
  }
  return blocks;
}

/// For files with a list: what is scaled, in nodes, or converted where no tensor's beginning is
/// known (as in mappings, which begin with headers), and parts of mappings. Everything else is
/// reported tensor by tensor.
bool is_told_here(const trace::PackedMatch& match,
                  const ModelFileIds& files,
                  const Allocations& of_tensors) {
  const auto file = files.find(trace::index(match.file));
  if (match.distance != 0 || file == files.end()) {
    return false;
  }
  const bool is_known_type =
      trace::float_bytes(match.type) != 0 && trace::value_bytes(match.file_type) != 0;
  const bool is_listed = file->second && !match.is_part() &&
                         (match.type.empty() || of_tensors.contains(match.allocation));
  if (match.is_scaled() || match.node_bytes != 0) {
    return is_known_type;
  }
  return !is_listed && (match.type.empty() || is_known_type);
}

using SeenBlocks =
    std::unordered_map<trace::AllocationNumber, std::vector<const trace::PackedMatch*>>;
using ReadBlocks = std::unordered_map<trace::AllocationNumber, std::vector<const trace::Origin*>>;

bool is_wider(const trace::PackedMatch& match) {
  const std::uint64_t narrow = trace::value_bytes(match.file_type);
  return narrow != 0 && trace::float_bytes(match.type) > narrow;
}

/// Whether a block that held this all over, and nothing else of a file, still has it as it was
/// changed in place: a program converts weights, and then takes their mean from them.
bool may_be_changed(const std::vector<const trace::PackedMatch*>& matches) {
  const trace::PackedMatch& one = *matches.front();
  return std::ranges::all_of(matches, [&one](const trace::PackedMatch* match) {
    return !match->is_part() && match->node_bytes == 0 && is_wider(*match) &&
           match->file == one.file && match->offset == one.offset && match->type == one.type;
  });
}

/// Blocks seen at the peak, or soon after, since that is why they were there; for parts of
/// mappings, only what was there at the peak; for blocks that held other values by then, what may
/// have been changed in place.
SeenBlocks seen_at_peak(const Evidence& evidence, const ModelFileIds& files) {
  const std::uint64_t peak_ns = evidence.load.peak.at.at_ns;
  const std::uint64_t last_ns = std::max(peak_ns, made_at_once_until_ns(evidence.load));
  const Allocations of_tensors = blocks_of_tensors(evidence.trace.definitions());
  SeenBlocks seen;
  SeenBlocks before;
  for (const trace::PackedMatch& match : evidence.trace.definitions().packed) {
    // A collector moves arrays: what was elsewhere a moment ago is the same array.
    const bool is_there =
        match.is_part() ? is_there_at(match, peak_ns)
                        : match.from_ns <= last_ns && evidence.high_since_ns() <= match.until_ns;
    if (is_there && is_told_here(match, files, of_tensors)) {
      auto& matches = seen[match.allocation];
      if (match.is_part() || matches.empty()) {
        matches.push_back(&match);
      }
    }
    if (!is_there && match.until_ns < peak_ns && is_told_here(match, files, of_tensors)) {
      before[match.allocation].push_back(&match);
    }
  }
  for (const auto& [allocation, matches] : before) {
    if (may_be_changed(matches)) {
      seen.try_emplace(allocation, std::vector{matches.back()});
    }
  }
  return seen;
}

/// Whether a block as a whole had other values by the peak.
bool is_changed(const Evidence& evidence, const trace::PackedMatch& match) {
  return !match.is_part() && match.until_ns < evidence.high_since_ns();
}

/// What was seen of a block; if it grew, also before it last did, as it took that with it.
const std::vector<const trace::PackedMatch*>* matches_of(const Evidence& evidence,
                                                         const SeenBlocks& seen,
                                                         std::uint32_t life) {
  const BlockLife& block = evidence.flow.lives()[life];
  const auto own = seen.find(block.allocation);
  if (own != seen.end()) {
    // A run-time system gives the place of one array in its heap to others.
    const bool is_reused =
        block.lane != trace::Lane::kHeap && is_changed(evidence, *own->second.front());
    return is_reused ? nullptr : &own->second;
  }
  const auto resizes = evidence.flow.resizes(life);
  for (auto resize = resizes.rbegin(); resize != resizes.rend(); ++resize) {
    const auto before = seen.find(resize->before);
    if (before != seen.end() && !is_changed(evidence, *before->second.front())) {
      return &before->second;
    }
  }
  return nullptr;
}

Holder seen_holder(const Evidence& evidence,
                   const BlockLooks& looks,
                   std::uint32_t life,
                   std::uint64_t size,
                   const trace::PackedMatch& match) {
  Holder holder{.life = life,
                .type = match.type,
                .file_type = match.file_type,
                .node_bytes = match.node_bytes,
                .at_ns = match.at_ns,
                .is_seen = true,
                .is_changed = is_changed(evidence, match)};
  holder.size = size;
  if (match.is_part()) {
    holder.is_part = true;
    holder.used = std::min(match.bytes, holder.size);
  } else {
    // A vector that grew has room to spare.
    const std::uint64_t unused =
        looks.untouched_bytes(evidence.flow.lives()[life], evidence.load.duration_ns);
    holder.used = holder.size - std::min(holder.size, unused);
  }
  const std::uint64_t file_bytes =
      content_bytes(evidence.trace.definitions().files[trace::index(match.file)]);
  const std::uint64_t begin = std::min(match.offset, file_bytes);
  const std::uint64_t elements =
      holder.is_converted() ? holder.used / holder.element_bytes() : holder.used;
  const std::uint64_t each = holder.is_converted() ? trace::value_bytes(match.file_type) : 1;
  holder.parts.push_back({begin, std::min(begin + elements * each, file_bytes)});
  return holder;
}

/// Bytes that were read to a place and then seen there count once.
/// @param read by their begin, without overlaps.
bool is_read_to(const trace::PackedMatch& part, const std::vector<const trace::Origin*>& read) {
  constexpr std::size_t kMaxPieces = 4096;  // A damaged trace may claim anything.
  const std::uint64_t part_end = part.begin + part.bytes;
  std::uint64_t known = 0;
  auto at = std::ranges::lower_bound(read, part_end, {}, &trace::Origin::begin);
  for (std::size_t i = 0; i < kMaxPieces && at != read.begin(); ++i) {
    const trace::Origin& origin = **--at;
    const std::uint64_t begin = std::max(part.begin, origin.begin);
    const std::uint64_t end = std::min(part_end, origin.begin + origin.bytes);
    if (end <= begin) {
      break;
    }
    known += origin.file == part.file ? end - begin : 0;
  }
  return known > part.bytes / 2;
}

/// Whether what was read or copied to a block has been widened since, in it or on its way through a
/// buffer: it has wide values all over, and no more bytes came than these are in the file.
bool was_widened_since(const std::vector<const trace::Origin*>& read,
                       const std::vector<const trace::PackedMatch*>* matches,
                       std::uint64_t size) {
  if (matches == nullptr || matches->front()->is_part() || matches->front()->is_scaled() ||
      matches->front()->node_bytes != 0) {
    return false;
  }
  const trace::PackedMatch& match = *matches->front();
  if (!is_wider(match)) {
    return false;
  }
  const std::uint64_t wide = trace::float_bytes(match.type);
  const std::uint64_t narrow = trace::value_bytes(match.file_type);
  std::uint64_t bytes = 0;
  std::uint64_t last_ns = 0;
  for (const trace::Origin* origin : read) {
    if (origin->file != match.file) {
      return false;
    }
    bytes += origin->bytes;
    last_ns = std::max(last_ns, origin->at_ns);
  }
  const std::uint64_t in_file = size / wide * narrow;
  // What came after the last look at these values may have replaced them.
  return match.until_ns >= last_ns && bytes <= in_file + in_file / 16;
}

/// Where the model's files were read or copied to, by their places in each block.
ReadBlocks read_blocks(const trace::Definitions& definitions, const ModelFileIds& files) {
  ReadBlocks read;
  for (const trace::Origin& origin : definitions.origins) {
    if (files.contains(trace::index(origin.file)) && has_values(definitions, origin)) {
      read[origin.allocation].push_back(&origin);
    }
  }
  for (auto& [allocation, origins] : read) {
    std::ranges::sort(origins, {}, &trace::Origin::begin);
  }
  return read;
}

/// By file.
std::map<std::uint32_t, Holder> read_holders(std::uint32_t life,
                                             std::uint64_t size,
                                             const std::vector<const trace::Origin*>& read) {
  std::map<std::uint32_t, Holder> holders;
  for (const trace::Origin* origin : read) {
    Holder& holder = holders[trace::index(origin->file)];
    holder.life = life;
    holder.size = size;
    holder.parts.push_back({origin->offset, origin->offset + origin->bytes});
  }
  return holders;
}

/// One-byte whole numbers have scales between them, or elsewhere: what is between the begin of one
/// block's part and that of the next one's belongs to that block, except for a gap.
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
  const ReadBlocks read = read_blocks(evidence.trace.definitions(), files);
  const BlockLooks looks(evidence.trace.definitions());
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    if (!lives[i].is_alive_after(evidence.peak) || lives[i].is_mapping || evidence.explained[i]) {
      continue;
    }
    const std::uint32_t process = trace::index(lives[i].process);
    auto known = read.find(lives[i].allocation);
    const auto* const matches = matches_of(evidence, seen, i);
    if (known == read.end() && matches == nullptr) {
      continue;
    }
    const std::uint64_t size = evidence.flow.size_after(i, evidence.peak - 1);
    if (known != read.end() && was_widened_since(known->second, matches, size)) {
      known = read.end();
    }
    if (known != read.end()) {
      for (auto& [file, holder] : read_holders(i, size, known->second)) {
        all[{process, file}].push_back(std::move(holder));
      }
    }
    if (matches == nullptr) {
      continue;
    }
    for (const trace::PackedMatch* match : *matches) {
      if (known == read.end() || (match->is_part() && !is_read_to(*match, known->second))) {
        all[{process, trace::index(match->file)}].push_back(
            seen_holder(evidence, looks, i, size, *match));
      }
    }
  }
  add_inferred(evidence, files, all);
  for (auto& [key, holders] : all) {
    add_scales(content_bytes(evidence.trace.definitions().files[key.second]), holders);
    // Blocks made from the others may hold pieces: among those seen at once, the largest is the
    // first.
    std::ranges::stable_sort(holders, {}, [&](const Holder& holder) {
      return std::tuple(holder.is_seen, lives[holder.life].born, holder.at_ns, ~holder.bytes());
    });
  }
  return all;
}

}  // namespace tidemark::analyzer
