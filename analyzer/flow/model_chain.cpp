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
