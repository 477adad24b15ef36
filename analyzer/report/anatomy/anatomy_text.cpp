#include "analyzer/report/anatomy/anatomy_text.hpp"

#include "analyzer/findings/explanations.hpp"
#include "analyzer/query/pass/excerpt.hpp"
#include "analyzer/report/facts/report_sentences.hpp"
#include "analyzer/stacks/stack_text.hpp"
#include "analyzer/text/size_text.hpp"
#include "analyzer/text/table_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace tidemark::analyzer {
namespace {

constexpr std::size_t kMaxStepLines = 10;

/// The lowest of the peaks in the findings.
std::uint64_t lowest_foretold(const Anatomy& anatomy) {
  std::uint64_t lowest =
      anatomy.peak_without_all_bytes.value_or(std::numeric_limits<std::uint64_t>::max());
  for (const Finding& finding : anatomy.findings) {
    for (const auto& bytes : {finding.peak_without_bytes, finding.peak_with_one_bytes}) {
      lowest = std::min(lowest, bytes.value_or(lowest));
    }
  }
  return lowest;
}

std::string blocks_of(const ChainNode& node) {
  const char* const what = node.kind == ChainNode::Kind::kMapping ? "mapping" : "block";
  return fmt::format("{} {}{}, {}", format_count(node.blocks), what, node.blocks == 1 ? "" : "s",
                     format_size(node.bytes));
}

/// Draws the tree of steps that moved a hundredth of the model or more.
class ChainTree {
 public:
  /// @param model_bytes W.
  ChainTree(const Chain& chain, std::uint64_t model_bytes, const TextStyle& style)
      : chain_(chain), model_bytes_(model_bytes), style_(style), drawn_(chain.nodes.size()) {}

  std::string draw() {
    const ChainNode& files = chain_.nodes.front();
    std::string name = telling_file_name(files.name);
    if (files.file_count > 1) {
      name += fmt::format(" and {} more", format_count(files.file_count - 1));
    }
    text_ = "  " +
            fit(style_, fmt::format("{}, {}", printable(style_, name), amount_text(files)),
                style_.width - 2) +
            '\n';
    draw_from(0, "  ");
    return std::move(text_);
  }

 private:
  /// `154.9 MiB`, `154.9 MiB (309.8 MiB read or mapped in all)`: some of it twice; `154.9 MiB
  /// (100.0 MiB of it read or mapped)`.
  [[nodiscard]] std::string amount_text(const ChainNode& files) const {
    const std::string used = format_size(files.bytes);
    if (model_bytes_ != 0 && files.bytes > model_bytes_ + model_bytes_ / 20) {
      return fmt::format("{} ({} read or mapped in all)", format_size(model_bytes_), used);
    }
    const std::string size = format_size(files.file_bytes);
    if (files.file_bytes == 0 || size == used) {
      return used;
    }
    return fmt::format(
        "{} ({} {})", size, used,
        files.bytes > files.file_bytes ? "read or mapped in all" : "of it read or mapped");
  }

  void draw_from(std::size_t node, const std::string& indent) {
    drawn_[node] = true;
    std::vector<const ChainEdge*> steps;
    for (const ChainEdge& edge : chain_.edges) {
      if (edge.from == node && chain_.is_shown(edge)) {
        steps.push_back(&edge);
      }
    }
    for (std::size_t i = 0; i < steps.size() && lines_ < kMaxStepLines; ++i) {
      draw_step(*steps[i], indent, i + 1 == steps.size());
    }
  }

  void draw_step(const ChainEdge& edge, const std::string& indent, bool is_last) {
    ++lines_;
    const ChainNode& to = chain_.nodes[edge.to];
    const std::string branch = indent + (style_.utf8 ? (is_last ? "└─ " : "├─ ") : "+- ");
    const std::string start =
        branch + fmt::format("{} {} {} {}  ", kind_name(edge.kind), format_size(edge.bytes),
                             style_.utf8 ? "─▶" : "-->", blocks_of(to));
    const std::size_t room = style_.width - std::min(style_.width, width_of(start));
    text_ += start + painted(style_, Paint::kBold, telling_text(to, room)) + '\n';
    const std::string deeper = indent + (is_last ? "   " : (style_.utf8 ? "│  " : "|  "));
    if (chain_.leaves_rest(edge)) {
      const std::size_t left = style_.width - width_of(deeper);
      text_ += deeper + painted(style_, Paint::kDim, fit(style_, unfollowed_text(to), left)) + '\n';
    }
    if (!drawn_[edge.to]) {
      draw_from(edge.to, deeper);
    }
  }

  [[nodiscard]] std::string telling_text(const ChainNode& node, std::size_t room) const {
    if (!node.arguments.empty()) {
      return row_text(style_, node.frames, {.arguments = node.arguments}, room);
    }
    return node.frames.empty() ? "(no stack was recorded)"
                               : frame_text(style_, node.frames[node.telling_frame], room);
  }

  const Chain& chain_;
  std::uint64_t model_bytes_;
  const TextStyle& style_;
  std::vector<bool> drawn_;
  std::string text_;
  std::size_t lines_ = 0;
};

/// If copies are not recorded, no read is shown with the block that it went into. Even loaders
/// whose weights are followed read a file's header in small pieces.
bool came_in_small_pieces(const Report& report) {
  constexpr std::uint64_t kNotablePart = 4;
  std::uint64_t read_bytes = 0;
  for (const FileUse& file : report.files) {
    read_bytes += file.bytes_read;
  }
  return report.session.copies_recorded && report.model.is_known() &&
         report.anatomy.chain.unseen_read_bytes >= report.model.bytes / kNotablePart &&
         read_bytes / kLargeBlockBytes < report.counts.file_reads;
}

}  // namespace

