#include "gui/view/session/open_trace.hpp"

#include "gui/view/session/session.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <latch>
#include <mutex>
#include <new>

using namespace tidemark;
using gui::Question;
using gui::Session;
using gui::ViewRange;

namespace {

std::mutex g_wake_mutex;
std::condition_variable g_woken;

/// As the window is woken: whenever a worker has an answer or has become idle.
void wake() {
  const std::lock_guard lock(g_wake_mutex);
  g_woken.notify_all();
}

/// Until everything asked has been answered and taken. False, too, for a session that has become
/// idle and woke nobody: the window would not have seen it.
bool settle(Session& session) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  std::unique_lock lock(g_wake_mutex);
  while (!session.is_idle()) {
    if (g_woken.wait_until(lock, deadline) == std::cv_status::timeout) {
      return false;
    }
  }
  session.update();
  return true;
}

std::unique_ptr<Session> opened(const std::vector<std::string>& paths) {
  auto session = Session::open(paths, {}, wake);
  REQUIRE(session.ok());
  return std::move(session.value());
}

/// One whose answer does not fit into memory.
class TooLargeJob : public gui::Job {
 public:
  bool step() override { throw std::bad_alloc(); }
  void finish(gui::Answers&) override {}
};

void ask(gui::OpenTrace& trace, Question question) {
  if (question == Question::kBlocks) {
    trace.ask_blocks();
  } else if (question == Question::kActivity) {
    trace.ask_activity();
  } else {
    trace.ask_tensors();
  }
}

bool has_answer(const gui::OpenTrace& trace, Question question) {
  return question == Question::kBlocks     ? trace.blocks() != nullptr
         : question == Question::kActivity ? trace.activity() != nullptr
                                           : trace.tensors() != nullptr;
}

std::vector<picture::StackedColumn> columns(Session& session, const ViewRange& range) {
  return session.trace(0).columns(session.axis().warps[0], range, range, 400);
}

}  // namespace

TEST_CASE("the first picture is there before any answer, and not too low", "[gui]") {
  tests::TraceBuilder builder;
  tests::append_naive_load(builder);
  const auto session = opened({builder.finish()});

  const auto first = columns(*session, {});

  REQUIRE(first.size() == 400);
  std::uint64_t highest = 0;
  for (const auto& column : first) {
    highest = std::max(highest, column.highest.footprint());
  }
  CHECK(highest == session->trace(0).subject().peak_bytes);
}

TEST_CASE("once answered, the columns are those of the timeline", "[gui]") {
  tests::TraceBuilder builder;
  tests::append_naive_load(builder);
  const auto session = opened({builder.finish()});
  const auto range = GENERATE(ViewRange{0, 1}, ViewRange{0.4, 0.5});
  columns(*session, range);
  REQUIRE(settle(*session));

  const auto shown = columns(*session, range);

  auto trace = analyzer::LoadedTrace::open(session->trace(0).path());
  REQUIRE(trace.ok());
  const auto wanted = picture::stacked_columns(
      trace.value(), gui::borders_of(session->axis().warps[0], range, 400));
  REQUIRE(shown.size() == wanted.size());
  std::size_t equal = 0;
  for (std::size_t c = 0; c < shown.size(); ++c) {
    equal += shown[c].highest == wanted[c].highest && shown[c].lowest == wanted[c].lowest ? 1U : 0U;
  }
  // An event on a border may fall to either side: its time is rounded to nanoseconds.
  CHECK(equal + 2 >= shown.size());
}

TEST_CASE("facts, holders, blocks and activity come when they are asked for", "[gui]") {
  tests::TraceBuilder builder;
  tests::append_naive_load(builder);
  const auto session = opened({builder.finish()});
  gui::OpenTrace& trace = session->trace(0);
  trace.ask_holders({});
  trace.ask_blocks();
  trace.ask_activity();
  REQUIRE(settle(*session));

  REQUIRE(trace.facts() != nullptr);
  CHECK(trace.subject().model_bytes > 0);
  REQUIRE(trace.holders() != nullptr);
  CHECK(trace.holders()->totals.footprint() == trace.subject().peak_bytes);
  CHECK(trace.holders()->unattributed_bytes == 0);
  REQUIRE(trace.blocks() != nullptr);
  CHECK_FALSE(trace.blocks()->blocks.empty());
  REQUIRE(trace.activity() != nullptr);
  CHECK(trace.activity()->threads.size() == 1);
}

