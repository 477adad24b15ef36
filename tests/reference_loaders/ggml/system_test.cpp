#include "reference_loaders/ggml/system.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/measured_load.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <set>

using namespace tidemark::loaders;

namespace {

Options default_options(const System& system) {
  Options options;
  for (const RunOption& option : system.options) {
    if (!option.value_name.empty()) {
      options[option.name] = option.default_value;
    }
  }
  return options;
}

std::string note(const MeasuredLoad& load, const std::string& name) {
  const auto found = std::ranges::find(load.notes, name, &Note::name);
  return found == load.notes.end() ? "" : found->value;
}

}  // namespace

TEST_CASE("every variant of ggml gives the same weights and logits", "[ggml][system]") {
  const test::TemporaryFolder directory;
  const auto file = directory.file("model");
  const System system = ggml::make_system();
  const auto tiny = std::ranges::find(system.models, "tiny", &Model::name);
  REQUIRE(tiny != system.models.end());
  tiny->make({.file = file, .weight_bytes = tiny->default_weight_bytes, .seed = 3});

  std::set<std::uint64_t> checksums;
  std::set<std::string> logits;
  for (const Variant& variant : system.variants) {
    const MeasuredLoad load =
        measure_load(variant, {.file = file, .options = default_options(system)});
    CAPTURE(variant.name);
    CHECK(load.weight_bytes == tiny->default_weight_bytes);
    CHECK(load.file_bytes == tiny->file_bytes(0));
    CHECK(load.tensors == 28);
    CHECK(load.predicted.footprint_bytes > load.weight_bytes);
    CHECK(note(load, "hard-coded estimate") == "299,974,656 bytes");
    checksums.insert(load.checksum);
    logits.insert(note(load, "logits"));
  }
  CHECK(checksums.size() == 1);
  CHECK(logits.size() == 1);
  CHECK_FALSE(logits.contains(""));
}

TEST_CASE("numbers of tokens and cursors that make no sense are refused", "[ggml][system]") {
  const System system = ggml::make_system();
  const auto [name, value] = GENERATE(values<std::pair<const std::string, std::string>>(
      {{"tokens", "0"}, {"tokens", "many"}, {"generate", "-1"}, {"cursors", "0"}}));
  CAPTURE(name, value);
  Options options = default_options(system);
  options[name] = value;

  CHECK_THROWS_WITH(system.variants.front().load({.file = "/", .options = options}),
                    Catch::Contains("--" + name));
}

TEST_CASE("rows of ggml's table name models, variants and options that there are",
          "[ggml][system]") {
  const System system = ggml::make_system();
  const auto size = GENERATE(SuiteSize::kQuick, SuiteSize::kFull);
  bool has_failing_row = false;
  for (const SuiteRow& row : system.suite(size)) {
    CAPTURE(row.model, row.variant);
    const auto model = std::ranges::find(system.models, row.model, &Model::name);
    REQUIRE(model != system.models.end());
    CHECK(row.weight_bytes == model->default_weight_bytes);
    CHECK(std::ranges::count(system.variants, row.variant, &Variant::name) == 1);
    for (const auto& [name, value] : row.options) {
      CHECK(std::ranges::count(system.options, name, &RunOption::name) == 1);
    }
    has_failing_row |= !row.fails_with.empty();
  }
  CHECK(has_failing_row);
}
