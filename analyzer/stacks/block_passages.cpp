#include "analyzer/stacks/block_passages.hpp"

#include "analyzer/stacks/stack_text.hpp"
#include "analyzer/text/size_text.hpp"
#include "analyzer/text/time_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace tidemark::analyzer {
namespace {

/// Passages to or from blocks that one line of code asked for are combined, whatever called it.
struct PassageGroup {
  BlockPassage passage;
  std::string asker;  // Who asked for the block at the other end; else empty.
  std::uint64_t blocks = 1;
};

/// `load  loader.cpp:40`, of each stack once.
class Askers {
 public:
  explicit Askers(const trace::Definitions& definitions) : definitions_(definitions) {}

  const std::string& of(trace::StackId stack) {
    const auto [found, is_new] = texts_.try_emplace(trace::index(stack));
    if (is_new) {
      const auto asking = asking_of(definitions_, stack);
      const std::string place = asking ? frame_place(*asking) : "";
      found->second =
          (asking ? short_name(*asking) : "no stack") + (place.empty() ? "" : "  " + place);
    }
    return found->second;
  }

 private:
  const trace::Definitions& definitions_;
  std::map<std::uint32_t, std::string> texts_;
};

std::vector<PassageGroup> grouped(const trace::Definitions& definitions,
                                  const std::vector<BlockPassage>& passages) {
  Askers askers(definitions);
  std::vector<PassageGroup> groups;
  for (const BlockPassage& passage : passages) {
    const std::string asker = passage.other ? askers.of(passage.other->stack) : "";
    const auto same = std::ranges::find_if(groups, [&](const PassageGroup& one) {
      return one.passage.kind == passage.kind && one.passage.file == passage.file &&
             one.asker == asker;
    });
    if (same == groups.end()) {
      groups.push_back({passage, asker});
      continue;
    }
    same->passage.bytes += passage.bytes;
    same->passage.count += passage.count;
    same->passage.first_ns = std::min(same->passage.first_ns, passage.first_ns);
    same->passage.last_ns = std::max(same->passage.last_ns, passage.last_ns);
    ++same->blocks;
  }
  return groups;
}

std::string other_text(const PassageGroup& group) {
  const auto& other = group.passage.other;
  if (!other) {
    return "memory that is no known block";
  }
  const std::string blocks = group.blocks == 1 ? "a block of " + format_size(other->bytes)
                                               : format_count(group.blocks) + " blocks";
  return blocks + " by " + group.asker;
}

std::string passage_text(const PassageGroup& group) {
  const BlockPassage& passage = group.passage;
  std::string text = format_size(passage.bytes);
  switch (passage.kind) {
    case BlockPassage::Kind::kRead:
      text += " read from " + (passage.file.empty() ? "a file" : passage.file);
      break;
    case BlockPassage::Kind::kCopiedIn:
      text += " copied from " + other_text(group);
      break;
    case BlockPassage::Kind::kFilled:
      text += " set to one value";
      break;
    case BlockPassage::Kind::kCopiedOut:
      text += " copied to " + other_text(group);
      break;
  }
  if (passage.count > group.blocks) {
    text += fmt::format(", {} times", format_count(passage.count));
  }
  return text + (passage.first_ns == passage.last_ns
                     ? " at " + format_exact_time(passage.first_ns)
                     : " from " + begin_to_end(passage.first_ns, passage.last_ns));
}

}  // namespace

PassageTexts passage_texts(const trace::Definitions& definitions,
                           const std::vector<BlockPassage>& passages,
                           std::uint64_t most_bytes,
                           std::string_view blocks) {
  PassageTexts texts;
  for (const PassageGroup& group : grouped(definitions, passages)) {
    const bool went = group.passage.kind == BlockPassage::Kind::kCopiedOut;
    (went ? texts.went : texts.came).push_back(passage_text(group));
  }
  if (texts.came.empty() && most_bytes >= kMinCopyBytes) {
    texts.came.push_back(fmt::format("no read{} of {} or more into {} was seen",
                                     definitions.session.copies_recorded ? " or copy" : "",
                                     format_size(kMinCopyBytes), blocks));
  }
  return texts;
}

}  // namespace tidemark::analyzer
