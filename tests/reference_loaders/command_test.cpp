// The command as its users see it: output, exit status, and the memory that the kernel says it
// took.
#include "tests/reference_loaders/model_files.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using tidemark::loaders::test::read_file;
using tidemark::loaders::test::TemporaryFolder;
using tidemark::loaders::test::tiny_params_file;
using tidemark::loaders::test::write_file;

namespace {

struct Outcome {
  int exit_status = -1;
  std::string out;
  std::string err;
  std::uint64_t max_rss_bytes = 0;
};

Outcome tidemark_loaders(std::vector<std::string> arguments) {
  const TemporaryFolder directory;
  const std::string out = directory.file("out");
  const std::string err = directory.file("err");
  std::string program = TIDEMARK_LOADERS_COMMAND;
  std::vector<char*> argv = {program.data()};
  for (std::string& argument : arguments) {
    argv.push_back(argument.data());
  }
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT, 0600);
  pid_t child = -1;
  REQUIRE(posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ) == 0);
  posix_spawn_file_actions_destroy(&actions);

  int status = 0;
  rusage usage{};
  REQUIRE(wait4(child, &status, 0, &usage) == child);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err),
          static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
}

/// Stands in for `tidemark compare`: runs both loaders, records nothing, and tells these ratios.
/// The demo is then tested without a recorder.
std::string a_tidemark_that_compares(const TemporaryFolder& directory,
                                     const std::string& blob_ratio,
                                     const std::string& stream_ratio,
                                     const std::string& lost = "0") {
  const std::string script = directory.file("tidemark");
  write_file(script, R"(#!/bin/sh
[ "$1 $2 $4 $6" = "compare --before --after --output" ] || exit 9
[ "$8 $9 ${10} ${11}" = "--align phase --dark --save-output" ] || exit 9
side() {
  echo "{\"peak\": {\"footprint_bytes\": 1048576, \"ratio\": $1}, \
\"lane_peaks\": {\"file_bytes\": 0}, \"events\": {\"lost\": )" +
                         lost + R"(}}"
}
sh -c "$3" > "$7/before.out" && sh -c "$5" > "$7/after.out" || exit 1
echo "{\"before\": $(side )" +
                         blob_ratio + R"(), \"after\": $(side )" + stream_ratio +
                         R"()}" > "$7/diff.json"
)");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  return script;
}

bool is_one_sentence(const std::string& text) {
  return std::ranges::count(text, '\n') == 1 && text.ends_with('\n');
}

/// Stands in for `tidemark` in a suite: runs the loader, and reports the peak that the loader
/// itself predicted, as a shell's arithmetic makes it out of `$predicted`. What a row is judged by
/// can so be bent by `report`, and what the loader prints by `loader`, a filter.
std::string a_tidemark_for_suites(const TemporaryFolder& directory,
                                  const std::string& peak = "$predicted",
                                  const std::string& lost = "0",
                                  const std::string& loader = "cat") {
  const std::string script = directory.file("tidemark");
  write_file(script, R"(#!/bin/sh
if [ "$1" = record ]; then
  trace=$4
  shift 5
  "$@" >"$trace.raw" || exit $?
  )" + loader + R"( <"$trace.raw" | tee "$trace"
  exit 0
fi
predicted=$(sed 's/.*"predicted_peak_bytes":\([0-9]*\).*/\1/' "$2")
echo "{\"peak\": {\"footprint_bytes\": $(()" +
                         peak +
                         R"()), \"ratio\": 2}, \
\"lane_peaks\": {\"file_bytes\": 0}, \"events\": {\"lost\": )" +
                         lost + R"(}}"
)");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  return script;
}

Outcome suite_of_tvm(const TemporaryFolder& directory, const std::string& tidemark) {
  return tidemark_loaders({"suite", "tvm", "-o", directory.file("suite"), "--tidemark", tidemark});
}

}  // namespace

