#include "analyzer/html/page.hpp"

#include "analyzer/diff/diff_rows.hpp"
#include "analyzer/html/documents/anatomy_document.hpp"
#include "analyzer/html/documents/diff_document.hpp"
#include "analyzer/html/documents/forest_document.hpp"
#include "analyzer/html/documents/layers_document.hpp"
#include "analyzer/html/documents/load_document.hpp"
#include "analyzer/html/documents/usage_document.hpp"
#include "analyzer/html/html.hpp"
#include "analyzer/html/words.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tidemark::html {
namespace {

/// A page of two loads has half the room for each.
constexpr std::size_t kMaxBytes = 300'000;
constexpr InstantRoom kAlone{.at_peak = 800, .elsewhere = 300};
constexpr InstantRoom kOneOfTwo{.at_peak = 400, .elsewhere = 100};
constexpr InstantRoom kOneOfTwoLarge{.at_peak = 250, .elsewhere = 50};

/// `before` and `after` share a forest, so that a function is the same one in both.
struct Load {
  analyzer::LoadedTrace& trace;
  const analyzer::Report& report;
  TraceStacks stacks;
  picture::Subject subject;
  PageColumns columns;
  std::vector<analyzer::LayerPoint> layered;
  std::vector<PageInstant> instants;
  std::vector<std::uint32_t> finding_nodes;
  analyzer::ReportTensors tensors;
  std::vector<std::uint32_t> tensor_nodes;
  std::vector<PageUsage> usage;
  PageWhatIf what_if;

  /// @param is_alone its live sets have rows, and when those of the peak came and went.
  Load(analyzer::LoadedTrace& loaded,
       const analyzer::Report& reported,
       StackForest& forest,
       const InstantRoom& room,
       bool is_alone = false)
      : trace(loaded),
        report(reported),
        stacks(loaded.definitions(), forest),
        subject(picture::subject_of(loaded, reported)),
        columns(page_columns(loaded)),
        layered(layered_points(loaded, columns)),
        what_if(page_what_if(loaded, reported, columns)) {
    instants = page_instants(trace, report, stacks, forest, room, is_alone);
    for (const analyzer::Finding& finding : report.anatomy.findings) {
      finding_nodes.push_back(forest.add_stack(finding.frames));
    }
  }
  /// The largest: a page stays small.
  void list_tensors(StackForest& forest) {
    constexpr std::size_t kMaxTensors = 60;
    tensors = report_tensors(trace, report, analyzer::TensorGrouping::kTensor, kMaxTensors);
    for (const auto& frames : tensors.frames) {
      tensor_nodes.push_back(forest.add_stack(frames));
    }
  }
  void list_usage(StackForest& forest) { usage = page_usage(trace, report, stacks, forest); }
  void list_nodes(std::vector<std::uint32_t*>& nodes) {
    for (PageInstant& instant : instants) {
      for (FoldedStack& stack : instant.stacks) {
        nodes.push_back(&stack.node);
      }
    }
    std::vector<std::vector<std::uint32_t>*> lists{&finding_nodes, &tensor_nodes};
    for (PageUsage& list : usage) {
      lists.push_back(&list.nodes);
    }
    for (auto* const list : lists) {
      for (std::uint32_t& node : *list) {
        nodes.push_back(&node);
      }
    }
  }
  [[nodiscard]] Json document() const {
    Json json = load_document(subject, report, columns, instants, finding_nodes);
    add_tensors(report, tensors, tensor_nodes, json);
    add_what_if(what_if, json);
    add_usage(usage, json);
    add_layered_times(layered, json);
    return json;
  }
};

/// What a page needs to know of the lanes, in the order in which they are shown.
Json lane_list() {
  Json lanes = Json::array();
  for (const trace::Lane lane : trace::kShownLanes) {
    lanes.push_back({{"number", static_cast<int>(lane)},
                     {"key", trace::key_of(lane)},
                     {"in_footprint", trace::in_footprint(lane)}});
  }
  return lanes;
}

Json layers_json(std::span<Load> loads) {
  std::vector<LayeredPage> pages;
  for (Load& load : loads) {
    pages.push_back({load.subject.layered(), load.layered, load.instants});
    pages.back().load.askers = &load.stacks.askers;
  }
  return layers_document(page_layers(pages));
}

std::vector<std::uint32_t> diff_nodes(const analyzer::Diff& diff, StackForest& forest) {
  std::vector<std::uint32_t> nodes;
  for (const analyzer::DiffStack& stack : diff.stacks) {
    nodes.push_back(forest.add_stack(stack.frames));
  }
  return nodes;
}

std::string page_within(const InstantRoom& room,
                        analyzer::LoadedTrace& trace,
                        const analyzer::Report& report) {
  StackForest forest;
  Load load(trace, report, forest, room, true);
  load.list_tensors(forest);
  load.list_usage(forest);
  std::vector<std::uint32_t*> nodes;
  load.list_nodes(nodes);
  Json json{{"kind", "report"}, {"lanes", lane_list()}};
  json["forest"] = forest_document(forest, nodes);
  json["loads"] = Json::array({load.document()});
  for (std::size_t i = 0; i < load.instants.size(); ++i) {
    add_rows(load.instants[i], json["loads"][0]["instants"][i]);
  }
  json["layers"] = layers_json(std::span(&load, 1));
  return html_of("tidemark: " + load.subject.command, words_of(report), json);
}

std::string page_within(const InstantRoom& room,
                        analyzer::LoadedTrace& before,
                        analyzer::LoadedTrace& after,
                        const analyzer::Diff& diff) {
  StackForest forest;
  std::array loads{Load(before, diff.before, forest, room), Load(after, diff.after, forest, room)};
  auto changed = diff_nodes(diff, forest);
  std::vector<std::uint32_t*> nodes;
  for (std::uint32_t& node : changed) {
    nodes.push_back(&node);
  }
  for (Load& load : loads) {
    load.list_nodes(nodes);
  }
  Json json{{"kind", "diff"}, {"lanes", lane_list()}};
  json["forest"] = forest_document(forest, nodes);
  json["loads"] = Json::array({loads[0].document(), loads[1].document()});
  json["layers"] = layers_json(loads);
  json["diff"] = diff_document(diff, std::array{loads[0].subject, loads[1].subject}, changed);
  return html_of("tidemark: " + loads[0].subject.command + " / " + loads[1].subject.command,
                 words_of(diff), json);
}

}  // namespace

std::string report_page(analyzer::LoadedTrace& trace, const analyzer::Report& report) {
  std::string page = page_within(kAlone, trace, report);
  // Stacks that are others at every instant, of long names.
  return page.size() <= kMaxBytes ? page : page_within(kOneOfTwo, trace, report);
}

std::string diff_page(analyzer::LoadedTrace& before,
                      analyzer::LoadedTrace& after,
                      const analyzer::Diff& diff) {
  std::string page = page_within(kOneOfTwo, before, after, diff);
  return page.size() <= kMaxBytes ? page : page_within(kOneOfTwoLarge, before, after, diff);
}

}  // namespace tidemark::html
