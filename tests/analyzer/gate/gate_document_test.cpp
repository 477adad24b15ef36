/// GATE.md against the program: its examples are read, and have all that is written.
#include "analyzer/gate/baseline.hpp"
#include "analyzer/gate/gate_policy.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>

using namespace tidemark;

namespace {

std::string file_text(const std::string& path) {
  std::ifstream file(path);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The part of GATE.md below a heading of its second level.
std::string section(const std::string& heading) {
  const std::string text = file_text(TIDEMARK_SOURCE "/analyzer/gate/GATE.md");
  const auto begin = text.find("\n## " + heading + '\n');
  REQUIRE(begin != std::string::npos);
  return text.substr(begin, text.find("\n## ", begin + 1) - begin);
}

/// The JSON of a section, where `...` stands for a number.
std::string example(const std::string& heading) {
  std::istringstream lines(section(heading));
  std::string json;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("    {") || (!json.empty() && line.starts_with("    "))) {
      json += line + '\n';
    } else if (!json.empty()) {
      break;
    }
  }
  return std::regex_replace(json, std::regex(R"(\.\.\.)"), "0");
}

std::set<std::string> keys_of(const nlohmann::json& json) {
  std::set<std::string> keys;
  for (const auto& [key, value] : json.items()) {
    if (json.is_object()) {
      keys.insert(key);
    }
    if (value.is_structured()) {
      keys.merge(keys_of(value));
    }
  }
  return keys;
}

nlohmann::json agreed(const std::string& name) {
  return nlohmann::json::parse(file_text(std::string(TIDEMARK_TEST_DATA) + "/report/" + name));
}

}  // namespace

TEST_CASE("the baseline of GATE.md is one, and has every key", "[gate][baseline]") {
  const std::string text = example("Baseline");

  const auto baseline = analyzer::parse_baseline(text, "GATE.md");

  INFO((baseline.ok() ? std::string() : baseline.error().message));
  REQUIRE(baseline.ok());
  CHECK(baseline.value().model_bytes == 536'870'912);
  CHECK(keys_of(nlohmann::json::parse(text)) == keys_of(agreed("baseline-naive.json")));
}

TEST_CASE("the policy of GATE.md is one", "[gate][policy]") {
  const tests::TemporaryFolder folder;
  std::ofstream(folder.file("load.baseline.json")) << example("Baseline");

  const auto policy = analyzer::parse_policy(example("Policy"), "GATE.md", folder.path());

  INFO((policy.ok() ? std::string() : policy.error().message));
  REQUIRE(policy.ok());
  CHECK(policy.value().checks.size() == 5);
}

TEST_CASE("GATE.md names every key of a verdict", "[gate]") {
  const std::string text = section("JSON");
  for (const std::string& key : keys_of(agreed("gate-naive.json"))) {
    CAPTURE(key);
    CHECK(std::regex_search(text, std::regex("[\"`]" + key + "[\"`]")));
  }
}