TEST_CASE("the kernel sees two copies of the weights for blob and one for stream", "[command]") {
  constexpr std::uint64_t kWeights = std::uint64_t{64} << 20;
  constexpr std::uint64_t kProgram = std::uint64_t{12} << 20;
  const TemporaryFolder directory;
  const std::string file = directory.file("model.params");
  const Outcome made = tidemark_loaders({"make", "tvm", file, "--size", "64MiB"});
  REQUIRE(made.exit_status == 0);

  const Outcome blob = tidemark_loaders({"run", "tvm", "blob", file, "--format", "json"});
  const Outcome stream = tidemark_loaders({"run", "tvm", "stream", file, "--format", "json"});

  CHECK(made.max_rss_bytes < kProgram);
  CHECK(blob.max_rss_bytes >= 2 * kWeights);
  CHECK(blob.max_rss_bytes < 2 * kWeights + kProgram);
  CHECK(stream.max_rss_bytes >= kWeights);
  CHECK(stream.max_rss_bytes < kWeights + kProgram);

  const auto before = nlohmann::json::parse(blob.out);
  const auto after = nlohmann::json::parse(stream.out);
  CHECK(before["checksum"] == after["checksum"]);
  CHECK(after["bytes"] == kWeights);
  CHECK(after["tensors"] == 24);
}

TEST_CASE("a run tells bytes, tensors, checksum and speed", "[command]") {
  const TemporaryFolder directory;
  const std::string file = directory.file("tiny");
  write_file(file, tiny_params_file());

  const Outcome run = tidemark_loaders({"run", "tvm", "stream", file});

  CHECK(run.exit_status == 0);
  CHECK(run.err.empty());
  for (const char* const part : {"11 bytes", "tensors         2", "XXH3-64", "GB/s", "(W = "}) {
    CHECK_THAT(run.out, Catch::Contains(part));
  }
}

TEST_CASE("bad input gets one sentence with file and offset, and exit status 2", "[command]") {
  const TemporaryFolder directory;
  const std::string file = directory.file("cut");
  write_file(file, tiny_params_file().substr(0, 165));
  const std::string variant = GENERATE("blob", "stream");

  const Outcome run = tidemark_loaders({"run", "tvm", variant, file});

  CHECK(run.exit_status == 2);
  CHECK(run.out.empty());
  CHECK(is_one_sentence(run.err));
  CHECK_THAT(
      run.err,
      Catch::Contains(file + ", offset 155: tensor 'bc' needs 3 bytes, but the file ends after 2"));
}

