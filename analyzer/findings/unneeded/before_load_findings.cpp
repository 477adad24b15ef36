// What was there before the load of the model began.
//
// `before_load`: a twentieth of the peak was alive when the first file of the model was opened, and
// still is at the peak. Not counted are blocks that files were read into by half at least from then
// on, or that were seen to hold values of the model. If W is a guess, the finding names the file,
// and does not count as an explanation where groups are left out for one. It has no peak without
// it, as imports are no part of the load.

#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/model_chain.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/query/live/live_set.hpp"
#include "analyzer/stacks/alike/comparable_frame.hpp"
#include "analyzer/stacks/asker_finder.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

void take_off(LiveStack& stack, std::uint64_t bytes, std::uint64_t blocks) {
  stack.bytes -= std::min(stack.bytes, bytes);
  stack.blocks -= std::min(stack.blocks, blocks);
}

/// The part that is alive at the peak, by stack, most bytes first. Excludes what came since the
/// model was opened, such as pages of a mapping, and the load's own buffers.
std::vector<LiveStack> standing_since(const Evidence& evidence, const BeforeLoad& before) {
  const Instant& peak = evidence.load.peak.at;
  const Instant opened = evidence.trace.instant_at(before.at_ns);
  LiveSet live = certain_live_set_at(evidence.trace, peak);
  const auto key = [](const LiveStack& stack) {
    return key_of(trace::index(stack.stack), stack.lane);
  };
  std::unordered_map<std::uint64_t, std::uint64_t> stood;  // Bytes.
  const LiveSet live_then = certain_live_set_at(evidence.trace, opened);
  stood.reserve(live_then.stacks.size());
  for (const LiveStack& stack : live_then.stacks) {
    stood.emplace(key(stack), stack.bytes);
  }
  std::unordered_map<std::uint64_t, LiveStack*> by_stack;
  by_stack.reserve(live.stacks.size());
  for (LiveStack& stack : live.stacks) {
    by_stack.emplace(key(stack), &stack);
  }
  for (const LiveStack& since : certain_kept_stacks(evidence.trace, opened, peak)) {
    if (const auto at_peak = by_stack.find(key(since)); at_peak != by_stack.end()) {
      take_off(*at_peak->second, since.bytes, since.blocks);
    }
  }
  for (LiveStack& stack : live.stacks) {
    if (const auto buffers = before.buffers.find(stack.stack); buffers != before.buffers.end()) {
      take_off(stack, buffers->second.bytes, buffers->second.blocks);
    }
    const auto bytes_then = stood.find(key(stack));
    stack.bytes = bytes_then == stood.end() ? 0 : std::min(stack.bytes, bytes_then->second);
  }
  std::erase_if(live.stacks, [](const LiveStack& stack) {
    return stack.bytes == 0 || !trace::in_footprint(stack.lane);
  });
  std::ranges::stable_sort(live.stacks, std::ranges::greater{}, &LiveStack::bytes);
  return std::move(live.stacks);
}

/// The innermost line of the program's own Python code that leads to a stack, for very many
/// stacks: each frame is named once.
class CallingLines {
 public:
  explicit CallingLines(const trace::Definitions& definitions)
      : definitions_(definitions), lines_(definitions.frames.size()) {}

  /// `load.py:12`; empty if there is none. The reference stays valid.
  const std::string& of(trace::StackId stack) {
    const std::string* of_no_file = &none_;
    const std::string* found = nullptr;
    walk_frames(definitions_, stack, [&](trace::FrameId frame) {
      const std::string& line = line_of(frame);
      found = !line.empty() && !is_of_no_file(line) ? &line : nullptr;
      of_no_file = of_no_file->empty() ? &line : of_no_file;
      return found == nullptr;
    });
    return found == nullptr ? *of_no_file : *found;
  }

 private:
  const std::string& line_of(trace::FrameId frame) {
    const std::size_t number = trace::index(frame);
    if (number >= lines_.size() ||
        definitions_.frames[number].language != trace::FrameLanguage::kPython) {
      return none_;
    }
    std::optional<std::string>& line = lines_[number];
    if (!line) {
      line = calling_line(named_frame(definitions_, frame));
    }
    return *line;
  }

  const trace::Definitions& definitions_;
  std::vector<std::optional<std::string>> lines_;  // By FrameId; none: not asked yet.
  const std::string none_;
};

/// A line of the program's own, or a module, and what was asked for on its behalf.
struct OnBehalf {
  std::string name;
  std::uint64_t bytes = 0;
};

/// Most bytes first; those without a name are left out.
std::vector<OnBehalf> largest_first(const std::map<std::string, std::uint64_t>& bytes_by_name) {
  std::vector<OnBehalf> all;
  for (const auto& [name, bytes] : bytes_by_name) {
    if (!name.empty()) {
      all.push_back({name, bytes});
    }
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &OnBehalf::bytes);
  return all;
}

