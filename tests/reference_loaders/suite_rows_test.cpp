#include "reference_loaders/cli/registry.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

using namespace tidemark::loaders;

TEST_CASE("every row of every table names what its system has", "[suite]") {
  for (const System& system : systems()) {
    REQUIRE(system.suite);
    for (const SuiteSize size : {SuiteSize::kQuick, SuiteSize::kFull}) {
      for (const SuiteRow& row : system.suite(size)) {
        CAPTURE(system.name, row.model, row.variant);
        CHECK(find_variant(system, row.variant).loads(row.model));
        CHECK(find_model(system, row.model).file_bytes(row.weight_bytes) > 0);
        for (const auto& [option, value] : row.options) {
          CAPTURE(option);
          CHECK(std::ranges::find(system.options, option, &RunOption::name) !=
                system.options.end());
        }
      }
    }
  }
}

TEST_CASE("every variant has a row in its system's full table", "[suite]") {
  for (const System& system : systems()) {
    const std::vector<SuiteRow> rows = system.suite(SuiteSize::kFull);
    for (const Variant& variant : system.variants) {
      CAPTURE(system.name, variant.name);
      CHECK(std::ranges::find(rows, variant.name, &SuiteRow::variant) != rows.end());
    }
  }
}
