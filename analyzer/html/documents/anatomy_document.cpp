#include "analyzer/html/documents/anatomy_document.hpp"

#include "analyzer/html/contents/packed.hpp"
#include "analyzer/report/anatomy/anatomy_text.hpp"

#include <string>
#include <utility>

namespace tidemark::html {
namespace {

using analyzer::Json;

Json finding_json(const analyzer::Report& report,
                  const analyzer::Finding& finding,
                  std::uint32_t node) {
  return {{"title", finding.title},
          {"sentence", finding.sentence},
          {"bytes", finding.bytes},
          {"at_ns", finding.at_ns},
          {"without", analyzer::remedy_text(report, finding)},
          {"advice", analyzer::advice_text(report, finding)},
          {"node", node}};
}

Json chain_json(const analyzer::Chain& chain) {
  Json nodes = Json::array();
  for (std::size_t i = 0; i < chain.nodes.size(); ++i) {
    const analyzer::ChainNode& node = chain.nodes[i];
    nodes.push_back({{"kind", analyzer::kind_name(node.kind)},
                     {"lane", trace::key_of(node.lane)},
                     {"name", node.name},
                     {"bytes", node.bytes},
                     {"blocks", node.blocks},
                     {"peak_bytes", node.peak_bytes},
                     {"depth", node.depth}});
    if (node.file_count > 1) {
      nodes.back()["files"] = node.file_count;
    }
    if (chain.has_rest(i)) {
      nodes.back()["unfollowed"] = analyzer::unfollowed_text(node);
    }
  }
  Json edges = Json::array();
  for (const analyzer::ChainEdge& edge : chain.edges) {
    edges.push_back({{"kind", analyzer::kind_name(edge.kind)},
                     {"from", edge.from},
                     {"to", edge.to},
                     {"bytes", edge.bytes},
                     {"count", edge.count},
                     {"first_ns", edge.first_ns},
                     {"last_ns", edge.last_ns}});
  }
  return {{"nodes", std::move(nodes)}, {"edges", std::move(edges)}};
}

}  // namespace

void add_anatomy(const analyzer::Report& report, std::span<const std::uint32_t> nodes, Json& json) {
  const auto& findings = report.anatomy.findings;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    json["findings"].push_back(finding_json(report, findings[i], nodes[i]));
  }
  if (!report.anatomy.chain.empty()) {
    json["chain"] = chain_json(report.anatomy.chain);
  }
  if (const std::string sentence = analyzer::unexplained_text(report); !sentence.empty()) {
    Json groups = Json::array();
    for (const analyzer::PeakGroup& group : report.anatomy.groups) {
      groups.push_back(analyzer::group_text(report, group));
    }
    json["unexplained"] = {{"sentence", sentence}, {"groups", std::move(groups)}};
  }
  for (const std::string& note : {analyzer::together_text(report), analyzer::floor_text(report),
                                  analyzer::left_out_text(report)}) {
    if (!note.empty()) {
      json["notes"].push_back(note);
    }
  }
  // Shown in place of the boxes.
  json["none_lowers"] = analyzer::none_lowers_text(report);
}

void add_what_if(const PageWhatIf& what_if, analyzer::Json& json) {
  if (what_if.sets.empty()) {
    return;
  }
  Json sets = Json::array();
  for (const PageWhatIf::Set& set : what_if.sets) {
    sets.push_back({{"peak_bytes", set.peak_bytes},
                    {"peak_ns", set.peak_ns},
                    {"sentence", set.sentence},
                    {"markdown", set.markdown},
                    {"highest", packed(set.highest)}});
  }
  json["what_if"] = {{"findings", what_if.findings},
                     {"borders", packed(what_if.borders)},
                     {"sets", std::move(sets)}};
}

}  // namespace tidemark::html
