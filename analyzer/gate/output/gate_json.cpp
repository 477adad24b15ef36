#include "analyzer/gate/output/gate_output.hpp"
#include "analyzer/report/parts/json_document.hpp"

#include <string>
#include <utility>

namespace tidemark::analyzer {
namespace {

constexpr std::size_t kMaxJsonStacks = 100;

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

template <typename T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json frames_json(const std::vector<NamedFrame>& frames) {
  Json list = Json::array();
  for (const NamedFrame& frame : frames) {
    list.push_back({{"function", frame.function},
                    {"file", text_or_null(frame.file)},
                    {"line", frame.line == 0 ? Json() : Json(frame.line)},
                    {"module", text_or_null(frame.module)}});
  }
  return list;
}

Json excess_json(const ExcessStacks& excess) {
  Json list = Json::array();
  for (const GateStack& stack : excess.stacks) {
    if (list.size() == kMaxJsonStacks) {
      break;
    }
    Json json{{"bytes", stack.bytes}, {"blocks", stack.blocks}};
    if (excess.grown) {
      json["baseline_bytes"] = stack.before_bytes;
      json["baseline_blocks"] = stack.before_blocks;
    }
    json["stack"] = frames_json(stack.frames);
    list.push_back(std::move(json));
  }
  return list;
}

void add_bound(Json& json, const Budget& budget) {
  json["max"] = budget.size;
}

void add_bound(Json& json, const Reference& reference) {
  json["baseline"] = reference.file;
  json["tolerance_percent"] = reference.tolerance_percent;
  json["slack_bytes"] = reference.slack_bytes;
}

Json check_json(const CheckResult& result) {
  const Subject& subject = result.check.subject;
  Json json{{"name", result.check.name},
            {"verdict", verdict_name(result.verdict)},
            {"reason", text_or_null(result.reason)},
            {"lane", gauge_name(subject.gauge)},
            {"phase", text_or_null(subject.phase)},
            {"measured_bytes", value_or_null(result.measured_bytes)},
            {"limit_bytes", result.is_limit_known ? Json(result.limit_bytes) : Json()},
            {"excess_bytes", result.is_limit_known ? Json(result.excess_bytes()) : Json()},
            {"baseline_bytes", value_or_null(result.baseline_bytes)}};
  std::visit([&json](const auto& bound) { add_bound(json, bound); }, result.check.bound);
  json["stack_count"] = result.stacks.stacks.size() + result.stacks.more_stacks;
  json["stacks"] = excess_json(result.stacks);
  return json;
}

}  // namespace

std::string gate_json(const GateResult& gate) {
  Json json{{"schema", 1},
            {"trace", gate.trace},
            {"verdict", verdict_name(gate.verdict())},
            {"model_bytes", gate.model_bytes}};
  json["checks"] = Json::array();
  for (const CheckResult& result : gate.checks) {
    json["checks"].push_back(check_json(result));
  }
  json["why"] = Json::array();
  for (const WhySentence& sentence : gate.why) {
    json["why"].push_back(sentence.text);
  }
  json["page"] = text_or_null(gate.page);
  json["graph"] = text_or_null(gate.picture);
  json["notes"] = gate.notes;
  for (const std::string& note : gate.unmade) {
    json["notes"].push_back(note);
  }
  return json_text(json);
}

}  // namespace tidemark::analyzer
