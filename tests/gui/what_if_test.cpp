// What is left when something is taken away: the window's numbers are the report's.
#include "gui/view/session/what_if.hpp"

#include "gui/view/session/session.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <numeric>

using namespace tidemark;
using analyzer::LayerGrouping;
using gui::Session;
using gui::Unticked;

namespace {

constexpr std::size_t kColumns = 300;

/// A session, and somebody who is woken by it.
class Opened {
 public:
  explicit Opened(const std::vector<std::string>& paths) {
    auto session = Session::open(paths, {}, [this] {
      const std::lock_guard lock(mutex_);
      woken_.notify_all();
    });
    REQUIRE(session.ok());
    session_ = std::move(session.value());
    settle();
  }

  Session& session() { return *session_; }
  const analyzer::Report& report(std::size_t side) { return session_->trace(side).facts()->report; }

  /// As the window does, frame by frame, until nothing more comes.
  std::vector<picture::Bands> look(LayerGrouping by) {
    std::vector<picture::Bands> bands;
    for (int frame = 0; frame < 4; ++frame) {
      std::vector<std::vector<picture::StackedColumn>> columns;
      for (std::size_t side = 0; side < session_->size(); ++side) {
        auto shown = session_->trace(side).columns(session_->axis().warps[side], {}, {}, kColumns);
        columns.push_back(session_->remaining(side, by, {}, kColumns).value_or(std::move(shown)));
      }
      bands = session_->bands(by, columns, {}, {}, kColumns, picture::light_theme());
      settle();
    }
    return bands;
  }
  void take_away(const std::vector<Unticked>& unticked) {
    for (std::size_t side = 0; side < session_->size(); ++side) {
      session_->take_away(side, gui::removal_of(unticked, side, report(side)));
    }
  }

 private:
  void settle() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    std::unique_lock lock(mutex_);
    while (!session_->is_idle()) {
      REQUIRE(woken_.wait_until(lock, deadline) == std::cv_status::no_timeout);
    }
    session_->update();
  }

  std::mutex mutex_;
  std::condition_variable woken_;
  std::unique_ptr<Session> session_;
};

std::uint64_t highest(const std::vector<picture::StackedColumn>& columns) {
  std::uint64_t highest = 0;
  for (const auto& column : columns) {
    highest = std::max(highest, column.highest.footprint());
  }
  return highest;
}

/// What a column's bands hold together.
std::uint64_t sum_of(const picture::Bands& bands, std::size_t column) {
  return bands.up_to(bands.highest, column, bands.size());
}

std::vector<std::string> recorded_loads() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(TIDEMARK_RECORDED_LOADS)) {
    paths.push_back(entry.path().string());
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace

TEST_CASE("without a finding, the peak is the one that its report says", "[gui]") {
  std::size_t found = 0;
  for (const std::string& path : recorded_loads()) {
    auto trace = analyzer::LoadedTrace::open(path);
    REQUIRE(trace.ok());
    const auto report = analyzer::build_report(trace.value(), {});
    REQUIRE(report.ok());
    for (const analyzer::Finding& finding : report.value().anatomy.findings) {
      CAPTURE(path, finding.title);
      CHECK(finding.can_be_removed() == finding.peak_without_bytes.has_value());
      if (!finding.can_be_removed()) {
        continue;
      }
      ++found;
      analyzer::Removal removal;
      finding.remove_in(removal);
      const analyzer::LoadWithout less(trace.value(), removal);
      CHECK(less.peak().lanes.footprint() == *finding.peak_without_bytes);
    }
  }
  CHECK(found > 10);
}

TEST_CASE("what is unticked in the window falls off its curve, layer by layer", "[gui]") {
  const auto by = GENERATE(LayerGrouping::kFunction, LayerGrouping::kLane, LayerGrouping::kTensor);
  const std::string folder = TIDEMARK_RECORDED_LOADS;
  Opened opened({folder + "/tvm-before.tmk", folder + "/tvm-after.tmk"});
  Session& session = opened.session();
  const auto all = opened.look(by);
  CHECK_FALSE(session.remaining(0, by, {}, kColumns).has_value());
  CHECK_FALSE(session.remaining_peak(0).has_value());

  std::vector<Unticked> unticked;
  const auto largest = gui::largest_ticked(unticked, opened.report(0), 0);
  REQUIRE(largest == 0U);
  gui::toggle(unticked, gui::unticked_finding(opened.report(0), 0, *largest));
  opened.take_away(unticked);
  const auto left = opened.look(by);

  const std::uint64_t without = *opened.report(0).anatomy.findings[0].peak_without_bytes;
  REQUIRE(session.remaining_peak(0).has_value());
  CHECK(session.remaining_peak(0)->lanes.footprint() == without);
  const auto columns = session.remaining(0, by, {}, kColumns);
  REQUIRE(columns.has_value());
  CHECK(highest(*columns) == without);
  // The other trace stays as it is.
  CHECK_FALSE(session.remaining(1, by, {}, kColumns).has_value());
  if (by != LayerGrouping::kLane) {
    for (std::size_t c = 0; c < columns->size(); ++c) {
      CAPTURE(c);
      REQUIRE(sum_of(left[0], c) == (*columns)[c].highest.footprint());
    }
    CHECK(left[1].highest == all[1].highest);
  }

  gui::toggle(unticked, gui::unticked_finding(opened.report(0), 0, *largest));
  CHECK(unticked.empty());
  opened.take_away(unticked);
  const auto again = opened.look(by);
  CHECK(again[0].highest == all[0].highest);
  CHECK_FALSE(session.remaining(0, by, {}, kColumns).has_value());
  CHECK_FALSE(session.remaining_peak(0).has_value());
}

TEST_CASE("what was never a layer's is taken away of no other", "[gui]") {
  tests::TraceBuilder builder;
  const auto keep = builder.stack({"malloc", "keep", "main"});
  const auto drop = builder.stack({"malloc", "drop", "main"});
  builder.at_ms(1).allocate(3000, keep);
  const auto block = builder.at_ms(2).allocate(5000, drop);
  builder.at_ms(4).release(block);
  builder.at_ms(5).allocate(1, keep);
  Opened opened({builder.finish()});
  const auto holds = [&](const std::vector<picture::Bands>& bands, const std::string& function) {
    const auto layers = opened.session().layers(LayerGrouping::kFunction);
    REQUIRE(layers != nullptr);
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < layers->size(); ++i) {
      for (std::size_t c = 0; c < kColumns && (*layers)[i].text.starts_with(function); ++c) {
        most = std::max(most, bands[0].highest[c * layers->size() + i]);
      }
    }
    return most;
  };
  const auto all = opened.look(LayerGrouping::kFunction);
  REQUIRE(holds(all, "drop") == 5000);
  REQUIRE(holds(all, "keep") == 3001);

  const bool is_stack = GENERATE(true, false);
  CAPTURE(is_stack);
  opened.take_away({is_stack ? gui::unticked_stacks(0, {drop, drop}, "drop", 5000)
                             : gui::unticked_block(0, {block}, "drop", 5000)});
  const auto left = opened.look(LayerGrouping::kFunction);

  CHECK(holds(left, "drop") == 0);
  CHECK(holds(left, "keep") == 3001);
  CHECK(opened.session().remaining_peak(0)->lanes.footprint() == 3001);
}

