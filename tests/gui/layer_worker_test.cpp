#include "gui/view/session/layer_worker.hpp"

#include "analyzer/report/facts/report.hpp"
#include "collector/os/clocks.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <span>

using namespace tidemark;
using analyzer::LayerGrouping;
using gui::LayerAnswer;
using gui::LayerQuestion;
using gui::LayerWorker;
using Clock = std::chrono::steady_clock;

namespace {

/// A trace that takes a while, and what the window knows of it.
class Load {
 public:
  explicit Load(int steps) {
    tests::append_random_load(builder_, 7, steps);
    path_ = builder_.finish();
    auto trace = analyzer::LoadedTrace::open(path_);
    REQUIRE(trace.ok());
    const auto report = analyzer::build_report(trace.value(), {});
    REQUIRE(report.ok());
    auto subject = picture::subject_of(trace.value(), report.value());
    subject.trace = nullptr;
    duration_ns_ = subject.duration_ns;
    subjects_ = std::make_shared<const std::vector<picture::Subject>>(std::vector{subject});
  }

  [[nodiscard]] LayerQuestion question(LayerGrouping by, std::size_t columns = 200) const {
    gui::ColumnSet wanted;
    wanted.count = columns;
    return {.by = by,
            .subjects = subjects_,
            .ranges = {{wanted, analyzer::even_borders(0, duration_ns_ + 1, columns)}}};
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  tests::TraceBuilder builder_;
  std::string path_;
  std::uint64_t duration_ns_ = 0;
  std::shared_ptr<const std::vector<picture::Subject>> subjects_;
};

/// A worker, and somebody who is woken by it.
class Asked {
 public:
  explicit Asked(const std::string& path)
      : worker_({path}, {}, [this] {
          const std::lock_guard lock(mutex_);
          woken_.notify_all();
        }) {}

  LayerWorker& worker() { return worker_; }
  std::shared_ptr<const LayerAnswer> answer() {
    constexpr std::chrono::seconds kDeadline(60);
    std::unique_lock lock(mutex_);
    REQUIRE(woken_.wait_for(lock, kDeadline, [this] { return worker_.is_idle(); }));
    return worker_.take();
  }