std::string remedy_text(const Report& report, const Finding& finding) {
  if (!finding.peak_without_bytes) {
    return {};
  }
  const std::string with_one =
      finding.peak_with_one_bytes
          ? fmt::format("; with the last of the {} copies alone: {}{}", finding.copies,
                        format_size(*finding.peak_with_one_bytes),
                        times_model_of(report, *finding.peak_with_one_bytes))
          : std::string();
  return fmt::format("{}: {}{}{}.", finding.remedy, format_size(*finding.peak_without_bytes),
                     times_model_of(report, *finding.peak_without_bytes), with_one);
}

std::string finding_text(const Report& report, const Finding& finding) {
  const std::string remedy = remedy_text(report, finding);
  return remedy.empty() ? finding.sentence : finding.sentence + ' ' + remedy;
}

std::string advice_text(const Report& report, const Finding& finding) {
  const std::string_view advice = advice_of(finding);
  const auto first = std::ranges::find(report.anatomy.findings, advice, advice_of);
  return &*first == &finding ? fmt::format("What helps: {}.", advice) : std::string();
}

std::string floor_text(const Report& report) {
  constexpr std::uint64_t kNotablePart = 64;
  const std::uint64_t peak = report.peak.footprint_bytes;
  if (!report.anatomy.floor || !report.anatomy.floor->is_worth_saying(peak)) {
    return {};
  }
  const std::uint64_t bytes = report.anatomy.floor->peak_bytes;
  if (lowest_foretold(report.anatomy) + peak / kNotablePart < bytes) {
    return {};
  }
  return fmt::format("If nothing stayed longer than it is needed: {}{}.", format_size(bytes),
                     times_model_of(report, bytes));
}

std::string together_text(const Report& report) {
  const auto& bytes = report.anatomy.peak_without_all_bytes;
  return bytes ? fmt::format("Without all that these findings name: {}{}.", format_size(*bytes),
                             times_model_of(report, *bytes))
               : std::string();
}

std::string left_out_text(const Report& report) {
  const Chain& chain = report.anatomy.chain;
  if (chain.left_out_blocks + chain.left_out_copies != 0) {
    return fmt::format("This is about a part: {} blocks and {} copies were too many to follow.",
                       format_count(chain.left_out_blocks), format_count(chain.left_out_copies));
  }
  if (!came_in_small_pieces(report) || !report.is_well_above_model(report.peak.footprint_bytes)) {
    return {};
  }
  return fmt::format(
      "{} of the model were read into memory that is not followed: blocks below {}, as an ifstream "
      "has, the stack, static data. Where these bytes went from there is not known.",
      format_size(chain.unseen_read_bytes), format_size(kLargeBlockBytes));
}

std::string unfollowed_text(const ChainNode& node) {
  return fmt::format("{} of it: {}", format_size(node.unfollowed_bytes), kUnfollowedWords);
}

/// The largest, unless the peak without another is lower by a hundredth at least. Null: none is.
const PeakGroup* telling_group(const Report& report) {
  constexpr std::uint64_t kNotablePart = 100;
  const std::vector<PeakGroup>& groups = report.anatomy.groups;
  if (groups.empty()) {
    return nullptr;
  }
  const auto lowest = std::ranges::min_element(groups, {}, &PeakGroup::peak_without_bytes);
  const std::uint64_t notable = report.peak.footprint_bytes / kNotablePart;
  const bool saves_more = lowest->peak_without_bytes + notable <= groups.front().peak_without_bytes;
  return saves_more ? &*lowest : &groups.front();
}

/// A finding says why, so it need not save as much as a group of blocks: a tenth of the peak will
/// do.
bool is_main_reason(const Report& report, const Finding& finding, const PeakGroup& group) {
  constexpr std::uint64_t kNotablePart = 10;
  const std::uint64_t peak = report.peak.footprint_bytes;
  const std::uint64_t without = *finding.peak_without_bytes;
  return without <= group.peak_without_bytes || without <= peak - peak / kNotablePart;
}

Reason main_reason(const Report& report) {
  const std::vector<Finding>& findings = report.anatomy.findings;
  const Finding* const first =
      !findings.empty() && findings.front().peak_without_bytes ? &findings.front() : nullptr;
  const PeakGroup* const group = telling_group(report);
  const bool is_left_open = group != nullptr && !unexplained_text(report).empty();
  if (is_left_open && (first == nullptr || !is_main_reason(report, *first, *group))) {
    return {group == &report.anatomy.groups.front() ? "largest group at the peak"
                                                    : "group that would save most",
            group_text(report, *group)};
  }
  return first == nullptr ? Reason() : Reason{first->title, finding_text(report, *first)};
}

std::string chain_picture(const Report& report, const TextStyle& style) {
  const Chain& chain = report.anatomy.chain;
  return chain.empty() ? std::string()
                       : title(style, "where the weights went") +
                             ChainTree(chain, report.model.bytes, style).draw();
}

}  // namespace tidemark::analyzer
