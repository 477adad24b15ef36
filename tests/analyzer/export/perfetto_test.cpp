#include "analyzer/export/perfetto.hpp"

#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

using namespace tidemark;
using Json = nlohmann::json;
using tests::TraceBuilder;

namespace {

Json perfetto_of(TraceBuilder& builder, std::optional<exports::TimeSpan> span = std::nullopt) {
  auto trace = builder.open();
  const auto text = exports::perfetto_json(
      trace, span.value_or(exports::TimeSpan{.begin_ns = 0, .end_ns = trace.duration_ns()}));
  REQUIRE(text.ok());
  return Json::parse(text.value());
}

std::vector<Json> events_of(const Json& document, const std::string& kind) {
  std::vector<Json> events;
  for (const Json& event : document.at("traceEvents")) {
    if (event.at("ph") == kind) {
      events.push_back(event);
    }
  }
  return events;
}

std::vector<Json> counter(const Json& document, const std::string& name) {
  auto events = events_of(document, "C");
  std::erase_if(events, [&name](const Json& event) { return event.at("name") != name; });
  return events;
}

}  // namespace

TEST_CASE("perfetto: a counter for every lane, the footprint and resident memory", "[export]") {
  TraceBuilder trace;
  trace.at_ms(1).allocate(1000);
  trace.at_ns(2'000'300).release(trace.allocate(300'000'000));
  trace.at_ms(3).sample(4096, 8192);
  trace.at_ms(4).allocate(1);

  const auto document = perfetto_of(trace);

  std::vector<std::string> names{"footprint", "rss_anon", "rss_file", "rss_shmem"};
  for (const trace::LaneInfo& lane : trace::kLanes)
    names.emplace_back(lane.key);
  for (const std::string& name : names) {
    CAPTURE(name);
    CHECK_FALSE(counter(document, name).empty());
  }
  const auto footprint = counter(document, "footprint");
  const auto spike = std::ranges::find_if(
      footprint, [](const Json& event) { return event.at("args").at("bytes") == 300'001'000; });
  REQUIRE(spike != footprint.end());
  CHECK(spike->at("ts") == 2000.3);
  CHECK(spike->at("pid") == 100);
  CHECK(counter(document, "rss_file").front().at("args").at("bytes") == 8192);
}

TEST_CASE("perfetto: phases are slices of their thread", "[export]") {
  TraceBuilder trace;
  trace.at_ms(1).begin_phase("load");
  trace.at_ms(2).begin_phase("read");
  trace.at_ms(3).end_phase("read");
  trace.at_ms(5).end_phase("load");

  const auto slices = events_of(perfetto_of(trace), "X");

  REQUIRE(slices.size() == 2);
  CHECK(slices[0].at("name") == "load");
  CHECK(slices[0].at("ts") == 1000.0);
  CHECK(slices[0].at("dur") == 4000.0);
  CHECK(slices[0].at("pid") == 100);
  CHECK(slices[1].at("name") == "read");
}

TEST_CASE("perfetto: phases that cross each other get rows of their own", "[export]") {
  TraceBuilder trace;
  trace.at_ms(1).begin_phase("read");
  trace.at_ms(2).begin_phase("convert");
  trace.at_ms(3).end_phase("read");
  trace.at_ms(4).end_phase("convert");

  const auto document = perfetto_of(trace);

  CHECK(events_of(document, "X").size() == 1);
  REQUIRE(events_of(document, "b").size() == 1);
  REQUIRE(events_of(document, "e").size() == 1);
  CHECK(events_of(document, "b")[0].at("name") == "convert");
  CHECK(events_of(document, "b")[0].at("id") == events_of(document, "e")[0].at("id"));
}

TEST_CASE("perfetto: the peak, the files and the names of a load are there", "[export]") {
  TraceBuilder trace;
  tests::append_naive_load(trace);

  const auto document = perfetto_of(trace);

  REQUIRE(events_of(document, "i").size() == 1);
  CHECK(events_of(document, "i")[0].at("name") == "peak 10.0 GiB");
  std::vector<std::string> files;
  for (const Json& event : events_of(document, "C")) {
    const auto name = event.at("name").get<std::string>();
    if (name.starts_with("read or mapped of ") && event.at("args").at("bytes") > 0) {
      files.push_back(name);
    }
  }
  CHECK_FALSE(files.empty());
  CHECK(events_of(document, "M").front().at("name") == "process_name");
  CHECK(document.at("otherData").at("lost") == "nothing");
}

TEST_CASE("perfetto: a range holds nothing from outside it", "[export]") {
  TraceBuilder trace;
  trace.at_ms(1).begin_phase("early");
  trace.at_ms(2).end_phase("early");
  trace.begin_phase("late");
  trace.at_ms(9).allocate(100);
  trace.end_phase("late");

  const auto document =
      perfetto_of(trace, exports::TimeSpan{.begin_ns = 5'000'000, .end_ns = 9'000'000});

  REQUIRE(events_of(document, "X").size() == 1);
  CHECK(events_of(document, "X")[0].at("ts") == 5000.0);
  for (const Json& event : events_of(document, "C")) {
    CHECK(event.at("ts") >= 5000.0);
  }
}

TEST_CASE("perfetto: a trace of nothing is a document", "[export]") {
  TraceBuilder trace;

  CHECK(events_of(perfetto_of(trace), "i").empty());
}
