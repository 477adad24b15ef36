#include "gui/view/session/find_anything.hpp"

#include "analyzer/query/footprint/peak.hpp"
#include "analyzer/report/facts/report.hpp"
#include "gui/view/basics/range_history.hpp"
#include "gui/view/basics/source_excerpts.hpp"
#include "gui/view/session/picture_name.hpp"
#include "tests/analyzer/stacks/named_stacks.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

using namespace tidemark;
using gui::Place;

namespace {

std::vector<std::string> names(const std::vector<const Place*>& found) {
  std::vector<std::string> names;
  for (const Place* const place : found) {
    names.push_back(std::string(word_of(place->kind)) + " " + place->name);
  }
  return names;
}

}  // namespace

TEST_CASE("what holds most of those that are called alike is found first", "[gui]") {
  tests::TraceBuilder builder;
  builder.allocate(100, builder.stack({"malloc", "load_names", "load_all", "main"}));
  builder.allocate(900, builder.stack({"malloc", "load_tensors", "load_all", "load_all", "main"}));
  auto trace = builder.open();
  const auto report = analyzer::build_report(trace, {});
  REQUIRE(report.ok());
  const gui::FunctionBytes functions(trace.definitions());
  auto places =
      gui::places_of(trace.definitions(), picture::subject_of(trace, report.value()), functions, 0);
  const auto live = analyzer::live_set_at(trace, analyzer::find_peak(trace).at);

  gui::know_held(functions.held(gui::named_stacks(live, trace.definitions()), trace.definitions()),
                 0, places);

  const auto found = gui::find_places(places, "load_", 9);
  CHECK(names(found) == std::vector<std::string>{"function load_all", "function load_tensors",
                                                 "function load_names"});
  CHECK(found.at(0)->bytes == 1000);  // The recursive one counts once.
  CHECK(found.at(1)->bytes == 900);
}

TEST_CASE("a function holds what all stacks through what is called so hold, each once", "[gui]") {
  const unsigned seed = GENERATE(range(0U, 20U));
  CAPTURE(seed);
  const trace::Definitions tables = tests::random_stacks(seed);
  gui::StackNamer namer(tables);
  std::map<std::pair<std::string, std::string>, std::uint64_t> all;
  for (std::uint32_t i = 1; i < tables.stacks.size(); ++i) {
    const std::uint64_t bytes = 1 + i * i % 97;
    namer.add(trace::StackId{i}, trace::Lane::kHeap, {.bytes = bytes, .blocks = 1});
    namer.add(trace::StackId{i}, trace::Lane::kHeap, {.bytes = 1, .blocks = 1});
    std::set<std::pair<std::string, std::string>> functions;
    for (const auto& frame : analyzer::named_stack(tables, trace::StackId{i})) {
      functions.emplace(analyzer::short_name(frame), gui::place_text(frame));
    }
    for (const auto& function : functions) {
      all[function] += bytes + 1;
    }
  }
  const gui::FunctionBytes functions(tables);

  const auto held = functions.held(namer.take(), tables);

  REQUIRE(held.size() == functions.functions().size());
  for (std::size_t i = 0; i < held.size(); ++i) {
    const auto& [name, place] = functions.functions()[i];
    CAPTURE(name, place);
    CHECK(held[i] == all[{name, place}]);
  }
}

TEST_CASE("a function that Python called holds memory, though trees leave it out", "[gui]") {
  trace::Definitions tables;
  tables.modules.resize(2);
  tables.modules[1].path = "/opt/libtorch.so";
  const auto add = [&](const std::string& function, bool is_python) {
    const auto frame = static_cast<std::uint32_t>(tables.frames.size());
    tables.frames.push_back(
        {.module = trace::ModuleId{1},
         .offset = frame,
         .language = is_python ? trace::FrameLanguage::kPython : trace::FrameLanguage::kNative});
    tables.locations.push_back(
        {{.function = function, .file = is_python ? "/srv/load.py" : "", .line = 3}});
    const auto outer = static_cast<std::uint32_t>(tables.stacks.size() - 1);
    tables.stacks.push_back({.parent = trace::StackId{outer}, .frame = trace::FrameId{frame}});
  };
  tables.stacks.resize(1);
  add("load", true);
  add("at::empty_cpu", false);
  gui::StackNamer namer(tables);
  namer.add(trace::StackId{2}, trace::Lane::kHeap, {.bytes = 5000, .blocks = 1});
  const gui::FunctionBytes functions(tables);

  const auto stacks = namer.take();

  REQUIRE(stacks.stacks.at(0).frames.size() == 1);
  CHECK(functions.functions().at(1).first == "at::empty_cpu");
  CHECK(functions.held(stacks, tables) == std::vector<std::uint64_t>{5000, 5000});
}

