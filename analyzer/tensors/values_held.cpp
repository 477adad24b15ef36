#include "analyzer/tensors/values_held.hpp"

#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::analyzer {
namespace {

/// `w0 of m.safetensors`, `6 tensors of m.safetensors, w0 to w5`; of files that list none, `bytes
/// of m.bin`.
std::string things_text(const trace::Definitions& definitions,
                        const std::set<std::uint32_t>& tensors,
                        const std::string& files) {
  if (tensors.empty()) {
    return "bytes of " + files;
  }
  const std::string& first = definitions.tensors[*tensors.begin()].name;
  if (tensors.size() == 1) {
    return fmt::format("{} of {}", first, files);
  }
  const std::string& last = definitions.tensors[*tensors.rbegin()].name;
  const bool are_all_between = *tensors.rbegin() - *tensors.begin() + 1 == tensors.size();
  return fmt::format("{} tensors of {}, {}", format_count(tensors.size()), files,
                     tensors.size() == 2 ? fmt::format("{} and {}", first, last)
                     : are_all_between   ? fmt::format("{} to {}", first, last)
                                         : first + " and others");
}

}  // namespace

void ValuesHeld::add(const trace::Definitions& definitions,
                     const BlockContents& contents,
                     trace::AllocationNumber allocation,
                     std::uint64_t bytes) {
  if (!contents.is_by_values(allocation) || !contents.fits(allocation, bytes)) {
    return;
  }
  const std::uint64_t held = contents.bytes_in(allocation, bytes);
  // More than it has room for: a part of it has gone, and which one is not known.
  if (held == 0 || held > bytes) {
    return;
  }
  bytes_ += held;
  for (const TensorPart& part : contents.parts_of(allocation, bytes)) {
    tensors_.insert(trace::index(part.tensor));
    files_.insert(trace::index(definitions.tensors[trace::index(part.tensor)].file));
  }
  if (const trace::Origin* const seen = contents.seen_of(allocation)) {
    files_.insert(trace::index(seen->file));
  }
}

std::string ValuesHeld::text(const trace::Definitions& definitions, std::string_view blocks) const {
  if (files_.empty()) {
    return {};
  }
  const std::string& path = definitions.files[*files_.begin()].path;
  const std::string files = files_.size() == 1 ? path.substr(path.find_last_of('/') + 1)
                                               : format_count(files_.size()) + " files";
  return fmt::format("{} of {} hold {}, by their values", format_size(bytes_), blocks,
                     things_text(definitions, tensors_, files));
}

}  // namespace tidemark::analyzer
