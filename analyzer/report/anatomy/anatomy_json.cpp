#include "analyzer/report/anatomy/anatomy_json.hpp"

#include "analyzer/findings/explanations.hpp"
#include "analyzer/report/anatomy/anatomy_text.hpp"

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
  if (finding.peak_with_one_bytes) {
    json["copies"] = finding.copies;
    json["peak_with_one_bytes"] = *finding.peak_with_one_bytes;
  }
  if (finding.inferred_blocks != 0) {
    json["inferred_blocks"] = finding.inferred_blocks;
  }
  json["remedy"] = finding.remedy;
  json["advice"] = advice_of(finding);
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

Json group_json(const Report& report, const PeakGroup& group) {
  const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(); };
  const double peak = static_cast<double>(report.peak.footprint_bytes);
  return {{"place", group.place},
          {"sentence", group_text(report, group)},
          {"bytes", group.bytes},
          {"share", static_cast<double>(group.bytes) / peak},
          {"blocks", group.blocks},
          {"first_allocated_ns", group.first_allocated_ns},
          {"last_allocated_ns", group.last_allocated_ns},
          {"most_freed_ns", group.end_blocks < group.blocks ? Json(group.most_freed_ns) : Json()},
          {"last_freed_ns", group.end_blocks < group.blocks ? Json(group.last_freed_ns) : Json()},
          {"blocks_at_end", group.end_blocks},
          {"model_read_bytes", or_null(group.read_bytes)},
          {"model_copied_bytes", or_null(group.copied_bytes)},
          {"peak_without_bytes", group.peak_without_bytes},
          {"stack", stack_document(group.frames)}};
}

/// Null where the findings explain the peak, or where it is hardly higher than the model.
Json unexplained_json(const Report& report) {
  const std::string sentence = unexplained_text(report);
  if (sentence.empty()) {
    return {};
  }
  Json groups = Json::array();
  for (const PeakGroup& group : report.anatomy.groups) {
    groups.push_back(group_json(report, group));
  }
  return {{"sentence", sentence}, {"groups", std::move(groups)}};
}

}  // namespace

void add_anatomy(const Report& report, Json& json) {
  const Anatomy& anatomy = report.anatomy;
  json["findings"] = Json::array();
  for (const Finding& finding : anatomy.findings) {
    json["findings"].push_back(finding_json(finding));
  }
  json["unexplained"] = unexplained_json(report);
  json["peak_without_all_bytes"] =
      anatomy.peak_without_all_bytes ? Json(*anatomy.peak_without_all_bytes) : Json();
  json["floor"] = Json();
  if (anatomy.floor) {
    json["floor"] = {{"peak_bytes", anatomy.floor->peak_bytes},
                     {"ratio", anatomy.floor->ratio ? Json(*anatomy.floor->ratio) : Json()}};
  }
  json["chain"] = chain_json(anatomy.chain);
}

}  // namespace tidemark::analyzer
