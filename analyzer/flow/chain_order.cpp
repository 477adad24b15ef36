// The order of a chain's nodes and edges, and the names of its nodes.

#include "analyzer/flow/chain.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/stacks/telling_arguments.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace tidemark::analyzer {
namespace {

/// The old places of nodes in their new order.
std::vector<std::size_t> order_of(const std::vector<ChainNode>& nodes) {
  std::vector<std::size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::tuple(nodes[a].depth, nodes[b].bytes) < std::tuple(nodes[b].depth, nodes[a].bytes);
  });
  return order;
}

void sort(PlacedChain& placed) {
  Chain& chain = placed.chain;
  const auto order = order_of(chain.nodes);
  std::vector<std::size_t> place(order.size());
  std::vector<ChainNode> nodes;
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    nodes.push_back(std::move(chain.nodes[order[i]]));
  }
  chain.nodes = std::move(nodes);
  for (std::size_t& node : placed.node_of) {
    node = node == PlacedChain::kNoNode ? node : place[node];
  }
  for (ChainEdge& edge : chain.edges) {
    edge.from = place[edge.from];
    edge.to = place[edge.to];
  }
  std::ranges::stable_sort(chain.edges, [](const ChainEdge& a, const ChainEdge& b) {
    return std::tuple(a.from, b.bytes) < std::tuple(b.from, a.bytes);
  });
}

/// The frame `up` callers above the asking function of a node, without those that only pass
/// requests on; none above the program's first function.
std::optional<std::size_t> caller(const ChainNode& node, std::size_t up) {
  const std::size_t end = startup_begin(node.frames);
  for (std::size_t frame = asking_frame(node.frames); frame < end; ++frame) {
    if (!is_allocation_plumbing(node.frames[frame]) && up-- == 0) {
      return frame;
    }
  }
  return std::nullopt;
}

std::string caller_name(const ChainNode& node, std::size_t up) {
  const auto frame = caller(node, up);
  return frame ? place_text(node.frames[*frame]) : std::string();
}

/// The nearest caller of the asking function in its own language: the interpreter is between two
/// functions of Python. Empty for a module's own code, which calls everything.
std::string function_that_called(const ChainNode& node) {
  const bool is_python = !node.frames.empty() && node.frames[asking_frame(node.frames)].is_python;
  for (std::size_t up = 1;; ++up) {
    const auto frame = caller(node, up);
    if (!frame) {
      return {};
    }
    const NamedFrame& named = node.frames[*frame];
    if (named.is_python == is_python) {
      return is_python && named.function == "<module>" ? std::string() : place_text(named);
    }
  }
}

/// How many different names the callers of so many nodes have.
std::size_t count_names(const std::vector<ChainNode*>& nodes, std::size_t up) {
  std::set<std::string> names;
  for (const ChainNode* const node : nodes) {
    names.insert(caller_name(*node, up));
  }
  return names.size();
}

/// For each node, what distinguishes its asking function from those of the others, if anything
/// does.
std::vector<std::string> arguments_of(const std::vector<ChainNode*>& nodes) {
  std::vector<std::string> arguments;
  for (const ChainNode* const node : nodes) {
    std::vector<std::string_view> others;
    for (const ChainNode* const other : nodes) {
      if (other != node) {
        others.emplace_back(other->frames[asking_frame(other->frames)].function);
      }
    }
    arguments.push_back(
        telling_arguments(node->frames[asking_frame(node->frames)].function, others));
  }
  return arguments;
}

/// Makes nodes of one name distinct. Inside one line of Python, by their native functions, if these
/// differ. Elsewhere, where several stages ask through one helper, by the nearest callers that
/// differ, or, if these do not tell all of them apart and it is a template, by its arguments.
void tell_apart(const std::vector<ChainNode*>& namesakes) {
  std::vector<std::vector<NamedFrame>> stacks;
  for (const ChainNode* const node : namesakes) {
    stacks.push_back(node->frames);
  }
  const std::vector<std::string> places = told_places(stacks);
  if (std::set(places.begin(), places.end()).size() == namesakes.size()) {
    for (std::size_t i = 0; i < namesakes.size(); ++i) {
      namesakes[i]->name = places[i];
    }
    return;
  }
  constexpr std::size_t kMaxCallersUp = 8;
  constexpr std::size_t kMaxCompared = 32;  // Each with each: nobody reads more.
  std::size_t up = 1;
  while (up <= kMaxCallersUp && count_names(namesakes, up) == 1) {
    ++up;
  }
  if (namesakes.size() <= kMaxCompared &&
      (up > kMaxCallersUp || count_names(namesakes, up) < namesakes.size())) {
    const auto arguments = arguments_of(namesakes);
    if (std::set(arguments.begin(), arguments.end()).size() == namesakes.size()) {
      for (std::size_t i = 0; i < namesakes.size(); ++i) {
        namesakes[i]->arguments = arguments[i];
        namesakes[i]->name += arguments[i].empty() ? "" : ' ' + arguments[i];
      }
      return;
    }
  }
  if (up > kMaxCallersUp) {
    for (ChainNode* const node : namesakes) {
      node->caller = function_that_called(*node);
    }
    return;
  }
  for (ChainNode* const node : namesakes) {
    if (const auto frame = caller(*node, up)) {
      node->telling_frame = *frame;
      node->name = place_text(node->frames[*frame]);
    }
  }
}

void name(std::vector<ChainNode>& nodes) {
  std::map<std::string, std::vector<ChainNode*>> by_name;
  for (ChainNode& node : nodes) {
    if (node.kind == ChainNode::Kind::kFile) {
      continue;
    }
    node.telling_frame = node.frames.empty() ? 0 : asking_frame(node.frames);
    node.name = place_text(node.frames);
    by_name[node.name].push_back(&node);
  }
  for (const auto& [name, namesakes] : by_name) {
    if (namesakes.size() > 1 && !namesakes.front()->frames.empty()) {
      tell_apart(namesakes);
    }
  }
}

}  // namespace

void arrange(PlacedChain& placed) {
  sort(placed);
  name(placed.chain.nodes);
}

}  // namespace tidemark::analyzer
