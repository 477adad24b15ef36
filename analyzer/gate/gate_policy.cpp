#include "analyzer/gate/gate_policy.hpp"

#include "analyzer/gate/gate_bounds.hpp"
#include "analyzer/io/whole_file.hpp"
#include "analyzer/text/json_reading.hpp"
#include "analyzer/text/shown_text.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

namespace tidemark::analyzer {
namespace {

using PolicyJson = nlohmann::json;

constexpr std::array<std::string_view, 3> kPolicyKeys{"schema", "model", "checks"};
constexpr std::array<std::string_view, 12> kCheckKeys{
    "name",     "lane",      "phase",    "max",       "max_peak", "max_ratio",
    "max_lane", "max_phase", "baseline", "tolerance", "slack",    "allow_loss"};

/// Thrown and caught inside this file: a check is read in many small steps, each of which can fail.
struct PolicyMistake {
  Error error;
};

[[noreturn]] void refuse(std::string message) {
  throw PolicyMistake{{ErrorCode::kUsage, std::move(message)}};
}

template <typename T>
T value_or_mistake(Result<T> result, std::string_view key) {
  if (!result.ok()) {
    throw PolicyMistake{{result.error().code, fmt::format("{}: {}", key, result.error().message)}};
  }
  return std::move(result.value());
}

void refuse_unknown_keys(const PolicyJson& object, std::span<const std::string_view> known) {
  for (const auto& [key, ignored] : object.items()) {
    if (std::ranges::find(known, key) == known.end()) {
      refuse(fmt::format("there is no key '{}'; there are: {}", key, fmt::join(known, ", ")));
    }
  }
}

std::string text_at(const PolicyJson& object, const std::string& key) {
  if (!object.contains(key)) {
    return {};
  }
  const PolicyJson& value = object.at(key);
  if (!value.is_string() || value.get_ref<const std::string&>().empty()) {
    refuse(fmt::format("{}: it must be a text", key));
  }
  return value.get<std::string>();
}

/// A quantity may be a text with its unit or a bare number: both read as text.
std::string quantity_at(const PolicyJson& object, const std::string& key) {
  const PolicyJson& value = object.at(key);
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (!value.is_number()) {
    refuse(fmt::format("{}: it must be a number or a text", key));
  }
  return value.is_number_float() ? fmt::format("{}", value.get<double>()) : value.dump();
}

void put_once(PolicyJson& object, const std::string& key, const PolicyJson& value) {
  if (object.contains(key)) {
    refuse(fmt::format("{}: it is given more than once", key));
  }
  object[key] = value;
}

/// Takes `KEY: "NAME=SIZE"` apart.
void split_named_bound(PolicyJson& json, const std::string& key, const std::string& subject) {
  if (!json.contains(key)) {
    return;
  }
  const NamedSize parts = value_or_mistake(parse_named_size(text_at(json, key)), key);
  put_once(json, subject, parts.name);
  put_once(json, "max", parts.size);
}

/// A check may have the keys that the command line's options have, with their hyphens: here it gets
/// those that all are read by.
PolicyJson with_plain_keys(const PolicyJson& json) {
  PolicyJson plain = PolicyJson::object();
  for (const auto& [key, value] : json.items()) {
    std::string name = key;
    std::ranges::replace(name, '-', '_');
    put_once(plain, std::ranges::find(kCheckKeys, name) == kCheckKeys.end() ? key : name, value);
  }
  refuse_unknown_keys(plain, kCheckKeys);
  if (plain.contains("max_peak")) {
    if (plain.contains("lane") || plain.contains("phase")) {
      refuse("max_peak: it is the footprint's; with a lane or a phase it is max");
    }
    put_once(plain, "max", plain.at("max_peak"));
  }
  split_named_bound(plain, "max_lane", "lane");
  split_named_bound(plain, "max_phase", "phase");
  return plain;
}

Subject subject_of(const PolicyJson& json) {
  if (json.contains("lane") && json.contains("phase")) {
    refuse("it has a lane and a phase; one check measures one thing");
  }
  Subject subject;
  subject.phase = shown_text(text_at(json, "phase"));  // As the phases of a trace are.
  if (json.contains("lane")) {
    subject.gauge = value_or_mistake(parse_lane(text_at(json, "lane")), "lane");
  }
  return subject;
}

Reference reference_of(const PolicyJson& json, const std::filesystem::path& folder) {
  Reference reference;
  reference.file = (folder / text_at(json, "baseline")).string();
  reference.baseline =
      std::make_shared<const Baseline>(value_or_mistake(read_baseline(reference.file), "baseline"));
  if (json.contains("tolerance")) {
    reference.tolerance_percent =
        value_or_mistake(parse_percent(quantity_at(json, "tolerance")), "tolerance");
  }
  if (json.contains("slack")) {
    reference.slack_bytes = value_or_mistake(parse_size(quantity_at(json, "slack")), "slack");
  }
  return reference;
}

std::variant<Budget, Reference> bound_of(const PolicyJson& json,
                                         const std::filesystem::path& folder) {
  const int bounds = static_cast<int>(json.contains("max")) +
                     static_cast<int>(json.contains("max_ratio")) +
                     static_cast<int>(json.contains("baseline"));
  if (bounds != 1) {
    refuse("it needs one of max, max_ratio and baseline");
  }
  if (json.contains("baseline")) {
    return reference_of(json, folder);
  }
  for (const char* const key : {"tolerance", "slack"}) {
    if (json.contains(key)) {
      refuse(fmt::format("{}: only a check with a baseline has one", key));
    }
  }
  return json.contains("max")
             ? value_or_mistake(size_budget(quantity_at(json, "max")), "max")
             : value_or_mistake(ratio_budget(quantity_at(json, "max_ratio")), "max_ratio");
}

Check check_of(const PolicyJson& written, const std::filesystem::path& folder) {
  const PolicyJson json = with_plain_keys(written);
  Check check;
  check.name = shown_text(text_at(json, "name"));
  check.subject = subject_of(json);
  check.bound = bound_of(json, folder);
  if (json.contains("allow_loss")) {
    if (!json.at("allow_loss").is_boolean()) {
      refuse("allow_loss: it must be true or false");
    }
    check.allow_loss = json.at("allow_loss").get<bool>();
  }
  return check;
}

/// How messages refer to a check: by its name, or by its place if it has none.
std::string label_of(const PolicyJson& json, std::size_t number) {
  const bool is_named = json.is_object() && json.contains("name") && json.at("name").is_string();
  return is_named ? fmt::format("check '{}'", json.at("name").get<std::string>())
                  : fmt::format("check {}", number);
}

std::vector<Check> checks_of(const PolicyJson& list, const std::filesystem::path& folder) {
  std::vector<Check> checks;
  for (const PolicyJson& json : list) {
    const std::string label = label_of(json, checks.size() + 1);
    try {
      if (!json.is_object() || !json.contains("name")) {
        refuse("it needs a name");
      }
      checks.push_back(check_of(json, folder));
    } catch (const PolicyMistake& mistake) {
      throw PolicyMistake{{mistake.error.code, label + ": " + mistake.error.message}};
    }
    if (std::ranges::count(checks, checks.back().name, &Check::name) > 1) {
      refuse(label + ": another one has the same name");
    }
  }
  return checks;
}

Policy policy_of(const PolicyJson& json, const std::filesystem::path& folder) {
  if (!json.is_object()) {
    refuse("it must be an object with a list 'checks'");
  }
  refuse_unknown_keys(json, kPolicyKeys);
  if (json.contains("schema") && json.at("schema") != 1) {
    refuse(
        fmt::format("it is of schema {}, this tidemark reads schema 1", json.at("schema").dump()));
  }
  if (!json.contains("checks") || !json.at("checks").is_array() || json.at("checks").empty()) {
    refuse("it needs a list 'checks' with at least one check");
  }
  return {.model = text_at(json, "model"), .checks = checks_of(json.at("checks"), folder)};
}

}  // namespace

Result<Policy> parse_policy(const std::string& text,
                            const std::string& name,
                            const std::string& folder) {
  constexpr bool kHasComments = true;
  const auto json = parsed_json<PolicyJson>(text, kHasComments);
  if (!json.ok()) {
    return Error{ErrorCode::kUsage, fmt::format("{} is no policy: {}", name, json.error().message)};
  }
  try {
    return policy_of(json.value(), folder);
  } catch (const PolicyMistake& mistake) {
    return Error{mistake.error.code, name + ": " + mistake.error.message};
  }
}

Result<Policy> read_policy(const std::string& path) {
  const auto text = read_whole_file(path);
  if (!text.ok()) {
    return text.error();
  }
  return parse_policy(text.value(), path, std::filesystem::path(path).parent_path().string());
}

}  // namespace tidemark::analyzer
