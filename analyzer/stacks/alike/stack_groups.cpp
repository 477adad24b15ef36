#include "analyzer/stacks/alike/stack_groups.hpp"

#include "analyzer/stacks/alike/comparable_frame.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::analyzer {
namespace {

/// Numbers for functions whatever the line: each recorded frame's name is made once.
class Functions {
 public:
  explicit Functions(const trace::Definitions& definitions) : frames_(definitions, table_) {}

  /// Innermost first.
  std::vector<std::uint32_t> of(trace::StackId stack) {
    auto ids = frames_.of(stack);
    for (std::uint32_t& id : ids) {
      id = function_of(id);
    }
    return ids;
  }

 private:
  std::uint32_t function_of(std::uint32_t frame) {
    while (functions_.size() <= frame) {
      const auto next = static_cast<std::uint32_t>(known_.size());
      const NamedFrame& named = table_[static_cast<std::uint32_t>(functions_.size())];
      functions_.push_back(known_.try_emplace(lineless_name(named), next).first->second);
    }
    return functions_[frame];
  }

  InternedFrames table_{Reading::kModule};
  RecordedFrames frames_;
  std::vector<std::uint32_t> functions_;                  // By frame.
  std::unordered_map<std::string, std::uint32_t> known_;  // By name.
};

}  // namespace

std::size_t StackReadings::number_of(trace::StackId stack, char32_t kind) {
  const std::size_t node = trace::index(stack);
  const std::size_t count = frames_.definitions().stacks.size();
  const std::uint32_t path = path_of(node < count ? static_cast<std::uint32_t>(node) : 0);
  return known_.try_emplace(std::uint64_t{path} << 32U | kind, known_.size()).first->second;
}

std::uint32_t StackReadings::parent_of(std::uint32_t node) const {
  return trace::index(frames_.definitions().stacks[node].parent);
}

/// Innermost first. Borrowed until the next call.
std::span<const std::uint32_t> StackReadings::functions_of(std::uint32_t node) {
  return frames_.of(frames_.definitions().stacks[node].frame);
}

const StackReadings::Node& StackReadings::look_at(std::uint32_t node) {
  if (node >= nodes_.size()) {
    nodes_.resize(std::max<std::size_t>(frames_.definitions().stacks.size(), 1));
    nodes_[0].python = 0;
  }
  pending_.clear();
  for (std::uint32_t at = node; nodes_[at].python == Node::kUnknown; at = parent_of(at)) {
    pending_.push_back(at);
  }
  for (; !pending_.empty(); pending_.pop_back()) {
    const std::uint32_t at = pending_.back();
    const Node& parent = nodes_[parent_of(at)];
    nodes_[at].python = parent.python;
    nodes_[at].native = parent.native;
    if (const auto functions = functions_of(at); !functions.empty()) {
      (table_[functions.front()].is_python ? nodes_[at].python : nodes_[at].native) = at;
    }
  }
  return nodes_[node];
}

/// What a stack reads as.
std::uint32_t StackReadings::path_of(std::uint32_t node) {
  const std::uint32_t python = look_at(node).python;
  if (nodes_[node].whole == Node::kUnknown) {
    // What runs the Python code comes after it, further out.
    const std::uint32_t evaluator = nodes_[python].native;
    const std::uint32_t path =
        python == 0 || evaluator == 0
            ? telling_path(node, kNoInterpreter)
            : path_inside_python(node, python, module_of(functions_of(evaluator).front()));
    nodes_[node].whole = path;
  }
  return nodes_[node].whole;
}

/// A stack without the functions by which the interpreter, a module, calls one line after the
/// other.
std::uint32_t StackReadings::telling_path(std::uint32_t node, std::uint32_t interpreter) {
  const auto is_known = [&](const Node& at) {
    return at.path != Node::kUnknown && at.interpreter == interpreter;
  };
  pending_.clear();
  for (; node != 0 && !is_known(nodes_[node]); node = parent_of(node)) {
    pending_.push_back(node);
  }
  std::uint32_t path = node == 0 ? 0 : nodes_[node].path;
  for (; !pending_.empty(); pending_.pop_back()) {
    const auto functions = functions_of(pending_.back());
    for (auto function = functions.rbegin(); function != functions.rend(); ++function) {
      if (!is_call_of(*function, interpreter)) {
        path = paths_.of(path, *function).node;
      }
    }
    nodes_[pending_.back()].path = path;
    nodes_[pending_.back()].interpreter = interpreter;
  }
  return path;
}

