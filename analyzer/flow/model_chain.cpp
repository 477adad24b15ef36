#include "analyzer/flow/model_chain.hpp"

namespace tidemark::analyzer {

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
