#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

using namespace tidemark::tests;

namespace {

/// The names in a trace, one line for each program location, in an order that no run changes.
std::multiset<std::string> names_in(const Recording& recording) {
  std::multiset<std::string> names;
  const auto& definitions = recording.events.definitions();
  for (std::size_t frame = 0; frame < definitions.locations.size(); ++frame) {
    const auto& module = definitions.modules[index(definitions.frames[frame].module)];
    std::string line = module.path + " " + std::to_string(definitions.frames[frame].offset);
    for (const auto& location : definitions.locations[frame])
      line += " " + location.function + " " + location.file + ":" + std::to_string(location.line);
    names.insert(line);
  }
  return names;
}

bool has_source_lines(const Recording& recording, const std::string& file) {
  for (const std::string& name : names_in(recording)) {
    if (name.find(file + ":") != std::string::npos)
      return true;
  }
  return false;
}

Command with_cache(Words words, const std::string& variable) {
  Command command;
  command.words = std::move(words);
  command.environment = {variable};
  return command;
}

}  // namespace

TEST_CASE("a second recording has its names from the cache, and they are the same") {
  EndToEnd test;
  const std::string cache = "XDG_CACHE_HOME=" + test.path("own cache");
  const std::string program = test.path("program");
  std::filesystem::copy_file(EndToEnd::host("mixed_sizes").front(), program);
  const std::string debug = test.path("program.debug");
  REQUIRE(test.run_alone({"objcopy", "--only-keep-debug", program, debug}).status == 0);
  REQUIRE(
      test.run_alone({"objcopy", "--strip-all", "--add-gnu-debuglink=" + debug, program}).status ==
      0);

  const Recording first = test.record(with_cache({program}, cache));
  REQUIRE(has_source_lines(first, "mixed_sizes.cpp"));
  // The debug information becomes unreadable, and nothing that a look from outside would tell.
  const auto time = std::filesystem::last_write_time(debug);
  const auto size = std::filesystem::file_size(debug);
  std::ofstream(debug, std::ios::binary) << std::string(size, '\0');
  std::filesystem::last_write_time(debug, time);
  const Recording second = test.record(with_cache({program}, cache));
  const Recording third =
      test.record(with_cache({program}, "XDG_CACHE_HOME=" + test.path("another")));

  CHECK(names_in(second) == names_in(first));
  CHECK_FALSE(has_source_lines(third, "mixed_sizes.cpp"));
}

TEST_CASE("without a place for a cache everything is as without one") {
  EndToEnd test;
  const Words host = EndToEnd::host("mixed_sizes");
  const Recording with = test.record(host);
  Command command;
  command.words = host;
  command.environment = {"HOME", "XDG_CACHE_HOME"};
  const Recording without = test.record(command);
  const Recording unwritable = test.record(with_cache(host, "XDG_CACHE_HOME=/proc"));

  CHECK(without.host.err.empty());
  CHECK(unwritable.host.err.empty());
  CHECK(names_in(without) == names_in(with));
  CHECK(names_in(unwritable) == names_in(with));
}

TEST_CASE("the cache can be left alone") {
  EndToEnd test;
  Command command;
  command.words = {EndToEnd::command(), "record", "-q", "--no-symbol-cache", "-o",
                   test.trace(),        "--"};
  for (const std::string& word : EndToEnd::host("mixed_sizes"))
    command.words.push_back(word);
  command.environment = {"XDG_CACHE_HOME=" + test.path("own cache")};

  CHECK(test.run_alone(command).status == 0);
  CHECK(std::filesystem::exists(test.trace()));
  CHECK_FALSE(std::filesystem::exists(test.path("own cache")));
}
