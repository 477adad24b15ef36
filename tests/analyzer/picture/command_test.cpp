// Runs the built `tidemark plot` as a person would.
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/wait.h>

using namespace tidemark;
using tests::TraceBuilder;

namespace {

struct Outcome {
  int status = -1;
  std::string err;
};

std::string contents_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class PlotCommand {
 public:
  PlotCommand() {
    tests::append_naive_load(before_);
    tests::append_streamed_load(after_);
    before = before_.finish();
    after = after_.finish();
  }

  Outcome plot(const std::string& arguments) {
    const std::string command = tidemark + " plot " + arguments + " 2> " + folder.file("err");
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000, contents_of(folder.file("err"))};
  }
  void check_refused(const std::string& arguments, const std::string& sentence) {
    const auto outcome = plot(arguments);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Catch::StartsWith("tidemark: "));
    CHECK_THAT(outcome.err, Catch::Contains(sentence));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }

  tests::TemporaryFolder folder;
  std::string tidemark = TIDEMARK_COMMAND;
  std::string before;
  std::string after;

 private:
  TraceBuilder before_;
  TraceBuilder after_;
};

}  // namespace

TEST_CASE("plot writes SVG and PNG, as the ending says", "[cli]") {
  PlotCommand command;
  const auto svg = command.folder.file("out.svg");
  const auto png = command.folder.file("out.png");

  CHECK(command.plot(command.before + ' ' + command.after + " -o " + svg).err.empty());
  CHECK(command.plot(command.before + " -o " + png + " --theme dark --size 480x300").status == 0);

  CHECK_THAT(contents_of(svg), Catch::StartsWith("<?xml"));
  CHECK_THAT(contents_of(png), Catch::StartsWith("\x89PNG"));
}

TEST_CASE("two runs of plot give the same bytes", "[cli]") {
  PlotCommand command;
  for (const std::string name : {"a.svg", "b.svg"}) {
    command.plot(command.before + ' ' + command.after + " --align bytes -o " +
                 command.folder.file(name));
  }

  CHECK(contents_of(command.folder.file("a.svg")) == contents_of(command.folder.file("b.svg")));
}

TEST_CASE("what plot cannot do is one sentence, exit status 2, and no file", "[cli]") {
  PlotCommand command;
  const auto out = command.folder.file("out.svg");
  const std::string good = command.before + " -o " + out;

  command.check_refused(command.before + " -o " + command.folder.file("out.gif"), ".svg or .png");
  command.check_refused(command.before + " -o " + command.folder.file("out"), ".svg or .png");
  command.check_refused(command.before, "--output is required");
  command.check_refused("/no/such.tmk -o " + out, "/no/such.tmk");
  command.check_refused(command.before + " /no/such.tmk -o " + out, "/no/such.tmk");
  command.check_refused(good + " --size big", "'big' is no size in pixels");
  command.check_refused(good + " --size 100x100", "from 320x200");
  command.check_refused(good + " --size 800x450x3", "no size in pixels");
  command.check_refused(good + " --theme pink", "pink");
  command.check_refused(good + " --align rows", "rows");
  command.check_refused(good + " --model 5furlongs", "neither a size nor a file");
  TraceBuilder without_phases;
  without_phases.allocate(1);
  const auto other = without_phases.finish();
  command.check_refused(command.before + ' ' + other + " --align phase -o " + out,
                        "no phase of the same name");
  command.check_refused(command.before + ' ' + other + " --align bytes -o " + out,
                        "no model file was read");
  TraceBuilder in_part;
  in_part.read(in_part.file("/m/tvm.params", 40 << 20), 18 << 20);
  command.check_refused(in_part.finish() + " --align bytes -o " + out,
                        "tvm.params was read to 45 % only, so it is not taken for the model; "
                        "--model /m/tvm.params says that it is");
  CHECK_FALSE(std::filesystem::exists(out));
}

TEST_CASE("without the object that draws, plot says so and every other verb goes on", "[cli]") {
  PlotCommand command;
  const auto out = command.folder.file("out.svg");
  command.tidemark = command.folder.file("tidemark");
  std::filesystem::copy_file(TIDEMARK_COMMAND, command.tidemark);

  command.check_refused(command.before + " -o " + out, "no pictures can be drawn here");

  CHECK_FALSE(std::filesystem::exists(out));
  const std::string report = command.tidemark + " report " + command.before + " > " + out;
  CHECK(std::system(report.c_str()) == 0);
}

TEST_CASE("an output that cannot be written leaves what was there", "[cli]") {
  PlotCommand command;
  const auto taken = command.folder.file("taken.svg");
  std::filesystem::create_directory(taken);

  command.check_refused(command.before + " -o " + taken, taken);
  command.check_refused(command.before + " -o /no/such/folder/out.png", "/no/such/folder/out.png");

  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(command.folder.file(""))) {
    files += entry.is_regular_file() && entry.path().filename() != "err" ? 1U : 0U;
  }
  CHECK(files == 0);
}

TEST_CASE("plot says why there is one grey area, and draws it all the same", "[cli]") {
  PlotCommand command;
  TraceBuilder builder;
  builder.allocate(1000, builder.stack({"malloc", "load", "main"}));
  const std::string plain = builder.finish();
  const std::string svg = command.folder.file("grey.svg");
  for (const std::string by : {"tensor", "phase"}) {
    CAPTURE(by);
    const auto outcome = command.plot(plain + " --by " + by + " -o " + svg);

    CHECK(outcome.status == 0);
    CHECK(outcome.err.starts_with("tidemark: nothing to layer by " + by + ": no "));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK(contents_of(svg).find("nothing to layer by " + by) != std::string::npos);
  }
}