TEST_CASE("of a layer's blocks it is told how many there are, and when they came and went",
          "[gui]") {
  tests::TraceBuilder builder;
  const auto small = builder.stack({"malloc", "insert", "main"});
  const auto large = builder.stack({"malloc", "read", "main"});
  std::vector<trace::AllocationNumber> blocks;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    blocks.push_back(builder.at_ms(100 + i).allocate(i == 7 ? 96 : 40, small));
  }
  const auto one = builder.at_ms(1200).allocate(100'000, large);
  builder.at_ms(1500).release(one);
  for (const auto block : blocks) {
    builder.at_ms(2000).release(block);
  }
  const auto session = opened({builder.finish()});
  REQUIRE(settle(*session));
  auto& trace = session->trace(0);
  analyzer::FootprintLayers made({trace.layered()}, analyzer::LayerGrouping::kFunction);
  const auto layers = std::make_shared<const std::vector<analyzer::FootprintLayer>>(made.layers());
  const auto lines_of = [&](const std::string& function, std::uint64_t begin_ns,
                            std::uint64_t footprint) {
    trace.ask_layer_blocks({.side = 0,
                            .by = analyzer::LayerGrouping::kFunction,
                            .layers = layers,
                            .begin_ns = begin_ns,
                            .end_ns = begin_ns + 1'000'000,
                            .footprint = footprint});
    CHECK(trace.layer_blocks() == nullptr);
    REQUIRE(settle(*session));
    const auto layer = std::ranges::find_if(*layers, [&](const analyzer::FootprintLayer& each) {
      return each.text.starts_with(function);
    });
    REQUIRE(layer != layers->end());
    return trace.layer_blocks()->lines.at(static_cast<std::size_t>(layer - layers->begin()));
  };

  const auto& subject = trace.subject();
  const auto at_peak = lines_of("insert", subject.peak_at.at_ns, subject.peak_bytes);
  REQUIRE(at_peak.size() >= 2);
  CHECK(at_peak[0] ==
        "39.1 KiB in 1,000 blocks at the peak, 40 B on the average, the largest 96 B");
  CHECK_THAT(at_peak[1], Catch::StartsWith("allocated from 100 ms to 1.099 s by "));
  CHECK_THAT(at_peak[1], Catch::Contains("; freed at 2.000 s, 800 ms after the peak"));

  const auto before = lines_of("insert", 109'500'000, 456);
  CHECK(before.at(0) == "456 B in 10 blocks at 110 ms, 45 B on the average, the largest 96 B");
  CHECK(lines_of("read", 109'500'000, 457).empty());
}

TEST_CASE("an answer that does not fit into memory leaves the others, and can be asked for again",
          "[gui]") {
  const auto question = GENERATE(Question::kBlocks, Question::kActivity, Question::kTensors);
  CAPTURE(question);
  tests::TraceBuilder builder;
  tests::append_naive_load(builder);
  const auto session = opened({builder.finish()});
  gui::OpenTrace& trace = session->trace(0);
  REQUIRE(settle(*session));
  std::latch asked(1);
  trace.worker_for_testing().ask(Question::kHolders, [&asked](auto&) {
    asked.wait();
    return std::make_unique<TooLargeJob>();
  });
  ask(trace, question);
  trace.worker_for_testing().ask(question, [](auto&) { return std::make_unique<TooLargeJob>(); });
  asked.count_down();
  REQUIRE(settle(*session));

  CHECK(trace.has_given_up(question));
  CHECK_FALSE(trace.may_answer(question));
  CHECK(trace.has_given_up(Question::kHolders));
  CHECK(trace.error().empty());
  CHECK(trace.may_answer(Question::kUsage));
  ask(trace, question);  // As a pane does for each picture.
  trace.ask_usage({});
  REQUIRE(settle(*session));
  CHECK(trace.usage() != nullptr);
  CHECK_FALSE(has_answer(trace, question));

  trace.try_again(question);
  CHECK(trace.may_answer(question));
  ask(trace, question);
  REQUIRE(settle(*session));
  CHECK(has_answer(trace, question));
  CHECK_FALSE(trace.has_given_up(question));
}

TEST_CASE("a trace that cannot be read any more gives no answers, and says why", "[gui]") {
  tests::TraceBuilder builder;
  tests::append_naive_load(builder);
  const auto path = builder.finish();
  std::filesystem::remove(path);
  gui::TraceWorker worker(path, {}, wake);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  std::unique_lock lock(g_wake_mutex);
  while (!worker.is_idle() && g_woken.wait_until(lock, deadline) == std::cv_status::no_timeout) {
  }

  const gui::Answers answers = worker.take();

  CHECK(answers.is_unreadable);
  CHECK_THAT(answers.error, Catch::Contains(path));
  CHECK(worker.given_up().none());
}

