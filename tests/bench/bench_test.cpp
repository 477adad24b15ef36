// The bench runs and says plausible things. How fast anything is, is not tested: machines differ.

#include "tests/bench/program_rows.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  char buffer[4096];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, pipe))
    output.append(buffer, count);
  CHECK(pclose(pipe) == 0);
  return output;
}

/// A file for one test, removed with it.
class ResultFile {
 public:
  ResultFile() { close(mkstemp(path_.data())); }
  ~ResultFile() { std::remove(path_.c_str()); }
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(std::ifstream(path_)); }

 private:
  std::string path_ = std::string(P_tmpdir) + "/bench_test_XXXXXX";
};

const std::string kBench = std::string(TIDEMARK_BENCH_COMMAND) + " --no-heaptrack --rounds 1 ";

}  // namespace

TEST_CASE("pair_loop says what it measured") {
  const std::string command = std::string(TIDEMARK_BENCH_HOSTS) + "pair_loop --pairs 1000 ";
  for (const char* options : {"--depth 4", "--depth 60 --threads 2", "--depth 24 --varied"}) {
    const auto json = nlohmann::json::parse(output_of(command + options));
    CHECK(json.at("pairs") == 1000);
    CHECK(json.at("ns_per_pair") > 0);
  }
}

TEST_CASE("every shape of lifetimes makes the events that it says") {
  constexpr long kPairs = 30'000;
  constexpr long kAlive = 1024;
  struct Shape {
    const char* name;
    long least_events;
    long most_events;
  };
  const std::vector<Shape> shapes = {
      {"random", 2 * (kPairs + kAlive), 2 * (kPairs + kAlive)},
      {"exponential", 2 * (kPairs + kAlive), 2 * (kPairs + kAlive)},
      {"fifo --threads 2", 4 * kPairs, 4 * kPairs},
      {"lifo", 2 * kPairs, 2 * kPairs},
      {"generations", 2 * kPairs, 2 * kPairs},
      {"growth", kPairs + kAlive, kPairs + kPairs / 5},
      {"handover --threads 2 --alive 10", 4 * (kPairs + 10), 4 * (kPairs + 10)},
      {"live", 2 * kPairs, 2 * kPairs},
      {"scattered --depth 60", 2 * kPairs, 2 * kPairs},
  };
  for (const Shape& shape : shapes) {
    CAPTURE(shape.name);
    const auto json =
        nlohmann::json::parse(output_of(std::string(TIDEMARK_BENCH_HOSTS) + "lifetimes " +
                                        shape.name + " --pairs " + std::to_string(kPairs)));
    CHECK(json.at("events") >= shape.least_events);
    CHECK(json.at("events") <= shape.most_events);
    CHECK(json.at("ns_per_pair") > 0);
  }
}

TEST_CASE("the mean over programs is of what is added, and of comparable programs alone") {
  using namespace tidemark::bench;
  const auto row = [](double none, double tidemark, double heaptrack, bool is_in_mean) {
    ProgramRow program{"x", "", {}};
    program.is_in_mean = is_in_mean;
    program.costs = {{Profiler::kNone, {none, 0}},
                     {Profiler::kTidemark, {tidemark, 0}},
                     {Profiler::kHeaptrack, {heaptrack, 0}}};
    return program;
  };
  CHECK(mean_share_of_heaptrack({row(1000, 1100, 1400, true), row(1000, 1900, 1900, true),
                                 row(1000, 9000, 1100, false)})
            .value() == Approx(0.5));
  // Not slower than noise tells: a fiftieth of 1,000 by 100.
  CHECK(mean_share_of_heaptrack({row(1000, 990, 1100, true)}).value() == Approx(0.2));
  CHECK_FALSE(mean_share_of_heaptrack({}).has_value());
}

TEST_CASE("rows of lifetimes show costs and trace bytes of every event") {
  const ResultFile file;
  const std::string table =
      output_of(kBench + "--quick --pairs 20000 --only 'lifetimes random' --json " + file.path());
  CHECK(table.find("lifetimes random 1,024 24x1") != std::string::npos);
  CHECK(table.find("collector CPU an event, worst row of lifetimes") != std::string::npos);
  const auto row = file.json().at("lifetimes").at(0);
  CHECK(row.at("tidemark").at("wall_ns_per_pair") > 1);
  CHECK(row.at("tidemark").at("bytes_per_event") > 0.1);
  CHECK(row.at("tidemark").at("bytes_per_event") < 20);
}

