#include "analyzer/diff/diff_json.hpp"

#include "analyzer/diff/main_change.hpp"
#include "analyzer/report/parts/json_document.hpp"

#include <string>
#include <utility>

namespace tidemark::analyzer {
namespace {

const char* match_name(StackMatch match) {
  switch (match) {
    case StackMatch::kSame:
      return "same";
    case StackMatch::kSimilar:
      return "similar";
    case StackMatch::kNone:
      break;
  }
  return "none";
}

Json stacks_json(const Diff& diff) {
  Json json = Json::array();
  for (const DiffStack& stack : diff.stacks) {
    json.push_back({{"before_bytes", stack.before_bytes},
                    {"after_bytes", stack.after_bytes},
                    {"before_blocks", stack.before_blocks},
                    {"after_blocks", stack.after_blocks},
                    {"lane", trace::key_of(stack.lane)},
                    {"match", match_name(stack.match)},
                    {"stack", stack_document(stack.frames)}});
  }
  return json;
}

Json remainder_json(const DiffRemainder& rest) {
  return {{"stacks", rest.stacks},
          {"before_bytes", rest.before_bytes},
          {"after_bytes", rest.after_bytes}};
}

Json phase_side(const std::optional<Phase>& phase) {
  return phase ? Json{{"name", phase->name},
                      {"begin_ns", phase->begin_ns},
                      {"end_ns", phase->end_ns},
                      {"peak_bytes", phase->peak_bytes}}
               : Json();
}

Json phases_json(const Diff& diff) {
  Json json = Json::array();
  for (const PhasePair& pair : diff.phases) {
    json.push_back({{"before", phase_side(pair.before)}, {"after", phase_side(pair.after)}});
  }
  return json;
}

}  // namespace

std::string diff_json(const Diff& diff) {
  Json json{{"schema", 1}};
  json["before"] = report_document(diff.before);
  json["after"] = report_document(diff.after);
  json["peak_change_bytes"] = diff.peak_change_bytes();
  const auto ratio = diff.peak_change_ratio();
  json["peak_change_ratio"] = ratio ? Json(*ratio) : Json();
  const std::string main_change = main_change_of(diff);
  json["main_change"] = main_change.empty() ? Json() : Json(main_change);
  json["stacks"] = stacks_json(diff);
  json["stacks_rest"] = {{"changed", remainder_json(diff.more)},
                         {"unchanged", remainder_json(diff.unchanged)}};
  json["phases"] = phases_json(diff);
  return json_text(json);
}

}  // namespace tidemark::analyzer
