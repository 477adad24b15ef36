#include "analyzer/report/facts/group_passages.hpp"

#include "analyzer/query/lifetimes.hpp"
#include "analyzer/tensors/block_contents.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tidemark::analyzer {
namespace {

/// Those of a group that merge what several blocks had in common keep the first and the last time.
void add(BlockPassage& to, const BlockPassage& from) {
  if (to.count == 0) {
    to = from;
    return;
  }
  to.bytes += from.bytes;
  to.count += from.count;
  to.first_ns = std::min(to.first_ns, from.first_ns);
  to.last_ns = std::max(to.last_ns, from.last_ns);
}

std::string joined(const std::vector<std::string>& texts) {
  constexpr std::size_t kMaxTexts = 4;
  std::string all;
  for (std::size_t i = 0; i < std::min(texts.size(), kMaxTexts); ++i) {
    all += (i == 0 ? "" : "; ") + texts[i];
  }
  return texts.size() <= kMaxTexts
             ? all
             : all + fmt::format("; and {} more places", format_count(texts.size() - kMaxTexts));
}

}  // namespace

GroupPassages::GroupPassages(const LoadedTrace& trace,
                             std::size_t groups,
                             LiveBlocks::GroupOf group_of)
    : trace_(trace), group_of_(std::move(group_of)), groups_(groups), unseen_(groups) {}

void GroupPassages::see(const trace::Event& event) {
  follow(event, *this);
  if (event.kind == trace::EventKind::kRead) {
    last_files_[trace::index(event.thread)] = event.extra;
  } else if (trace::is_touch(event.kind)) {
    touch(event);
  }
}

GroupPassages::Block* GroupPassages::find(trace::AllocationNumber allocation) {
  // Most that is freed is small.
  if (!known_.contains(allocation)) {
    return nullptr;
  }
  const auto found = blocks_.find(allocation);
  return found == blocks_.end() ? nullptr : &found->second;
}

void GroupPassages::begin(const trace::Event& event) {
  // A mapping may grow in place; a heap block becomes another one.
  if (event.lane == trace::Lane::kHeap && event.size < kMinCopyBytes) {
    return;
  }
  known_.insert(event.allocation);
  blocks_[event.allocation] = {
      .self = {.allocation = event.allocation, .bytes = event.size, .stack = event.stack},
      .lane = event.lane,
      .thread = event.thread,
      .group_now = group_of_(event)};
}

void GroupPassages::end(trace::AllocationNumber allocation, const trace::Event&) {
  if (Block* const block = find(allocation)) {
    fold(*block);
    blocks_.erase(allocation);
  }
}

/// What came into the old block is in the new one, however small that is.
void GroupPassages::move(const trace::Event& event) {
  Block* const old = find(event.released);
  if (old == nullptr) {
    begin(event);
    return;
  }
  Block moved = std::move(*old);
  blocks_.erase(event.released);
  moved.self = {.allocation = event.allocation, .bytes = event.size, .stack = event.stack};
  moved.group_now = group_of_(event);
  known_.insert(event.allocation);
  blocks_[event.allocation] = std::move(moved);
}

void GroupPassages::end_all(const trace::Event& event) {
  const auto process = trace_.process_of(event.thread);
  std::erase_if(blocks_, [&](const auto& entry) {
    const Block& block = entry.second;
    const bool goes = block.lane == event.lane && trace_.process_of(block.thread) == process;
    if (goes) {
      fold(block);
    }
    return goes;
  });
}

void GroupPassages::touch(const trace::Event& event) {
  Block* const to = find(event.allocation);
  if (event.kind == trace::EventKind::kCopy) {
    Block* const from = find(event.released);
    if (to != nullptr && to != from) {
      pass(*to, BlockPassage::Kind::kCopiedIn, event.released, event);
    }
    if (from != nullptr && to != from) {
      pass(*from, BlockPassage::Kind::kCopiedOut, event.allocation, event);
    }
  } else if (to != nullptr && event.kind == trace::EventKind::kFill) {
    pass(*to, BlockPassage::Kind::kFilled, 0, event);
  } else if (to != nullptr) {
    const auto file = last_files_.find(trace::index(event.thread));
    pass(*to, BlockPassage::Kind::kRead, file == last_files_.end() ? UINT64_MAX : file->second,
         event);
  }
}