TEST_CASE("pair rows show costs and trace bytes of every event") {
  const ResultFile file;
  const std::string table =
      output_of(kBench + "--pairs 20000 --only 'pairs 24x' --json " + file.path());
  CHECK(table.find("pairs 24x1") != std::string::npos);
  CHECK(table.find("pairs 24x2") != std::string::npos);
  CHECK(table.find("added to a pair, 24 frames, 1 thread") != std::string::npos);
  for (const auto& row : file.json().at("pairs")) {
    CAPTURE(row.dump());
    CHECK(row.at("none").at("wall_ns_per_pair") > 1);
    CHECK(row.at("tidemark").at("wall_ns_per_pair") > 1);
    CHECK(row.at("tidemark").at("bytes_per_event") > 0.01);
    CHECK(row.at("tidemark").at("bytes_per_event") < 20);
  }
}

TEST_CASE("rows of recordings with sampled stacks stand beside those with all") {
  const ResultFile file;
  const std::string table =
      output_of(kBench + "--sample --quick --pairs 20000 --only 'pairs 24x1' --only 'start and' " +
                "--json " + file.path());
  CHECK(table.find("--sample 512KiB, programs") != std::string::npos);
  CHECK(table.find("--sample 512KiB, ns a pair and thread") != std::string::npos);
  for (const char* kind : {"programs", "pairs"}) {
    for (const auto& row : file.json().at(kind)) {
      CAPTURE(row.dump());
      CHECK(row.contains("tidemark --sample"));
    }
  }
  output_of(kBench + "--quick --pairs 5000 --only 'pairs 24x1' --json " + file.path());
  CHECK_FALSE(file.json().at("pairs").at(0).contains("tidemark --sample"));
}

TEST_CASE("program rows and the reading row run") {
  const ResultFile file;
  output_of(kBench +
            "--quick --pairs 5000 --only 'start and end' --only sizes --only reading --json " +
            file.path());
  const auto json = file.json();
  REQUIRE(json.at("programs").size() == 2);
  for (const auto& row : json.at("programs"))
    CHECK(row.at("tidemark").at("wall_ns") > 0);
  CHECK(json.at("reading").at("events") >= 4000);
  CHECK(json.at("reading").at("max_rss_bytes") > 1 << 20);
}

TEST_CASE("a long trace with touches is generated and read") {
  const ResultFile file;
  const std::string table = output_of(kBench + "--quick --only touched --json " + file.path());
  CHECK(table.find("report of 1 M events with touches") != std::string::npos);
  const auto touched = file.json().at("touched");
  CHECK(touched.at("events") == 1'000'000);
  CHECK(touched.at("report").at("cpu_ns") > 1'000'000);
  CHECK(touched.at("diff").at("max_rss_bytes") > 1 << 20);
}

TEST_CASE("the tour of the window runs where there is a window") {
  if (std::system("command -v xvfb-run >/dev/null 2>&1 && command -v Xvfb >/dev/null 2>&1") != 0 ||
      !std::ifstream(TIDEMARK_GUI)) {
    SKIP_TEST("the tour of the window, there is no xvfb or no window here");
    return;
  }
  const ResultFile file;
  const std::string table = output_of(kBench + "--quick --only tour --json " + file.path());
  CHECK(table.find("first picture in the window") != std::string::npos);
  const auto tour = file.json().at("tour");
  CHECK(tour.at("events") >= 1'000'000);
  CHECK(tour.at("max_rss_bytes") > 1 << 20);
  CHECK(tour.at("legs").size() == 6);
  for (const auto& leg : tour.at("legs")) {
    CAPTURE(leg.dump());
    for (const std::string clock : {"", "thread_cpu_", "drawing_cpu_", "cpu_"}) {
      CHECK(leg.at(clock + "median_ms") > 0);
      CHECK(leg.at(clock + "p99_ms") >= leg.at(clock + "median_ms"));
    }
    // More threads together take what fewer take, at least.
    CHECK(leg.at("drawing_cpu_median_ms") > leg.at("thread_cpu_median_ms"));
    CHECK(leg.at("cpu_median_ms") >= leg.at("drawing_cpu_median_ms"));
  }
}
