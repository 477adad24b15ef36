#include "analyzer/findings/weights/inferred_holders.hpp"

#include "analyzer/tensors/place_rule.hpp"
#include "analyzer/tensors/row_rule.hpp"
#include "analyzer/tensors/tensor_places.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// The tensor that a block holds scaled, in whole; none if it holds something else.
std::optional<TensorPart> scaled_tensor(const trace::Definitions& definitions,
                                        const TensorPlaces& places,
                                        trace::FileId file,
                                        const Holder& holder) {
  const FilePart& part = holder.parts.front();
  const auto found = holder.is_scaled() && holder.is_seen && !holder.is_part
                         ? places.at(file, part.begin)
                         : std::nullopt;
  if (!found || definitions.tensors[*found].bytes > holder.size) {
    return std::nullopt;
  }
  const trace::Tensor& tensor = definitions.tensors[*found];
  return TensorPart{.tensor = trace::TensorId{*found},
                    .bytes = tensor.bytes,
                    .at_ns = holder.at_ns,
                    .in_file = tensor.bytes,
                    .type = tensor.type,
                    .file_begin = tensor.begin};
}

/// Blocks of which something is known, and the scaled tensors in them.
struct KnownBlocks {
  std::unordered_set<std::uint32_t> lives;
  std::unordered_map<std::uint32_t, TensorPart> scaled;
};

KnownBlocks known_blocks(const Evidence& evidence,
                         const ModelFileIds& files,
                         const HoldersByFile& holders) {
  const trace::Definitions& definitions = evidence.trace.definitions();
  const TensorPlaces places(definitions);
  KnownBlocks known;
  for (const auto& [key, of_file] : holders) {
    const bool lists_tensors = files.at(key.second);
    for (const Holder& holder : of_file) {
      known.lives.insert(holder.life);
      const auto part = lists_tensors
                            ? scaled_tensor(definitions, places, trace::FileId{key.second}, holder)
                            : std::nullopt;
      if (part) {
        known.scaled.emplace(holder.life, *part);
      }
    }
  }
  return known;
}

/// Blocks at the peak of which only the asking stack is known.
std::vector<std::uint32_t> unknown_lives(const Evidence& evidence, const KnownBlocks& known) {
  const trace::Definitions& definitions = evidence.trace.definitions();
  std::unordered_set<trace::AllocationNumber> recognised;
  for (const trace::PackedMatch& match : definitions.packed) {
    recognised.insert(match.allocation);
  }
  for (const trace::ValueMatch& match : definitions.matches) {
    recognised.insert(match.allocation);
  }
  std::vector<std::uint32_t> unknown;
  for (std::uint32_t i = 0; i < evidence.flow.lives().size(); ++i) {
    const BlockLife& life = evidence.flow.lives()[i];
    if (has_place(definitions, life, evidence.peak) && !known.lives.contains(i) &&
        !recognised.contains(life.allocation) && !evidence.explained[i] && !life.holds_model()) {
      unknown.push_back(i);
    }
  }
  return unknown;
}

void add_scaled(const Evidence& evidence,
                const KnownBlocks& known,
                const std::vector<std::uint32_t>& unknown,
                HoldersByFile& holders) {
  const trace::Definitions& definitions = evidence.trace.definitions();
  const auto size_of = [&](std::uint32_t life) {
    return evidence.flow.size_after(life, evidence.peak - 1);
  };
  std::vector<SeenBlock> blocks;
  for (const auto& [life, part] : known.scaled) {
    if (has_place(definitions, evidence.flow.lives()[life], evidence.peak)) {
      blocks.push_back({life, size_of(life), part});
    }
  }
  for (const std::uint32_t life : unknown) {
    blocks.push_back({.life = life, .size = size_of(life)});
  }
  for (const InferredPart& inferred : infer_parts(definitions, evidence.flow, blocks)) {
    const trace::Tensor& tensor = definitions.tensors[trace::index(inferred.part.tensor)];
    const std::uint32_t process = trace::index(evidence.flow.lives()[inferred.life].process);
    const std::uint64_t size = size_of(inferred.life);
    holders[{process, trace::index(tensor.file)}].push_back(
        {.life = inferred.life,
         .used = size,
         .size = size,
         .parts = {{tensor.begin, tensor.begin + tensor.bytes}},
         .type = tensor.type,
         .file_type = tensor.type,
         .at_ns = inferred.part.at_ns,
         .is_seen = true,
         .is_inferred = true});
  }
}

