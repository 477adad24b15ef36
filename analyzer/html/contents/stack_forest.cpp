#include "analyzer/html/contents/stack_forest.hpp"

#include <algorithm>

namespace tidemark::html {
namespace {

/// Templates can be named by pages of text.
std::string cut(const std::string& text) {
  constexpr std::size_t kMaxNameBytes = 160;
  return text.size() <= kMaxNameBytes ? text : text.substr(0, kMaxNameBytes) + "...";
}

}  // namespace

std::uint32_t StackForest::add_frame(const analyzer::NamedFrame& frame) {
  const std::uint32_t id = table_.id_of(frame);
  take_new_frames();
  return id;
}

void StackForest::take_new_frames() {
  while (frames_.size() < table_.size()) {
    const auto next = static_cast<std::uint32_t>(frames_.size());
    const analyzer::NamedFrame& frame = table_[next];
    const analyzer::FrameFacts& facts = facts_.of(next);
    frames_.push_back({.name = cut(analyzer::short_name(frame)),
                       .function = cut(frame.function),
                       .file = frame.file,
                       .file_name = frame.is_python ? analyzer::python_file_name(frame.file)
                                                    : analyzer::file_name(frame.file),
                       .line = frame.line,
                       .module = frame.module,
                       .needs_its_file = analyzer::needs_its_file(frame),
                       .is_python = facts.is_python,
                       .is_plumbing = facts.is_plumbing,
                       .role = facts.role});
  }
}

std::uint32_t StackForest::add_node(std::uint32_t parent, std::uint32_t frame) {
  const auto [node, is_new] = children_.of(parent, frame);
  if (is_new) {
    nodes_.push_back({parent, frame});
  }
  return node;
}

std::uint32_t StackForest::add_stack(const std::vector<analyzer::NamedFrame>& stack) {
  std::uint32_t node = 0;
  for (std::size_t i = analyzer::startup_begin(stack); i-- > 0;) {
    node = add_node(node, add_frame(stack[i]));
  }
  return node;
}

analyzer::InternedOutline StackForest::outline_of(std::uint32_t node) {
  std::vector<std::uint32_t> frames;
  for (; node != 0; node = nodes_[node].parent) {
    frames.push_back(nodes_[node].frame);
  }
  return facts_.outline_of(frames);
}

StackPlanter::StackPlanter(const trace::Definitions& definitions, StackForest& forest)
    : definitions_(definitions),
      forest_(forest),
      frames_(definitions, forest.table()),
      depths_(definitions.stacks.size()),
      nodes_(definitions.stacks.size(), kUnplanted),
      runtimes_(definitions.stacks.size()) {
  for (std::size_t stack = 1; stack < depths_.size(); ++stack) {
    const std::size_t parent = trace::index(definitions.stacks[stack].parent);
    depths_[stack] = parent < stack ? depths_[parent] + 1 : 1;
  }
}

/// Innermost first.
std::span<const std::uint32_t> StackPlanter::frames_of(trace::FrameId id) {
  const auto frames = frames_.of(id);
  forest_.take_new_frames();
  return frames;
}

/// How much of a stack's outer end is the runtime's depends on what is inside of it.
bool StackPlanter::is_under_runtime(trace::StackId stack) {
  std::vector<std::size_t> unknown;
  std::size_t at = trace::index(stack);
  // A damaged trace may name a later stack as the parent.
  for (std::size_t from = SIZE_MAX;
       at < std::min(from, runtimes_.size()) && runtimes_[at] == Runtime::kUnknown && at != 0;
       at = trace::index(definitions_.stacks[from].parent)) {
    unknown.push_back(at);
    from = at;
  }
  bool is_under = at < runtimes_.size() && runtimes_[at] == Runtime::kSome;
  for (std::size_t i = unknown.size(); i-- > 0;) {
    const auto& frames = frames_of(definitions_.stacks[unknown[i]].frame);
    is_under = is_under || std::ranges::any_of(frames, [this](std::uint32_t frame) {
                 return forest_.frames()[frame].role == analyzer::EntryRole::kRuntime;
               });
    runtimes_[unknown[i]] = is_under ? Runtime::kSome : Runtime::kNone;
  }
  return is_under;
}

/// From the outermost frame on, for stacks whose start-up code may end in them.
std::uint32_t StackPlanter::plant_whole(trace::StackId stack) {
  std::vector<std::uint32_t> all;
  for (const trace::FrameId id : analyzer::recorded_frames(definitions_, stack)) {
    const auto named = frames_of(id);
    all.insert(all.end(), named.begin(), named.end());
  }
  const auto& known = forest_.frames();
  const std::size_t end = analyzer::startup_index(
      all.size(), [&](std::size_t i) { return known[all[i]].role; },
      [&](std::size_t i) { return known[all[i]].is_plumbing; });
  // A stack of nothing else keeps its own.
  all.resize(end == 0 ? all.size() : end);
  std::uint32_t node = 0;
  for (std::size_t i = all.size(); i-- > 0;) {
    node = forest_.add_node(node, all[i]);
  }
  return node;
}

std::uint32_t StackPlanter::plant(trace::StackId stack) {
  if (is_under_runtime(stack)) {
    std::uint32_t& node = nodes_[trace::index(stack)];
    node = node == kUnplanted ? plant_whole(stack) : node;
    return node;
  }
  // Goes up to an ancestor that is planted, or that is short enough to be planted as a whole.
  std::vector<trace::StackId> path;
  trace::StackId at = stack;
  while (trace::index(at) < nodes_.size() && nodes_[trace::index(at)] == kUnplanted &&
         depths_[trace::index(at)] > analyzer::kStartupDepth + 1) {
    path.push_back(at);
    at = definitions_.stacks[trace::index(at)].parent;
  }
  if (trace::index(at) >= nodes_.size()) {
    return 0;
  }
  std::uint32_t& base = nodes_[trace::index(at)];
  base = base == kUnplanted ? plant_whole(at) : base;
  std::uint32_t node = base;
  for (std::size_t i = path.size(); i-- > 0;) {
    const auto named = frames_of(definitions_.stacks[trace::index(path[i])].frame);
    for (std::size_t frame = named.size(); frame-- > 0;) {
      node = forest_.add_node(node, named[frame]);
    }
    nodes_[trace::index(path[i])] = node;
  }
  return node;
}

}  // namespace tidemark::html