TEST_CASE("wrong usage gets exit status 2 and leaves no file", "[command]") {
  const TemporaryFolder directory;
  const std::string file = directory.file("model");
  using Arguments = std::vector<std::string>;
  const Arguments arguments = GENERATE_COPY(
      Arguments{}, Arguments{"sing"}, Arguments{"run"}, Arguments{"run", "tvm", "blob", file},
      Arguments{"run", "tvm", "loud", file}, Arguments{"run", "abacus", "blob", file},
      Arguments{"make", "abacus", file}, Arguments{"make", "tvm", file, "--size", "many"},
      Arguments{"make", "tvm", file, "--size", "1B"},
      Arguments{"make", "tvm", file, "--size", "8000TiB"},
      Arguments{"make", "tvm", file + "/below", "--size", "1MB"},
      Arguments{"demo", "--tidemark", file, "-o", file});
  CAPTURE(arguments);

  const Outcome outcome = tidemark_loaders(arguments);

  CHECK(outcome.exit_status == 2);
  CHECK_FALSE(outcome.err.empty());
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("a model takes the place of files alone", "[command]") {
  const TemporaryFolder directory;
  std::filesystem::create_symlink(directory.file("model"), directory.file("link"));
  REQUIRE(mkfifo(directory.file("fifo").c_str(), 0600) == 0);

  for (const std::string name : {"link", "fifo"}) {
    const Outcome outcome =
        tidemark_loaders({"make", "tvm", directory.file(name), "--size", "1MB"});
    CHECK(outcome.exit_status == 2);
    CHECK_THAT(outcome.err, Catch::Contains("will not be replaced"));
  }

  CHECK(std::filesystem::is_symlink(directory.file("link")));
  CHECK(std::filesystem::is_fifo(directory.file("fifo")));
  CHECK_FALSE(std::filesystem::exists(directory.file("model")));
}

TEST_CASE("the demo compares both loaders and takes its model from last time", "[command]") {
  const TemporaryFolder directory;
  const std::vector<std::string> arguments = {
      "demo",
      "--size",
      "1MB",
      "-o",
      directory.file("demo"),
      "--tidemark",
      a_tidemark_that_compares(directory, "2.001", "0.999")};

  const Outcome first = tidemark_loaders(arguments);
  const Outcome second = tidemark_loaders(arguments);

  CHECK(first.exit_status == 0);
  CHECK(first.err.empty());
  for (const char* const part : {"blob", "2.00", "stream", "1.00", "tidemark report", "before.tmk",
                                 "graph.svg", "graph.png", "diff.html"}) {
    CHECK_THAT(first.out, Catch::Contains(part));
  }
  CHECK_THAT(first.out, !Catch::Contains("made before"));
  CHECK_THAT(second.out, Catch::Contains("made before"));
}

TEST_CASE("the demo fails when a peak ratio is not the published one", "[command]") {
  const TemporaryFolder directory;
  using Ratios = std::pair<std::string, std::string>;
  const auto [blob, stream] = GENERATE(values<Ratios>({{"2.03", "1.00"}, {"2.00", "0.97"}}));
  CAPTURE(blob, stream);

  const Outcome demo =
      tidemark_loaders({"demo", "--size", "1MB", "-o", directory.file("demo"), "--tidemark",
                        a_tidemark_that_compares(directory, blob, stream)});

  CHECK(demo.exit_status == 1);
  CHECK(is_one_sentence(demo.err));
  CHECK_THAT(demo.err, Catch::Contains("must have a peak ratio"));
}

TEST_CASE("the demo fails when events were lost", "[command]") {
  const TemporaryFolder directory;

  const Outcome demo =
      tidemark_loaders({"demo", "--size", "1MB", "-o", directory.file("demo"), "--tidemark",
                        a_tidemark_that_compares(directory, "2.00", "1.00", "7")});

  CHECK(demo.exit_status == 1);
  CHECK(demo.err ==
        "tidemark-loaders: 7 events of blob were lost, its peak may be too low\n"
        "tidemark-loaders: 7 events of stream were lost, its peak may be too low\n");
}

TEST_CASE("the demo fails when the loaders did not load the same model", "[command]") {
  const TemporaryFolder directory;
  const std::string tidemark = a_tidemark_that_compares(directory, "2.00", "1.00");
  std::string script = read_file(tidemark);
  script += R"(sed -i 's/"checksum":"./"checksum":"-/' "$7/after.out")"
            "\n";
  write_file(tidemark, script);

  const Outcome demo = tidemark_loaders(
      {"demo", "--size", "1MB", "-o", directory.file("demo"), "--tidemark", tidemark});

  CHECK(demo.exit_status == 1);
  CHECK_THAT(demo.out, Catch::Contains("differs"));
  CHECK_THAT(demo.err, Catch::Contains("blob and stream did not load the same model"));
}

TEST_CASE("the demo says which of its commands failed", "[command]") {
  const TemporaryFolder directory;
  const Outcome demo = tidemark_loaders(
      {"demo", "--size", "1MB", "-o", directory.file("demo"), "--tidemark", "/bin/false"});

  CHECK(demo.exit_status == 1);
  CHECK_THAT(demo.err, Catch::Contains("/bin/false compare"));
  CHECK_THAT(demo.err, Catch::Contains("exit status 1"));
}

TEST_CASE("list names the systems, their variants and the predicted peaks", "[command]") {
  const Outcome list = tidemark_loaders({"list"});

  CHECK(list.exit_status == 0);
  for (const char* const part : {"tvm", "13877", "blob", "2W", "stream"}) {
    CHECK_THAT(list.out, Catch::Contains(part));
  }
  std::istringstream lines(list.out);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= 80);
  }
}