/// By form: the type in the blocks, that in the file, and the size of a node.
using FormsSeen =
    std::map<std::tuple<std::string, std::string, std::uint64_t>, std::vector<const Holder*>>;

/// Whole blocks that were seen to hold a file's values as another type.
FormsSeen converted_forms(const std::vector<Holder>& holders) {
  FormsSeen forms;
  for (const Holder& holder : holders) {
    if (holder.is_seen && !holder.is_part && !holder.is_changed && holder.is_converted()) {
      forms[{holder.type, holder.file_type, holder.node_bytes}].push_back(&holder);
    }
  }
  return forms;
}

/// @param seen of one form.
/// @param candidates blocks of the same process of which nothing is known.
std::vector<Holder> converted_in_rows(const Evidence& evidence,
                                      const std::vector<const Holder*>& seen,
                                      const std::vector<std::uint32_t>& candidates,
                                      std::uint64_t file_bytes) {
  const trace::Definitions& definitions = evidence.trace.definitions();
  std::vector<SeenInRow> blocks;
  for (const Holder* holder : seen) {
    if (has_place(definitions, evidence.flow.lives()[holder->life], evidence.peak)) {
      blocks.push_back({holder->life, holder->size, holder->parts.front().begin, holder->at_ns});
    }
  }
  for (const std::uint32_t life : candidates) {
    blocks.push_back({.life = life, .size = evidence.flow.size_after(life, evidence.peak - 1)});
  }
  std::vector<Holder> found;
  for (const InferredInRow& inferred :
       infer_in_rows(definitions, evidence.flow, blocks, file_bytes)) {
    Holder holder = *seen.front();
    holder.life = inferred.life;
    holder.used = holder.size = evidence.flow.size_after(inferred.life, evidence.peak - 1);
    holder.parts = {{inferred.begin, inferred.end}};
    holder.at_ns = inferred.at_ns;
    holder.is_inferred = true;
    found.push_back(std::move(holder));
  }
  return found;
}

void add_converted(const Evidence& evidence,
                   std::uint64_t file_bytes,
                   std::vector<std::uint32_t>& unknown,
                   std::vector<Holder>& holders) {
  std::vector<Holder> found;
  std::unordered_set<std::uint32_t> inferred;
  for (const auto& [form, seen] : converted_forms(holders)) {
    for (Holder& holder : converted_in_rows(evidence, seen, unknown, file_bytes)) {
      inferred.insert(holder.life);
      found.push_back(std::move(holder));
    }
    std::erase_if(unknown, [&](std::uint32_t life) { return inferred.contains(life); });
  }
  std::ranges::move(found, std::back_inserter(holders));
}

}  // namespace

void add_inferred(const Evidence& evidence, const ModelFileIds& files, HoldersByFile& holders) {
  const KnownBlocks known = known_blocks(evidence, files, holders);
  const bool has_converted = std::ranges::any_of(
      holders, [](const auto& of_file) { return !converted_forms(of_file.second).empty(); });
  if (known.scaled.empty() && !has_converted) {
    return;
  }
  std::vector<std::uint32_t> unknown = unknown_lives(evidence, known);
  for (auto& [key, of_file] : holders) {
    const trace::File& file = evidence.trace.definitions().files[key.second];
    add_converted(evidence, content_bytes(file), unknown, of_file);
  }
  add_scaled(evidence, known, unknown, holders);
}

}  // namespace tidemark::analyzer
