#include "gui/view/blocks/details/block_details.hpp"

#include "analyzer/text/change_text.hpp"
#include "analyzer/text/size_text.hpp"
#include "gui/view/blocks/details/block_values.hpp"
#include "gui/view/timeline/axis_ticks.hpp"
#include "gui/view/trees/call_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tidemark::gui {
namespace {

using analyzer::format_exact_time;
using analyzer::format_size;
using analyzer::format_time;

std::string life_text(std::uint64_t begin_ns, std::uint64_t end_ns, std::uint64_t trace_end_ns) {
  const bool ends = end_ns != LongBlock::kNever;
  const std::uint64_t end = std::max(ends ? end_ns : trace_end_ns, begin_ns);
  const std::string lived = ", for " + format_time(end - begin_ns);
  return ends ? "from " + begin_to_end(begin_ns, end) + lived
              : fmt::format("from {} to the end, {}{}", format_exact_time(begin_ns),
                            format_exact_time(end), lived);
}

/// When it was freed, or else gave back all its memory; none: neither.
std::optional<std::uint64_t> went_ns(const BlockStory& story) {
  const bool is_freed = story.end_ns != LongBlock::kNever && !story.ends_with_process;
  return is_freed ? std::optional(story.end_ns) : story.emptied_ns;
}

/// With the distance from the peak and the phase: what matters about a block that is freed late.
std::string end_text(const BlockStory& story, const LoadTimes& times) {
  const auto went = went_ns(story);
  if (!went) {
    return story.ends_with_process
               ? "never freed; the process ended at " + format_exact_time(story.end_ns)
               : "never freed";
  }
  std::string text =
      (went == story.emptied_ns ? "given back at " : "freed at ") + format_exact_time(*went);
  if (times.peak_ns == *went) {
    text += ", at the peak";
  } else if (times.peak_ns) {
    const bool is_after = *went > *times.peak_ns;
    text += fmt::format(", {} {} the peak",
                        format_time(is_after ? *went - *times.peak_ns : *times.peak_ns - *went),
                        is_after ? "after" : "before");
  }
  const std::string phases = times.phases_at ? times.phases_at(*went) : "";
  return text + (phases.empty() ? "" : ", in phase " + phases);
}

/// Resizes before the block give the old size, later ones the new size; if both read the same, the
/// difference.
BlockResizeLine resize_line(const BlockStory& story, const BlockResize& resize) {
  const bool is_before = resize.from < story.block.allocation;
  const std::string from = format_size(resize.from_bytes);
  const std::string to = format_size(resize.to_bytes);
  const std::string size =
      from == to  ? "by " + analyzer::format_size_change(resize.from_bytes, resize.to_bytes)
      : is_before ? "from " + from
                  : "to " + to;
  // If only some of many are listed, the old size is not the new size of the line above.
  const auto own = std::ranges::count_if(story.sizes, [&](const BlockResize& one) {
    return one.from == story.block.allocation && one.to == story.block.allocation;
  });
  const bool is_one_of_many =
      resize.from == resize.to && story.resizes > static_cast<std::uint64_t>(own);
  const std::string both =
      is_one_of_many && from != to ? fmt::format("from {} {}", from, size) : size;
  return {fmt::format("resized {} at {}", both, format_exact_time(resize.at_ns)),
          is_before ? resize.from : resize.to};
}

std::string size_text(const BlockStory& story) {
  const std::string first = format_size(story.block.bytes);
  const std::string of_lane = " of " + std::string(trace::info_of(story.block.lane).title);
  if (story.resizes == 0) {
    return first + of_lane;
  }
  const std::string often =
      story.resizes == 1 ? "once" : analyzer::format_count(story.resizes) + " times";
  if (story.block.bytes == 0) {
    return fmt::format(
        "{}{} at most, first at {}; only its pages in memory count: none at first, changed {} "
        "since",
        format_size(story.most_bytes), of_lane, format_exact_time(story.most_ns), often);
  }
  return story.most_bytes == story.block.bytes
             ? fmt::format("{}{} when it came, and resized {} since", first, of_lane, often)
             : fmt::format("{}{} at most, first at {}; it began with {} and was resized {}",
                           format_size(story.most_bytes), of_lane, format_exact_time(story.most_ns),
                           first, often);
}

std::string thread_text(const trace::Definitions& definitions, trace::ThreadId thread) {
  const auto& threads = definitions.threads;
  if (trace::index(thread) >= threads.size()) {
    return {};
  }
  const trace::Thread& found = threads[trace::index(thread)];
  return fmt::format("{}, thread {}", found.name, found.tid);
}

std::string of_file(const trace::Definitions& definitions, trace::FileId file) {
  const std::string& path = definitions.files[trace::index(file)].path;
  return " of " + path.substr(path.find_last_of('/') + 1);
}

/// With sizes if there are several places; of many only the first.
std::vector<std::string> place_texts(const trace::Definitions& definitions,
                                     const std::vector<analyzer::FileStretch>& stretches) {
  constexpr std::size_t kMaxPlaces = 3;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(stretches.size(), kMaxPlaces); ++i) {
    const analyzer::FileStretch& stretch = stretches[i];
    texts.push_back((stretches.size() == 1 ? "" : format_size(stretch.bytes) + " ") +
                    analyzer::file_place_text(stretch.begin) + of_file(definitions, stretch.file));
  }
  if (stretches.size() > kMaxPlaces) {
    const std::size_t more = stretches.size() - kMaxPlaces;
    texts.push_back(fmt::format("and from {} more {}", analyzer::format_count(more),
                                more == 1 ? "place" : "places"));
  }
  return texts;
}