void GroupPassages::pass(Block& block,
                         BlockPassage::Kind kind,
                         std::uint64_t other,
                         const trace::Event& event) {
  BlockPassage& passage = block.passages[{kind, other}];
  if (passage.count == 0) {
    passage.kind = kind;
    passage.first_ns = event.at_ns;
    const auto& files = trace_.definitions().files;
    if (kind == BlockPassage::Kind::kRead && other < files.size()) {
      passage.file = files[other].path;
    } else if (const Block* const known =
                   kind == BlockPassage::Kind::kCopiedIn || kind == BlockPassage::Kind::kCopiedOut
                       ? find(other)
                       : nullptr) {
      passage.other = known->self;
    }
  }
  passage.bytes += event.size;
  passage.last_ns = event.at_ns;
  ++passage.count;
}

void GroupPassages::reach_instant(trace::AllocationNumber own) {
  for (auto& [allocation, block] : blocks_) {
    block.group = block.group_now;
    block.is_own = allocation == own;
    block.at_instant = block.self;
  }
}

void GroupPassages::fold(const Block& block) {
  if (block.group) {
    for (const auto& [key, passage] : block.passages) {
      add(groups_[*block.group][key], passage);
    }
    // A block that was set to one value has its content from elsewhere.
    if (std::ranges::all_of(block.passages, [](const auto& passage) {
          return passage.second.kind == BlockPassage::Kind::kCopiedOut ||
                 passage.second.kind == BlockPassage::Kind::kFilled;
        })) {
      unseen_[*block.group].push_back(block.at_instant);
    }
  }
  if (block.is_own) {
    for (const auto& [key, passage] : block.passages) {
      add(own_[key], passage);
    }
  }
}

void GroupPassages::finish() {
  for (auto& [allocation, block] : blocks_) {
    fold(block);
  }
  blocks_.clear();
}

std::vector<BlockPassage> GroupPassages::take(std::size_t group) {
  return taken(groups_[group]);
}

std::vector<BlockPassage> GroupPassages::take_own() {
  return taken(own_);
}

std::vector<BlockPassage> GroupPassages::taken(Passages& passages) {
  std::vector<BlockPassage> all;
  for (auto& [key, passage] : passages) {
    all.push_back(std::move(passage));
  }
  passages.clear();
  std::ranges::stable_sort(all, {}, &BlockPassage::first_ns);
  return all;
}

ValuesHeld GroupPassages::values_of(std::size_t group, const BlockContents& contents) const {
  ValuesHeld values;
  for (const BlockPassage::Other& block : unseen_[group]) {
    values.add(contents, block.allocation, block.bytes);
  }
  return values;
}

namespace {

/// The tensors that each group's blocks hold at an instant. One in several blocks, or in parts, is
/// listed once.
std::vector<std::vector<TensorPart>> tensors_of(const trace::Definitions& definitions,
                                                const LiveBlocks& blocks,
                                                std::size_t groups,
                                                std::uint64_t at_ns) {
  std::vector<std::map<trace::TensorId, TensorPart>> found(groups);
  if (!definitions.tensors.empty()) {
    BlockContents contents(definitions, at_ns);
    contents.add_parts(at_ns);
    blocks.visit([&](std::uint32_t group, trace::AllocationNumber block, std::uint64_t bytes) {
      for (const TensorPart& part : contents.parts_of(block, bytes)) {
        const auto [known, is_new] = found[group].try_emplace(part.tensor, part);
        if (!is_new) {
          known->second.in_file += part.in_file;
          known->second.bytes += part.bytes;
        }
      }
    });
  }
  std::vector<std::vector<TensorPart>> all(groups);
  for (std::size_t group = 0; group < groups; ++group) {
    for (const auto& [tensor, part] : found[group]) {
      all[group].push_back(part);
    }
  }
  return all;
}

}  // namespace