TEST_CASE("a suite prints one table a system and takes its models from last time", "[command]") {
  const TemporaryFolder directory;
  const std::string tidemark = a_tidemark_for_suites(directory);

  const Outcome first = suite_of_tvm(directory, tidemark);
  const Outcome second = suite_of_tvm(directory, tidemark);

  CHECK(first.exit_status == 0);
  for (const char* const part : {"blob", "2W = 2 x 128.0 MiB", "exec-stream", "shards", "5 GB, 2x",
                                 "+0.00%", "dd bs=4M", "tvm: all 6 rows hold"}) {
    CHECK_THAT(first.out, Catch::Contains(part));
  }
  CHECK_THAT(first.err, Catch::Contains("tvm params: making 128.0 MiB\n"));
  CHECK_THAT(first.err, Catch::Contains("tvm relax: recording relax\n"));
  CHECK(second.exit_status == 0);
  CHECK_THAT(second.err, !Catch::Contains("making"));
  CHECK(std::filesystem::exists(directory.file("suite/tvm/params-134217728/model")));
}

TEST_CASE("a suite makes a model again whose size is not right", "[command]") {
  const TemporaryFolder directory;
  const std::string tidemark = a_tidemark_for_suites(directory);
  const std::string folder = directory.file("suite/tvm/");
  std::filesystem::create_directories(folder + "params-134217728");
  write_file(folder + "params-134217728/model", "short");
  std::filesystem::create_directories(folder + "shards-67108864");
  write_file(folder + "shards-67108864/params_shard_0.bin", "of a run that was cut off");

  const Outcome suite = suite_of_tvm(directory, tidemark);

  CHECK(suite.exit_status == 0);
  CHECK_THAT(suite.err, Catch::Contains("params: making") && Catch::Contains("shards: making"));
}

TEST_CASE("a suite fails for each reason, with a sentence on stderr", "[command]") {
  struct Reason {
    const char* peak;
    const char* lost;
    const char* loader;
    const char* says;
  };
  const auto reason = GENERATE(values<Reason>({
      {"$predicted * 103 / 100", "0", "cat",
       "tvm blob of params: the measured peak of 263.7 MiB is +3.00 % from the predicted 256.0 "
       "MiB"},
      {"$predicted * 97 / 100", "0", "cat", "is -3.00 % from the predicted"},
      {"$predicted", "5", "cat", "tvm stream of params: 5 events were lost"},
      {"$predicted", "0", R"(sed '/"stream"/s/"checksum":"./"checksum":"x/')",
       "tvm stream of params: its checksum x"},
  }));
  CAPTURE(reason.says);
  const TemporaryFolder directory;

  const Outcome suite = suite_of_tvm(
      directory, a_tidemark_for_suites(directory, reason.peak, reason.lost, reason.loader));

  CHECK(suite.exit_status == 1);
  CHECK_THAT(suite.err, Catch::Contains(reason.says));
  CHECK_THAT(suite.out, Catch::Contains("not hold") && Catch::Contains("! "));
}

TEST_CASE("a suite goes on after a loader that fails, and says what it said", "[command]") {
  const TemporaryFolder directory;
  const std::string script = directory.file("tidemark");
  write_file(script, "#!/bin/sh\necho 'tidemark-loaders: model: it is a kettle' >&2\nexit 2\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);

  const Outcome suite = suite_of_tvm(directory, script);

  CHECK(suite.exit_status == 1);
  CHECK_THAT(suite.err,
             Catch::Contains("tvm blob of params: it failed, exit status 2: model: it is "
                             "a kettle\n"));
  CHECK_THAT(suite.out, Catch::Contains("! shards  failed with exit status 2") &&
                            Catch::Contains("6 of 6 rows do not hold"));
}

TEST_CASE("a suite of an unknown system, or of two sizes at once, is wrong usage", "[command]") {
  const TemporaryFolder directory;
  const std::string output = directory.file("suite");

  CHECK(tidemark_loaders({"suite", "abacus", "-o", output}).exit_status == 2);
  CHECK(tidemark_loaders({"suite", "--quick", "--full", "-o", output}).exit_status == 2);
  CHECK(tidemark_loaders({"suite", "-o", output, "--tidemark", output}).exit_status == 2);
  CHECK_FALSE(std::filesystem::exists(output));
}