/// One line per tensor. Leaves out what the block's lines already say: the place of a single
/// tensor, and the file if it is the same for all.
std::vector<std::string> tensor_texts(const trace::Definitions& definitions,
                                      const std::vector<analyzer::TensorPart>& parts) {
  const auto file_of = [&](const analyzer::TensorPart& part) {
    return definitions.tensors[trace::index(part.tensor)].file;
  };
  const bool are_of_one_file = std::ranges::all_of(parts, [&](const analyzer::TensorPart& part) {
    return file_of(part) == file_of(parts.front());
  });
  std::vector<std::string> texts;
  for (const analyzer::TensorPart& part : parts) {
    std::string text = analyzer::part_text(definitions, part);
    if (parts.size() > 1) {
      text += ", " + analyzer::file_place_text(part.file_begin) +
              (are_of_one_file ? "" : of_file(definitions, file_of(part)));
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace

BlockDetails block_details(const BlockStory& story,
                           const trace::Definitions& definitions,
                           const analyzer::BlockContents& contents,
                           const LoadTimes& times) {
  BlockDetails details;
  details.frames = analyzer::named_stack(definitions, story.block.stack);
  details.asking = details.frames.empty() ? 0 : analyzer::asking_frame(details.frames);
  if (contents.names_tensors(story.block.allocation)) {
    const std::uint64_t room = std::max(story.most_bytes, story.block.bytes);
    const auto parts = contents.held_parts(story.block.allocation, story.block.lane, room);
    details.title = analyzer::content_text(definitions, parts);
    details.tensors = tensor_texts(definitions, parts);
    details.places = place_texts(definitions, contents.stretches_of(story.block.allocation, room));
  }
  if (details.title.empty()) {
    details.title =
        details.frames.empty() ? "(no stack)" : analyzer::lone_name(details.frames[details.asking]);
  }
  details.values = value_lines(story, definitions, times.peak_ns);
  details.size = size_text(story);
  details.life = life_text(story.begin_ns, went_ns(story).value_or(story.end_ns), times.end_ns);
  details.end = end_text(story, times);
  for (const BlockResize& resize : story.sizes) {
    details.resized.push_back(resize_line(story, resize));
  }
  details.thread = thread_text(definitions, story.block.thread);
  auto passages = analyzer::passage_texts(definitions, story.passages,
                                          std::max(story.most_bytes, story.block.bytes));
  details.came = std::move(passages.came);
  details.went = std::move(passages.went);
  return details;
}

std::string life_line(const LongBlock& block, std::uint64_t trace_end_ns) {
  return format_size(block.bytes) + ' ' + life_text(block.begin_ns, block.end_ns, trace_end_ns);
}

std::vector<BlockArrow> arrows_of(const BlockStory& story,
                                  std::size_t most,
                                  const std::function<double(std::uint64_t ns)>& column_of) {
  std::vector<const Passage*> largest;
  for (const Passage& passage : story.passages) {
    if (passage.kind != Passage::Kind::kFilled) {
      largest.push_back(&passage);
    }
  }
  std::ranges::stable_sort(largest, std::ranges::greater{}, &Passage::bytes);
  largest.resize(std::min(largest.size(), most));
  std::vector<BlockArrow> arrows;
  for (const Passage* const passage : largest) {
    const auto other = passage->other ? std::optional(passage->other->allocation) : std::nullopt;
    const bool goes = passage->kind == Passage::Kind::kCopiedOut;
    const std::string size = format_size(passage->bytes);
    BlockArrow& arrow = arrows.emplace_back();
    arrow.from = goes ? std::optional(passage->own) : other;
    arrow.to = goes ? other : std::optional(passage->own);
    arrow.first = column_of(passage->first_ns);
    arrow.last = column_of(passage->last_ns);
    arrow.text = passage->kind == Passage::Kind::kRead
                     ? size + " from " + passage->file.substr(passage->file.find_last_of('/') + 1)
                     : size + " copied";
  }
  return arrows;
}

std::string details_text(const BlockDetails& details) {
  std::string text = details.title + '\n';
  const auto add = [&text](const std::string& title, const std::vector<std::string>& lines) {
    if (!lines.empty()) {
      text += title + ":\n";
    }
    for (const std::string& line : lines) {
      text += "  " + line + '\n';
    }
  };
  add("in it", details.tensors);
  text += details.size + ", " + details.life + '\n' + details.end + '\n';
  for (const auto* const lines : {&details.places, &details.values}) {
    for (const std::string& line : *lines) {
      text += line + '\n';
    }
  }
  for (const BlockResizeLine& line : details.resized) {
    text += line.text + '\n';
  }
  add("came into it", details.came);
  add("went out of it", details.went);
  std::vector<std::string> frames;
  for (const analyzer::NamedFrame& frame : details.frames) {
    const std::string place = place_text(frame);
    frames.push_back(analyzer::short_name(frame) + (place.empty() ? "" : "  " + place));
  }
  add("stack", frames);
  return text;
}

}  // namespace tidemark::gui
