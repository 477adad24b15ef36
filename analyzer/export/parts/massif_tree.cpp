#include "analyzer/export/parts/massif_tree.hpp"

#include "analyzer/export/stacks/caller_walk.hpp"
#include "analyzer/text/shown_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark::exports {
namespace {

constexpr std::uint64_t kThresholdDivisor = 100;
constexpr std::uint32_t kMaxTreeDepth = 30;

std::uint64_t address_of(const trace::Definitions& definitions, const Place& place) {
  const std::size_t id = trace::index(place.frame);
  if (!place.has_frame || id >= definitions.frames.size()) {
    return 0;
  }
  const trace::Frame& frame = definitions.frames[id];
  const std::size_t module = trace::index(frame.module);
  return frame.offset +
         (module < definitions.modules.size() ? definitions.modules[module].base : 0);
}

std::string place_of(const analyzer::NamedFrame& name) {
  if (name.line != 0) {
    return fmt::format("{}:{}", analyzer::file_name(name.file), name.line);
  }
  return name.module.empty() ? "in ???" : "in " + name.module;
}

/// The rows that come through one place, and how far the walk of each has come.
struct Branch {
  Place place;
  std::uint64_t bytes = 0;
  std::vector<std::pair<CallerWalk, std::uint64_t>> rows;  ///< With their bytes.
};

/// Writes the tree as it finds it, level by level: what is below the threshold is never looked
/// into, so a snapshot of any number of stacks takes no more than the list of them.
class TreeText {
 public:
  TreeText(FrameNames& names, std::uint64_t total_bytes)
      : names_(names), total_bytes_(total_bytes) {}

  std::string of(const StackTable& table) {
    Branch root;
    root.bytes = total_bytes_;
    for (const StackRow& row : table.rows) {
      if (is_footprint(row.lane)) {
        root.rows.emplace_back(CallerWalk(names_, row.stack), row.values.bytes);
      }
    }
    append(std::move(root), 0, "(heap allocation functions) malloc/new/new[], --alloc-fns, etc.");
    return std::move(text_);
  }

 private:
  /// A place's line, then the lines of its callers. No deeper than kMaxTreeDepth, so that recursion
  /// is safe.
  void append(Branch branch, std::uint32_t depth, const std::string& label) {
    auto callers = depth < kMaxTreeDepth ? callers_of(branch) : std::vector<Branch>();
    branch.rows = {};  // They go on in their callers.
    const auto folded = std::ranges::find_if(callers, [this](const Branch& caller) {
      return caller.bytes * kThresholdDivisor < total_bytes_;
    });
    const bool folds = folded != callers.end();
    append_line(depth, folded - callers.begin() + (folds ? 1 : 0), branch.bytes, label);
    std::for_each(callers.begin(), folded, [this, depth](Branch& caller) {
      const std::string caller_label = label_of(caller.place);
      append(std::move(caller), depth + 1, caller_label);
    });
    if (folds) {
      append_folded(depth + 1, std::span(folded, callers.end()));
    }
  }

  /// Most bytes first.
  std::vector<Branch> callers_of(const Branch& branch) {
    std::vector<Branch> callers;
    std::unordered_map<std::uint32_t, std::size_t> by_name;
    for (const auto& [walk, bytes] : branch.rows) {
      if (walk.is_at_end()) {
        continue;
      }
      const Place place = walk.place();
      const auto [entry, is_new] = by_name.try_emplace(place.name, callers.size());
      if (is_new) {
        callers.emplace_back();
      }
      Branch& caller = callers[entry->second];
      caller.place = place;
      caller.bytes += bytes;
      caller.rows.emplace_back(walk, bytes);
      caller.rows.back().first.advance();
    }
    std::ranges::stable_sort(callers, std::ranges::greater{}, &Branch::bytes);
    return callers;
  }

  void append_line(std::uint32_t depth,
                   std::ptrdiff_t children,
                   std::uint64_t bytes,
                   const std::string& label) {
    fmt::format_to(std::back_inserter(text_), "{:{}}n{}: {} {}\n", "", depth, children, bytes,
                   label);
  }

  void append_folded(std::uint32_t depth, std::span<const Branch> small) {
    std::uint64_t bytes = 0;
    for (const Branch& branch : small) {
      bytes += branch.bytes;
    }
    const std::size_t places = small.size();
    append_line(depth, 0, bytes,
                fmt::format("in {} place{} below massif's threshold (1.00%)", places,
                            places == 1 ? "," : "s, all"));
  }

  [[nodiscard]] std::string label_of(const Place& place) const {
    const analyzer::NamedFrame& name = names_[place.name];
    return fmt::format("0x{:X}: {} ({})", address_of(names_.definitions(), place),
                       name.named ? analyzer::shown_text(name.function) : "???",
                       analyzer::shown_text(place_of(name)));
  }

  FrameNames& names_;
  std::uint64_t total_bytes_;
  std::string text_;
};

}  // namespace

std::string massif_tree(const StackTable& table, std::uint64_t total_bytes, FrameNames& names) {
  return TreeText(names, total_bytes).of(table);
}

}  // namespace tidemark::exports