TEST_CASE("where no facts come, what needs them says why, and all else is answered", "[gui]") {
  tests::TraceBuilder builder;
  tests::append_naive_load(builder);
  auto session = Session::open({builder.finish()}, {.model = "/no/such/model"}, wake);
  REQUIRE(session.ok());
  gui::OpenTrace& trace = session.value()->trace(0);
  trace.ask_blocks();
  REQUIRE(settle(*session.value()));

  CHECK_FALSE(trace.may_answer(Question::kFacts));
  CHECK(trace.may_answer(Question::kTensors));
  CHECK(trace.blocks() != nullptr);
  CHECK_THAT(trace.error(), Catch::Contains("'/no/such/model' is neither"));
  CHECK(session.value()->no_layers_text(analyzer::LayerGrouping::kFunction) ==
        "what the footprint is made of cannot be shown: " + trace.error());
}

TEST_CASE("an instant that is asked for replaces the one before", "[gui]") {
  tests::TraceBuilder builder;
  tests::append_naive_load(builder);
  const auto session = opened({builder.finish()});
  gui::OpenTrace& trace = session->trace(0);
  for (std::uint64_t ms = 1; ms <= 50; ++ms) {
    trace.ask_holders({.begin_ns = {}, .end_ns = ms * 1'000'000});
  }
  REQUIRE(settle(*session));

  REQUIRE(trace.holders() != nullptr);
  CHECK(trace.holders()->at_ns == 50'000'000);
}

TEST_CASE("what functions hold comes from the worker, and the last is there until then", "[gui]") {
  tests::TraceBuilder builder;
  const auto load = builder.stack({"malloc", "load", "main"});
  builder.at_ms(10).allocate(100, load);
  builder.at_ms(20).allocate(1000, load);
  const auto session = opened({builder.finish()});
  gui::OpenTrace& trace = session->trace(0);
  const auto functions = std::make_shared<const gui::FunctionBytes>(trace.definitions());
  const auto ask_at = [&](std::uint64_t ms) {
    trace.ask_holders({.begin_ns = {}, .end_ns = ms * 1'000'000});
    REQUIRE(settle(*session));
    trace.ask_held(functions);
  };
  // Nobody is known yet who holds anything.
  trace.ask_held(functions);
  REQUIRE(settle(*session));
  CHECK(trace.held() == nullptr);

  ask_at(15);
  CHECK(trace.held() == nullptr);
  REQUIRE(settle(*session));
  const auto early = trace.held();
  REQUIRE(early != nullptr);
  CHECK(early->functions == functions);
  CHECK(early->holders == trace.holders());
  CHECK(early->bytes == std::vector<std::uint64_t>(functions->functions().size(), 100));
  ask_at(25);
  CHECK(trace.held() == early);
  REQUIRE(settle(*session));

  CHECK(trace.held()->holders == trace.holders());
  CHECK(trace.held()->bytes == std::vector<std::uint64_t>(functions->functions().size(), 1100));
}

TEST_CASE("traces that cannot be aligned by phase stay as they are", "[gui]") {
  tests::TraceBuilder plain;
  plain.at_ms(1).allocate(10);
  tests::TraceBuilder other;
  other.at_ms(1).allocate(10);
  const auto session = opened({plain.finish(), other.finish()});
  REQUIRE(settle(*session));

  CHECK_FALSE(session->align(picture::Align::kPhase).ok());
  CHECK(session->alignment() == picture::Align::kTime);
}

TEST_CASE("a damaged trace opens with what is intact", "[gui]") {
  tests::TraceBuilder builder;
  tests::append_naive_load(builder);
  const std::string path = builder.finish();
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);

  auto session = Session::open({path}, {}, wake);

  REQUIRE(session.ok());
  session.value()->trace(0).ask_holders({});
  REQUIRE(settle(*session.value()));
  CHECK_FALSE(session.value()->trace(0).subject().warning.empty());
}

TEST_CASE("what is no trace is refused in one sentence", "[gui]") {
  const tests::TemporaryFolder folder;
  std::ofstream(folder.file("x.tmk")) << "no trace";

  const auto session = Session::open({folder.file("x.tmk")}, {}, [] {});

  REQUIRE_FALSE(session.ok());
  CHECK(session.error().message.find("x.tmk") != std::string::npos);
}

