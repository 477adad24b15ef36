#include "analyzer/tensors/block_contents.hpp"

#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_set>

namespace tidemark::analyzer {
namespace {

constexpr std::size_t kMaxParts = 200'000;

/// The ends of a tensor may have come in pieces too small to be followed, as with buffered readers.
bool is_nearly_all(std::uint64_t part, std::uint64_t whole) {
  return part >= whole - whole / 16;
}

/// Whether the block may have held it at some time of the span; true without a span.
template <typename Match>
bool is_within(const Match& match, const std::optional<BlockContents::PeakSpan>& span) {
  return !span || (match.from_ns <= span->at_ns && span->since_ns <= match.until_ns);
}

/// Whether it is about numbers that are in the order of the file, as another type.
bool are_converted_values(const trace::PackedMatch& match) {
  return match.distance == 0 && match.node_bytes == 0 && !match.is_scaled() &&
         trace::float_bytes(match.type) != 0 && trace::value_bytes(match.file_type) != 0;
}

}  // namespace

BlockContents::BlockContents(const trace::Definitions& definitions,
                             std::optional<std::uint64_t> at_ns)
    : definitions_(definitions), places_(definitions) {
  const auto then = at_ns ? std::optional(PeakSpan{*at_ns, *at_ns, *at_ns}) : std::nullopt;
  list_origins();
  list_seen(then);
  list_matches(then);
}

BlockContents::BlockContents(const trace::Definitions& definitions, const PeakSpan& peak)
    : definitions_(definitions), places_(definitions) {
  list_origins();
  list_seen(peak);
  list_matches(peak);
  for (const trace::ValueMatch& match : definitions.matches) {
    const bool came_soon = peak.at_ns < match.from_ns && match.from_ns <= peak.until_ns;
    if (const auto part = came_soon ? part_of(match) : std::nullopt) {
      matches_.try_emplace(match.allocation, *part);
    }
  }
}

void BlockContents::list_matches(const std::optional<PeakSpan>& then) {
  for (const trace::ValueMatch& match : definitions_.matches) {
    if (const auto part = is_within(match, then) ? part_of(match) : std::nullopt) {
      matches_.insert_or_assign(match.allocation, *part);
    }
  }
}

void BlockContents::list_origins() {
  for (const trace::Origin& origin : definitions_.origins) {
    if (has_values(definitions_, origin)) {
      origins_[origin.allocation].push_back(&origin);
    }
  }
  for (auto& [allocation, origins] : origins_) {
    std::ranges::sort(origins, {}, &trace::Origin::begin);
  }
}

void BlockContents::list_seen(const std::optional<PeakSpan>& then) {
  for (const trace::PackedMatch& packed : definitions_.packed) {
    const trace::File& file = definitions_.files[trace::index(packed.file)];
    if (packed.distance == 0 && packed.type.empty() && !packed.is_part() &&
        is_within(packed, then) && !file.compressed && !origins_.contains(packed.allocation)) {
      const std::uint64_t file_bytes = file.size;
      seen_[packed.allocation] = {.allocation = packed.allocation,
                                  .file = packed.file,
                                  .offset = packed.offset,
                                  .bytes = file_bytes - std::min(file_bytes, packed.offset),
                                  .at_ns = packed.at_ns};
    }
    const bool is_converted = !packed.type.empty() && !packed.is_scaled();
    if ((packed.distance != 0 || is_converted) && !packed.is_part() && is_within(packed, then)) {
      converted_[packed.allocation] = &packed;
    }
  }
  for (const auto& [allocation, origin] : seen_) {
    origins_[allocation].push_back(&origin);
  }
}

/// Those of a block are in order, and none lies over another.
bool BlockContents::has_origin_in(const trace::PackedMatch& part) const {
  const auto known = origins_.find(part.allocation);
  if (known == origins_.end()) {
    return false;
  }
  const auto behind =
      std::ranges::lower_bound(known->second, part.begin + part.bytes, {}, &trace::Origin::begin);
  return behind != known->second.begin() &&
         part.begin < (*std::prev(behind))->begin + (*std::prev(behind))->bytes;
}

void BlockContents::add_parts(std::optional<std::uint64_t> at_ns) {
  for (const trace::PackedMatch& packed : definitions_.packed) {
    const bool is_there = is_there_at(packed, at_ns.value_or(trace::ValueMatch::kNever));
    const bool is_as_in_file = packed.is_part() && packed.distance == 0 && packed.type.empty() &&
                               !definitions_.files[trace::index(packed.file)].compressed;
    if (packed.is_part() && are_converted_values(packed) && is_there && !has_origin_in(packed)) {
      converted_parts_[packed.allocation].push_back(&packed);
    }
    if (is_as_in_file && is_there && !has_origin_in(packed)) {
      parts_[packed.allocation].push_back({.allocation = packed.allocation,
                                           .begin = packed.begin,
                                           .file = packed.file,
                                           .offset = packed.offset,
                                           .bytes = packed.bytes,
                                           .at_ns = packed.at_ns});
    }
  }
  for (const auto& [allocation, parts] : parts_) {
    auto& origins = origins_[allocation];
    for (const trace::Origin& part : parts) {
      origins.push_back(&part);
    }
    std::ranges::sort(origins, {}, &trace::Origin::begin);
  }
}

/// None if the tensor is not listed, or the match has a form unknown to this reader.
std::optional<TensorPart> BlockContents::part_of(const trace::ValueMatch& match) const {
  const auto found = places_.at(match.file, match.offset);
  if (!found) {
    return std::nullopt;
  }
  const trace::Tensor& tensor = definitions_.tensors[*found];
  const std::uint64_t each = trace::float_bytes(match.type);
  if (each == 0 && !match.type.empty()) {
    return std::nullopt;
  }
  return TensorPart{.tensor = trace::TensorId{*found},
                    .bytes = each == 0 ? tensor.bytes : each * tensor.elements,
                    .at_ns = match.at_ns,
                    .in_file = tensor.bytes,
                    .type = match.type.empty() ? tensor.type : match.type,
                    .is_transposed = match.is_transposed,
                    .file_begin = tensor.begin};
}

const trace::PackedMatch* BlockContents::converted_values(
    trace::AllocationNumber allocation) const {
  const trace::PackedMatch* const converted = converted_in(allocation);
  return converted != nullptr && are_converted_values(*converted) && !knows(allocation) ? converted
                                                                                        : nullptr;
}

/// The block may begin with a header, and the ends of a mapping are never looked at. So a tensor
/// that is nearly all there is taken as whole, and a small piece of its neighbour as something
/// else.
void BlockContents::add_converted(const trace::PackedMatch& converted,
                                  std::uint64_t bytes,
                                  std::vector<TensorPart>& parts) const {
  constexpr std::uint64_t kEnds = std::uint64_t{64} << 10U;
  const std::uint64_t each = trace::float_bytes(converted.type);
  const std::uint64_t each_in_file = trace::value_bytes(converted.file_type);
  places_.visit(
      converted.file, converted.offset, converted.offset + bytes / each * each_in_file,
      [&](std::uint32_t tensor, std::uint64_t part) {
        const trace::Tensor& listed = definitions_.tensors[tensor];
        const bool is_whole = is_nearly_all(part, listed.bytes);
        if (listed.type != converted.file_type || (!is_whole && part <= kEnds) ||
            parts.size() >= kMaxParts) {
          return;
        }
        const std::uint64_t in_file = is_whole ? listed.bytes : part;
        parts.push_back(
            {.tensor = trace::TensorId{tensor},
             .bytes = std::min(in_file / each_in_file * each, bytes),
             .at_ns = converted.at_ns,
             .in_file = in_file,
             .type = converted.type,
             .file_begin = is_whole ? listed.begin : std::max(listed.begin, converted.offset)});
      });
}

void BlockContents::add_converted_in(trace::AllocationNumber allocation,
                                     std::uint64_t room,
                                     std::vector<TensorPart>& parts) const {
  const trace::PackedMatch* const whole = converted_values(allocation);
  if (whole != nullptr && room != UINT64_MAX) {
    add_converted(*whole, room, parts);
  }
  if (const auto found = converted_parts_.find(allocation); found != converted_parts_.end()) {
    for (const trace::PackedMatch* part : found->second) {
      if (parts.size() >= kMaxParts) {
        break;
      }
      add_converted(*part, part->bytes, parts);
    }
  }
}

bool BlockContents::fits(trace::AllocationNumber allocation, std::uint64_t bytes) const {
  constexpr std::uint64_t kSlack = 8192;
  const auto match = matches_.find(allocation);
  return !is_by_values(allocation) || match == matches_.end() ||
         (match->second.bytes <= bytes && bytes <= 2 * match->second.bytes + kSlack);
}

std::uint64_t BlockContents::bytes_in(trace::AllocationNumber allocation,
                                      std::uint64_t room) const {
  if (const auto seen = seen_.find(allocation); seen != seen_.end()) {
    return std::min(seen->second.bytes, room);
  }
  std::uint64_t bytes = 0;
  if (const auto found = origins_.find(allocation); found != origins_.end()) {
    // Parts that were seen may overlap a little, as headers between them are like each other.
    std::uint64_t end = 0;
    for (const trace::Origin* origin : found->second) {
      const std::uint64_t begin = std::max(origin->begin, end);
      end = std::max(end, origin->begin + origin->bytes);
      bytes += end - std::min(begin, end);
    }
  } else if (const auto match = matches_.find(allocation); match != matches_.end()) {
    bytes = match->second.bytes;
  }
  return bytes;
}

std::vector<TensorPart> BlockContents::parts_of(trace::AllocationNumber allocation,
                                                std::uint64_t room) const {
  std::vector<TensorPart> parts = plain_parts_of(allocation, room);
  add_converted_in(allocation, room, parts);
  return parts;
}

std::vector<TensorPart> BlockContents::plain_parts_of(trace::AllocationNumber allocation,
                                                      std::uint64_t room) const {
  std::vector<TensorPart> parts;
  const auto found = origins_.find(allocation);
  if (found == origins_.end()) {
    const auto match = matches_.find(allocation);
    if (match != matches_.end() && match->second.bytes <= room) {
      parts.push_back(match->second);
    }
    return parts;
  }
  for (const trace::Origin* origin : found->second) {
    if (origin->begin >= room || parts.size() >= kMaxParts) {
      break;
    }
    const std::uint64_t bytes = std::min(origin->bytes, room - origin->begin);
    places_.visit(origin->file, origin->offset, origin->offset + bytes,
                  [&](std::uint32_t tensor, std::uint64_t part) {
                    const trace::TensorId id{tensor};
                    // Two pieces with a small one between them are one tensor.
                    if (!parts.empty() && parts.back().tensor == id &&
                        parts.back().bytes + part <= definitions_.tensors[tensor].bytes) {
                      parts.back().bytes += part;
                      parts.back().in_file += part;
                    } else {
                      const trace::Tensor& listed = definitions_.tensors[tensor];
                      parts.push_back({.tensor = id,
                                       .bytes = part,
                                       .at_ns = origin->at_ns,
                                       .in_file = part,
                                       .type = listed.type,
                                       .file_begin = std::max(listed.begin, origin->offset)});
                    }
                  });
  }
  return parts;
}

std::vector<FileStretch> BlockContents::stretches_of(trace::AllocationNumber allocation,
                                                     std::uint64_t room) const {
  std::vector<FileStretch> stretches;
  const auto found = origins_.find(allocation);
  if (found == origins_.end()) {
    const auto match = matches_.find(allocation);
    if (match != matches_.end() && match->second.bytes <= room) {
      const TensorPart& part = match->second;
      stretches.push_back(
          {definitions_.tensors[trace::index(part.tensor)].file, part.file_begin, part.in_file});
    }
    return stretches;
  }
  std::uint64_t block_end = 0;  // End of the last stretch in the block.
  for (const trace::Origin* origin : found->second) {
    if (origin->begin >= room || stretches.size() >= kMaxParts) {
      break;
    }
    const std::uint64_t bytes = std::min(origin->bytes, room - origin->begin);
    FileStretch* const last = stretches.empty() ? nullptr : &stretches.back();
    const std::uint64_t file_end = last == nullptr ? 0 : last->begin + last->bytes;
    const bool goes_on =
        last != nullptr && last->file == origin->file && origin->offset >= file_end &&
        (origin->offset == file_end || origin->offset - file_end == origin->begin - block_end);
    if (goes_on) {
      last->bytes = origin->offset + bytes - last->begin;
    } else {
      stretches.push_back({origin->file, origin->offset, bytes});
    }
    block_end = origin->begin + bytes;
  }
  return stretches;
}

std::vector<TensorPart> BlockContents::held_parts(trace::AllocationNumber allocation,
                                                  trace::Lane lane,
                                                  std::uint64_t bytes) const {
  if (!trace::is_mapped(lane) || converted_values(allocation) != nullptr) {
    return parts_of(allocation, bytes);
  }
  // The size of a mapping is its touched part, which may be behind an untouched one: that cuts off
  // nothing.
  const bool is_cut = bytes_in(allocation, bytes) > bytes;
  return is_cut ? std::vector<TensorPart>() : parts_of(allocation);
}

std::string content_text(const trace::Definitions& definitions,
                         const std::vector<TensorPart>& parts) {
  if (parts.empty()) {
    return {};
  }
  std::vector<trace::TensorId> tensors;
  std::unordered_set<std::uint32_t> known;
  for (const TensorPart& part : parts) {
    if (known.insert(trace::index(part.tensor)).second) {
      tensors.push_back(part.tensor);
    }
  }
  const auto tensor_of = [&](trace::TensorId id) -> const trace::Tensor& {
    return definitions.tensors[trace::index(id)];
  };
  if (tensors.size() > 1) {
    return fmt::format("{} tensors, {} to {}", format_count(tensors.size()),
                       tensor_of(tensors.front()).name, tensor_of(tensors.back()).name);
  }
  const trace::Tensor& tensor = tensor_of(tensors[0]);
  const bool is_whole = std::ranges::any_of(parts, [&tensor](const TensorPart& part) {
    return is_nearly_all(part.in_file, tensor.bytes);
  });
  return (is_whole ? "" : "part of ") + tensor.name;
}

std::string file_place_text(std::uint64_t begin) {
  constexpr std::uint64_t kSaidInBytes = 1024;
  return "from byte " + format_count(begin) +
         (begin < kSaidInBytes ? "" : " (" + format_size(begin) + ")");
}

std::string part_text(const trace::Definitions& definitions, const TensorPart& part) {
  const trace::Tensor& tensor = definitions.tensors[trace::index(part.tensor)];
  const std::string bytes =
      is_nearly_all(part.in_file, tensor.bytes)
          ? format_size(part.bytes)
          : fmt::format("{} of {}", format_size(part.bytes), format_size(tensor.bytes));
  const std::string type =
      part.type == tensor.type ? tensor.type : fmt::format("{} as {}", tensor.type, part.type);
  return fmt::format("{}, {}{}: {}", tensor.name, type, part.is_transposed ? ", transposed" : "",
                     bytes);
}

std::string file_type_text(std::string_view type) {
  const std::string_view own = trace::in_own_order(type);
  return fmt::format("{}{}", own == type ? "" : "big-endian ", own);
}

std::string element_form_text(const std::string& type, std::uint64_t node_bytes) {
  return node_bytes == 0 ? type : fmt::format("{}, one in {} bytes each", type, node_bytes);
}

}  // namespace tidemark::analyzer
