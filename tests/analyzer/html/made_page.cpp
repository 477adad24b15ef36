#include "tests/analyzer/html/made_page.hpp"

#include "analyzer/html/page.hpp"
#include "tests/analyzer/html/page_data.hpp"
#include "tests/support/catch.hpp"

#include <cstdint>
#include <numeric>

namespace tidemark::tests {

std::string page_of(analyzer::LoadedTrace& trace, const analyzer::ReportOptions& options) {
  const auto report = analyzer::build_report(trace, options);
  REQUIRE(report.ok());
  return html::report_page(trace, report.value());
}

nlohmann::json data_of(analyzer::LoadedTrace& trace, const analyzer::ReportOptions& options) {
  return page_data(page_of(trace, options));
}

void check_instants(const nlohmann::json& load) {
  for (const nlohmann::json& instant : load.at("instants")) {
    CAPTURE(instant.at("at_ns"), instant.at("label"));
    const auto held = unpacked(instant.at("held"));
    CHECK(std::accumulate(held.begin(), held.end(), std::int64_t{0}) ==
          instant.at("bytes").get<std::int64_t>() - instant.at("unattributed").get<std::int64_t>());
    CHECK(unpacked(instant.at("node")).size() == held.size());
    CHECK(unpacked(instant.at("folded")).size() == held.size());
  }
}

}  // namespace tidemark::tests