TEST_CASE("what is selected stays so when sizes come, until something else is wanted", "[gui]") {
  std::vector<Place> places;
  for (const char* const name : {"load_a", "load_b", "load_c"}) {
    places.push_back({.kind = Place::Kind::kFunction, .side = 0, .name = name, .detail = {}});
  }
  gui::FoundPlaces found;
  found.find(places, "load", 9);
  CHECK(found.selected() == 0);
  found.select(1);

  gui::know_held({1, 2, 3}, 0, places);
  found.find(places, "load", 9);

  CHECK(names(found.all()) ==
        std::vector<std::string>{"function load_c", "function load_b", "function load_a"});
  CHECK(found.selected() == 1);
  gui::know_held({1, 9, 3}, 0, places);
  found.find(places, "load", 9);
  CHECK(found.selected() == 0);
  found.find(places, "load_", 9);
  CHECK(found.selected() == 0);
  found.find(places, "nowhere", 9);
  CHECK(found.all().empty());
}

TEST_CASE("the largest of those with a word that begins so comes first", "[gui]") {
  std::vector<Place> places;
  const auto add = [&](const std::string& name, std::uint64_t bytes) {
    places.push_back(
        {.kind = Place::Kind::kFunction, .side = 0, .name = name, .detail = {}, .bytes = bytes});
  };
  add("construct_evp_method", 59);
  add("v8::internal::ConstructBuffer", 256'000);
  add("reconstruct", 900'000);
  add("newConstruct", 70);
  add("Construct", 1);

  CHECK(names(gui::find_places(places, "construct", 9)) ==
        std::vector<std::string>{"function Construct", "function v8::internal::ConstructBuffer",
                                 "function newConstruct", "function construct_evp_method",
                                 "function reconstruct"});
}

TEST_CASE("until one is selected, Enter goes to the first when sizes come, too", "[gui]") {
  std::vector<Place> places;
  for (const char* const name : {"load_a", "load_b"}) {
    places.push_back({.kind = Place::Kind::kFunction, .side = 0, .name = name, .detail = {}});
  }
  gui::FoundPlaces found;
  found.find(places, "load", 9);

  gui::know_held({1, 2}, 0, places);
  found.find(places, "load", 9);

  CHECK(found.all().at(found.selected())->name == "load_b");
}

TEST_CASE("of which instant the bytes of functions are is said", "[gui]") {
  CHECK(gui::held_text({}, 1'200'000'000) == "held at the peak, at 1.2 s");
  CHECK(gui::held_text({.begin_ns = {}, .end_ns = 5}, 1'200'000'000) == "held at 1.2 s");
  CHECK(gui::held_text({.begin_ns = 200'000'000, .end_ns = 5}, 1'200'000'000) ==
        "allocated from 200 ms to 1.200 s");
  CHECK(gui::held_text({.begin_ns = 256'203'000, .end_ns = 5}, 256'381'000) ==
        "allocated from 256.203 ms to 256.381 ms");
}

TEST_CASE("who holds memory is said to be as recorded where something is taken away", "[gui]") {
  gui::Holders holders;
  holders.at_ns = 1'200'000'000;
  holders.totals.bytes.front() = 64;
  holders.stacks.total.blocks = 3;

  CHECK(gui::holders_title(holders, false) == "alive at the peak, 1.2 s: 64 B in 3 blocks");
  CHECK(gui::holders_title(holders, true) ==
        "as recorded, alive at the peak, 1.2 s: 64 B in 3 blocks");
  holders.moment = {.begin_ns = {}, .end_ns = 1'200'000'000};
  CHECK(gui::holders_title(holders, false) == "alive at 1.200 s: 64 B in 3 blocks");
  holders.moment = {.begin_ns = 200'000'000, .end_ns = 1'200'000'000};
  CHECK_THAT(gui::holders_title(holders, true),
             Catch::StartsWith("as recorded, from 200 ms to 1.200 s") &&
                 Catch::EndsWith(" 0 B given back, 0 B allocated, 0 B of that kept"));
  holders.stacks.total.given_back = 70;
  holders.ended = {.bytes = 60, .processes = 1, .last_ns = 1'000'000'000};
  CHECK_THAT(
      gui::holders_title(holders, false),
      Catch::Contains("70 B given back, 60 B gone with the end of the program at 1.000 s, "));
  holders.ended.processes = 3;
  CHECK_THAT(gui::holders_title(holders, false),
             Catch::Contains("70 B given back, 60 B gone with the ends of 3 processes, "));
}

TEST_CASE("a picture is called as its traces are", "[gui]") {
  CHECK(gui::picture_name({"/runs/load.tmk"}) == "load.svg");
  CHECK(gui::picture_name({"naive.tmk", "runs/stream.v2.tmk"}) == "naive-stream.v2.svg");
  CHECK(gui::picture_name({"a b;c.tmk.incomplete"}) == "a_b_c.svg");
  CHECK(gui::picture_name({".tmk"}) == "tidemark.svg");
  CHECK(gui::picture_name({std::string(300, 'x') + ".tmk", "y.tmk"}).size() < 80);
  const std::string hidden = gui::picture_name({'.' + std::string(40, 'x'), std::string(40, 'y')});
  CHECK(hidden.starts_with("tidemark.xxx"));
  CHECK(hidden.ends_with("y.svg"));
  CHECK(hidden.size() == 80);
}

TEST_CASE("anything is found by its name, and says where it is", "[gui]") {
  tests::TraceBuilder builder;
  const auto file = builder.file("/models/weights.bin", 4000);
  builder.tensor(file, 250, 1000, "embed.weight");
  builder.tensor(file, 750, 3000, "head.weight");
  builder.begin_phase("weigh");
  builder.open_file(file);
  const auto scratch =
      builder.at_ms(1).allocate(4000, builder.stack({"malloc", "weigh_all", "main"}));
  builder.read_into(file, 4000, scratch);
  builder.at_ms(7).end_phase("weigh");
  auto trace = builder.open();
  const auto report = analyzer::build_report(trace, {});
  REQUIRE(report.ok());
  const auto subject = picture::subject_of(trace, report.value());

  const auto places =
      gui::places_of(trace.definitions(), subject, gui::FunctionBytes(trace.definitions()), 1);

  // What is called so, then words that begin so, the largest first, then details.
  const auto found = names(gui::find_places(places, "WEIGH", 100));
  CHECK(found == std::vector<std::string>{"phase weigh", "file weights.bin", "tensor head.weight",
                                          "tensor embed.weight", "function weigh_all"});
  CHECK(names(gui::find_places(places, "weigh", 2)).size() == 2);
  CHECK(gui::find_places(places, "", 100).empty());
  CHECK(gui::find_places(places, "nowhere", 100).empty());
  const auto head = gui::find_places(places, "head.w", 1);
  REQUIRE(head.size() == 1);
  CHECK(head[0]->tensor == trace::TensorId{1});
  CHECK(head[0]->side == 1);
  const auto phase = gui::find_places(places, "weigh", 1);
  REQUIRE(phase[0]->span_ns.has_value());
  CHECK(phase[0]->span_ns->second == 7'000'000);
}

TEST_CASE("a tensor without a name is called as its file, which has no other one", "[gui]") {
  tests::TraceBuilder builder;
  const auto file = builder.file("/models/layer3.npy", 1000);
  builder.writer().add_tensor(
      {.file = file, .name = "", .type = "f32", .elements = 250, .bytes = 1000});
  auto trace = builder.open();
  const auto report = analyzer::build_report(trace, {});
  REQUIRE(report.ok());

  const auto places =
      gui::places_of(trace.definitions(), picture::subject_of(trace, report.value()),
                     gui::FunctionBytes(trace.definitions()), 0);

  CHECK(names(gui::find_places(places, "layer3", 9)) ==
        std::vector<std::string>{"tensor layer3.npy", "file layer3.npy"});
}

TEST_CASE("the view goes back and forward through what was looked at", "[gui]") {
  gui::RangeHistory history;
  const gui::ViewRange all;
  const gui::ViewRange near{0.2, 0.4};
  const gui::ViewRange nearer{0.25, 0.3};
  CHECK_FALSE(history.back().has_value());
  for (const gui::ViewRange& range : {all, near, near, nearer}) {
    history.note(range);
  }
  CHECK_FALSE(history.forward().has_value());
  CHECK(history.back() == near);
  history.note(near);  // It comes to rest there.
  CHECK(history.back() == all);
  CHECK_FALSE(history.back().has_value());
  CHECK(history.forward() == near);
  CHECK(history.forward() == nearer);
  history.back();
  history.note({0.5, 0.6});
  CHECK_FALSE(history.forward().has_value());
  CHECK(history.back() == near);
}

TEST_CASE("the source around a line is read where its file is there", "[gui]") {
  const tests::TemporaryFolder folder;
  const std::string file = folder.file("load.cpp");
  {
    std::ofstream out(file);
    for (int i = 1; i <= 20; ++i) {
      out << "\tline " << i << '\n';
    }
  }
  gui::SourceExcerpts sources;
  const auto& lines = sources.of(file, 10);
  REQUIRE(lines.size() == 9);
  CHECK(lines.front().number == 6);
  CHECK(lines[4].number == 10);
  CHECK(lines[4].text == "    line 10");
  CHECK(sources.of(file, 1).size() == 5);
  CHECK(sources.of(file, 21).empty());
  CHECK(sources.of(file, 0).empty());
  CHECK(sources.of(folder.file("gone.cpp"), 3).empty());
  CHECK(sources.of("/dev/zero", 1).empty());
}