FollowedGroups follow_groups(LoadedTrace& trace,
                             const Instant& at,
                             std::size_t groups,
                             const LiveBlocks::GroupOf& group_of) {
  LiveBlocks blocks(trace, at, groups, group_of);
  GroupPassages passages(trace, groups, group_of);
  for (std::size_t block = 0; block < trace.blocks().size() && !trace.is_stopped(); ++block) {
    const auto* const events = trace.events(block);
    const std::size_t count = events == nullptr ? 0 : events->size();
    for (std::size_t i = 0; i < count; ++i) {
      if (block == at.block && i == at.events) {
        passages.reach_instant(blocks.largest().allocation);
      }
      follow((*events)[i], blocks);
      passages.see((*events)[i]);
    }
    if (block == at.block && at.events >= count) {
      passages.reach_instant(blocks.largest().allocation);
    }
  }
  blocks.finish();
  passages.finish();
  const BlockContents contents(trace.definitions(), at.at_ns);
  const LiveBlocks::Largest& largest = blocks.largest();
  FollowedGroups all{.groups = {},
                     .largest = largest.allocation,
                     .largest_group = largest.group,
                     .own = {largest.lives, passages.take_own()}};
  auto tensors = tensors_of(trace.definitions(), blocks, groups, at.at_ns);
  for (std::size_t group = 0; group < groups; ++group) {
    all.groups.push_back({blocks.lives()[group], passages.take(group),
                          passages.values_of(group, contents), std::move(tensors[group])});
  }
  return all;
}

std::vector<std::string> passage_lines(const trace::Definitions& definitions,
                                       const FollowedGroup& group) {
  const auto& [lives, passages, values, tensors] = group;
  const std::string blocks = lives.blocks == 1 ? "it" : "them";
  const PassageTexts texts = passage_texts(definitions, passages, lives.largest_bytes, blocks);
  const bool came = std::ranges::any_of(passages, [](const BlockPassage& passage) {
    return passage.kind != BlockPassage::Kind::kCopiedOut;
  });
  const std::string held = values.text(definitions, blocks);
  std::vector<std::string> lines;
  if (held.empty() && !tensors.empty()) {
    lines.push_back("in " + blocks + ": " + content_text(definitions, tensors));
  }
  if (came) {
    lines.push_back("came into " + blocks + ": " + joined(texts.came));
  } else if (!texts.came.empty() && held.empty()) {
    // "Nothing was seen to come" would mislead if its values show that something did.
    lines.push_back(texts.came.front());
  }
  if (!held.empty()) {
    lines.push_back(held);
  }
  if (!texts.went.empty()) {
    lines.push_back("went out of " + blocks + ": " + joined(texts.went));
  }
  return lines;
}

std::vector<std::string> tensor_lines(const trace::Definitions& definitions,
                                      trace::AllocationNumber allocation,
                                      std::uint64_t bytes,
                                      std::uint64_t at_ns) {
  constexpr std::size_t kMaxParts = 8;
  BlockContents contents(definitions, at_ns);
  contents.add_parts(at_ns);
  const auto parts = contents.parts_of(allocation, bytes);
  std::vector<std::string> lines;
  if (parts.size() > 1) {
    lines.push_back("in it: " + content_text(definitions, parts));
  }
  for (std::size_t i = 0; i < std::min(parts.size(), kMaxParts); ++i) {
    lines.push_back((parts.size() > 1 ? "" : "in it: ") + part_text(definitions, parts[i]));
  }
  if (parts.size() > kMaxParts) {
    lines.push_back(fmt::format("and {} more", format_count(parts.size() - kMaxParts)));
  }
  return lines;
}

}  // namespace tidemark::analyzer
