#include "gui/view/session/layer_worker.hpp"

#include "analyzer/report/facts/report.hpp"
#include "collector/os/clocks.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>

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

  // At a place, by layer and trace: in its column, and nothing where a trace has ended.
  using Held = std::vector<Bytes>;
  CHECK(gui::held_at(answer, 0.35) == Held{{2, 1}, {20, 40}});
  CHECK(gui::held_at(answer, 0.45) == Held{{3, 0}, {30, 0}});
  CHECK(gui::held_at(answer, 0.1).empty());
  CHECK(gui::held_at({}, 0.35).empty());
}
