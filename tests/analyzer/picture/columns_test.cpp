#include "analyzer/picture/alignment.hpp"
#include "analyzer/picture/stacked_columns.hpp"
#include "analyzer/picture/ticks.hpp"
#include "analyzer/picture/warp.hpp"
#include "tests/analyzer/picture/scenes.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <random>

using namespace tidemark;
using tests::kMiB;
using tests::TraceBuilder;

namespace {

void append_random_events(TraceBuilder& trace, std::mt19937& random) {
  trace.file("/m/model", 1);
  std::vector<std::uint64_t> alive;
  std::uint64_t now = 0;
  for (int i = 0; i < 2000; ++i) {
    now += random() % 3 == 0 ? random() % 40 * 100 : 0;  // Whole time units of a trace.
    trace.at_ns(now);
    if (alive.empty() || random() % 2 == 0) {
      alive.push_back(trace.allocate(1 + random() % 100'000, trace::kNoStack,
                                     static_cast<trace::Lane>(random() % trace::kLaneCount)));
    } else {
      std::swap(alive[random() % alive.size()], alive.back());
      trace.release(alive.back());
      alive.pop_back();
    }
    if (random() % 40 == 0) {
      trace.flush();
    }
  }
}

/// All lane totals that stood within [from, to).
std::vector<trace::LaneTotals> states(const std::vector<trace::Event>& events,
                                      std::uint64_t from,
                                      std::uint64_t to) {
  trace::LaneTotals totals;
  std::size_t next = 0;
  for (; next < events.size() && events[next].at_ns < from; ++next) {
    trace::apply(events[next], totals);
  }
  std::vector<trace::LaneTotals> states{totals};
  for (; next < events.size() && events[next].at_ns < to; ++next) {
    trace::apply(events[next], totals);
    states.push_back(totals);
  }
  return states;
}

/// Apart from the file lane, which is no part of the stack.
bool contains(const std::vector<trace::LaneTotals>& states, trace::LaneTotals wanted) {
  return std::ranges::any_of(states, [&wanted](trace::LaneTotals state) {
    state[trace::Lane::kFile] = wanted[trace::Lane::kFile];
    return state == wanted;
  });
}

std::vector<std::string> texts(const std::vector<picture::Tick>& ticks) {
  std::vector<std::string> texts;
  std::ranges::transform(ticks, std::back_inserter(texts), &picture::Tick::text);
  return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("stacked lanes are those of one instant, the column's highest and lowest", "[plot]") {
  const auto seed = GENERATE(range(1U, 6U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  TraceBuilder trace;
  append_random_events(trace, random);
  const std::uint64_t end = trace.events().back().at_ns + 1;
  auto loaded = trace.open();
  std::vector<std::uint64_t> borders{0, 0, end};
  for (int i = 0; i < 120; ++i) {
    borders.push_back(random() % end);
  }
  std::ranges::sort(borders);

  const auto columns = picture::stacked_columns(loaded, borders);

  REQUIRE(columns.size() == borders.size() - 1);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto stood = states(trace.events(), borders[c], borders[c + 1]);
    const auto [lowest, highest] =
        std::ranges::minmax(stood, {}, [](const auto& lanes) { return lanes.footprint(); });
    CAPTURE(c);
    CHECK(columns[c].highest.footprint() == highest.footprint());
    CHECK(columns[c].lowest.footprint() == lowest.footprint());
    CHECK(contains(stood, columns[c].highest));
    CHECK(contains(stood, columns[c].lowest));
  }
}

TEST_CASE("sizes are ticked in powers of two", "[plot]") {
  CHECK(texts(picture::size_ticks(1100 * kMiB, 5)) ==
        Texts{"0", "256 MiB", "512 MiB", "768 MiB", "1 GiB"});
  CHECK(texts(picture::size_ticks(10 * 1024 * kMiB, 6)) ==
        Texts{"0", "2 GiB", "4 GiB", "6 GiB", "8 GiB", "10 GiB"});
  CHECK(texts(picture::size_ticks(1, 4)) == Texts{"0", "1 B"});
  CHECK(texts(picture::size_ticks(0, 4)) == Texts{"0"});
  CHECK(texts(picture::size_ticks(UINT64_MAX, 3)) == Texts{"0", "8 EiB"});
}

TEST_CASE("times are ticked in round numbers of one unit", "[plot]") {
  CHECK(texts(picture::time_ticks(2'300'000'000, 6)) == Texts{"0", "0.5 s", "1 s", "1.5 s", "2 s"});
  CHECK(texts(picture::time_ticks(211'000'000, 5)) ==
        Texts{"0", "50 ms", "100 ms", "150 ms", "200 ms"});
  CHECK(texts(picture::time_ticks(1, 5)) == Texts{"0", "1 ns"});
  CHECK(texts(picture::time_ticks(400'000'000'000, 5)) == Texts{"0", "2 min", "4 min", "6 min"});
  CHECK(texts(picture::time_ticks(std::uint64_t{3600} * 90 * 1'000'000'000, 5)) ==
        Texts{"0", "20 h", "40 h", "60 h", "80 h"});
  CHECK(picture::time_ticks(UINT64_MAX, 8).size() <= 9);
}

TEST_CASE("multiples of W are few and whole", "[plot]") {
  CHECK(picture::model_multiples(100, 350, 5) == std::vector<std::uint64_t>{1, 2, 3});
  CHECK(picture::model_multiples(100, 5000, 5) == std::vector<std::uint64_t>{10, 20, 30, 40, 50});
  CHECK(picture::model_multiples(100, 99, 5).empty());
  CHECK(picture::model_multiples(0, 99, 5).empty());
}

TEST_CASE("a warp finds each instant's column again", "[plot]") {
  const picture::Warp warp({{0, 0}, {0.25, 1000}, {0.5, 1000}, {0.5, 5000}, {0.9, 5400}});
  const auto borders = warp.borders(100);

  REQUIRE(borders.size() == 91);
  CHECK(borders.front() == 0);
  CHECK(borders.back() == 5400);
  CHECK(std::ranges::is_sorted(borders));
  for (std::uint64_t ns = 0; ns < 5400; ns += 7) {
    const auto column = picture::column_of(borders, ns);
    CHECK(borders[column] <= ns);
    CHECK(ns < borders[column + 1]);
  }
  CHECK(warp.x_of(500) == Approx(0.125));
  CHECK(warp.x_of(1000) == Approx(0.5));
  CHECK(warp.x_of(9999) == Approx(0.9));
  CHECK(warp.ns_at(0.4) == 1000);
}

TEST_CASE("aligned by phase, equal names begin and end at one place", "[plot]") {
  const auto load = [](std::uint64_t first_ms, std::uint64_t second_ms, bool has_extra) {
    return [=](TraceBuilder& trace) {
      if (has_extra) {
        trace.at_ms(1).begin_phase("extra");
        trace.at_ms(2).end_phase("extra");
      }
      trace.at_ms(5).begin_phase("first");
      trace.at_ms(5 + first_ms).end_phase("first");
      trace.at_ms(900).begin_phase("second");
      trace.at_ms(900 + second_ms).end_phase("second");
    };
  };
  tests::Gallery gallery;
  gallery.load(load(10, 400, true)).load(load(800, 3, false));
  const auto& subjects = gallery.subjects();

  const auto axis = picture::align(subjects, picture::Align::kPhase, 8);

  REQUIRE(axis.ok());
  const auto x_of = [&](std::size_t which, std::uint64_t ms) {
    return axis.value().warps[which].x_of(ms * 1'000'000);
  };
  CHECK(x_of(0, 5) == Approx(x_of(1, 5)));
  CHECK(x_of(0, 15) == Approx(x_of(1, 805)));
  CHECK(x_of(0, 900) == Approx(x_of(1, 900)));
  CHECK(x_of(0, 1300) == Approx(x_of(1, 903)));
  CHECK(x_of(0, 5) < x_of(0, 15));
}

TEST_CASE("aligned by bytes, equal shares of the model lie at one place", "[plot]") {
  tests::Gallery gallery;
  gallery.load(tests::append_naive_load).load(tests::append_streamed_load);

  const auto axis = picture::align(gallery.subjects(), picture::Align::kBytes, 8);

  REQUIRE(axis.ok());
  // Tensor number 20 of 40 is read at these times.
  CHECK(axis.value().warps[0].x_of((20 + 45 * 19) * 1'000'000) ==
        Approx(axis.value().warps[1].x_of((20 + 50 * 19) * 1'000'000)).margin(0.001));
}

TEST_CASE("phases of one row do not overlap, and the outermost come first", "[plot]") {
  const std::vector<analyzer::Phase> phases{{.name = "all", .begin_ns = 0, .end_ns = 100},
                                            {.name = "a", .begin_ns = 0, .end_ns = 40},
                                            {.name = "deep", .begin_ns = 10, .end_ns = 20},
                                            {.name = "b", .begin_ns = 40, .end_ns = 90}};

  const auto rows = picture::phase_rows(phases, 2);

  REQUIRE(rows.size() == 2);
  CHECK(rows[0].size() == 1);
  REQUIRE(rows[1].size() == 2);
  CHECK(rows[1][1].name == "b");
}