TEST_CASE("a trace that is still being recorded is followed to its end", "[gui]") {
  const tests::TemporaryFolder folder;
  tests::TraceBuilder first;
  first.at_ms(1).allocate(100);
  std::filesystem::copy_file(first.finish(), folder.file("a.tmk.incomplete"));
  const auto session = opened({folder.file("a.tmk.incomplete")});
  REQUIRE(session->is_recording());
  CHECK_FALSE(session->follow());
  tests::TraceBuilder whole;
  whole.at_ms(1).allocate(100);
  for (int i = 0; i < 100; ++i) {
    whole.at_ms(5).allocate(900);
  }
  std::filesystem::remove(folder.file("a.tmk.incomplete"));
  std::filesystem::copy_file(whole.finish(), folder.file("a.tmk"));

  REQUIRE(session->follow());

  CHECK_FALSE(session->is_recording());
  CHECK(session->trace(0).subject().peak_bytes == 100 + 100 * 900);
  // So does one who comes too late for it.
  const auto late = opened({folder.file("a.tmk.incomplete")});
  CHECK(late->trace(0).path() == folder.file("a.tmk"));
  CHECK_FALSE(late->is_recording());
}

TEST_CASE("who looks at a recording sees how long its programs have waited for it", "[gui]") {
  const tests::TemporaryFolder folder;
  tests::TraceBuilder builder;
  builder.at_ms(1).allocate(100);
  builder.session.blocked_ns = GENERATE(0U, 12'000'000U);
  const bool has_waited = builder.session.blocked_ns != 0;
  const std::string whole = builder.finish();
  std::filesystem::copy_file(whole, folder.file("a.tmk.incomplete"));

  CHECK(opened({folder.file("a.tmk.incomplete")})->trace(0).recording_text() ==
        (has_waited ? "recording; programs have waited 12 ms for the recorder" : "recording"));
  // Whoever wrote it is behind, or is no more.
  const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::minutes(5);
  std::filesystem::last_write_time(folder.file("a.tmk.incomplete"), old);
  CHECK_THAT(opened({folder.file("a.tmk.incomplete")})->trace(0).recording_text(),
             Catch::StartsWith("recording, as of 5 min 0"));
  CHECK(opened({whole})->trace(0).recording_text().empty());
}

namespace {

using analyzer::LayerGrouping;

/// The bands of both traces in a range, as the window asks for them.
std::vector<picture::Bands> bands_of(
    Session& session,
    const std::vector<std::vector<picture::StackedColumn>>& columns,
    const ViewRange& range) {
  return session.bands(LayerGrouping::kFunction, columns, range, range, 400,
                       picture::light_theme());
}

std::vector<std::vector<picture::StackedColumn>> columns_of_all(Session& session,
                                                                const ViewRange& range) {
  std::vector<std::vector<picture::StackedColumn>> columns;
  for (std::size_t side = 0; side < session.size(); ++side) {
    columns.push_back(session.trace(side).columns(session.axis().warps[side], range, range, 400));
  }
  return columns;
}

void check_sums(const std::vector<picture::Bands>& bands,
                const std::vector<std::vector<picture::StackedColumn>>& columns) {
  for (std::size_t side = 0; side < bands.size(); ++side) {
    REQUIRE(bands[side].size() > 2);
    for (std::size_t c = 0; c < columns[side].size(); ++c) {
      const auto& one = bands[side];
      CHECK(one.up_to(one.highest, c, one.size()) == columns[side][c].highest.footprint());
      CHECK(one.up_to(one.lowest, c, one.size()) == columns[side][c].lowest.footprint());
    }
  }
}

}  // namespace