TEST_CASE("without a block that was resized, all that it was is gone", "[gui]") {
  tests::TraceBuilder builder;
  const auto drop = builder.stack({"malloc", "drop", "main"});
  builder.at_ms(1).allocate(3000);
  const auto first = builder.at_ms(2).allocate(9000, drop);
  const auto second = builder.at_ms(3).reallocate(first, 5000, drop);
  builder.at_ms(4).release(second);
  builder.at_ms(5).allocate(1);
  Opened opened({builder.finish()});
  const Unticked one = gui::unticked_block(0, {first, second}, "drop", 5000);
  // Whichever part of it is pinned, it is the same.
  CHECK(gui::is_unticked({one}, gui::unticked_block(0, {first, second}, "of 9000", 9000)));

  opened.take_away({one});
  (void)opened.look(LayerGrouping::kFunction);

  CHECK(opened.session().remaining_peak(0)->lanes.footprint() == 3001);
}

TEST_CASE("the sentence for a pull request has the report's numbers", "[gui]") {
  auto trace =
      analyzer::LoadedTrace::open(std::string(TIDEMARK_RECORDED_LOADS) + "/tvm-before.tmk");
  REQUIRE(trace.ok());
  const auto report = analyzer::build_report(trace.value(), {});
  REQUIRE(report.ok());
  std::vector<Unticked> unticked{gui::unticked_finding(report.value(), 0, 0)};
  const auto taken = gui::taken_away(unticked, 0);
  const std::uint64_t without = *report.value().anatomy.findings[0].peak_without_bytes;

  CHECK(analyzer::what_if_sentence(report.value(), taken, without) ==
        "Without two copies of the weights, load_late_bound_consts (vm.py:317): a peak of 266.5 "
        "MiB = 1.11 x W, not 506.5 MiB = 2.11 x W (-47.4%).");
  const std::string markdown =
      analyzer::what_if_markdown(report.value(), taken, without, "tvm-before.tmk");
  CHECK(markdown.find("| **peak without** | **266.5 MiB = 1.11 x W** |") != std::string::npos);
  CHECK(markdown.find("`tvm-before.tmk`") != std::string::npos);
  const std::string text = analyzer::what_if_text(report.value(), taken, without, "a.tmk");
  CHECK(text.find("240.0 MiB  two copies of the weights") != std::string::npos);
}

TEST_CASE("that nothing was there to be unticked is not said as if all had been", "[gui]") {
  analyzer::Report report;
  report.anatomy.findings.resize(2);

  CHECK(gui::no_finding_text(report).starts_with("no finding lowers this peak;"));
  report.anatomy.findings[1].stacks = {trace::StackId{1}};
  CHECK(gui::no_finding_text(report).starts_with("no finding is left that lowers the peak;"));
}