/// @param python the innermost node of Python on the way from `node`.
std::uint32_t StackReadings::path_inside_python(std::uint32_t node,
                                                std::uint32_t python,
                                                std::uint32_t interpreter) {
  const auto asks = [&](std::uint32_t frame) {
    return module_of(frame) != interpreter && !is_plumbing(frame);
  };
  inside_.clear();
  std::size_t asked = 0;  // Index in `inside_` of the asking frame; its size if there is none.
  for (; node != python && asked == inside_.size(); node = parent_of(node)) {
    const auto functions = functions_of(node);
    inside_.insert(inside_.end(), functions.begin(), functions.end());
    while (asked < inside_.size() && !asks(inside_[asked])) {
      ++asked;
    }
  }
  // If the interpreter itself asked, inside of the innermost line, the row is named after that.
  std::uint32_t path = telling_path(node, interpreter);
  for (std::size_t i = inside_.size(); i-- > 0;) {
    if (i < asked || !is_call_of(inside_[i], interpreter)) {
      path = paths_.of(path, inside_[i]).node;
    }
  }
  return path;
}

std::uint32_t StackReadings::module_of(std::uint32_t frame) {
  while (modules_.size() <= frame) {
    const auto next = static_cast<std::uint32_t>(module_numbers_.size());
    const std::string& module = table_[static_cast<std::uint32_t>(modules_.size())].module;
    modules_.push_back(module_numbers_.try_emplace(module, next).first->second);
  }
  return modules_[frame];
}

bool StackReadings::is_call_of(std::uint32_t frame, std::uint32_t interpreter) {
  if (interpreter == kNoInterpreter || module_of(frame) != interpreter) {
    return false;
  }
  is_call_.resize(table_.size());
  if (!is_call_[frame]) {
    is_call_[frame] = !table_[frame].is_python && is_python_call(table_[frame]);
  }
  return *is_call_[frame];
}

bool StackReadings::is_plumbing(std::uint32_t frame) {
  is_plumbing_.resize(table_.size());
  if (!is_plumbing_[frame]) {
    is_plumbing_[frame] = is_allocation_plumbing(table_[frame]);
  }
  return *is_plumbing_[frame];
}

std::vector<StackGroup> group_stacks(const LiveSet& live, const trace::Definitions& definitions) {
  StackReadings readings(definitions);
  std::vector<StackGroup> groups;
  for (const LiveStack& stack : live.stacks) {
    if (!trace::in_footprint(stack.lane) || stack.bytes == 0) {
      continue;  // File mappings are not part of the footprint.
    }
    const std::size_t number = readings.number_of(stack.stack, static_cast<char32_t>(stack.lane));
    if (number == groups.size()) {
      groups.push_back({.lane = stack.lane, .stack = stack.stack});
    }
    groups[number].bytes += stack.bytes;
    groups[number].blocks += stack.blocks;
  }
  std::ranges::stable_sort(groups, std::ranges::greater{}, &StackGroup::bytes);
  return groups;
}

std::vector<StackGroup> merged_by_function(const std::vector<StackGroup>& groups,
                                           const trace::Definitions& definitions) {
  Functions functions(definitions);
  ChildIndex nodes;
  std::unordered_map<std::uint32_t, std::size_t> known;  // By node, to index into `merged`.
  std::vector<StackGroup> merged;
  for (const StackGroup& group : groups) {
    const auto frames = functions.of(group.stack);
    // Outermost first: what stacks have in common is in the index once.
    std::uint32_t node = nodes.of(0, static_cast<std::uint32_t>(group.lane)).node;
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      node = nodes.of(node, *frame).node;
    }
    const auto [place, is_new] = known.try_emplace(node, merged.size());
    if (is_new) {
      merged.push_back(group);
    } else {
      merged[place->second].bytes += group.bytes;
      merged[place->second].blocks += group.blocks;
    }
  }
  std::ranges::stable_sort(merged, std::ranges::greater{}, &StackGroup::bytes);
  return merged;
}

}  // namespace tidemark::analyzer
