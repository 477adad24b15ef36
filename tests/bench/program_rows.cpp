#include "tests/bench/program_rows.hpp"

#include "tests/bench/child.hpp"
#include "tests/bench/median.hpp"
#include "tests/bench/progress.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace tidemark::bench {
namespace {

constexpr const char* kModuleTree =
    "import json, asyncio, http.client, http.server, email.mime.multipart, xml.dom.minidom, "
    "xml.etree.ElementTree, decimal, fractions, unittest, argparse, logging.config, sqlite3, "
    "multiprocessing, concurrent.futures, urllib.request, zipfile, tarfile, ctypes, pydoc";

constexpr const char* kSaveCheckpoint =
    "import sys, torch; "
    "torch.save({f'layer{i}': torch.rand(1024, 1024) for i in range(60)}, sys.argv[1])";
constexpr const char* kLoadCheckpoint = "import sys, torch; torch.load(sys.argv[1])";

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  return text;
}

bool has_torch() {
  try {
    run({"python3", "-c", "import torch"});
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

/// The rows that this machine can run. Makes the files that they load.
class RowBuilder {
 public:
  RowBuilder(const Workshop& workshop, const Options& options)
      : workshop_(workshop), options_(options) {}

  std::vector<ProgramRow> rows() {
    add("start and end", "", {Workshop::host("pair_loop"), "--pairs", "1"});
    if (is_installed("python3"))
      add("python3 imports", "", {"python3", "-c", kModuleTree});
    add_compilers();
    add_loaders();
    add("allocator torture, 4 threads", "",
        {Workshop::host("allocator_torture"), "4", options_.quick ? "50000" : "300000"});
    add_torch();
    return std::move(rows_);
  }

 private:
  bool add(const std::string& name, const std::string& note, const Command& command) {
    if (!options_.wants(name))
      return false;
    rows_.push_back({name, note, command, {}});
    return true;
  }

  void add_compilers() {
    if (!is_installed("g++"))
      return;
    const Command arguments = {"-O2", "-std=c++20", Workshop::source("hosts/many_headers.cpp"),
                               "-o", "/dev/null"};
    Command driver = {"g++", "-c"};
    driver.insert(driver.end(), arguments.begin(), arguments.end());
    if (!options_.quick)
      add("g++ -O2", "heaptrack records the driver only, tidemark its children too", driver);
    Command compiler = {trimmed(run({"g++", "-print-prog-name=cc1plus"}).output), "-quiet",
                        "-imultiarch", trimmed(run({"g++", "-print-multiarch"}).output),
                        "-D_GNU_SOURCE"};
    compiler.insert(compiler.end(), arguments.begin(), arguments.end());
    add("cc1plus -O2", "", compiler);
  }

  void add_loaders() {
    const std::string size = options_.quick ? "128MiB" : "512MiB";
    const std::string name = "TVM " + size;
    if (!options_.wants(name + " blob") && !options_.wants(name + " stream"))
      return;
    const std::string model = workshop_.file("model.params");
    const std::string loaders = workshop_.tool("tidemark-loaders");
    say_progress("making a model of " + size);
    run({loaders, "make", "tvm", model, "--size", size});
    for (const char* variant : {"blob", "stream"})
      add(name + " " + variant, "", {loaders, "run", "tvm", variant, model});
  }

  void add_torch() {
    if (!options_.wants(kPyTorchRow) || !is_installed("python3") || !has_torch())
      return;
    const std::string checkpoint = workshop_.file("checkpoint.pt");
    run({"python3", "-c", kSaveCheckpoint, checkpoint});
    add(kPyTorchRow, "", {"python3", "-c", kLoadCheckpoint, checkpoint});
  }

  const Workshop& workshop_;
  const Options& options_;
  std::vector<ProgramRow> rows_;
};

struct Series {
  std::vector<double> wall;
  std::vector<double> cpu;
};

void measure(ProgramRow& row, const Workshop& workshop, const Options& options) {
  std::map<Profiler, Series> series;
  for (int round = 0; round < options.rounds; ++round) {
    for (const Profiler profiler : kProfilers) {
      if (profiler == Profiler::kHeaptrack && !options.heaptrack)
        continue;
      say_progress(fmt::format("round {} of {}: {}, {}", round + 1, options.rounds, row.name,
                               name_of(profiler)));
      const Outcome outcome = run(workshop.under(profiler, row.command));
      series[profiler].wall.push_back(outcome.wall_ns);
      series[profiler].cpu.push_back(outcome.cpu_ns);
    }
  }
  for (const auto& [profiler, values] : series)
    row.costs[profiler] = {median(values.wall), median(values.cpu)};
}

}  // namespace

std::vector<ProgramRow> measure_programs(const Workshop& workshop, const Options& options) {
  std::vector<ProgramRow> rows = RowBuilder(workshop, options).rows();
  for (ProgramRow& row : rows)
    measure(row, workshop, options);
  return rows;
}

}  // namespace tidemark::bench
