#include "tests/bench/child.hpp"
#include "tests/bench/options.hpp"
#include "tests/bench/progress.hpp"
#include "tests/bench/results.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>

namespace {

using namespace tidemark::bench;  // main.cpp alone: every line below is about it

void add_options(CLI::App& app, Options& options) {
  app.add_flag("--quick", options.quick,
               "Fewer and shorter rows: a few minutes on an idle machine");
  app.add_flag(
      "--full", options.full,
      "100 M events in the row 'touched' and in the tour of the window; takes minutes and 600 "
      "MB of disk");
  app.add_option("--rounds", options.rounds, "Interleaved rounds; medians are shown")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--pairs", options.pairs,
                 "Pairs a thread in rows of pairs and lifetimes (--quick: a fifth)")
      ->check(CLI::Range(1000L, 1'000'000'000L))
      ->capture_default_str();
  app.add_option(
         "--only", options.only,
         "Rows whose name contains TEXT, as 'lifetimes', 'pairs 24x1', 'python3'; repeatable")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  app.add_flag("!--no-heaptrack", options.heaptrack, "Leave heaptrack out");
  app.add_flag("--sample", options.sample,
               "Rows of programs, pairs and lifetimes with 'record --sample 512KiB', too");
  app.add_option("--json", options.json, "Keep the results here too")->type_name("FILE");
}

Results measure(const Options& options) {
  const Workshop workshop;
  Results results;
  results.machine = describe_machine();
  results.programs = measure_programs(workshop, options);
  results.lifetimes = measure_lifetimes(workshop, options);
  results.pairs = measure_pairs(workshop, options);
  results.unwinding_ns = measure_unwinding(workshop, options);
  results.reading = measure_reading(workshop, options);
  results.touched = measure_touched(workshop, options);
  results.tour = measure_tour(workshop, options);
  say_progress("");
  return results;
}

void keep(const Results& results, const std::string& path) {
  std::ofstream file(path);
  file << json(results);
  if (!file.flush())
    throw std::runtime_error("cannot write " + path);
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  CLI::App app(
      "What recording costs: beside no profiler, and beside heaptrack where it is installed");
  app.name("tidemark-bench");
  add_options(app, options);
  CLI11_PARSE(app, argc, argv);
  if (options.quick)
    options.pairs /= 5;
  if (options.heaptrack && !is_installed("heaptrack")) {
    std::fputs("bench: heaptrack is not installed: no comparison\n", stderr);
    options.heaptrack = false;
  }
  const Results results = measure(options);
  std::fputs(text(results).c_str(), stdout);
  if (!options.json.empty())
    keep(results, options.json);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench: %s\n", error.what());
  return 1;
}
