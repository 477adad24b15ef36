#include "analyzer/report/anatomy_json.hpp"

#include "analyzer/findings/explanations.hpp"

#include <utility>

namespace tidemark::analyzer {
namespace {

Json finding_json(const Finding& finding) {
  Json json{{"kind", finding_name(finding.kind)},
            {"title", finding.title},
            {"sentence", finding.sentence},
            {"bytes", finding.bytes},
            {"at_ns", finding.at_ns},
            {"stack", stack_document(finding.frames)}};
  json["peak_without_bytes"] =
      finding.peak_without_bytes ? Json(*finding.peak_without_bytes) : Json();
  json["remedy"] = finding.remedy;
  json["advice"] = explanation_of(finding.kind).advice;
  json["nodes"] = finding.nodes;
  return json;
}

Json node_json(const ChainNode& node) {
  return {{"kind", kind_name(node.kind)},
          {"lane", trace::key_of(node.lane)},
          {"name", node.name},
          {"files", node.file_count},
          {"bytes", node.bytes},
          {"blocks", node.blocks},
          {"peak_bytes", node.peak_bytes},
          {"unfollowed_bytes", node.unfollowed_bytes},
          {"depth", node.depth},
          {"stack", stack_document(node.frames)}};
}

Json edge_json(const ChainEdge& edge) {
  return {{"kind", kind_name(edge.kind)},
          {"from", edge.from},
          {"to", edge.to},
          {"bytes", edge.bytes},
          {"count", edge.count},
          {"first_ns", edge.first_ns},
          {"last_ns", edge.last_ns},
          {"stack", stack_document(edge.frames)}};
}

Json chain_json(const Chain& chain) {
  Json json{{"nodes", Json::array()}, {"edges", Json::array()}};
  for (const ChainNode& node : chain.nodes) {
    json["nodes"].push_back(node_json(node));
  }
  for (const ChainEdge& edge : chain.edges) {
    json["edges"].push_back(edge_json(edge));
  }
  json["unseen_read_bytes"] = chain.unseen_read_bytes;
  if (chain.left_out_blocks + chain.left_out_copies > 0) {
    json["left_out"] = {{"blocks", chain.left_out_blocks}, {"copies", chain.left_out_copies}};
  }
  return json;
}

}  // namespace

void add_anatomy(const Anatomy& anatomy, Json& json) {
  json["findings"] = Json::array();
  for (const Finding& finding : anatomy.findings) {
    json["findings"].push_back(finding_json(finding));
  }
  json["floor"] = Json();
  if (anatomy.floor) {
    json["floor"] = {{"peak_bytes", anatomy.floor->peak_bytes},
                     {"ratio", anatomy.floor->ratio ? Json(*anatomy.floor->ratio) : Json()}};
  }
  json["chain"] = chain_json(anatomy.chain);
}

}  // namespace tidemark::analyzer
