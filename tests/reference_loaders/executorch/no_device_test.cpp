// A machine that has Vulkan's loader, but no driver for any device.
#include "tests/reference_loaders/model_files.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdlib>

#include <sys/wait.h>

using namespace tidemark::loaders;

namespace {

struct Outcome {
  int exit_status = -1;
  std::string said;  ///< On both streams.
};

Outcome without_driver(const test::TemporaryFolder& directory, const std::string& arguments) {
  const std::string out = directory.file("said");
  const std::string command = "VK_ICD_FILENAMES=/nowhere.json VK_DRIVER_FILES=/nowhere.json " +
                              std::string(TIDEMARK_LOADERS_COMMAND) + " " + arguments + " >" + out +
                              " 2>&1";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, test::read_file(out)};
}

}  // namespace

TEST_CASE("without a Vulkan device a run says so in one sentence", "[executorch][command]") {
  const test::TemporaryFolder directory;
  const std::string file = directory.file("model");
  REQUIRE(without_driver(directory, "make executorch --model small-short " + file).exit_status ==
          0);

  const Outcome run = without_driver(directory, "run executorch lazy " + file);

  CAPTURE(run.said);
  CHECK(run.exit_status == 1);
  CHECK(run.said.starts_with("tidemark-loaders: no Vulkan device"));
  CHECK(std::ranges::count(run.said, '\n') == 1);
}

TEST_CASE("without a Vulkan device the suite skips the system and says so",
          "[executorch][command]") {
  const test::TemporaryFolder directory;

  const Outcome suite = without_driver(
      directory, "suite executorch --tidemark /bin/true -o " + directory.file("suite"));

  CAPTURE(suite.said);
  CHECK(suite.exit_status == 0);
  CHECK(suite.said.starts_with("executorch: skipped: no Vulkan device"));
}
