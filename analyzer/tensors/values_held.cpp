#include "analyzer/tensors/values_held.hpp"

#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::analyzer {
namespace {

constexpr const char* kAnotherOrder = "in another order";

/// The type in the file, and in the blocks; both empty: as in the file. A file in another order has
/// only that.
using Types = std::set<std::pair<std::string, std::string>>;

/// `bytes of m.bin`, `f32 of m.bin as f64`, `values of m.bin in another order`; `values of m.bin`
/// if there are several forms.
std::string unlisted_text(const Types& types, const std::string& files) {
  if (types.size() > 1) {
    return "values of " + files;
  }
  const auto& [in_file, here] = *types.begin();
  if (here == kAnotherOrder) {
    return fmt::format("values of {} {}", files, here);
  }
  return here.empty() ? "bytes of " + files : fmt::format("{} of {} as {}", in_file, files, here);
}

/// `w0 of m.safetensors`, `6 tensors of m.safetensors, w0 to w5`.
std::string things_text(const trace::Definitions& definitions,
                        const std::set<std::uint32_t>& tensors,
                        const std::string& files) {
  const std::string& first = definitions.tensors[*tensors.begin()].name;
  if (tensors.size() == 1) {
    return fmt::format("{} of {}", first, files);
  }
  const std::string& last = definitions.tensors[*tensors.rbegin()].name;
  const bool are_of_one_name = std::ranges::all_of(
      tensors, [&](std::uint32_t tensor) { return definitions.tensors[tensor].name == first; });
  if (are_of_one_name) {
    return fmt::format("{} tensors of {}, each named {}", format_count(tensors.size()), files,
                       first);
  }
  const bool are_all_between = *tensors.rbegin() - *tensors.begin() + 1 == tensors.size();
  return fmt::format("{} tensors of {}, {}", format_count(tensors.size()), files,
                     tensors.size() == 2 ? fmt::format("{} and {}", first, last)
                     : are_all_between   ? fmt::format("{} to {}", first, last)
                                         : first + " and others");
}

}  // namespace

void ValuesHeld::add(const BlockContents& contents,
                     trace::AllocationNumber allocation,
                     std::uint64_t bytes) {
  if (!contents.is_by_values(allocation)) {
    const trace::PackedMatch* const converted =
        contents.knows(allocation) ? nullptr : contents.converted_in(allocation);
    if (converted != nullptr) {
      bytes_ += bytes;
      files_.insert(trace::index(converted->file));
      types_.insert(converted->distance != 0
                        ? std::pair<std::string, std::string>{"", kAnotherOrder}
                        : std::pair(file_type_text(converted->file_type),
                                    element_form_text(converted->type, converted->node_bytes)));
    }
    return;
  }
  if (!contents.fits(allocation, bytes)) {
    return;
  }
  // The end of a part is only known to some bytes: the file may go on after the values.
  constexpr std::uint64_t kSlack = 4096;
  const std::uint64_t held = contents.bytes_in(allocation, bytes);
  // More than it has room for: a part of it was given back, but it is unknown which.
  if (held == 0 || held > bytes + kSlack) {
    return;
  }
  bytes_ += std::min(held, bytes);
  for (const TensorPart& part : contents.parts_of(allocation, bytes)) {
    tensors_.insert(trace::index(part.tensor));
  }
  for (const FileStretch& stretch : contents.stretches_of(allocation, bytes)) {
    files_.insert(trace::index(stretch.file));
  }
  types_.emplace();
}

std::string ValuesHeld::text(const trace::Definitions& definitions, std::string_view blocks) const {
  if (files_.empty()) {
    return {};
  }
  const std::string& path = definitions.files[*files_.begin()].path;
  const std::string files = files_.size() == 1 ? path.substr(path.find_last_of('/') + 1)
                                               : format_count(files_.size()) + " files";
  return fmt::format(
      "{} of {} hold {}, by their values", format_size(bytes_), blocks,
      tensors_.empty() ? unlisted_text(types_, files) : things_text(definitions, tensors_, files));
}

}  // namespace tidemark::analyzer