 private:
  std::mutex mutex_;
  std::condition_variable woken_;
  LayerWorker worker_;  // Last: it wakes.
};

}  // namespace

TEST_CASE("the last question is answered, whenever it came", "[gui]") {
  const Load load(400);
  Asked calm(load.path());
  calm.worker().ask(load.question(LayerGrouping::kModule));
  const auto wanted = calm.answer();
  REQUIRE(wanted != nullptr);
  REQUIRE(wanted->error.empty());
  REQUIRE(wanted->layers->size() > 1);

  Asked hurried(load.path());
  for (std::uint64_t us = 0; us < 4000; us += 37) {
    hurried.worker().ask(load.question(LayerGrouping::kFunction, 1 + us));
    std::this_thread::sleep_for(std::chrono::microseconds(us));
    hurried.worker().ask(load.question(LayerGrouping::kModule));
    const auto found = hurried.answer();
    CAPTURE(us);
    REQUIRE(found != nullptr);
    REQUIRE(found->by == LayerGrouping::kModule);
    REQUIRE(found->sides.front().bands.highest == wanted->sides.front().bands.highest);
    REQUIRE(found->sides.front().bands.lowest == wanted->sides.front().bands.lowest);
  }
}

TEST_CASE("a worker that is no longer wanted ends at once", "[gui]") {
  const Load load(40'000);
  const auto question = load.question(LayerGrouping::kFunction, 2000);
  auto whole = Clock::duration::max();
  std::uint64_t whole_cpu_ns = UINT64_MAX;
  for (int tries = 0; tries < 4; ++tries) {
    Asked asked(load.path());
    const auto begin = Clock::now();
    const std::uint64_t cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    asked.worker().ask(question);
    REQUIRE(asked.answer() != nullptr);
    whole = std::min(whole, Clock::now() - begin);
    whole_cpu_ns = std::min(whole_cpu_ns, clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns);
  }
  // While layers are chosen, and while their bytes are found. What it still works counts, not for
  // how long it waits for a processor, and of some tries the least.
  for (const int eighths : {1, 3, 5}) {
    std::uint64_t least_ns = UINT64_MAX;
    for (int tries = 0; tries < 4; ++tries) {
      auto asked = std::make_unique<Asked>(load.path());
      asked->worker().ask(question);
      std::this_thread::sleep_for(whole * eighths / 8);
      const std::uint64_t cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
      asked.reset();
      least_ns = std::min(least_ns, clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns);
    }
    CAPTURE(eighths);
    CHECK(least_ns < whole_cpu_ns / 12);
  }
}

TEST_CASE("a trace that cannot be read any more is a sentence instead of layers", "[gui]") {
  const Load load(100);
  Asked asked("no such trace.tmk");

  asked.worker().ask(load.question(LayerGrouping::kFunction));

  const auto answer = asked.answer();
  REQUIRE(answer != nullptr);
  CHECK(answer->error.starts_with("what the footprint is made of cannot be shown: "));
  CHECK(answer->error.find("no such trace.tmk") != std::string::npos);
}

TEST_CASE("what has most in view is found in the columns that touch it, of both traces", "[gui]") {
  LayerAnswer answer;
  answer.layers = std::make_shared<const std::vector<analyzer::FootprintLayer>>(2);
  gui::ColumnSet place;
  place.range = {0.2, 0.6};
  place.count = 4;
  LayerAnswer::Side before{.place = place, .bands = {}};
  before.bands.highest = {1, 90, 2, 20, 3, 30, 70, 4};  // Of each column, one after the other.
  LayerAnswer::Side after{.place = place, .bands = {}};
  after.bands.highest = {1, 1, 1, 40};  // It ends first.
  answer.sides = {before, after};
  using Bytes = std::vector<std::uint64_t>;

  CHECK(gui::most_in_range(answer, {0.2, 0.6}) == Bytes{70, 90});
  CHECK(gui::most_in_range(answer, {0.31, 0.39}) == Bytes{2, 40});
  CHECK(gui::most_in_range(answer, {0.45, 0.55}) == Bytes{70, 30});
  CHECK(gui::most_in_range(answer, {0.1, 0.5}).empty());
  CHECK(gui::most_in_range({}, {0.2, 0.6}).empty());
}

TEST_CASE("what layers hold at a place is told with its time, and is the chosen instant's there",
          "[gui]") {
  LayerAnswer answer;
  answer.layers = std::make_shared<const std::vector<analyzer::FootprintLayer>>(2);
  gui::ColumnSet place;
  place.range = {0.2, 0.6};
  place.count = 4;
  LayerAnswer::Side before{.place = place, .bands = {}};
  before.bands.highest = {1, 90, 2, 20, 3, 30, 70, 4};  // Of each column, one after the other.
  before.bands.highest_ns = {200, 310, 420, 530};
  LayerAnswer::Side after{.place = place, .bands = {}};
  after.bands.highest = {1, 1, 1, 40};  // It ends first.
  after.bands.highest_ns = {201, 399};
  answer.sides = {before, after};
  using Times = std::vector<std::uint64_t>;
  const auto told = [&](double x, std::optional<double> chosen = {}) {
    Times all;
    for (const LayerAnswer::Then& then : gui::held_at(answer, x, chosen)) {
      all.push_back(then.at_ns);
      all.insert(all.end(), then.bytes.begin(), then.bytes.end());
    }
    return all;
  };

  CHECK(told(0.35) == Times{310, 2, 20, 399, 1, 40});
  CHECK(told(0.45) == Times{420, 3, 30, 0});
  CHECK(told(0.1).empty());
  CHECK(gui::held_at({}, 0.35, {}).empty());

  answer.sides[0].chosen = LayerAnswer::Then{360, {1, 2}};
  answer.sides[1].chosen = LayerAnswer::Then{361, {3, 4}};
  CHECK(told(0.35) == Times{310, 2, 20, 399, 1, 40});
  CHECK(told(0.35, 0.36) == Times{360, 1, 2, 361, 3, 4});
  CHECK(told(0.45, 0.36) == Times{420, 3, 30, 0});
}

TEST_CASE("layers add up to what stood at the time that is told with them", "[gui]") {
  constexpr std::uint64_t kEndOfProcessNs = 200'000'000;
  const Load load(400);
  auto trace = analyzer::LoadedTrace::open(load.path());
  REQUIRE(trace.ok());
  const auto footprint_at = [&](std::uint64_t ns) {
    return trace.value().totals_at(trace.value().instant_at(ns)).value().footprint();
  };
  const auto sum = [](std::span<const std::uint64_t> bytes) {
    return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
  };
  Asked asked(load.path());
  LayerQuestion question = load.question(LayerGrouping::kModule, 40);

  asked.worker().ask(question);
  const auto first = asked.answer();
  question.chosen_ns = {trace.value().duration_ns() / 3};
  asked.worker().ask(question);
  const auto second = asked.answer();

  REQUIRE(first != nullptr);
  REQUIRE(second != nullptr);
  const auto& bands = second->sides.front().bands;
  CHECK_FALSE(first->sides.front().chosen.has_value());
  CHECK(bands.highest == first->sides.front().bands.highest);
  const std::size_t layers = second->layers->size();
  REQUIRE(bands.highest_ns.size() == 40);
  for (std::size_t c = 0; c < bands.highest_ns.size(); ++c) {
    // Where a process ends, its last allocation is there for no time at all.
    if (bands.highest_ns[c] != kEndOfProcessNs) {
      const std::uint64_t told = sum(std::span(bands.highest).subspan(c * layers, layers));
      // Or right before what happened then: a column has what stood when it began.
      CHECK((told == footprint_at(bands.highest_ns[c]) ||
             told == footprint_at(bands.highest_ns[c] - 1)));
    }
  }
  const auto& chosen = second->sides.front().chosen;
  REQUIRE(chosen.has_value());
  CHECK(chosen->at_ns == question.chosen_ns.front());
  CHECK(chosen->bytes.size() == layers);
  CHECK(sum(chosen->bytes) == footprint_at(chosen->at_ns));
}
