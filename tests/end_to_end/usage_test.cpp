// What `report --by` says of a program whose every number is known.
#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

using namespace tidemark::tests;

namespace {

/// The row whose stack has the function, or null.
nlohmann::json row_of(const nlohmann::json& usage, const std::string& function) {
  for (const auto& row : usage.at("rows")) {
    for (const auto& frame : row.at("stack")) {
      if (frame.at("function").get<std::string>().starts_with(function)) {
        return row;
      }
    }
  }
  return nullptr;
}

}  // namespace

TEST_CASE_METHOD(EndToEnd, "report --by tells temporary, leaked and frequent allocations exactly") {
  const Recording recording = record_unchanged(host("uses_heap_in_kinds"));
  const auto usage_by = [&](const std::string& by, const Words& more = {}) {
    Words words{"report", recording.trace, "--format", "json", "--by", by};
    words.insert(words.end(), more.begin(), more.end());
    return nlohmann::json::parse(tidemark(words).out).at("usage");
  };

  const auto temporary = row_of(usage_by("temporary"), "make_temporaries");
  CHECK(temporary.at("temporary") == 1000);
  CHECK(temporary.at("allocations") == 1000);
  CHECK(temporary.at("bytes") == 3'101'000);
  // Those that are freed later, in the order in which they came, are not.
  CHECK(row_of(usage_by("temporary"), "free_later").is_null());

  CHECK(row_of(usage_by("allocations"), "free_later").at("allocations") == 300);
  CHECK(row_of(usage_by("allocations"), "free_later").at("temporary") == 0);

  const auto lost = row_of(usage_by("leaked"), "lose");
  CHECK(lost.at("blocks") == 7);
  CHECK(lost.at("bytes") == 7 * 3105);
  CHECK(row_of(usage_by("leaked"), "free_later").is_null());
  const auto known = usage_by("leaked", {"--suppressions", a_file_with("leak:^lose", "known")});
  CHECK(row_of(known, "lose").is_null());
  CHECK(known.at("suppressed").at(0).at("blocks") == 7);

  const auto sizes = usage_by("size");
  const auto of_2048 = std::ranges::find_if(
      sizes.at("rows"), [](const auto& row) { return row.at("least_bytes") == 2048; });
  REQUIRE(of_2048 != sizes.at("rows").end());
  CHECK(of_2048->at("allocations") == 1000 + 300 + 7 + 40);

  const auto threads = usage_by("thread").at("rows");
  REQUIRE(threads.size() == 2);
  CHECK(threads.at(1).at("allocations") >= 40);
  CHECK(threads.at(1).at("bytes") >= 40 * 3107);
  CHECK(threads.at(1).at("bytes") < 1'000'000);
  CHECK(threads.at(0).at("pid") == threads.at(1).at("pid"));
  CHECK(threads.at(0).at("tid") != threads.at(1).at("tid"));
}
