#include "gui/view/blocks/details/block_values.hpp"

#include "analyzer/tensors/block_contents.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tidemark::gui {
namespace {

/// What one look, or several that agree, found of one file in one form.
struct Held {
  trace::PackedMatch match;
  std::uint64_t bytes = 0;  ///< Bytes of the block that are held.
};

bool is_of(const BlockStory& story, trace::AllocationNumber allocation) {
  return allocation == story.block.allocation ||
         std::ranges::find(story.chain, allocation) != story.chain.end();
}

std::string file_text(const trace::Definitions& definitions, trace::FileId file) {
  const auto& files = definitions.files;
  const std::string path = trace::index(file) < files.size() ? files[trace::index(file)].path : "";
  return path.empty() ? "a file" : path.substr(path.find_last_of('/') + 1);
}

/// In the words of findings.
std::string form_text(const trace::PackedMatch& match) {
  if (match.type.empty()) {
    return match.distance == 0 ? "as in the file" : "in another order";
  }
  if (match.node_bytes != 0) {
    return "as " + analyzer::element_form_text(match.type, match.node_bytes);
  }
  if (match.is_scaled()) {
    return "scaled, shifted or without their signs";
  }
  return match.type == trace::in_own_order(match.file_type)
             ? "with the bytes of each number in the other order"
             : "as " + match.type;
}

/// Garbage collectors move arrays, so matches at different times may be the same array: only those
/// of one time count.
std::vector<const trace::PackedMatch*> matches_then(const BlockStory& story,
                                                    const trace::Definitions& definitions,
                                                    std::optional<std::uint64_t> peak_ns,
                                                    bool& is_at_peak) {
  std::vector<const trace::PackedMatch*> all;
  std::uint64_t last_ns = 0;
  for (const trace::PackedMatch& match : definitions.packed) {
    if (is_of(story, match.allocation)) {
      all.push_back(&match);
      last_ns = std::max(last_ns, match.at_ns);
    }
  }
  const auto there_at = [&all](std::uint64_t ns) {
    std::vector<const trace::PackedMatch*> there;
    std::ranges::copy_if(all, std::back_inserter(there), [ns](const trace::PackedMatch* match) {
      return analyzer::is_there_at(*match, ns);
    });
    return there;
  };
  if (peak_ns) {
    if (auto there = there_at(*peak_ns); !there.empty()) {
      is_at_peak = true;
      return there;
    }
  }
  return there_at(last_ns);
}

std::vector<Held> held(const BlockStory& story,
                       const std::vector<const trace::PackedMatch*>& matches) {
  std::vector<Held> all;
  for (const trace::PackedMatch* const match : matches) {
    const auto same = std::ranges::find_if(all, [match](const Held& one) {
      return one.match.file == match->file && form_text(one.match) == form_text(*match) &&
             one.match.is_part() == match->is_part();
    });
    if (same != all.end()) {
      // A match of the whole block may be known from before it was resized.
      same->bytes += match->is_part() ? match->bytes : 0;
    } else {
      all.push_back({*match, match->is_part() ? match->bytes : story.most_bytes});
    }
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &Held::bytes);
  return all;
}

std::optional<std::string> alike_line(const BlockStory& story,
                                      const trace::Definitions& definitions) {
  const auto own = std::ranges::find_if(definitions.alike, [&story](const trace::Alike& one) {
    return is_of(story, one.allocation);
  });
  if (own == definitions.alike.end()) {
    return std::nullopt;
  }
  std::set<trace::AllocationNumber> others;
  for (const trace::Alike& one : definitions.alike) {
    if (one.of == own->of && !is_of(story, one.allocation)) {
      others.insert(one.allocation);
    }
  }
  return others.empty()
             ? std::nullopt
             : std::optional(fmt::format("holds the same values as {} other {}: known by values",
                                         analyzer::format_count(others.size()),
                                         others.size() == 1 ? "block" : "blocks"));
}

}  // namespace

std::vector<std::string> value_lines(const BlockStory& story,
                                     const trace::Definitions& definitions,
                                     std::optional<std::uint64_t> peak_ns) {
  bool is_at_peak = false;
  const auto matches = matches_then(story, definitions, peak_ns, is_at_peak);
  std::vector<std::string> lines;
  for (const Held& one : held(story, matches)) {
    const std::string when =
        is_at_peak ? "at the peak" : "at " + analyzer::format_exact_time(one.match.at_ns);
    lines.push_back(
        (one.match.is_part() ? analyzer::format_size(one.bytes) + " of it hold" : "holds") +
        fmt::format(" values of {}, {}: known by values, {}",
                    file_text(definitions, one.match.file), form_text(one.match), when));
  }
  if (auto alike = alike_line(story, definitions)) {
    lines.push_back(std::move(*alike));
  }
  return lines;
}

}  // namespace tidemark::gui
