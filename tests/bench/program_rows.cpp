#include "tests/bench/program_rows.hpp"

#include "tests/bench/child.hpp"
#include "tests/bench/median.hpp"
#include "tests/bench/progress.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
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
constexpr const char* kMillionObjects = "x = [str(i) for i in range(1_000_000)]";
constexpr const char* kManyRows =
    "create table t(a integer primary key, b text);"
    "with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000)"
    " insert into t select i, hex(i * 7919) from n;"
    "create index x on t(b); select count(*), max(b) from t where b like '3%';";
constexpr const char* kManyValues =
    "const rows = []; for (let i = 0; i < 300000; ++i) rows.push({id: i, name: 'row ' + i});"
    "console.log(JSON.parse(JSON.stringify(rows)).length)";
constexpr const char* kLoadCheckpoint = "import sys, torch; torch.load(sys.argv[1])";

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  return text;
}

/// The program that `command` says runs it. A name in PATH may be a script that starts another one,
/// of which heaptrack records the script alone.
std::string executable_of(const Command& command) {
  return trimmed(run(command).output);
}

bool has_torch(const std::string& python) {
  try {
    run({python, "-c", "import torch"});
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

/// As its clients send it: https://redis.io/docs/latest/develop/reference/protocol-spec/.
std::string redis_command(const std::vector<std::string>& words) {
  std::string bytes = fmt::format("*{}\r\n", words.size());
  for (const std::string& word : words)
    bytes += fmt::format("${}\r\n{}\r\n", word.size(), word);
  return bytes;
}

/// The rows that this machine can run. Makes the files that they load.
class RowBuilder {
 public:
  RowBuilder(const Workshop& workshop, const Options& options)
      : workshop_(workshop), options_(options) {}

  std::vector<ProgramRow> rows() {
    if (add(kStartRow, "", {Workshop::host("pair_loop"), "--pairs", "1"}))
      rows_.back().is_in_mean = false;
    add_workloads();
    add_interpreters();
    add_redis();
    add_compilers();
    add_loaders();
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

  void add_workloads() {
    for (const char* name :
         {"containers", "parser", "big-numbers", "covers", "sizes", "slots", "batches", "server"})
      add(name, "", {Workshop::host("workloads"), name, options_.quick ? "20" : "100"});
    add("allocator torture, 4 threads", "",
        {Workshop::host("allocator_torture"), "4", options_.quick ? "50000" : "300000"});
  }

  static std::string python3() {
    return executable_of({"python3", "-c", "import sys; print(sys.executable)"});
  }

  void add_interpreters() {
    if (is_installed("python3")) {
      const std::string python = python3();
      add("python3 imports", "", {python, "-c", kModuleTree});
      add("python3 list", "", {python, "-c", kMillionObjects});
      if (add("python3 list, PYTHONMALLOC=malloc", "", {python, "-c", kMillionObjects}))
        rows_.back().environment = {{"PYTHONMALLOC", "malloc"}};
    }
    if (is_installed("sqlite3"))
      add("sqlite3", "", {"sqlite3", ":memory:", kManyRows});
    if (is_installed("node"))
      add("node", "", {executable_of({"node", "-p", "process.execPath"}), "-e", kManyValues});
  }

  /// A server that reads its log of commands, of which the last one ends it.
  void add_redis() {
    const std::string folder = workshop_.file("redis");
    if (!is_installed("redis-server") ||
        !add("redis", "its own allocator",
             {"redis-server", "--port", "0", "--unixsocket", folder + "/socket", "--appendonly",
              "yes", "--dir", folder, "--save", "", "--loglevel", "warning"}))
      return;
    constexpr std::size_t kKeys = 300'000;
    std::filesystem::create_directory(folder);
    std::ofstream log(folder + "/appendonly.aof", std::ios::binary);
    for (std::size_t i = 0; i < kKeys; ++i) {
      const std::size_t bytes = 8 + i * 7919 % 113;
      log << redis_command({"SET", "key:" + std::to_string(i), std::string(bytes, 'v')});
    }
    log << redis_command({"SHUTDOWN", "NOSAVE", "NOW", "FORCE"});
  }

  void add_compilers() {
    if (!is_installed("g++"))
      return;
    const Command arguments = {"-O2", "-std=c++20", Workshop::source("hosts/many_headers.cpp"),
                               "-o", "/dev/null"};
    Command driver = {"g++", "-c"};
    driver.insert(driver.end(), arguments.begin(), arguments.end());
    if (!options_.quick &&
        add("g++ -O2", "heaptrack records the driver only, tidemark its children too", driver))
      rows_.back().is_in_mean = false;
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
    if (!options_.wants(kPyTorchRow) || !is_installed("python3"))
      return;
    const std::string python = python3();
    if (!has_torch(python))
      return;
    const std::string checkpoint = workshop_.file("checkpoint.pt");
    run({python, "-c", kSaveCheckpoint, checkpoint});
    add(kPyTorchRow, "", {python, "-c", kLoadCheckpoint, checkpoint});
  }

  const Workshop& workshop_;
  const Options& options_;
  std::vector<ProgramRow> rows_;
};

/// Variables for whoever is started while this lives.
class Surroundings {
 public:
  explicit Surroundings(const Environment& environment) {
    for (const auto& [name, value] : environment) {
      const char* before = std::getenv(name.c_str());
      before_[name] = before != nullptr ? std::optional<std::string>(before) : std::nullopt;
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  ~Surroundings() {
    for (const auto& [name, value] : before_) {
      if (value)
        setenv(name.c_str(), value->c_str(), 1);
      else
        unsetenv(name.c_str());
    }
  }
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

struct Times {
  std::vector<double> wall;
  std::vector<double> cpu;
};

void measure(ProgramRow& row, const Workshop& workshop, const Options& options) {
  const Surroundings surroundings(row.environment);
  std::map<Profiler, Times> series;
  for (int round = 0; round < options.rounds; ++round) {
    for (const Profiler profiler : kProfilers) {
      if (!options.wants(profiler))
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

std::optional<double> mean_share_of_heaptrack(const std::vector<ProgramRow>& rows) {
  double sum = 0;
  int count = 0;
  for (const ProgramRow& row : rows) {
    if (!row.is_in_mean || !row.has(Profiler::kHeaptrack))
      continue;
    sum += std::log(row.added_ns(Profiler::kTidemark) / row.added_ns(Profiler::kHeaptrack));
    ++count;
  }
  return count != 0 ? std::optional(std::exp(sum / count)) : std::nullopt;
}

std::vector<ProgramRow> measure_programs(const Workshop& workshop, const Options& options) {
  std::vector<ProgramRow> rows = RowBuilder(workshop, options).rows();
  for (ProgramRow& row : rows)
    measure(row, workshop, options);
  return rows;
}

}  // namespace tidemark::bench