/// Imports ask at thousands of places on behalf of one line of the program.
std::vector<OnBehalf> calling_lines(const Evidence& evidence,
                                    const std::vector<LiveStack>& standing) {
  CallingLines lines(evidence.trace.definitions());
  std::unordered_map<const std::string*, std::uint64_t> bytes_by_frame;
  for (const LiveStack& stack : standing) {
    bytes_by_frame[&lines.of(stack.stack)] += stack.bytes;
  }
  std::map<std::string, std::uint64_t> bytes_by_line;
  for (const auto& [line, bytes] : bytes_by_frame) {
    bytes_by_line[*line] += bytes;
  }
  return largest_first(bytes_by_line);
}

/// The libraries, programs and Python packages that asked.
std::vector<OnBehalf> asking_modules(const Evidence& evidence,
                                     const std::vector<LiveStack>& standing) {
  AskerFinder askers(evidence.trace.definitions());
  std::map<AskerFinder::Function, std::uint64_t> bytes_by_function;
  for (const LiveStack& stack : standing) {
    if (const auto& asking = askers.find(stack.stack).asking) {
      bytes_by_function[*asking] += stack.bytes;
    }
  }
  std::map<std::string, std::uint64_t> bytes_by_module;
  for (const auto& [function, bytes] : bytes_by_function) {
    const NamedFrame frame = askers.named(function);
    if (frame.is_python || !frame.module.empty()) {
      bytes_by_module[module_text(frame)] += bytes;
    }
  }
  return largest_first(bytes_by_module);
}

/// `node asked for 18.2 MiB of that, libssl.so.3 for 4.1 MiB`: those with a tenth of all or more.
std::string modules_text(const std::vector<OnBehalf>& modules, std::uint64_t all_bytes) {
  constexpr std::size_t kMaxModules = 3;
  constexpr std::uint64_t kWorthANamePart = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(modules.size(), kMaxModules); ++i) {
    const auto& [module, bytes] = modules[i];
    if (i == 0) {
      text = fmt::format("{} asked for {} of that", module, format_size(bytes));
    } else if (bytes >= all_bytes / kWorthANamePart) {
      text += fmt::format(", {} for {}", module, format_size(bytes));
    }
  }
  return text;
}

/// Who asked for most of it: a line of the program's own, with whatever it imports or calls, or
/// else the largest place; if that is a small part, the modules.
std::string main_part(const Evidence& evidence,
                      const std::vector<LiveStack>& standing,
                      const std::vector<NamedFrame>& largest,
                      std::uint64_t all_bytes) {
  const std::uint64_t largest_bytes = standing.front().bytes;
  const auto lines = calling_lines(evidence, standing);
  if (!lines.empty() && lines.front().bytes > all_bytes / 2 &&
      largest_bytes < lines.front().bytes / 2) {
    return fmt::format("{}, by what it imports or calls, asked for {} of that", lines.front().name,
                       format_size(lines.front().bytes));
  }
  if (largest_bytes < all_bytes / 2) {
    const auto modules = asking_modules(evidence, standing);
    if (!modules.empty() && modules.front().bytes > largest_bytes) {
      return modules_text(modules, all_bytes);
    }
  }
  return fmt::format("the largest part of that is {}",
                     blocks_text(largest_bytes, standing.front().blocks, place_text(largest)));
}

/// `the model`; or the file's name, if only its size suggests that it is the model.
std::string opened_text(const LoadFacts& load, std::uint64_t opened_ns) {
  if (load.model.is_guess) {
    for (const std::size_t number : load.model.files) {
      const FileUse& file = load.files[number];
      if (file.opened_ns == opened_ns) {
        return telling_file_name(file.path);
      }
    }
  }
  return "the model";
}

}  // namespace

void find_before_load(const Evidence& evidence, std::vector<Finding>& findings) {
  const auto& before = evidence.load.before_load;
  if (!before || before->at_peak_bytes < evidence.worth_saying()) {
    return;
  }
  Finding finding{.kind = FindingKind::kBeforeLoad, .title = "before the load"};
  finding.bytes = before->at_peak_bytes;
  finding.at_ns = before->at_ns;
  finding.sentence = fmt::format(
      "{} of the peak stood before {} was first opened, at {}", format_size(finding.bytes),
      opened_text(evidence.load, finding.at_ns), format_time(finding.at_ns));
  if (const auto standing = standing_since(evidence, *before); !standing.empty()) {
    finding.frames = named_stack(evidence.trace.definitions(), standing.front().stack);
    finding.sentence += "; " + main_part(evidence, standing, finding.frames, before->at_peak_bytes);
  }
  finding.sentence += '.';
  // The live set at that instant has more.
  if (const std::uint64_t buffers = before->buffer_bytes(); buffers >= evidence.worth_saying()) {
    finding.sentence += fmt::format(" {} in blocks that were there for its values are not counted.",
                                    format_size(buffers));
  }
  findings.push_back(std::move(finding));
}

}  // namespace tidemark::analyzer
