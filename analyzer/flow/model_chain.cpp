#include "analyzer/flow/model_chain.hpp"

#include <algorithm>
#include <string_view>

namespace tidemark::analyzer {
namespace {

bool has_letters(std::string_view name) {
  return std::ranges::any_of(name, [](char one) {
    const auto lower = static_cast<unsigned char>(static_cast<unsigned char>(one) | 0x20U);
    return (lower >= 'a' && lower <= 'z') || lower >= 0x80U;
  });
}

}  // namespace

bool Chain::is_shown(const ChainEdge& step) const {
  constexpr std::uint64_t kShownPart = 100;
  return nodes[step.to].depth > nodes[step.from].depth &&
         step.bytes >= nodes.front().bytes / kShownPart;
}

bool Chain::leaves_rest(const ChainEdge& step) const {
  constexpr std::uint64_t kNotablePart = 10;
  return is_shown(step) && nodes[step.to].unfollowed_bytes > step.bytes / kNotablePart;
}

bool Chain::has_rest(std::size_t node) const {
  return std::ranges::any_of(
      edges, [&](const ChainEdge& step) { return step.to == node && leaves_rest(step); });
}

std::string telling_file_name(const std::string& path) {
  std::size_t begin = path.find_last_of('/') + 1;  // npos + 1: 0.
  while (begin > 1 && !has_letters(std::string_view(path).substr(begin))) {
    const std::size_t slash = path.rfind('/', begin - 2);
    begin = slash == std::string::npos ? 0 : slash + 1;
  }
  return path.substr(begin);
}

const char* kind_name(ChainNode::Kind kind) {
  switch (kind) {
    case ChainNode::Kind::kFile:
      return "file";
    case ChainNode::Kind::kMapping:
      return "mapping";
    case ChainNode::Kind::kBlocks:
      break;
  }
  return "blocks";
}

const char* kind_name(ChainEdge::Kind kind) {
  switch (kind) {
    case ChainEdge::Kind::kRead:
      return "read";
    case ChainEdge::Kind::kMap:
      return "mmap";
    case ChainEdge::Kind::kCopy:
      break;
  }
  return "copy";
}

}  // namespace tidemark::analyzer