TEST_CASE("the window's layers add up to its columns, and at the peaks to the report", "[gui]") {
  tests::TraceBuilder naive;
  tests::append_naive_load(naive);
  tests::TraceBuilder streamed;
  tests::append_streamed_load(streamed);
  const auto session = opened({naive.finish(), streamed.finish()});
  CHECK(bands_of(*session, columns_of_all(*session, {}), {}).front().size() == 1);  // Grey.
  REQUIRE(settle(*session));
  bands_of(*session, columns_of_all(*session, {}), {});
  REQUIRE(settle(*session));

  const auto columns = columns_of_all(*session, {});
  check_sums(bands_of(*session, columns, {}), columns);
  const auto layers = session->layers(LayerGrouping::kFunction);
  REQUIRE(layers != nullptr);
  for (std::size_t side = 0; side < 2; ++side) {
    std::uint64_t sum = 0;
    for (const auto& layer : *layers) {
      sum += layer.at_peak[side];
    }
    CHECK(sum == session->trace(side).subject().peak_bytes);
  }

  // While the range moves, those known last are shown, up to the footprint of each column.
  const ViewRange closer{0.3, 0.6};
  const auto moved = columns_of_all(*session, closer);
  check_sums(bands_of(*session, moved, closer), moved);
  REQUIRE(settle(*session));
  const auto exact = columns_of_all(*session, closer);
  check_sums(bands_of(*session, exact, closer), exact);

  // On another axis they are asked for anew; lanes have none.
  REQUIRE(session->align(picture::Align::kBytes).ok());
  CHECK(session->layers(LayerGrouping::kFunction) == nullptr);
  CHECK(session->bands(LayerGrouping::kLane, columns, {}, {}, 400, picture::light_theme())
            .front()
            .size() == 0);
}

TEST_CASE("recursion is folded by the worker, in the orders that are looked at", "[gui]") {
  tests::TraceBuilder builder;
  builder.allocate(100, builder.stack({"malloc", "leaf", "visit", "visit", "visit", "main"}));
  builder.at_ms(5).allocate(30, builder.stack({"malloc", "leaf", "visit", "main"}));
  builder.at_ms(9).allocate(1);
  const auto session = opened({builder.finish()});
  gui::OpenTrace& trace = session->trace(0);
  const auto order = [](gui::TreeOrder one) {
    return gui::TreeOrders().set(static_cast<std::size_t>(one));
  };
  const auto is_known = [&](gui::TreeOrder one) {
    return trace.folded()->trees.at(static_cast<std::size_t>(one)) != nullptr;
  };

  // Before anybody is known to hold something there is nothing to fold.
  trace.ask_folded(order(gui::TreeOrder::kTopDown));
  trace.ask_holders({});
  REQUIRE(settle(*session));
  CHECK(trace.folded() == nullptr);

  trace.ask_folded(order(gui::TreeOrder::kTopDown));
  CHECK(trace.folded() == nullptr);
  REQUIRE(settle(*session));
  REQUIRE(trace.folded() != nullptr);
  CHECK(trace.folded()->holders == trace.holders());
  REQUIRE(is_known(gui::TreeOrder::kTopDown));
  CHECK_FALSE(is_known(gui::TreeOrder::kBottomUp));
  const auto top_down = trace.folded()->trees[0];
  CHECK(trace.holders()->tree(gui::TreeOrder::kTopDown).depth == 5);
  CHECK(top_down->tree.depth == 3);

  // Another order comes to those that are there; the same ones are not asked for again.
  trace.ask_folded(order(gui::TreeOrder::kBottomUp));
  REQUIRE(settle(*session));
  CHECK(is_known(gui::TreeOrder::kBottomUp));
  CHECK(trace.folded()->trees[0] == top_down);
  trace.ask_folded(order(gui::TreeOrder::kTopDown));
  CHECK(session->is_idle());

  // Of other holders there is none until it is asked for.
  trace.ask_holders({.begin_ns = {}, .end_ns = 1});
  REQUIRE(settle(*session));
  CHECK(trace.folded() == nullptr);
}

TEST_CASE("where a model's tensors are not known, the switch says what the report says", "[gui]") {
  const bool is_listed = GENERATE(false, true);
  tests::TraceBuilder builder;
  const auto file = builder.file("/m/ir.bin", 8 << 20U);
  builder.read(file, 8 << 20U);
  if (is_listed) {
    builder.tensor(file, 1 << 20U, 4 << 20U);
  }
  builder.at_ms(10).allocate(8 << 20U);
  const auto session = opened({builder.finish()});
  const auto by = analyzer::LayerGrouping::kTensor;
  for (int i = 0; i < 2; ++i) {  // First come the facts, then what is made of them.
    session->bands(by, columns_of_all(*session, {}), {}, {}, 400, picture::light_theme());
    REQUIRE(settle(*session));
  }

  CHECK(session->no_layers_text(by) ==
        (is_listed
             ? "nothing to layer by tensor: no layer of the model is known to hold 1 % of the "
               "peak"
             : "no tensors of ir.bin are known: its format lists none that tidemark can read"));
}
